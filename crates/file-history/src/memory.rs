//! A store in memory, for tests: same contract as the durable one, several handles, faults on demand.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    error::Error,
    faults::Faults,
    store::{
        BlobHead, BlobId, ChangeRow, ContextId, Hash, Orphans, OwnerId, PathId, Rows, RowsMut, Scan, SetRow,
        SetStatus, Size, Store, Sync, TaskId, Which,
    },
    version::{ChangeId, Outcome, SetId},
};

/// A store in memory.
///
/// # Cost
///
/// A transaction copies the tables (not the content): fine for thousands of rows.
///
/// # Examples
///
/// ```
/// use file_history::{Context, FileState, History, Intent, MemStore, Op, Options, Outcome, UnixMillis};
/// let mut history = History::new(MemStore::new(), Options::default());
/// let intent = Intent::new(b"a", Op::Edit, None, Some(FileState::of(b"x")), "write_file");
/// let ids = history.begin(&[intent], &Context::task("t"), UnixMillis(0))?;
/// history.settle(&[(ids[0].unwrap(), Outcome::Landed)])?;
/// # Ok::<(), file_history::Error>(())
/// ```
#[derive(Debug)]
pub struct MemStore {
    shared: Arc<Mutex<Shared>>,
    owner: OwnerId,
    faults: Faults,
}

#[derive(Debug, Default)]
struct Shared {
    tables: Arc<Tables>,
    alive: BTreeSet<OwnerId>,
    last_owner: u32,
}

#[derive(Debug, Default, Clone)]
struct Tables {
    paths: BTreeMap<PathId, Vec<u8>>,
    path_ids: BTreeMap<Vec<u8>, PathId>,
    tasks: BTreeMap<String, TaskId>,
    contexts: BTreeMap<ContextId, [String; 3]>,
    changes: BTreeMap<ChangeId, ChangeRow>,
    blobs: BTreeMap<BlobId, (BlobHead, Arc<[u8]>)>,
    sets: BTreeMap<SetId, SetRow>,
    last: [u64; 6],
}

/// Indices into `Tables::last`, the highest ids issued.
const PATHS: usize = 0;
const TASKS: usize = 1;
const CONTEXTS: usize = 2;
const CHANGES: usize = 3;
const BLOBS: usize = 4;
const SETS: usize = 5;

impl Default for MemStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemStore {
    /// Makes an empty store.
    pub fn new() -> Self {
        Self::open(Arc::default(), Faults::default())
    }

    /// Opens another handle on the same tables. Dropping a handle is what the death of its process would be.
    #[must_use]
    pub fn reopen(&self) -> Self {
        Self::open(Arc::clone(&self.shared), Faults::default())
    }

    /// Lets commits of this handle take part in a plan of faults.
    #[must_use]
    pub fn with_faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    /// Changes one byte of every stored content with this many bytes before coding, for tests of damage.
    pub fn damage(&self, raw_len: u64) {
        let mut shared = lock(&self.shared);
        for (head, data) in Arc::make_mut(&mut shared.tables).blobs.values_mut() {
            if head.raw_len == raw_len {
                let mut bytes = data.to_vec();
                if let Some(last) = bytes.last_mut() {
                    *last ^= 1;
                }
                *data = bytes.into();
            }
        }
    }

    fn open(shared: Arc<Mutex<Shared>>, faults: Faults) -> Self {
        let mut inner = lock(&shared);
        inner.last_owner += 1;
        let owner = OwnerId(inner.last_owner);
        inner.alive.insert(owner);
        drop(inner);
        Self { shared, owner, faults }
    }
}

impl Drop for MemStore {
    fn drop(&mut self) {
        lock(&self.shared).alive.remove(&self.owner);
    }
}

/// A panic of a test between two changes leaves the tables as they were: transactions work on a copy.
fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The tables as a transaction or a reader sees them.
#[derive(Debug)]
pub struct MemTx(Arc<Tables>);

impl MemTx {
    /// Copies the tables before the first change of a transaction; readers keep what they see.
    fn tables(&mut self) -> &mut Tables {
        Arc::make_mut(&mut self.0)
    }
}

impl Store for MemStore {
    type View<'a> = MemTx;
    type Tx<'a> = MemTx;

    fn view<T>(&self, f: impl FnOnce(&MemTx) -> Result<T, Error>) -> Result<T, Error> {
        let tables = Arc::clone(&lock(&self.shared).tables);
        f(&MemTx(tables))
    }

