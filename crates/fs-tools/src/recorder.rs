//! Every change of a file is in the history before it lands.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use file_history::sqlite::{PathGuard, PathLocks, SqliteOptions};
use file_history::{
    Context, Error, FileState, History, Intent, Keep, KeySource, Op, Options, Outcome, Policy, Room,
    SqliteStore, UnixMillis,
};

use crate::limits;
use crate::tool::Origin;

/// An empty file whose age tells when old versions were last looked for.
const PRUNED: &str = "PRUNED";
const DAY: Duration = Duration::from_secs(24 * 3600);

/// The history of one root, opened when it is first needed.
pub(crate) struct Recorder {
    dir: PathBuf,
    setup: Setup,
    open: OnceLock<Result<Open, Error>>,
    /// Changes since this process opened the history.
    changes: AtomicU32,
}

struct Open {
    history: Mutex<History<SqliteStore>>,
    locks: PathLocks,
}

/// What the configuration says about histories.
#[derive(Clone)]
pub(crate) struct Setup {
    /// The keys of sealed content.
    pub(crate) keys: Option<Arc<dyn KeySource>>,
    /// Most bytes of a store, instead of what the disk suggests.
    pub(crate) max_bytes: Option<u64>,
    /// Bytes of the disk to leave free.
    pub(crate) min_free_bytes: u64,
}

/// A change that is about to be made.
pub(crate) struct Change<'c> {
    /// Path below the root, in bytes.
    pub(crate) path: &'c [u8],
    /// What is done.
    pub(crate) op: Op,
    /// What is on disk, with its permission bits.
    pub(crate) before: Option<(&'c [u8], u32)>,
    /// What will be on disk.
    pub(crate) after: &'c [u8],
    /// Directories that are made for it, to be taken away with it if they are empty.
    pub(crate) new_dirs: u32,
    /// Whether the content may be kept.
    pub(crate) keep: Keep,
    /// The tool.
    pub(crate) tool: &'static str,
    /// On whose behalf.
    pub(crate) origin: Origin<'c>,
}

impl Recorder {
    /// The history of `root` below the state directory `state`, set up like this. Nothing is touched yet.
    pub(crate) fn new(state: &Path, root: &Path, setup: Setup) -> Self {
        let id = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        Self {
            dir: state.join("history").join("v1").join(&id[..32]),
            setup,
            open: OnceLock::new(),
            changes: AtomicU32::new(0),
        }
    }

    fn open(&self) -> Result<&Open, Error> {
        let open = self.open.get_or_init(|| {
            let store = SqliteStore::open(&self.dir, &SqliteOptions::default())?;
            let locks = store.path_locks();
            Ok(Open { history: Mutex::new(self.over(store)), locks })
        });
        open.as_ref().map_err(Clone::clone)
    }

    fn over(&self, store: SqliteStore) -> History<SqliteStore> {
        let history = History::new(store, Options::default());
        match &self.setup.keys {
            Some(keys) => history.with_keys(Arc::clone(keys)),
            None => history,
        }
    }

    /// Another handle, for long work that the calls of this process do not wait for.
    fn aside(&self) -> Result<History<SqliteStore>, Error> {
        self.open()?;
        SqliteStore::open(&self.dir, &SqliteOptions::default()).map(|store| self.over(store))
    }

    /// Measures the disk of the store.
    fn room(&self) -> Option<Room> {
        let found = rustix::fs::statvfs(&self.dir).ok()?;
        Some(Room {
            total_bytes: found.f_blocks.saturating_mul(found.f_frsize),
            free_bytes: found.f_bavail.saturating_mul(found.f_frsize),
        })
    }

    fn policy<'a>(&self, protect: &'a [&'a str]) -> Policy<'a> {
        let quota = self.setup.max_bytes.or_else(|| self.room().map(Room::quota_bytes));
        let default = Policy::default();
        Policy { quota_bytes: quota.unwrap_or(default.quota_bytes), protect, ..default }
    }

    /// Makes sure that the disk of the store is not about to be full. Nothing of `task`, which is running, goes for it.
    ///
    /// # Errors
    ///
    /// `low_space`: what could destroy something is not to be done.
    pub(crate) fn make_room(&self, task: &str) -> Result<(), Error> {
        self.open()?;
        let min = self.setup.min_free_bytes;
        if self.room().is_none_or(|room| room.free_bytes >= min) {
            return Ok(());
        }
        self.aside()?.make_room(|| self.room(), min, &self.policy(&[task]), now()).map(drop)
    }

    /// Locks a path against other recorders of this root, in this process and in others.
    pub(crate) fn lock(&self, path: &[u8]) -> Result<PathGuard, Error> {
        self.open()?.locks.lock(&[path])
    }

    /// Locks several paths at once.
    pub(crate) fn lock_all(&self, paths: &[&[u8]]) -> Result<PathGuard, Error> {
        self.open()?.locks.lock(paths)
    }

    /// Whether anything was ever recorded: looking does not create a store.
    pub(crate) fn exists(&self) -> bool {
        self.dir.join("FORMAT").exists()
    }

    /// Runs `work` on the history, without a path being locked for it.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&mut History<SqliteStore>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        work(&mut self.open()?.history.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records a change durably, makes it by `write`, and records what came of it.
    ///
    /// # Errors
    ///
    /// `Err` when it cannot be recorded: then `write` has not run.
    pub(crate) fn around<T, E>(
        &self,
        change: &Change<'_>,
        write: impl FnOnce() -> Result<T, E>,
    ) -> Result<Result<T, E>, Error> {
        let mode = change.before.map(|(_, mode)| mode);
        let before = change.before.map(|(bytes, mode)| FileState { bytes, mode: Some(mode) });
        let after = Some(FileState { bytes: change.after, mode });
        let intent = Intent {
            keep: change.keep,
            new_dirs: change.new_dirs,
            ..Intent::new(change.path, change.op, before, after, change.tool)
        };
        let origin = change.origin;
        let context = Context { task: origin.task, goal: origin.goal, run: origin.run };
        self.make_room(origin.task)?;
        let ids = self.with(|history| history.begin(&[intent], &context, now()))?;
        let result = write();
        let outcome = if result.is_ok() { Outcome::Landed } else { Outcome::Failed };
        if let Some(Some(id)) = ids.first().copied() {
            // What cannot be settled now is settled by the next recovery, from what is on disk.
            let _ = self.with(|history| history.settle(&[(id, outcome)]));
            self.tidy(origin.task);
        }
        Ok(result)
    }

    /// Forgets what is old: once a day, and every [`limits::PRUNE_EVERY`] changes of this process. Nothing of `task`,
    /// which is running, goes. A failure is no failure of the change: the next one tries again.
    pub(crate) fn tidy(&self, task: &str) {
        let before = self.changes.fetch_add(1, Ordering::Relaxed);
        let due = if before == 0 { self.is_day_over() } else { before.is_multiple_of(limits::PRUNE_EVERY) };
        if due {
            let protect = [task];
            let policy = self.policy(&protect);
            if self.aside().and_then(|mut history| history.prune(&policy, now())).is_ok() {
                let _ = std::fs::write(self.dir.join(PRUNED), "");
            }
        }
    }

    /// Whether a day has passed since any process looked for what is old.
    fn is_day_over(&self) -> bool {
        let marked = std::fs::metadata(self.dir.join(PRUNED)).and_then(|mark| mark.modified());
        marked.map_or(true, |at| at.elapsed().is_ok_and(|age| age >= DAY))
    }
}

/// The clock of the history.
pub(crate) fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
