//! Why a redactor could not be built.

use thiserror::Error;

/// A setting of the builder that cannot work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A known value is too short to be told from ordinary text, or too long.
    #[error("known value of {len} bytes, allowed are {min} to {max}")]
    KnownValueLength {
        /// The length of the value.
        len: usize,
        /// The shortest allowed length.
        min: usize,
        /// The longest allowed length.
        max: usize,
    },
    /// The marker is not an upper-case word in square brackets of 3 to 64 bytes in all.
    #[error("marker of {len} bytes is not an upper-case word in square brackets of 3 to 64 bytes")]
    BadMarker {
        /// The length of the marker.
        len: usize,
    },
}

impl Error {
    /// Returns a stable word for branching: `known_value_length` or `bad_marker`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::KnownValueLength { .. } => "known_value_length",
            Self::BadMarker { .. } => "bad_marker",
        }
    }
}
