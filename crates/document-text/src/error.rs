//! Why a document gives no text.

use crate::format::Format;

/// Says why a document gives no text.
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
    /// The kind is known to hold text, pictures or sound, but this version cannot extract it.
    #[error("reading this kind of file is not available: {}, {bytes} bytes", format.name())]
    NotAvailable {
        /// What the file is.
        format: Format,
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
            Error::Binary { .. } => "binary_file",
            Error::BadRange { .. } => "bad_range",
        }
    }
}
