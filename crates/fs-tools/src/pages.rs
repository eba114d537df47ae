//! What the pages of a search were, so that the next page can say whether the tree changed in between.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use search_engine::Mark;

/// Which rows a page shows: everything but how many, and from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listing(u64);

impl Listing {
    /// Of the arguments that decide about the rows.
    pub(crate) fn of(arguments: &impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        arguments.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// The marks at which the pages given last ended, in memory: a new process knows none and says nothing.
#[derive(Debug, Default)]
pub(crate) struct PageMemory {
    marks: Mutex<VecDeque<(Listing, u64, Mark)>>,
}

impl PageMemory {
    /// Pages that are remembered: an agent pages through a handful of searches at a time.
    const MAX: usize = 256;

    /// Notes that a page ended where `offset` goes on.
    pub(crate) fn ended(&self, listing: Listing, offset: u64, mark: Mark) {
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        marks.retain(|&(of, at, _)| (of, at) != (listing, offset));
        if marks.len() == Self::MAX {
            marks.pop_front();
        }
        marks.push_back((listing, offset, mark));
    }

    /// What the rows before `offset` were when the page that ended there was given.
    pub(crate) fn before(&self, listing: Listing, offset: u64) -> Option<Mark> {
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        marks.iter().find(|&&(of, at, _)| (of, at) == (listing, offset)).map(|&(_, _, mark)| mark)
    }
}
