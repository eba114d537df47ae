//! Why a document gives no text.

use crate::format::Format;

/// Says why a document, or one unit of it, gives no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is larger than [`Limits::max_bytes`](crate::Limits::max_bytes).
    #[error("the document has {bytes} bytes, {max} are allowed")]
    TooLarge {
        /// Size of the file.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// The kind is known to hold text or sound, but this crate has no way to extract it.
    #[error("reading this kind of file is not available: {}, {bytes} bytes", format.name())]
    NotAvailable {
        /// What the file is.
        format: Format,
        /// Size of the file.
        bytes: usize,
    },
    /// The kind can be read, but not by this build.
    #[error("reading a {} ({bytes} bytes) needs a build with the feature `{feature}` of document-text", format.name())]
    Disabled {
        /// What the file is.
        format: Format,
        /// The cargo feature that is off.
        feature: &'static str,
        /// Size of the file.
        bytes: usize,
    },
    /// The file holds no text at all.
    #[error("the file is binary: {}, {bytes} bytes", format.name())]
    Binary {
        /// What the file is.
        format: Format,
        /// Size of the file.
        bytes: usize,
    },
    /// The name promises a document, and the content is none.
    #[error("the name says {}, but the content is {found}; give the file the right extension to read it", format.name())]
    WrongExtension {
        /// What the name says.
        format: Format,
        /// What the content is: `text`, `empty`.
        found: &'static str,
    },
    /// The document opens only with a password.
    #[error("the {} is encrypted and opens only with a password; decrypt a copy and read that", format.name())]
    Encrypted {
        /// What the file is.
        format: Format,
    },
    /// The document does not keep to its format.
    #[error("the {} could not be read: {why}", format.name())]
    Broken {
        /// What the file is.
        format: Format,
        /// What is wrong, as a phrase.
        why: &'static str,
    },
    /// A part that the format demands is missing.
    #[error("the {} could not be read: it has no {part}", format.name())]
    MissingPart {
        /// What the file is.
        format: Format,
        /// What is missing.
        part: &'static str,
    },
    /// The document unpacks to more than the limits allow, as a bomb does.
    #[error("the {} could not be read: {what} unpacks to more than {max} bytes", format.name())]
    Bomb {
        /// What the file is.
        format: Format,
        /// Which part of it.
        what: &'static str,
        /// The limit, in bytes.
        max: usize,
    },
    /// Elements or entries nest deeper, or are more, than the limits allow.
    #[error("the {} could not be read: it has more than {max} {what}", format.name())]
    TooMany {
        /// What the file is.
        format: Format,
        /// What is counted, in the plural.
        what: &'static str,
        /// The limit.
        max: usize,
    },
    /// A picture is larger than the limits allow.
    #[error("the {} is too large: {width} x {height} pixels, {bytes} bytes; at most {max_pixels} pixels and {max_bytes} bytes are read", format.name())]
    PictureTooLarge {
        /// What the file is.
        format: Format,
        /// Declared width, in pixels; 0 when it was not looked at.
        width: u32,
        /// Declared height, in pixels; 0 when it was not looked at.
        height: u32,
        /// Size of the file.
        bytes: usize,
        /// The limit on pixels.
        max_pixels: u64,
        /// The limit on bytes.
        max_bytes: usize,
    },
    /// The system gave no thread to parse on.
    #[error("the {} could not be read: no thread could be started; try again", format.name())]
    NoThread {
        /// What the file is.
        format: Format,
    },
    /// A range starts at unit 0 or ends before it starts.
    #[error("the range {start}..{end} is not valid: units count from 1")]
    BadRange {
        /// First unit asked for.
        start: u64,
        /// The unit after the last one asked for.
        end: u64,
    },
}

impl Error {
    /// Names the error in a word that stays the same in every version.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Error::TooLarge { .. } => "document_too_large",
            Error::NotAvailable { .. } => "not_available",
            Error::Disabled { .. } => "format_disabled",
            Error::Binary { .. } => "binary_file",
            Error::WrongExtension { .. } => "wrong_extension",
            Error::Encrypted { .. } => "document_encrypted",
            Error::Broken { .. } => "document_broken",
            Error::MissingPart { .. } => "document_part_missing",
            Error::Bomb { .. } => "document_bomb",
            Error::TooMany { .. } => "document_too_complex",
            Error::PictureTooLarge { .. } => "picture_too_large",
            Error::NoThread { .. } => "no_thread",
            Error::BadRange { .. } => "bad_range",
        }
    }
}