    fn transact<T>(
        &mut self,
        _sync: Sync,
        f: impl FnOnce(&mut MemTx) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut shared = lock(&self.shared);
        let mut tx = MemTx(Arc::clone(&shared.tables));
        let value = f(&mut tx)?;
        self.faults.step()?;
        shared.tables = tx.0;
        Ok(value)
    }

    fn owner(&self) -> OwnerId {
        self.owner
    }

    fn is_alive(&self, owner: OwnerId) -> bool {
        lock(&self.shared).alive.contains(&owner)
    }

    fn compact(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn check(&self) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }
}

impl Tables {
    fn next(&mut self, table: usize) -> u64 {
        self.last[table] += 1;
        self.last[table]
    }
}

fn selects(scan: &Scan, row: &ChangeRow) -> bool {
    scan.path.is_none_or(|path| path == row.path)
        && scan.task.is_none_or(|task| Some(task) == row.task)
        && scan.set.is_none_or(|set| Some(set) == row.set)
        && scan.from.is_none_or(|from| row.at >= from)
        && scan.to.is_none_or(|to| row.at < to)
        && scan.below.is_none_or(|below| row.id < below)
        && scan.above.is_none_or(|above| row.id > above)
        && match scan.which {
            Which::Visible => row.outcome != Outcome::Failed,
            Which::All => true,
            Which::Unfinished => row.outcome == Outcome::Open || row.temp.is_some(),
        }
}

impl Rows for MemTx {
    fn path_id(&self, name: &[u8]) -> Result<Option<PathId>, Error> {
        Ok(self.0.path_ids.get(name).copied())
    }

    fn path(&self, id: PathId) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.0.paths.get(&id).cloned())
    }

    fn task_id(&self, key: &str) -> Result<Option<TaskId>, Error> {
        Ok(self.0.tasks.get(key).copied())
    }

    fn context(&self, id: ContextId) -> Result<Option<[String; 3]>, Error> {
        Ok(self.0.contexts.get(&id).cloned())
    }

    fn change(&self, id: ChangeId) -> Result<Option<ChangeRow>, Error> {
        Ok(self.0.changes.get(&id).cloned())
    }

    fn changes(&self, scan: &Scan) -> Result<Vec<ChangeRow>, Error> {
        let limit = if scan.limit == 0 { usize::MAX } else { scan.limit };
        let newest_first = self.0.changes.values().rev();
        Ok(newest_first.filter(|row| selects(scan, row)).take(limit).cloned().collect())
    }

    fn last_change(&self) -> Result<ChangeId, Error> {
        Ok(ChangeId(self.0.last[CHANGES]))
    }

    fn blob(&self, id: BlobId) -> Result<Option<BlobHead>, Error> {
        Ok(self.0.blobs.get(&id).map(|(head, _)| head.clone()))
    }

    fn blob_data(&self, id: BlobId) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.0.blobs.get(&id).map(|(_, data)| data.to_vec()))
    }

    fn blob_with(&self, hash: &Hash) -> Result<Option<BlobId>, Error> {
        Ok(self.0.blobs.values().find(|(head, _)| head.hash == *hash).map(|(head, _)| head.id))
    }

    fn blobs(&self, after: BlobId, limit: usize) -> Result<Vec<BlobHead>, Error> {
        let later = self.0.blobs.range(BlobId(after.0 + 1)..);
        Ok(later.take(limit).map(|(_, (head, _))| head.clone()).collect())
    }

    fn set(&self, id: SetId) -> Result<Option<SetRow>, Error> {
        Ok(self.0.sets.get(&id).copied())
    }

    fn sets(&self, status: SetStatus) -> Result<Vec<SetRow>, Error> {
        Ok(self.0.sets.values().filter(|set| set.status == status).copied().collect())
    }

    fn orphans(&self) -> Result<Orphans, Error> {
        let rows = self.0.changes.values();
        let sets: BTreeSet<SetId> = rows.clone().filter_map(|row| row.set).collect();
        let paths: BTreeSet<PathId> = rows.clone().map(|row| row.path).collect();
        let contexts: BTreeSet<ContextId> = rows.filter_map(|row| row.context).collect();
        Ok(Orphans {
            sets: self.0.sets.keys().copied().filter(|id| !sets.contains(id)).collect(),
            paths: self.0.paths.keys().copied().filter(|id| !paths.contains(id)).collect(),
            contexts: self.0.contexts.keys().copied().filter(|id| !contexts.contains(id)).collect(),
        })
    }

    fn size(&self) -> Result<Size, Error> {
        let data: usize = self.0.blobs.values().map(|(_, data)| data.len()).sum();
        Ok(Size {
            changes: self.0.changes.len() as u64,
            blobs: self.0.blobs.len() as u64,
            paths: self.0.paths.len() as u64,
            tasks: self.0.tasks.len() as u64,
            raw_bytes: self.0.blobs.values().map(|(head, _)| head.raw_len).sum(),
            stored_bytes: data as u64,
        })
    }
}

