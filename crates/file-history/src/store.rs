//! The port to the place where rows and content are kept.
//!
//! A [`Store`] runs closures as transactions over a handful of tables; everything else (coding of content,
//! classification, retention) is decided by this crate. Blobs and rows share one transaction: that is the whole
//! durability story.

use crate::{
    error::Error,
    version::{ChangeId, Op, Outcome, SetId, UnixMillis},
};

/// Number of a path in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(pub u64);

/// Number of a task in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u64);

/// Number of a (task, goal, run) triple in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId(pub u64);

/// Number of a stored content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobId(pub u64);

/// Number of an open handle; unique among those alive. 0 is nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(pub u32);

/// A BLAKE3 hash of content.
pub type Hash = [u8; 32];

/// One side of a change as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredState {
    /// What is known of it.
    pub kind: StateKind,
    /// The content, for `StateKind::File`.
    pub blob: Option<BlobId>,
    /// Length in bytes.
    pub len: u64,
    /// Permission bits, where known.
    pub mode: Option<u32>,
}

/// Says what the store knows of one side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateKind {
    /// No file.
    Absent,
    /// A file, content kept.
    File,
    /// A file, content withheld since it is sensitive.
    Withheld,
    /// A file, content over the limit.
    TooLarge,
    /// Unknown: what was before went with the versions that were pruned.
    Pruned,
}

impl StateKind {
    /// Every kind in the order of the numbers that a store keeps.
    pub const ALL: &[Self] = &[Self::Absent, Self::File, Self::Withheld, Self::TooLarge, Self::Pruned];
}

/// A change as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    /// Its id; ignored when the row is added.
    pub id: ChangeId,
    /// The group it belongs to.
    pub set: Option<SetId>,
    /// The path.
    pub path: PathId,
    /// Whom it was done for; `None` for what the history found by itself.
    pub context: Option<ContextId>,
    /// The task of that context.
    pub task: Option<TaskId>,
    /// When.
    pub at: UnixMillis,
    /// What was done.
    pub op: Op,
    /// The tool.
    pub tool: String,
    /// What was there before.
    pub before: StoredState,
    /// What is there after.
    pub after: StoredState,
    /// The version put back.
    pub from: Option<ChangeId>,
    /// How it ended.
    pub outcome: Outcome,
    /// The temporary file that recovery may take away.
    pub temp: Option<Vec<u8>>,
    /// How many parent directories it created.
    pub new_dirs: u32,
    /// The handle that began it.
    pub owner: OwnerId,
}

/// Everything about a stored content but its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobHead {
    /// Its number; ignored when the blob is added.
    pub id: BlobId,
    /// BLAKE3 of the content.
    pub hash: Hash,
    /// The blob that the data is a patch of.
    pub base: Option<BlobId>,
    /// Number of patches between this blob and a key frame.
    pub depth: u32,
    /// How the data is coded: see `codec`.
    pub codec: u8,
    /// Length of the content in bytes.
    pub raw_len: u64,
}

/// A group of changes as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetRow {
    /// Its id; ignored when the row is added.
    pub id: SetId,
    /// What it was made for.
    pub kind: SetKind,
    /// How far it got.
    pub status: SetStatus,
    /// Number of files.
    pub total: u32,
    /// Number of files published.
    pub applied: u32,
    /// The handle that began it.
    pub owner: OwnerId,
}

/// Says what a group of changes was made for.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetKind {
    /// One version put back.
    Restore,
    /// A task undone.
    Undo,
    /// An interrupted group carried to its end.
    Resume,
    /// An interrupted group taken back.
    Rollback,
}

impl SetKind {
    /// Every kind in the order of the numbers that a store keeps.
    pub const ALL: &[Self] = &[Self::Restore, Self::Undo, Self::Resume, Self::Rollback];

    /// Returns the stable word for this kind.
    pub fn code(self) -> &'static str {
        match self {
            Self::Restore => "restore",
            Self::Undo => "undo",
            Self::Resume => "resume",
            Self::Rollback => "rollback",
        }
    }
}

