//! The signature of one file: made without the index, so that several threads can make them at once.

use std::io::Read;

use super::grams::{Bitmap, Grams};
use crate::{
    FileFacts,
    lines::{MAX_LINE_BYTES, Scratch, open_text},
    records::Outcome,
};

/// Text of one piece: a larger file is cut at line ends, so that few of its bytes are read for a rare match.
const PIECE_BYTES: usize = 64 << 10;
/// Bytes of the next piece that belong to a signature too: an n-gram over the seam is held by the piece before.
const SEAM_BYTES: usize = 8;

/// Buffers for making signatures, one for each thread.
#[derive(Debug, Default)]
pub struct Maker {
    scratch: Scratch,
    text: Vec<u8>,
    words: Vec<u64>,
}

/// What an index keeps of the content of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature(pub(crate) Content);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Binary,
    Text {
        pieces: Vec<Piece>,
        /// Whether offsets are offsets in the file: it is UTF-8 without a byte order mark.
        plain: bool,
    },
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) bitmap: Bitmap,
    pub(crate) at: PieceAt,
}

/// Where a piece starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PieceAt {
    pub(crate) offset: u64,
    /// Line breaks before it.
    pub(crate) lines: u64,
}

impl Signature {
    /// Reads a file to its end and makes its signature, from the bytes that a search of it sees.
    ///
    /// `None` when it cannot be read, was cut while it was read, has no length, or has a line so long that a search does not look at all of it: such
    /// a file is read by every search.
    ///
    /// # Cost
    /// O(length) time, about two nanoseconds for a byte; memory for one piece of 64 KiB, or one line if that is longer.
    pub fn read(file: impl Read, facts: &FileFacts, grams: Grams, maker: &mut Maker) -> Option<Self> {
        let Maker { scratch, text, words } = maker;
        let mut opened = match open_text(file, facts.size, 0, scratch) {
            Ok(opened) => opened,
            Err((Outcome::Binary, _)) => return Some(Self(Content::Binary)),
            Err(_) => return None,
        };
        let plain = !opened.source.is_decoded() && opened.source.bytes_read == opened.filled as u64;
        text.clear();
        text.extend_from_slice(&scratch.buf[..opened.filled]);
        let mut pieces = Vec::new();
        let mut at = PieceAt::default();
        loop {
            // A whole piece and the seam, or the rest.
            while text.len() < PIECE_BYTES + SEAM_BYTES && !opened.source.is_at_end() {
                let filled = opened.source.read(&mut scratch.buf).ok()?;
                text.extend_from_slice(&scratch.buf[..filled]);
            }
            let is_rest = text.len() <= PIECE_BYTES;
            let end = if is_rest {
                text.len()
            } else {
                match memchr::memrchr(b'\n', &text[..PIECE_BYTES]) {
                    Some(newline) => newline + 1,
                    None => long_line(&mut opened.source, text, &mut scratch.buf)?,
                }
            };
            let hashed = (end + SEAM_BYTES).min(text.len());
            pieces.push(Piece { bitmap: Bitmap::of(&text[..hashed], grams, words), at });
            if end == text.len() && opened.source.is_at_end() {
                break;
            }
            at.offset += end as u64;
            at.lines += memchr::memchr_iter(b'\n', &text[..end]).count() as u64;
            text.drain(..end);
        }
        // One that has no length, or was cut meanwhile, is not what it seems.
        let whole = opened.source.bytes_read == facts.size;
        text.shrink_to(4 * PIECE_BYTES);
        whole.then_some(Self(Content::Text { pieces, plain }))
    }

    /// Tells whether a search for what `plan` needs has to look at the file.
    pub fn may_match(&self, plan: &super::Plan, grams: Grams) -> bool {
        let Content::Text { pieces, .. } = &self.0 else { return false };
        let probe = super::blocks::Probe::new(&plan.0, grams);
        let has = |bitmap: &Bitmap, hash: u32| {
            let row = super::grams::row_of(hash, bitmap.bits);
            bitmap.words[row / 64] >> (row % 64) & 1 == 1
        };
        pieces.iter().any(|piece| probe.holds(&mut |hash| has(&piece.bitmap, hash)))
    }
}

/// Reads on to the end of a line longer than a piece; returns where it ends.
fn long_line<R: Read>(
    source: &mut crate::utf16::Source<R>,
    text: &mut Vec<u8>,
    buf: &mut [u8],
) -> Option<usize> {
    let mut looked = PIECE_BYTES;
    loop {
        let found = memchr::memchr(b'\n', &text[looked..]).map(|at| looked + at + 1);
        match found {
            // The line must be one that a search reads whole, and the seam must be there.
            Some(end) if end > MAX_LINE_BYTES => return None,
            Some(end) if text.len() >= end + SEAM_BYTES || source.is_at_end() => return Some(end),
            Some(_) => {}
            None if text.len() > MAX_LINE_BYTES => return None,
            None if source.is_at_end() => return Some(text.len()),
            None => looked = text.len(),
        }
        match source.read(buf).ok()? {
            0 => return Some(found.unwrap_or(text.len())),
            filled => text.extend_from_slice(&buf[..filled]),
        }
    }
}

#[cfg(test)]
mod tests;