impl RowsMut for MemTx {
    fn add_path(&mut self, name: &[u8]) -> Result<PathId, Error> {
        if let Some(&id) = self.0.path_ids.get(name) {
            return Ok(id);
        }
        let id = PathId(self.tables().next(PATHS));
        self.tables().paths.insert(id, name.to_vec());
        self.tables().path_ids.insert(name.to_vec(), id);
        Ok(id)
    }

    fn add_context(
        &mut self,
        task: &str,
        goal: &str,
        run: &str,
    ) -> Result<(ContextId, Option<TaskId>), Error> {
        let task_id = match (task, self.0.tasks.get(task)) {
            ("", _) => None,
            (_, Some(&id)) => Some(id),
            _ => {
                let id = TaskId(self.tables().next(TASKS));
                self.tables().tasks.insert(task.to_owned(), id);
                Some(id)
            }
        };
        let context = [task, goal, run].map(str::to_owned);
        if let Some((&id, _)) = self.0.contexts.iter().find(|(_, known)| **known == context) {
            return Ok((id, task_id));
        }
        let id = ContextId(self.tables().next(CONTEXTS));
        self.tables().contexts.insert(id, context);
        Ok((id, task_id))
    }

    fn add_change(&mut self, row: &ChangeRow) -> Result<ChangeId, Error> {
        let id = ChangeId(self.tables().next(CHANGES));
        self.tables().changes.insert(id, ChangeRow { id, ..row.clone() });
        Ok(id)
    }

    fn put_change(&mut self, row: &ChangeRow) -> Result<(), Error> {
        self.tables().changes.insert(row.id, row.clone());
        Ok(())
    }

    fn drop_change(&mut self, id: ChangeId) -> Result<(), Error> {
        self.tables().changes.remove(&id);
        Ok(())
    }

    fn add_blob(&mut self, head: &BlobHead, data: &[u8]) -> Result<BlobId, Error> {
        let id = BlobId(self.tables().next(BLOBS));
        self.tables().blobs.insert(id, (BlobHead { id, ..head.clone() }, data.into()));
        Ok(id)
    }

    fn put_blob(&mut self, head: &BlobHead, data: &[u8]) -> Result<(), Error> {
        self.tables().blobs.insert(head.id, (head.clone(), data.into()));
        Ok(())
    }

    fn drop_blob(&mut self, id: BlobId) -> Result<(), Error> {
        self.tables().blobs.remove(&id);
        Ok(())
    }

    fn add_set(&mut self, row: &SetRow) -> Result<SetId, Error> {
        let id = SetId(self.tables().next(SETS));
        self.tables().sets.insert(id, SetRow { id, ..*row });
        Ok(id)
    }

    fn put_set(&mut self, row: &SetRow) -> Result<(), Error> {
        self.tables().sets.insert(row.id, *row);
        Ok(())
    }

    fn drop_task(&mut self, id: TaskId) -> Result<(), Error> {
        self.tables().tasks.retain(|_, task| *task != id);
        Ok(())
    }

    fn drop_orphans(&mut self, orphans: &Orphans, since: ChangeId) -> Result<(), Error> {
        let now = self.orphans()?;
        let tables = self.tables();
        for id in orphans.sets.iter().filter(|id| now.sets.contains(id)) {
            tables.sets.remove(id);
        }
        for id in orphans.paths.iter().filter(|id| now.paths.contains(id)) {
            tables.paths.remove(id);
        }
        let paths = &tables.paths;
        tables.path_ids.retain(|_, id| paths.contains_key(id));
        let mut later = tables.changes.range((Bound::Excluded(since), Bound::Unbounded));
        let revived: BTreeSet<ContextId> = later.by_ref().filter_map(|(_, row)| row.context).collect();
        for id in orphans.contexts.iter().filter(|id| !revived.contains(id)) {
            tables.contexts.remove(id);
        }
        Ok(())
    }
}
