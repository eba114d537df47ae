//! What to search for, where, in which order, and which page of it.

use std::ffi::OsString;

use crate::{Cursor, Mark, NamePattern, ParentRules, Pattern};

/// A search: names alone, or the content of the files whose names match.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Query {
    /// Names or content.
    pub what: What,
    /// Which files are looked at.
    pub names: NamePattern,
    /// The order of the rows.
    pub order: Order,
    /// Where the search starts.
    pub start: Start,
    /// Whether ignore files count.
    pub ignore: Ignore,
    /// Whether to go on for the totals when the page is full.
    pub totals: Totals,
}

impl Query {
    /// Searches for files by name, in path order.
    pub fn names(names: NamePattern) -> Self {
        Self::new(What::Names, names)
    }

    /// Searches the content of every file, in path order.
    pub fn content(pattern: Pattern, output: Output) -> Self {
        Self::new(What::Content { pattern, output }, NamePattern::all())
    }

    fn new(what: What, names: NamePattern) -> Self {
        Self {
            what,
            names,
            order: Order::Path,
            start: Start::Root,
            ignore: Ignore::Honour(Vec::new()),
            totals: Totals::UntilPageFull,
        }
    }
}

/// What the rows are made of.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum What {
    /// One row for each file with a matching name.
    Names,
    /// Rows from the content of the files.
    Content {
        /// What to look for.
        pattern: Pattern,
        /// What a row is.
        output: Output,
    },
}

/// What a row of a content search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Output {
    /// Matching lines, with `context` lines before and after each.
    Lines {
        /// Lines of context on each side; at most [`Output::MAX_CONTEXT`] are given.
        context: u32,
        /// What a page counts.
        unit: Unit,
    },
    /// One row for each file with a match; reading a file ends at its first match.
    Files,
    /// One row for each file with a match, with its number of matching lines and the first of them.
    Counts {
        /// How many line numbers a row carries.
        first_lines: usize,
    },
}

impl Output {
    /// The largest context: more lines are not given, to bound what one match can drag along.
    pub const MAX_CONTEXT: u32 = 1_000;
}

/// What `offset` and `limit` count when lines have context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Matching lines. Context lines come along and are not counted; a matching line of another page that is
    /// close enough appears as context.
    Line,
    /// Blocks: ranges of lines that overlap or touch are one block, cut after
    /// [`Unit::MAX_BLOCK_LINES`] lines. No line belongs to two blocks.
    Block,
}

impl Unit {
    /// The longest block.
    pub const MAX_BLOCK_LINES: u32 = 50;
}

/// The order of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Paths compared component by component, each in byte order: `a/x` before `a.txt`.
    Path,
    /// Newest modification first, ties in path order. The whole tree is walked first.
    Modified,
}

/// Where a search starts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// The root of the tree and everything below it.
    Root,
    /// The entries of the root itself, without going down.
    RootOnly,
    /// One file of the root, even when it is ignored. Anything but a regular file gives no row.
    File(OsString),
}

/// Whether ignore files are read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Ignore {
    /// `.gitignore` and `.ignore` count; those of the directories above the start are given, outermost first.
    Honour(Vec<ParentRules>),
    /// Nothing is ignored. `.git` is left out all the same.
    Off,
}

/// Whether a search goes on when its page is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Totals {
    /// Stops as soon as it knows whether there is another row.
    UntilPageFull,
    /// Goes on within the limits, so that the number of all rows is known.
    CountAll,
}

/// Which rows of a search are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Rows to leave out at the start (after `after`, when given).
    pub offset: u64,
    /// Rows to give.
    pub limit: u64,
    /// Goes on where an earlier search with the same query stopped, with a fresh budget.
    pub after: Option<Cursor>,
    /// What the rows before `offset` were when the page before was given. When they are others now, the summary says
    /// that the tree changed.
    pub expect: Option<Mark>,
}

impl Page {
    /// Everything.
    pub const ALL: Self = Self { offset: 0, limit: u64::MAX, after: None, expect: None };

    /// The first `limit` rows.
    pub fn first(limit: u64) -> Self {
        Self { offset: 0, limit, after: None, expect: None }
    }

    /// `limit` rows after the first `offset`.
    pub fn at(offset: u64, limit: u64) -> Self {
        Self { offset, limit, after: None, expect: None }
    }

    /// `limit` rows after those that led to `cursor`.
    pub fn after(cursor: Cursor, limit: u64) -> Self {
        Self { offset: 0, limit, after: Some(cursor), expect: None }
    }
}
