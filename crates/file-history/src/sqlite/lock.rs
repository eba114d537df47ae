//! Kernel locks in front of the store: released by the kernel when their holder dies, queued fairly, with a limit
//! to the wait.

use std::{
    fs::{File, TryLockError},
    io::{ErrorKind, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use super::{files, unavailable};
use crate::{error::Error, store::OwnerId};

/// Locks of paths share this many files: two paths of one file wait for each other without need, which is rare.
const SHARDS: u8 = 64;
/// Most handles open on one store at a time.
const MAX_OWNERS: u32 = 4096;
/// Room for a process id and a line end.
const PID_BYTES: usize = 16;

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub(super) struct Held(#[expect(dead_code, reason = "holds the lock")] File);

/// Takes the lock of a file, waiting up to `wait`.
pub(super) fn acquire(path: &Path, wait: Duration) -> Result<Held, Error> {
    let file = files::open_private(path).map_err(unavailable)?;
    let mut file = match file.try_lock() {
        Ok(()) => file,
        Err(TryLockError::WouldBlock) => match wait_for(file, wait)? {
            Some(file) => file,
            None => return Err(Error::Busy { owner: read_pid(path) }),
        },
        Err(TryLockError::Error(error)) => return Err(unavailable(error)),
    };
    sign(&mut file);
    Ok(Held(file))
}

/// Waits in the queue of the kernel, on a thread of its own: polling would let the quickest poller win every time.
/// A thread that is waited for no longer gets the lock some day, finds nobody listening, and lets it go.
fn wait_for(file: File, wait: Duration) -> Result<Option<File>, Error> {
    if wait.is_zero() {
        return Ok(None);
    }
    let (send, receive) = mpsc::channel();
    let waiter = move || {
        let result = loop {
            match file.lock() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        // A send that fails drops the file, and with it the lock.
        let _ = send.send(result.map(|()| file));
    };
    thread::Builder::new().name("file-history-lock".into()).spawn(waiter).map_err(unavailable)?;
    match receive.recv_timeout(wait) {
        Ok(result) => result.map(Some).map_err(unavailable),
        Err(_) => Ok(None),
    }
}

/// Leaves the id of this process in the lock file, for the message of whoever waits in vain. Best effort.
fn sign(file: &mut File) {
    let pid = format!("{}\n", std::process::id());
    let mut present = [0; PID_BYTES];
    if matches!(file.read(&mut present), Ok(len) if present[..len] == *pid.as_bytes()) {
        return;
    }
    let _ = file.rewind().and_then(|()| file.write_all(pid.as_bytes()));
    let _ = file.set_len(pid.len() as u64);
}

fn read_pid(path: &Path) -> Option<u32> {
    let mut text = String::new();
    File::open(path).ok()?.take(PID_BYTES as u64).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Locks of paths, for whoever reads, records and writes: two writers of one file, in one process or two, take turns.
///
/// # Examples
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// use file_history::{SqliteStore, sqlite::SqliteOptions};
/// let store = SqliteStore::open(&dir.path().join("history"), &SqliteOptions::default())?;
/// let locks = store.path_locks();
/// let guard = locks.lock(&[b"src/a.rs", b"src/b.rs"])?; // before the history itself is locked or borrowed
/// // read, `begin`, replace, `settle`
/// drop(guard);
/// # Ok::<(), file_history::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PathLocks {
    dir: Arc<PathBuf>,
    wait: Duration,
}

/// Paths that are locked until this is dropped, or its process dies.
#[must_use]
#[derive(Debug)]
pub struct PathGuard(#[expect(dead_code, reason = "holds the locks")] Vec<Held>);

impl PathLocks {
    pub(super) fn new(dir: PathBuf, wait: Duration) -> Self {
        Self { dir: Arc::new(dir), wait }
    }

    /// Locks paths, always in the same order, whatever the order they are given in.
    ///
    /// Take these locks before borrowing the history, and do not take more while holding some.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] when another holds one of them for longer than the store's `wait`, [`Error::Unavailable`].
    pub fn lock(&self, paths: &[&[u8]]) -> Result<PathGuard, Error> {
        let mut shards: Vec<u8> =
            paths.iter().map(|path| blake3::hash(path).as_bytes()[0] % SHARDS).collect();
        shards.sort_unstable();
        shards.dedup();
        let lock = |shard: u8| acquire(&self.dir.join(format!("{shard:02}.lock")), self.wait);
        Ok(PathGuard(shards.into_iter().map(lock).collect::<Result<_, _>>()?))
    }
}

/// The numbers of handles: a number is taken as long as its file is locked.
#[derive(Debug)]
pub(super) struct Owners {
    dir: PathBuf,
    pub(super) id: OwnerId,
    _held: Held,
}

impl Owners {
    pub(super) fn take(dir: PathBuf) -> Result<Self, Error> {
        for number in 1..=MAX_OWNERS {
            match acquire(&Self::file(&dir, OwnerId(number)), Duration::ZERO) {
                Ok(held) => return Ok(Self { id: OwnerId(number), dir, _held: held }),
                Err(Error::Busy { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::Busy { owner: None })
    }

    pub(super) fn is_alive(&self, owner: OwnerId) -> bool {
        if owner.0 == 0 {
            return false;
        }
        match File::open(Self::file(&self.dir, owner)) {
            Ok(file) => match file.try_lock_shared() {
                Ok(()) => false,
                // When in doubt it lives: its changes are left alone.
                Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
            },
            Err(error) => error.kind() != ErrorKind::NotFound,
        }
    }

    fn file(dir: &Path, owner: OwnerId) -> PathBuf {
        dir.join(format!("{:04}.lock", owner.0))
    }
}
