//! What a search does not read, since it is known that nothing in it matches.

use std::path::PathBuf;

/// What a search has to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "index"), expect(dead_code, reason = "without an index every file is read"))]
pub(crate) enum Verdict {
    /// Read it.
    Read,
    /// It is a text without a match.
    Text,
    /// It is binary.
    Binary,
}

/// Files that were left out between two that are read.
#[derive(Debug, Default)]
pub(crate) struct Spared {
    pub(crate) texts: u64,
    pub(crate) binaries: u64,
    /// Of the binary ones, those that may have to be named.
    pub(crate) named: Vec<PathBuf>,
}

/// The parts of a large file that have to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Runs {
    /// In order, apart from one another.
    pub(crate) parts: Vec<Run>,
    /// Offset of the start of every piece, and the line breaks before it.
    pub(crate) marks: Vec<(u64, u64)>,
    /// What the file was when this was found out.
    pub(crate) size: u64,
    pub(crate) modified_ns: i64,
}

/// Whole lines of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The number of the first of them, from 1.
    pub(crate) line: u64,
}

impl Runs {
    /// The parts, made longer so that `context` lines before and after a match in them are read too.
    pub(crate) fn with_context(&self, context: u64) -> Vec<Run> {
        if context == 0 {
            return self.parts.clone();
        }
        let mut wider: Vec<Run> = Vec::new();
        for part in &self.parts {
            let first = self.marks.partition_point(|&(offset, _)| offset < part.start);
            let after = self.marks.partition_point(|&(offset, _)| offset < part.end);
            // Lines of the pieces from `start` to `first`, and from `after` to `end`.
            let wanted = part.line - 1;
            let start = self.marks[..=first.min(self.marks.len() - 1)]
                .iter()
                .rposition(|&(_, lines)| wanted.saturating_sub(lines) >= context)
                .unwrap_or(0);
            let lines_after = |mark: usize| self.marks.get(mark).map(|&(_, lines)| lines);
            let end = lines_after(after).and_then(|from| {
                let mark = (after..self.marks.len())
                    .find(|&mark| lines_after(mark).is_some_and(|l| l - from >= context))?;
                Some(self.marks[mark].0)
            });
            let run = Run {
                start: self.marks[start].0,
                end: end.unwrap_or(self.size),
                line: self.marks[start].1 + 1,
            };
            match wider.last_mut() {
                Some(last) if last.end >= run.start => last.end = last.end.max(run.end),
                _ => wider.push(run),
            }
        }
        wider
    }
}
