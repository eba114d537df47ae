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

    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

/// The marks at which the pages given last ended, in memory: a new process knows none and says nothing.
#[derive(Debug, Default)]
pub(crate) struct PageMemory {
    marks: Mutex<VecDeque<(Listing, u64, Before)>>,
}

/// What the rows before a page were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// As the engine counts them.
    Mark(Mark),
    /// As a list that was merged from several searches.
    Digest(u64),
}

impl PageMemory {
    /// Pages that are remembered: an agent pages through a handful of searches at a time.
    const MAX: usize = 256;

    /// Notes that a page ended where `offset` goes on.
    pub(crate) fn ended(&self, listing: Listing, offset: u64, mark: Mark) {
        self.put(listing, offset, Before::Mark(mark));
    }

    /// The same for a merged list.
    pub(crate) fn digest_ended(&self, listing: Listing, offset: u64, digest: u64) {
        self.put(listing, offset, Before::Digest(digest));
    }

    /// What the rows before `offset` were when the page that ended there was given.
    pub(crate) fn before(&self, listing: Listing, offset: u64) -> Option<Mark> {
        match self.get(listing, offset)? {
            Before::Mark(mark) => Some(mark),
            Before::Digest(_) => None,
        }
    }

    /// The same for a merged list.
    pub(crate) fn digest_before(&self, listing: Listing, offset: u64) -> Option<u64> {
        match self.get(listing, offset)? {
            Before::Mark(_) => None,
            Before::Digest(digest) => Some(digest),
        }
    }

    fn put(&self, listing: Listing, offset: u64, before: Before) {
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        marks.retain(|&(of, at, _)| (of, at) != (listing, offset));
        if marks.len() == Self::MAX {
            marks.pop_front();
        }
        marks.push_back((listing, offset, before));
    }

    fn get(&self, listing: Listing, offset: u64) -> Option<Before> {
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        marks.iter().find(|&&(of, at, _)| (of, at) == (listing, offset)).map(|&(_, _, before)| before)
    }
}
