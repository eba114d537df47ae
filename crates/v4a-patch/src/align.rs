//! Which bytes of a new text are those of the old one: common prefix, common suffix, and between them the longest
//! common subsequence.

use alloc::vec::Vec;

/// Most cells of the tables of all alignments of one plan; beyond them only prefix and suffix are aligned.
pub(crate) const MAX_CELLS: usize = 1 << 22;
/// Marks a byte of the new text that has no partner.
const NONE: u32 = u32::MAX;

/// Pairs of equal bytes of an old and a new text, in order.
#[derive(Debug)]
pub(crate) struct Alignment {
    prefix: usize,
    /// For each byte of the new text between prefix and suffix, its partner between those of the old text.
    middle: Vec<u32>,
    /// Where the suffix begins in the old and in the new text.
    suffix: (usize, usize),
}

impl Alignment {
    /// Aligns two texts and takes the cells of its table from `cells`.
    ///
    /// Costs O(old + new), and for the parts between prefix and suffix their product, when both have a quote or a line
    /// feed, which are all that is asked for, and that many cells are left.
    pub(crate) fn new(old: &[u8], new: &[u8], cells: &mut usize) -> Self {
        let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let (old, new) = (&old[prefix..], &new[prefix..]);
        let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let (old, new) = (&old[..old.len() - suffix], &new[..new.len() - suffix]);
        let suffix = (prefix + old.len(), prefix + new.len());
        let needed = (old.len() + 1).saturating_mul(new.len() + 1);
        let matters = |text: &[u8]| text.iter().any(|byte| matches!(byte, b'\'' | b'"' | b'\n'));
        let middle = if needed <= *cells && matters(old) && matters(new) {
            *cells -= needed;
            common_subsequence(old, new)
        } else {
            Vec::new()
        };
        Self { prefix, middle, suffix }
    }

    /// Returns the byte of the old text that byte `at` of the new text, a quote or a line feed, is aligned with.
    pub(crate) fn partner(&self, at: usize) -> Option<usize> {
        if at < self.prefix {
            return Some(at);
        }
        if at >= self.suffix.1 {
            return Some(at - self.suffix.1 + self.suffix.0);
        }
        let found = *self.middle.get(at - self.prefix)?;
        (found != NONE).then(|| self.prefix + found as usize)
    }
}

/// For each byte of `new`, its partner in a longest common subsequence.
fn common_subsequence(old: &[u8], new: &[u8]) -> Vec<u32> {
    let width = new.len() + 1;
    // The lengths for all pairs of tails. They fit: the shorter text has at most as many bytes as the root of the
    // number of cells.
    let mut lengths = alloc::vec![0u16; (old.len() + 1) * width];
    for (i, a) in old.iter().enumerate().rev() {
        let (rows, below) = lengths.split_at_mut((i + 1) * width);
        let row = &mut rows[i * width..];
        let mut length = 0;
        for (j, b) in new.iter().enumerate().rev() {
            length = if a == b { below[j + 1] + 1 } else { below[j].max(length) };
            row[j] = length;
        }
    }
    let mut out = alloc::vec![NONE; new.len()];
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let at = i * width + j;
        if old[i] == new[j] {
            out[j] = i as u32;
            i += 1;
            j += 1;
        } else if lengths[at + width] >= lengths[at + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}
