//! Bounds of one document.

/// Bounds what one document may cost and what one part of it may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest document that is opened, in bytes of the file.
    pub max_bytes: usize,
    /// The longest line, row, page or slide that is returned whole; the rest of a longer one is cut and counted.
    pub max_unit_bytes: usize,
    /// The most text that one part returns, in bytes of UTF-8; each line and each field counts one byte more for its end.
    /// A part ends at the last unit that fits.
    pub max_part_bytes: usize,
    /// The most that the parts of a packed document may unpack to, together. One part may take half of it.
    pub max_unpacked_bytes: usize,
    /// The most files that a packed document may hold.
    pub max_entries: usize,
    /// How deep the elements of a document may nest.
    pub max_depth: usize,
    /// The largest picture that is opened, in bytes of the file.
    pub max_picture_bytes: usize,
    /// The most pixels that a picture may declare: width times height.
    pub max_picture_pixels: u64,
    /// A picture whose longer edge exceeds so many pixels is scaled down to it.
    pub max_picture_edge: u32,
}

impl Limits {
    /// Fits documents that people write: 64 MiB of file, 1 MiB per unit and per part, 128 MiB unpacked, pictures of
    /// 10 MiB and 64 million pixels, shown with at most 2,000 on the longer edge.
    pub const STANDARD: Limits = Limits {
        max_bytes: 64 << 20,
        max_unit_bytes: 1 << 20,
        max_part_bytes: 1 << 20,
        max_unpacked_bytes: 128 << 20,
        max_entries: 10_000,
        max_depth: 256,
        max_picture_bytes: 10 << 20,
        max_picture_pixels: 64_000_000,
        max_picture_edge: 2000,
    };
}
