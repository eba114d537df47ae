//! What a search says about itself: how it ended, what it looked at, and what it did not.

use std::path::{Path, PathBuf};

use crate::{Cursor, Mark};

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum End {
    /// Everything was looked at.
    #[default]
    Complete,
    /// The page is full, and there is at least one more row.
    PageFull,
    /// [`Limits::max_files`](crate::Limits::max_files) files were read.
    FileBudget,
    /// [`Limits::max_entries`](crate::Limits::max_entries) entries were walked.
    EntryLimit,
    /// [`Progress`](crate::Progress) said that the time is over.
    TimeUp,
    /// [`Progress`](crate::Progress) said to cancel.
    Cancelled,
    /// The sink wanted no more rows.
    SinkStopped,
}

/// The outcome of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "without its coverage a result can be silently incomplete"]
pub struct Summary {
    /// Why it ended.
    pub end: End,
    /// Rows given: names, files, matching lines or blocks, whatever the page counts.
    pub rows: u64,
    /// Rows seen, those before and after the page included. When the search is complete this is the total.
    pub rows_seen: u64,
    /// Files with at least one row, among those seen.
    pub files_matched: u64,
    /// Rows of the whole tree, when the search looked at everything.
    pub total_rows: Option<u64>,
    /// Offset of the next page, when there are more rows.
    pub next_offset: Option<u64>,
    /// Where to go on, also past a budget; `None` when there is nothing left.
    pub cursor: Option<Cursor>,
    /// The offset lies beyond the last row: there are matches, but not on this page.
    pub past_end: bool,
    /// The tree has changed since the page before, so that rows may repeat or be missing: the file that the cursor
    /// points into is another or gone, or the rows before the offset are not those of [`Page::expect`](crate::Page).
    pub changed: bool,
    /// For each row of the page and the one behind it, what the rows before it were; see [`mark_at`](Self::mark_at).
    pub(crate) marks: Vec<Mark>,
    /// What was looked at and what was not.
    pub coverage: Coverage,
    /// Whether an index was used.
    pub index: IndexUse,
}

/// Whether a search used an index. It does not change the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum IndexUse {
    /// There is none.
    #[default]
    Off,
    /// There will be one; the engine itself never says so, who builds it does.
    Building,
    /// Names or contents were taken from it.
    Used,
}

impl IndexUse {
    /// Returns a word for programs: `off`, `building` or `used`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Building => "building",
            Self::Used => "used",
        }
    }
}

impl Summary {
    /// Returns the mark of the row `row` of the page, counted from 0, for a next page that starts there: the number of
    /// rows that were used. `None` when there is no such row, or when the page had no limit.
    ///
    /// # Examples
    /// ```
    /// use search_engine::{Collected, Limits, MemTree, NamePattern, Page, Query};
    ///
    /// let query = Query::names(NamePattern::all());
    /// let mut tree = MemTree::parse("//- /b\n//- /c\n//- /d\n");
    /// let first = Collected::run(&tree, &query, &Page::first(2), &Limits::AGENT)?.summary;
    /// let second = Page { expect: first.mark_at(2), ..Page::at(2, 2) };
    /// assert!(!Collected::run(&tree, &query, &second, &Limits::AGENT)?.summary.changed);
    ///
    /// tree.file("a", Vec::new());
    /// assert!(Collected::run(&tree, &query, &second, &Limits::AGENT)?.summary.changed);
    /// # Ok::<(), search_engine::Error>(())
    /// ```
    pub fn mark_at(&self, row: u64) -> Option<Mark> {
        usize::try_from(row).ok().and_then(|row| self.marks.get(row)).copied()
    }

    /// Tells whether every visible file was looked at: nothing ended the search early and no file was left out
    /// for its size, its depth or an error.
    pub fn is_exhaustive(&self) -> bool {
        let c = &self.coverage;
        self.end == End::Complete
            && c.budget_skipped.count == 0
            && c.too_large.count == 0
            && c.unreadable.count == 0
            && c.too_deep.count == 0
            && c.lines_cut == 0
    }
}

/// What a search looked at, and what it did not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// Visible regular files met, whether their name matched or not.
    pub files_seen: u64,
    /// Files whose name matched.
    pub files_named: u64,
    /// Text files searched; those too of which an index proved that nothing in them matches.
    pub files_searched: u64,
    /// Bytes of content really read.
    pub bytes_read: u64,
    /// Files with a NUL byte in their first 8 KiB.
    pub binary: Skipped,
    /// Files that no longer fitted the budget of bytes.
    pub budget_skipped: Skipped,
    /// Files too large to be searched as a whole.
    pub too_large: Skipped,
    /// Files and directories that could not be read.
    pub unreadable: Skipped,
    /// Directories that lie too deep.
    pub too_deep: Skipped,
    /// Files that an ignore rule left out.
    pub ignored_files: u64,
    /// Directories that an ignore rule left out, with everything below.
    pub ignored_dirs: u64,
    /// Symbolic links, not followed.
    pub symlinks: u64,
    /// FIFOs, sockets and devices, not opened.
    pub special: u64,
    /// Entries that the tree did not show.
    pub hidden: u64,
    /// Files with a line longer than is kept.
    pub lines_cut: u64,
    /// Ignore files that could not be read or were too large to be read whole.
    pub ignore_files_incomplete: u64,
}

impl Coverage {
    /// Tells whether ignore rules left out everything there was.
    pub fn all_ignored(&self) -> bool {
        self.files_seen == 0 && self.ignored_files + self.ignored_dirs > 0
    }
}

/// How many paths were left out for one reason, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// The first [`Skipped::MAX_NAMED`], in the order of the search.
    pub first: Vec<PathBuf>,
}

impl Skipped {
    /// How many paths are named.
    pub const MAX_NAMED: usize = 5;

    pub(crate) fn add(&mut self, path: &Path) {
        self.count += 1;
        if self.first.len() < Self::MAX_NAMED {
            self.first.push(path.to_owned());
        }
    }
}
