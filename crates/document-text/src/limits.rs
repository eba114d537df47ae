//! Bounds of one document.

/// Bounds what one document may cost and what one part of it may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest document that is opened, in bytes of the file.
    pub max_bytes: usize,
    /// The longest line or row that is returned whole; the rest of a longer one is cut and counted.
    pub max_unit_bytes: usize,
    /// The most text that one part returns, in bytes of UTF-8; each line and each field counts one byte more for its end.
    /// A part ends at the last unit that fits.
    pub max_part_bytes: usize,
}

impl Limits {
    /// Fits documents that people write: 64 MiB of file, 1 MiB per line and per part.
    pub const STANDARD: Limits =
        Limits { max_bytes: 64 << 20, max_unit_bytes: 1 << 20, max_part_bytes: 1 << 20 };
}
