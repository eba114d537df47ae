//! Where the rows of a search go.

use std::{
    ops::{ControlFlow, Range},
    path::{Path, PathBuf},
};

use crate::{Pattern, summary::Summary};

/// Takes the rows of a search in their order, on the thread that called it.
pub trait Sink {
    /// Takes one row; `Break` ends the search.
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()>;
}

impl<F: FnMut(&Row<'_>) -> ControlFlow<()>> Sink for F {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        self(row)
    }
}

/// One row.
#[derive(Debug)]
#[non_exhaustive]
pub enum Row<'a> {
    /// A file whose name matches.
    Name(NameRow<'a>),
    /// A file with a match.
    File(FileRow<'a>),
    /// A line: a match or its context.
    Line(LineRow<'a>),
}

/// A file whose name matches.
#[derive(Debug)]
#[non_exhaustive]
pub struct NameRow<'a> {
    /// Path below the start of the search.
    pub path: &'a Path,
    /// Time of the last modification in nanoseconds since 1970, known in newest-first order.
    pub modified_ns: Option<i64>,
}

/// A file with a match.
#[derive(Debug)]
#[non_exhaustive]
pub struct FileRow<'a> {
    /// Path below the start of the search.
    pub path: &'a Path,
    /// Number of matching lines; `None` when reading ended at the first.
    pub count: Option<u64>,
    /// Numbers of the first matching lines, from 1.
    pub first_lines: &'a [u64],
}

/// Whether a line matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The line matches and counts.
    Match,
    /// The line is near a match.
    Context,
}

/// A line, whole and as it is in the file.
///
/// Mask the line first, then cut it with [`window`](crate::window()).
#[derive(Debug)]
#[non_exhaustive]
pub struct LineRow<'a> {
    /// Path below the start of the search.
    pub path: &'a Path,
    /// Number of the line, from 1.
    pub line: u64,
    /// Whether it matched.
    pub role: Role,
    /// The line without its terminator (`\n` or `\r\n`), in whatever encoding; UTF-16 is given as UTF-8.
    pub text: &'a [u8],
    /// Whether the line is longer than was kept: only its first mebibyte was searched and is given.
    pub cut: bool,
    /// Whether this line does not follow the line of the row before: a new file, a gap, or the next block.
    pub starts_block: bool,
    pub(crate) first: Option<Range<usize>>,
    pub(crate) pattern: &'a Pattern,
}

impl LineRow<'_> {
    /// Returns where the line matches first, in bytes of `text`; `None` for context.
    ///
    /// # Cost
    /// Searches the line again, so that those who do not ask do not pay; O(length of the line).
    pub fn first_match(&self) -> Option<Range<usize>> {
        match (self.role, &self.first) {
            (Role::Context, _) => None,
            (Role::Match, Some(range)) => Some(range.clone()),
            (Role::Match, None) => self.pattern.first_in_line(self.text, self.cut),
        }
    }

    /// Returns every match of the line, not overlapping, in bytes of `text`. With a multi-line pattern, the one
    /// range that the first match covers on this line.
    pub fn matches(&self) -> Vec<Range<usize>> {
        match (self.role, &self.first) {
            (Role::Context, _) => Vec::new(),
            (Role::Match, Some(range)) => vec![range.clone()],
            (Role::Match, None) => self.pattern.all_in_line(self.text, self.cut),
        }
    }
}

/// A row that owns its data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnedRow {
    /// A file whose name matches.
    Name {
        /// Path below the start of the search.
        path: PathBuf,
    },
    /// A file with a match.
    File {
        /// Path below the start of the search.
        path: PathBuf,
        /// Number of matching lines; `None` when reading ended at the first.
        count: Option<u64>,
        /// Numbers of the first matching lines, from 1.
        first_lines: Vec<u64>,
    },
    /// A line: a match or its context.
    Line {
        /// Path below the start of the search.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// Whether it matched.
        role: Role,
        /// The line without its terminator.
        text: Vec<u8>,
        /// Where it matches.
        matches: Vec<Range<usize>>,
        /// Whether only the first mebibyte was kept.
        cut: bool,
        /// Whether it does not follow the row before.
        starts_block: bool,
    },
}

impl OwnedRow {
    /// Returns the path of the row.
    pub fn path(&self) -> &Path {
        match self {
            Self::Name { path } | Self::File { path, .. } | Self::Line { path, .. } => path,
        }
    }
}

/// Rows kept in memory, with the summary of their search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// The rows, in order.
    pub rows: Vec<OwnedRow>,
    /// What the search said about itself.
    pub summary: Summary,
}

impl Collected {
    /// Runs a search and keeps its rows.
    ///
    /// # Errors
    /// Those of [`search`](crate::search()).
    pub fn run<T: crate::Tree>(
        tree: &T,
        query: &crate::Query,
        page: &crate::Page,
        limits: &crate::Limits,
    ) -> Result<Self, crate::Error> {
        let mut rows = Vec::new();
        let summary = crate::search(tree, query, page, limits, &crate::Unattended, &mut |row: &Row<'_>| {
            rows.push(OwnedRow::from(row));
            ControlFlow::Continue(())
        })?;
        Ok(Self { rows, summary })
    }
}

impl From<&Row<'_>> for OwnedRow {
    fn from(row: &Row<'_>) -> Self {
        match row {
            Row::Name(r) => Self::Name { path: r.path.to_owned() },
            Row::File(r) => {
                Self::File { path: r.path.to_owned(), count: r.count, first_lines: r.first_lines.to_vec() }
            }
            Row::Line(r) => Self::Line {
                path: r.path.to_owned(),
                line: r.line,
                role: r.role,
                text: r.text.to_vec(),
                matches: r.matches(),
                cut: r.cut,
                starts_block: r.starts_block,
            },
        }
    }
}
