//! Texts with straight quotes and plain line feeds, for a search that forgives both, and the way back to the bytes.

use alloc::vec::Vec;
use core::ops::Range;

use memchr::memchr2;

/// What a search takes for equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Nothing: the bytes are compared.
    Exact,
    /// Curly and straight quotes.
    Quotes,
    /// CRLF and LF.
    LineEnds,
    /// Both.
    Both,
}

impl Pass {
    pub(crate) fn quotes(self) -> bool {
        matches!(self, Self::Quotes | Self::Both)
    }

    pub(crate) fn line_ends(self) -> bool {
        matches!(self, Self::LineEnds | Self::Both)
    }

    /// The byte that the text begins with in this pass, when it stands for more than one, and for how many.
    fn short(self, text: &[u8]) -> Option<(u8, usize)> {
        match text {
            [b'\r', b'\n', ..] if self.line_ends() => Some((b'\n', 2)),
            _ if self.quotes() => curly(text).map(|plain| (plain, CURLY_BYTES)),
            _ => None,
        }
    }
}

/// The length of a curly quote in UTF-8.
pub(crate) const CURLY_BYTES: usize = 3;

/// Returns the straight quote for the curly one that `text` begins with: U+2018 to U+201F.
pub(crate) fn curly(text: &[u8]) -> Option<u8> {
    match text {
        [0xe2, 0x80, 0x98..=0x9b, ..] => Some(b'\''),
        [0xe2, 0x80, 0x9c..=0x9f, ..] => Some(b'"'),
        _ => None,
    }
}

/// Returns the bytes of `text` as a pass sees them.
pub(crate) fn folded(text: &[u8], pass: Pass) -> impl Iterator<Item = u8> {
    let mut rest = text;
    core::iter::from_fn(move || {
        let (byte, length) = pass.short(rest).or_else(|| rest.first().map(|&byte| (byte, 1)))?;
        rest = &rest[length..];
        Some(byte)
    })
}

/// A text as a pass sees it. Each byte of it stands for one byte of the original, but for quotes that were three and
/// line feeds that were two.
#[derive(Debug)]
pub(crate) struct Loose {
    pub(crate) text: Vec<u8>,
    /// Where the quotes are that were curly, ascending.
    pub(crate) quotes: Vec<usize>,
    /// Where the line feeds are that were CRLF, ascending.
    line_ends: Vec<usize>,
}

impl Loose {
    /// Folds `text` in one pass; costs a copy, and a number for each place that became shorter.
    pub(crate) fn new(text: &[u8], pass: Pass) -> Self {
        let mut out =
            Self { text: Vec::with_capacity(text.len()), quotes: Vec::new(), line_ends: Vec::new() };
        let (mut copied, mut at) = (0, 0);
        while let Some(found) = memchr2(0xe2, b'\r', &text[at..]) {
            at += found;
            let Some((plain, length)) = pass.short(&text[at..]) else {
                at += 1;
                continue;
            };
            out.text.extend_from_slice(&text[copied..at]);
            let places = if plain == b'\n' { &mut out.line_ends } else { &mut out.quotes };
            places.push(out.text.len());
            out.text.push(plain);
            at += length;
            copied = at;
        }
        out.text.extend_from_slice(&text[copied..]);
        out
    }

    /// Whether the text is the original.
    pub(crate) fn is_same(&self) -> bool {
        self.quotes.is_empty() && self.line_ends.is_empty()
    }

    /// Returns where byte `at` begins in the original; for the end of the text, the end of the original.
    pub(crate) fn original(&self, at: usize) -> usize {
        let before = |places: &[usize]| places.partition_point(|&place| place < at);
        at + (CURLY_BYTES - 1) * before(&self.quotes) + before(&self.line_ends)
    }

    /// Returns what a range of the text was in the original.
    pub(crate) fn span(&self, range: Range<usize>) -> Range<usize> {
        self.original(range.start)..self.original(range.end)
    }
}
