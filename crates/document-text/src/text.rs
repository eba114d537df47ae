//! Lines of a decoded text, found again by number without a table of all of them.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

/// Every so many lines the start of one is remembered: a page walks over fewer than this many lines before its own.
const STRIDE: u64 = 128;

/// Says which byte ends a line of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`, with an optional `\r` before it. A lone `\r` is part of its line.
    Lf,
    /// `\r` alone, as in a text that holds no `\n` at all.
    Cr,
}

#[derive(Clone, Debug)]
pub(crate) struct Lines<'t> {
    text: Cow<'t, str>,
    end: LineEnd,
    count: u64,
    /// Starts of the lines 0, STRIDE, 2 * STRIDE, ...
    marks: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: Cow<'t, str>) -> Self {
        let bytes = text.as_bytes();
        let end = if memchr(b'\n', bytes).is_none() && memchr(b'\r', bytes).is_some() {
            LineEnd::Cr
        } else {
            LineEnd::Lf
        };
        let mut marks = vec![0];
        let mut count = 0;
        let mut start = 0;
        for at in memchr_iter(end.byte(), bytes) {
            count += 1;
            start = at + 1;
            if count % STRIDE == 0 {
                marks.push(start);
            }
        }
        if start < bytes.len() {
            count += 1;
        }
        Lines { text, end, count, marks }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn end(&self) -> LineEnd {
        self.end
    }

    /// The lines from `first` (counted from 0) to the end of the text, without their terminators.
    pub(crate) fn from(&self, first: u64) -> impl Iterator<Item = &str> {
        let mut rest = self.tail(first);
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (line, after) = match memchr(self.end.byte(), rest.as_bytes()) {
                Some(at) => (&rest[..at], &rest[at + 1..]),
                None => (rest, ""),
            };
            let ended = line.len() < rest.len();
            rest = after;
            Some(match self.end {
                LineEnd::Lf if ended => line.strip_suffix('\r').unwrap_or(line),
                _ => line,
            })
        })
    }

    fn tail(&self, first: u64) -> &str {
        if first >= self.count {
            return "";
        }
        let mark = usize::try_from(first / STRIDE).unwrap_or(usize::MAX);
        let Some(&start) = self.marks.get(mark) else { return "" };
        let rest = &self.text[start..];
        match (first % STRIDE).checked_sub(1) {
            None => rest,
            Some(skip) => memchr_iter(self.end.byte(), rest.as_bytes())
                .nth(usize::try_from(skip).unwrap_or(usize::MAX))
                .map_or("", |at| &rest[at + 1..]),
        }
    }
}

impl LineEnd {
    fn byte(self) -> u8 {
        match self {
            LineEnd::Lf => b'\n',
            LineEnd::Cr => b'\r',
        }
    }
}
