//! What is to be replaced in a file, where it was found, and the result.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

/// A text of the file and what takes its place.
///
/// An empty `new` deletes; text is inserted by repeating `old` in `new`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target<'t> {
    /// The text to find, in the encoding of the file.
    pub old: &'t [u8],
    /// The text that replaces it, taken literally.
    pub new: &'t [u8],
    /// Whether every occurrence is replaced; otherwise there has to be exactly one.
    pub replace_all: bool,
}

/// How alike a target and its place are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Matched {
    /// The bytes are the same.
    Exact,
    /// Curly and straight quotes were taken for equal.
    Quotes,
    /// A line feed was taken for CRLF.
    LineEnds,
    /// Both.
    QuotesAndLineEnds,
}

impl Matched {
    /// Returns the stable snake_case word for the kind.
    pub fn code(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Quotes => "quotes",
            Self::LineEnds => "line_ends",
            Self::QuotesAndLineEnds => "quotes_and_line_ends",
        }
    }
}

/// A replacement of bytes of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice<'t> {
    /// The bytes of the file that are replaced.
    pub range: Range<usize>,
    /// The bytes that replace them; borrowed from the target when its text needs no adaption to the place.
    pub replacement: Cow<'t, [u8]>,
    /// The target, as an index from 0.
    pub target: usize,
    /// How alike the target and the place are.
    pub matched: Matched,
}

/// The places of all targets in one file; rendering it cannot fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetPlan<'t> {
    splices: Vec<Splice<'t>>,
    skipped: Vec<usize>,
    new_len: usize,
}

impl<'t> TargetPlan<'t> {
    /// Makes a plan of splices that are ascending and disjoint and lie in a file of `file_len` bytes.
    pub(crate) fn new(splices: Vec<Splice<'t>>, skipped: Vec<usize>, file_len: usize) -> Self {
        let removed: usize = splices.iter().map(|splice| splice.range.len()).sum();
        let added: usize = splices.iter().map(|splice| splice.replacement.len()).sum();
        Self { splices, skipped, new_len: file_len.saturating_sub(removed).saturating_add(added) }
    }

    /// Returns the replacements, ascending and disjoint.
    pub fn splices(&self) -> &[Splice<'t>] {
        &self.splices
    }

    /// Returns the targets that change nothing because their two texts are the same, as ascending indices from 0.
    ///
    /// They are not searched for.
    pub fn skipped(&self) -> &[usize] {
        &self.skipped
    }

    /// Returns the length of the new text in bytes.
    pub fn new_len(&self) -> usize {
        self.new_len
    }

    /// Returns whether the new text differs from `file`, which is the text that was planned for.
    pub fn changed(&self, file: &[u8]) -> bool {
        self.splices.iter().any(|splice| file.get(splice.range.clone()) != Some(&*splice.replacement))
    }

    /// Returns the new text as slices of `file`, which is the text that was planned for, and of the replacements.
    pub fn slices<'s>(&'s self, file: &'s [u8]) -> impl Iterator<Item = &'s [u8]> {
        let mut at = 0;
        let tail = self.splices.last().map_or(0, |splice| splice.range.end);
        self.splices
            .iter()
            .flat_map(move |splice| {
                let kept = file.get(at..splice.range.start).unwrap_or_default();
                at = splice.range.end;
                [kept, &*splice.replacement]
            })
            .chain(core::iter::once(file.get(tail..).unwrap_or_default()))
            .filter(|slice| !slice.is_empty())
    }

    /// Returns the new text for `file`, which is the text that was planned for.
    ///
    /// Every byte outside the [splices](Self::splices) stays as it is.
    ///
    /// # Cost
    ///
    /// One allocation of the final size and one copy.
    pub fn render(&self, file: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.new_len);
        self.slices(file).for_each(|slice| out.extend_from_slice(slice));
        out
    }
}
