//! What applying a patch will do to a file, and the result.

use alloc::vec::Vec;
use core::ops::Range;

use crate::search::Tier;

/// Where a hunk was placed and what it does there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkReport {
    /// The hunk, counted from 1.
    pub hunk: usize,
    /// Where the hunk starts in the patch.
    pub patch_line: usize,
    /// The first matched line of the old file, counted from 1; for lines appended at the end, one more than the number
    /// of its lines.
    pub line: usize,
    /// The same place in the new file.
    pub new_line: usize,
    /// How many lines of the file were matched.
    pub matched: usize,
    /// How alike they are.
    pub tier: Tier,
    /// Whether the place lies before the end of the previous hunk, so that the whole file had to be searched.
    pub fallback: bool,
    /// Whether `*** End of File` decided the place.
    pub end_of_file: bool,
    /// Whether the text after `@@` decided between several places.
    pub by_header: bool,
    /// A line before the previous hunk where the block occurs as well, although it is unique behind it.
    pub also_at: Option<usize>,
    /// How many lines are removed.
    pub removed: usize,
    /// How many lines are added.
    pub added: usize,
}

/// What was done to a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// One entry per hunk, in patch order.
    pub hunks: Vec<HunkReport>,
    /// Whether the new text differs from the old one.
    pub changed: bool,
}

/// A replacement of bytes: `file[range]` becomes `buffer[text]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) text: Range<usize>,
}

/// The edits of a patch, placed in one file; rendering it cannot fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan<'f> {
    pub(crate) file: &'f [u8],
    pub(crate) splices: Vec<Splice>,
    pub(crate) buffer: Vec<u8>,
    pub(crate) report: Report,
    pub(crate) steps: u64,
}

impl<'f> Plan<'f> {
    /// Returns where each hunk was placed.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns whether the new text differs from the old one.
    pub fn changed(&self) -> bool {
        self.report.changed
    }

    /// Returns how many lines were compared to place the hunks.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the length of the new text in bytes.
    pub fn new_len(&self) -> usize {
        let removed: usize = self.splices.iter().map(|splice| splice.range.len()).sum();
        self.file.len() - removed + self.buffer.len()
    }

    /// Returns the replaced byte ranges of the old text with the new bytes of each, ascending and disjoint.
    pub fn edits(&self) -> impl Iterator<Item = (Range<usize>, &[u8])> {
        self.splices.iter().map(|splice| (splice.range.clone(), &self.buffer[splice.text.clone()]))
    }

    /// Returns the new text as slices of the old file and of the new lines, without copying.
    pub fn slices(&self) -> impl Iterator<Item = &[u8]> {
        let mut at = 0;
        let tail = self.splices.last().map_or(0, |splice| splice.range.end);
        self.splices
            .iter()
            .flat_map(move |splice| {
                let kept = &self.file[at..splice.range.start];
                at = splice.range.end;
                [kept, &self.buffer[splice.text.clone()]]
            })
            .chain(core::iter::once(&self.file[tail..]))
            .filter(|slice| !slice.is_empty())
    }

    /// Returns the new text.
    ///
    /// # Cost
    ///
    /// One allocation of the final size and one copy.
    pub fn render(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.new_len());
        self.slices().for_each(|slice| out.extend_from_slice(slice));
        out
    }
}
