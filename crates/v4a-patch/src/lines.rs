//! The lines of a file: where they start, what they hold, how they end.

use alloc::vec::Vec;

use memchr::memchr_iter;

use crate::grammar::trim_end;

/// The UTF-8 byte order mark: a prefix of the file, not part of its first line.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// An index of the lines of a file. A line ends at LF; a CR before it belongs to the ending; a lone CR is content.
#[derive(Debug)]
pub(crate) struct Lines<'f> {
    file: &'f [u8],
    /// Where each line starts, and the length of the file.
    starts: Vec<u32>,
}

impl<'f> Lines<'f> {
    /// Indexes `file`, which has to be shorter than 4 GiB (callers check it against their limits).
    ///
    /// Costs two vectorised passes and four bytes per line.
    pub(crate) fn new(file: &'f [u8]) -> Self {
        let start = if file.starts_with(BOM) { BOM.len() } else { 0 };
        let body = &file[start..];
        let count = memchr_iter(b'\n', body).count();
        let mut starts = Vec::with_capacity(count + 2);
        starts.push(start as u32);
        starts.extend(memchr_iter(b'\n', body).map(|at| (start + at + 1) as u32));
        if starts.last().is_some_and(|&last| (last as usize) < file.len()) {
            starts.push(file.len() as u32);
        }
        Self { file, starts }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn file(&self) -> &'f [u8] {
        self.file
    }

    /// Where line `at` starts; for `at == len()` the end of the file.
    pub(crate) fn start(&self, at: usize) -> usize {
        self.starts[at] as usize
    }

    /// The line that byte `at` belongs to.
    pub(crate) fn line_at(&self, at: usize) -> usize {
        self.starts
            .partition_point(|&start| start as usize <= at)
            .saturating_sub(1)
            .min(self.len().saturating_sub(1))
    }

    /// Line `at` with its ending.
    pub(crate) fn full(&self, at: usize) -> &'f [u8] {
        &self.file[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Line `at` without its ending.
    pub(crate) fn content(&self, at: usize) -> &'f [u8] {
        content(self.full(at))
    }

    /// Line `at` without trailing whitespace.
    pub(crate) fn trimmed(&self, at: usize) -> &'f [u8] {
        trim_end(self.content(at))
    }

    /// The ending of line `at`: LF, CRLF or nothing.
    pub(crate) fn ending(&self, at: usize) -> &'static [u8] {
        ending(self.full(at))
    }

    /// Whether the last line has no ending.
    pub(crate) fn unterminated(&self) -> bool {
        self.len() > 0 && self.ending(self.len() - 1).is_empty()
    }

    /// The ending that an added line takes from line `at`: its own, or that of the nearest terminated line.
    pub(crate) fn real_ending(&self, at: usize) -> &'static [u8] {
        let own = self.ending(at);
        // Only the last line can be unterminated, so the nearest terminated one is right above it.
        if !own.is_empty() {
            own
        } else if at > 0 {
            self.ending(at - 1)
        } else {
            b"\n"
        }
    }
}

/// Cuts the ending of a line.
pub(crate) fn content(line: &[u8]) -> &[u8] {
    match line {
        [content @ .., b'\r', b'\n'] | [content @ .., b'\n'] => content,
        _ => line,
    }
}

/// Returns the ending of a line.
pub(crate) fn ending(line: &[u8]) -> &'static [u8] {
    match line {
        [.., b'\r', b'\n'] => b"\r\n",
        [.., b'\n'] => b"\n",
        _ => b"",
    }
}

/// Splits bytes into lines with their endings.
pub(crate) fn split_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        Some(line)
    })
}
