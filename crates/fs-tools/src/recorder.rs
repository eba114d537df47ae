//! Every change of a file is in the history before it lands.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use file_history::sqlite::{PathGuard, PathLocks, SqliteOptions};
use file_history::{
    Context, Error, FileState, History, Intent, Keep, KeySource, Op, Options, Outcome, Policy, SqliteStore,
    UnixMillis,
};

use crate::limits;
use crate::tool::Origin;

/// An empty file whose age tells when old versions were last looked for.
const PRUNED: &str = "PRUNED";
const DAY: Duration = Duration::from_secs(24 * 3600);

/// The history of one root, opened when it is first needed.
pub(crate) struct Recorder {
    dir: PathBuf,
    keys: Option<Arc<dyn KeySource>>,
    open: OnceLock<Result<Open, Error>>,
    /// Changes since this process opened the history.
    changes: AtomicU32,
}

struct Open {
    history: Mutex<History<SqliteStore>>,
    locks: PathLocks,
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
    /// The history of `root` below the state directory `state`, with the keys of sealed content. Nothing is touched yet.
    pub(crate) fn new(state: &Path, root: &Path, keys: Option<Arc<dyn KeySource>>) -> Self {
        let id = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        Self {
            dir: state.join("history").join("v1").join(&id[..32]),
            keys,
            open: OnceLock::new(),
            changes: AtomicU32::new(0),
        }
    }

    fn open(&self) -> Result<&Open, Error> {
        let open = self.open.get_or_init(|| {
            let store = SqliteStore::open(&self.dir, &SqliteOptions::default())?;
            let locks = store.path_locks();
            let mut history = History::new(store, Options::default());
            if let Some(keys) = &self.keys {
                history = history.with_keys(Arc::clone(keys));
            }
            Ok(Open { history: Mutex::new(history), locks })
        });
        open.as_ref().map_err(Clone::clone)
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
            let policy = Policy { protect: &[task], ..Policy::default() };
            if self.with(|history| history.prune(&policy, now())).is_ok() {
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
