//! What the rows before a page were, in one number, so that the next page can tell whether they still are the same.

use crate::{Page, cursor::Hash, page::PathOf};

/// Size and modification time of a file; zero where they are not known.
pub(crate) type Facts = (u64, i64);

/// A fingerprint of all rows before a place in a list of rows: which files they are in, how many each has, and the
/// size and time of each of these files.
///
/// Given back with the next page ([`Page::expect`]), it tells whether the rows that the page skips are still those that
/// were seen ([`Summary::changed`](crate::Summary::changed)). Only the answer of a search with the same query and the
/// same cursor can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(u64);

/// Follows the rows of a search and takes a mark before each row of the page.
pub(crate) struct Trail {
    offset: u64,
    limit: u64,
    expect: Option<Mark>,
    /// The files whose rows are all counted.
    behind: Hash,
    /// Rows of the file that is being read.
    in_file: u64,
    met: bool,
    marks: Vec<Mark>,
}

impl Trail {
    /// Pages with more rows than this are taken for the whole answer, and have no marks.
    const MAX_ROWS: u64 = 1_024;

    pub(crate) fn of(page: &Page) -> Option<Self> {
        let small = page.limit <= Self::MAX_ROWS;
        (small || page.expect.is_some()).then(|| Self {
            offset: page.offset,
            limit: if small { page.limit } else { 0 },
            expect: page.expect,
            behind: Hash::new(),
            in_file: 0,
            met: false,
            marks: Vec::new(),
        })
    }

    /// Takes note of row `row`, counted from 0, of a file; returns whether the rows before it are known to be others
    /// than they were.
    pub(crate) fn row(&mut self, row: u64, facts: Facts, path: PathOf<'_>) -> bool {
        let mut changed = false;
        if row >= self.offset && row - self.offset <= self.limit {
            let mark = Mark(if self.in_file == 0 {
                self.behind.value()
            } else {
                self.with_file(facts, path).value()
            });
            if row == self.offset {
                self.met = true;
                changed = self.expect.is_some_and(|expect| expect != mark);
            }
            self.marks.push(mark);
        }
        self.in_file += 1;
        changed
    }

    /// Ends a file.
    pub(crate) fn end_file(&mut self, facts: Facts, path: PathOf<'_>) {
        if self.in_file > 0 {
            self.behind = self.with_file(facts, path);
            self.in_file = 0;
        }
    }

    /// Whether a page was expected that is not there any more.
    pub(crate) fn is_missing(&self) -> bool {
        self.expect.is_some() && !self.met
    }

    pub(crate) fn into_marks(self) -> Vec<Mark> {
        self.marks
    }

    fn with_file(&self, (size, modified_ns): Facts, path: PathOf<'_>) -> Hash {
        self.behind
            .add(path().as_os_str().as_encoded_bytes())
            .add(&self.in_file.to_le_bytes())
            .add(&size.to_le_bytes())
            .add(&modified_ns.to_le_bytes())
    }
}
