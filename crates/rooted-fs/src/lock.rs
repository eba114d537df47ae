//! One writer per inode, among the threads of this process and among processes that use this crate.
//!
//! Two locks are taken, in this order. The first is a table of this process, keyed by (device, inode), so that
//! threads wait without polling and a handle shared by two threads excludes too. The second is `flock` on the
//! open file, which other processes see. Where the file system has no `flock`, the first alone remains, and
//! the comparison by `RENAME_EXCHANGE` still catches what other processes do.

use std::collections::HashSet;
use std::fs::File;
use std::sync::{Condvar, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::Error;

/// Longest wait for another writer. Locks are held for a rename or one write, never for a sync.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Pauses between two looks at the lock of another process.
const PAUSES: [Duration; 4] = [
    Duration::from_micros(50),
    Duration::from_micros(200),
    Duration::from_millis(1),
    Duration::from_millis(5),
];

static HELD: LazyLock<Mutex<HashSet<(u64, u64)>>> = LazyLock::new(Mutex::default);
static FREED: Condvar = Condvar::new();

/// Excludes other writers of one inode until it is dropped.
pub(crate) struct WriterLock<'f> {
    id: (u64, u64),
    flocked: Option<&'f File>,
}

impl<'f> WriterLock<'f> {
    /// Waits until no other writer holds the inode `id`, which `file` is open on.
    ///
    /// Answers [`Error::Busy`] when another program holds it for 10 seconds.
    pub(crate) fn acquire(id: (u64, u64), file: &'f File) -> Result<Self, Error> {
        let deadline = Instant::now() + MAX_WAIT;
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        while !held.insert(id) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::Busy);
            }
            held = FREED.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(held);
        let mut lock = Self { id, flocked: None };
        let mut pauses = PAUSES.iter();
        let mut pause = PAUSES[0];
        loop {
            match flock(file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {
                    lock.flocked = Some(file);
                    return Ok(lock);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if Instant::now() >= deadline => return Err(Error::Busy),
                Err(Errno::AGAIN) => {
                    pause = pauses.next().copied().unwrap_or(pause);
                    thread::sleep(pause);
                }
                // No locks here (or, over NFS, none on a handle that is only open for reading).
                Err(_) => return Ok(lock),
            }
        }
    }
}

impl Drop for WriterLock<'_> {
    fn drop(&mut self) {
        if let Some(file) = self.flocked {
            // The handle belongs to the caller and stays open, so the lock is given back by hand.
            let _ = flock(file, FlockOperation::Unlock);
        }
        HELD.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        FREED.notify_all();
    }
}