/// Says how far a group of changes got.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetStatus {
    /// Being published.
    Open,
    /// All files are published.
    Done,
    /// No file is published.
    Aborted,
    /// Some files are published, and the process that did it is gone or gave up.
    Interrupted,
    /// Was interrupted, and a later group carried it to its end or took it back.
    Resolved,
}

impl SetStatus {
    /// Every status in the order of the numbers that a store keeps.
    pub const ALL: &[Self] = &[Self::Open, Self::Done, Self::Aborted, Self::Interrupted, Self::Resolved];

    /// Returns the stable word for this status.
    pub fn code(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Aborted => "aborted",
            Self::Interrupted => "interrupted",
            Self::Resolved => "resolved",
        }
    }
}

/// Selects changes, newest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scan {
    /// Only this path.
    pub path: Option<PathId>,
    /// Only this task.
    pub task: Option<TaskId>,
    /// Only this group.
    pub set: Option<SetId>,
    /// Only changes at this time or later.
    pub from: Option<UnixMillis>,
    /// Only changes before this time.
    pub to: Option<UnixMillis>,
    /// Only ids below this one.
    pub below: Option<ChangeId>,
    /// Only ids above this one.
    pub above: Option<ChangeId>,
    /// Which outcomes.
    pub which: Which,
    /// At most this many; 0 means no limit.
    pub limit: usize,
}

/// Selects changes by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Which {
    /// All but failed ones.
    #[default]
    Visible,
    /// All.
    All,
    /// Those not settled, and those that still name a temporary file.
    Unfinished,
}

/// Reads the tables. Every method sees one consistent snapshot.
pub trait Rows {
    /// Returns the number of a path.
    fn path_id(&self, name: &[u8]) -> Result<Option<PathId>, Error>;
    /// Returns the name of a path.
    fn path(&self, id: PathId) -> Result<Option<Vec<u8>>, Error>;
    /// Returns the number of a task.
    fn task_id(&self, key: &str) -> Result<Option<TaskId>, Error>;
    /// Returns the task, goal and run of a context.
    fn context(&self, id: ContextId) -> Result<Option<[String; 3]>, Error>;
    /// Returns one change.
    fn change(&self, id: ChangeId) -> Result<Option<ChangeRow>, Error>;
    /// Returns the changes that a scan selects, newest first.
    fn changes(&self, scan: &Scan) -> Result<Vec<ChangeRow>, Error>;
    /// Returns the highest id that was ever issued, 0 if none.
    fn last_change(&self) -> Result<ChangeId, Error>;
    /// Returns what is known of a stored content.
    fn blob(&self, id: BlobId) -> Result<Option<BlobHead>, Error>;
    /// Returns the coded data of a stored content.
    fn blob_data(&self, id: BlobId) -> Result<Option<Vec<u8>>, Error>;
    /// Returns the stored content with this hash.
    fn blob_with(&self, hash: &Hash) -> Result<Option<BlobId>, Error>;
    /// Returns up to `limit` stored contents above `after`, in ascending order.
    fn blobs(&self, after: BlobId, limit: usize) -> Result<Vec<BlobHead>, Error>;
    /// Returns one group of changes.
    fn set(&self, id: SetId) -> Result<Option<SetRow>, Error>;
    /// Returns the groups with this status, oldest first.
    fn sets(&self, status: SetStatus) -> Result<Vec<SetRow>, Error>;
    /// Returns the groups, paths and contexts that no change refers to.
    fn orphans(&self) -> Result<Orphans, Error>;
    /// Returns how many changes and stored contents there are, and the bytes they take.
    fn size(&self) -> Result<Size, Error>;
}

/// What no change refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Orphans {
    /// Groups of changes.
    pub sets: Vec<SetId>,
    /// Paths.
    pub paths: Vec<PathId>,
    /// Contexts.
    pub contexts: Vec<ContextId>,
}

impl Orphans {
    /// Cuts this into parts of at most `len` of each kind.
    pub(crate) fn slices(&self, len: usize) -> impl Iterator<Item = Self> {
        let longest = self.sets.len().max(self.paths.len()).max(self.contexts.len());
        (0..longest.div_ceil(len)).map(move |part| Self {
            sets: slice(&self.sets, part, len),
            paths: slice(&self.paths, part, len),
            contexts: slice(&self.contexts, part, len),
        })
    }
}

