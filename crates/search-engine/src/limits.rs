//! How much a search may do, and how it is told to stop.

use std::num::NonZeroUsize;

/// Bounds of one search. Every field is a decision of the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Threads that search, the calling one included. Results do not depend on it.
    pub threads: NonZeroUsize,
    /// Files whose content is read, binary ones included; the search ends after them.
    pub max_files: u64,
    /// Bytes of content read. A file that no longer fits is skipped alone and the search goes on.
    pub max_bytes: u64,
    /// Entries looked at while walking, of any kind; the walk ends after them.
    pub max_entries: u64,
    /// Directories below one another; deeper ones are counted and not entered.
    pub max_depth: usize,
    /// Size of a file searched as a whole (multi-line patterns); larger ones are skipped and counted.
    pub max_whole_file_bytes: u64,
}

impl Limits {
    /// The budget of one call of an agent: 5,000 files and 64 MiB of content, on one thread.
    ///
    /// Ten million entries, 128 levels, and 64 MiB for a file that is searched as a whole.
    pub const AGENT: Self = Self {
        threads: NonZeroUsize::MIN,
        max_files: 5_000,
        max_bytes: 64 << 20,
        max_entries: 10_000_000,
        max_depth: 128,
        max_whole_file_bytes: 64 << 20,
    };

    /// Everything that is there: no budget of files or bytes, the other bounds as in [`AGENT`](Self::AGENT).
    pub const LIFTED: Self =
        Self { max_files: u64::MAX, max_bytes: u64::MAX, max_entries: u64::MAX, ..Self::AGENT };

    /// Returns the same limits with another number of threads; 0 counts as 1.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        self
    }
}

/// What the caller answers when a search asks whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Go on.
    Continue,
    /// The time is over: stop and return what there is.
    TimeUp,
    /// Nobody waits for the answer any more: stop.
    Cancel,
}

/// Time and cancellation, as an argument. The engine has no clock.
pub trait Progress: Sync {
    /// Tells whether to go on. Asked from every thread, after each group of files and each block of a large file:
    /// some thousand times a second at most.
    fn check(&self) -> Signal;
}

impl<F: Fn() -> Signal + Sync> Progress for F {
    fn check(&self) -> Signal {
        self()
    }
}

/// Never stops a search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unattended;

impl Progress for Unattended {
    fn check(&self) -> Signal {
        Signal::Continue
    }
}