fn slice<T: Copy>(all: &[T], part: usize, len: usize) -> Vec<T> {
    all.iter().skip(part * len).take(len).copied().collect()
}

/// How much the store holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Number of changes.
    pub changes: u64,
    /// Number of stored contents.
    pub blobs: u64,
    /// Number of paths.
    pub paths: u64,
    /// Number of tasks.
    pub tasks: u64,
    /// Length of all contents before coding, in bytes.
    pub raw_bytes: u64,
    /// Bytes in use on disk, or what stands for them.
    pub stored_bytes: u64,
}

/// Changes the tables within a transaction.
pub trait RowsMut: Rows {
    /// Returns the number of a path, adding it if it is new.
    fn add_path(&mut self, name: &[u8]) -> Result<PathId, Error>;
    /// Returns the number of a (task, goal, run) triple and of its task, adding them if they are new.
    fn add_context(
        &mut self,
        task: &str,
        goal: &str,
        run: &str,
    ) -> Result<(ContextId, Option<TaskId>), Error>;
    /// Adds a change under a new id, higher than any before.
    fn add_change(&mut self, row: &ChangeRow) -> Result<ChangeId, Error>;
    /// Replaces the change with the same id.
    fn put_change(&mut self, row: &ChangeRow) -> Result<(), Error>;
    /// Takes a change away. Its id is never issued again.
    fn drop_change(&mut self, id: ChangeId) -> Result<(), Error>;
    /// Adds a stored content.
    fn add_blob(&mut self, head: &BlobHead, data: &[u8]) -> Result<BlobId, Error>;
    /// Replaces coding and data of the stored content with the same id.
    fn put_blob(&mut self, head: &BlobHead, data: &[u8]) -> Result<(), Error>;
    /// Takes a stored content away.
    fn drop_blob(&mut self, id: BlobId) -> Result<(), Error>;
    /// Adds a group of changes.
    fn add_set(&mut self, row: &SetRow) -> Result<SetId, Error>;
    /// Replaces the group with the same id.
    fn put_set(&mut self, row: &SetRow) -> Result<(), Error>;
    /// Forgets a task.
    fn drop_task(&mut self, id: TaskId) -> Result<(), Error>;
    /// Takes away those of these that no change refers to. Contexts are trusted to have had no change up to `since`;
    /// paths and groups are looked up. Tasks stay known.
    fn drop_orphans(&mut self, orphans: &Orphans, since: ChangeId) -> Result<(), Error>;
}

/// Says when a transaction has to be on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// Before it returns.
    Now,
    /// With the next one that is `Now`: what it says can be found out again after a crash, or be done again.
    Later,
}

/// Keeps the tables, for several handles in several processes at once.
///
/// # Contract
///
/// A transaction is atomic, sees and excludes every other writer, and is durable on return for [`Sync::Now`].
/// When the closure fails, nothing is kept. Ids of changes only grow and are never reused.
pub trait Store {
    /// Reads within a snapshot.
    type View<'a>: Rows
    where
        Self: 'a;
    /// Reads and changes within a transaction.
    type Tx<'a>: RowsMut
    where
        Self: 'a;

    /// Runs `f` over a consistent snapshot. Takes no lock that a writer waits for.
    fn view<T>(&self, f: impl FnOnce(&Self::View<'_>) -> Result<T, Error>) -> Result<T, Error>;

    /// Runs `f` as one transaction.
    fn transact<T>(
        &mut self,
        sync: Sync,
        f: impl FnOnce(&mut Self::Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, Error>;

    /// Returns the number of this handle.
    fn owner(&self) -> OwnerId;

    /// Tells whether the handle with this number is still open somewhere.
    fn is_alive(&self, owner: OwnerId) -> bool;

    /// Gives freed space back and leaves no trace of dropped content behind.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] while a reader still needs what was dropped, and those of the store.
    fn compact(&mut self) -> Result<(), Error>;

    /// Checks the structure of the store itself and returns what is wrong with it, one line each.
    ///
    /// # Errors
    ///
    /// Those of the store.
    fn check(&self) -> Result<Vec<String>, Error>;
}
