//! What is kept and for how long; what is forgotten on request; whether what is kept can be read.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    blobs, codec,
    error::{Error, Gap},
    history::History,
    store::{BlobId, ChangeRow, PathId, Rows, RowsMut, Scan, Size, Store, Sync, Which},
    version::{ChangeId, UnixMillis},
};

/// Rows looked at in one go.
const PAGE: usize = 4096;

/// Says what `prune` keeps. A version goes only when it is both old and beyond the newest of its path, or when the
/// store is over its quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy<'a> {
    /// Versions younger than this are kept.
    pub keep_ms: i64,
    /// As many versions of each path are kept.
    pub keep_newest: usize,
    /// Over this many stored bytes the changes of the oldest tasks go, whatever their age.
    pub quota_bytes: u64,
    /// Tasks that are running or pinned: nothing of theirs goes.
    pub protect: &'a [&'a str],
}

impl Default for Policy<'_> {
    /// Keeps seven days and the newest 32 versions of each path, up to 1 GiB.
    fn default() -> Self {
        Self { keep_ms: 7 * 24 * 3600 * 1000, keep_newest: 32, quota_bytes: MAX_QUOTA_BYTES, protect: &[] }
    }
}

/// Most bytes that a store takes by default, however large its disk is.
pub const MAX_QUOTA_BYTES: u64 = 1 << 30;
/// Bytes of a disk that a store leaves free by default.
pub const MIN_FREE_BYTES: u64 = 256 << 20;
/// The share of a disk that a store takes at most by default: 2 %.
const QUOTA_SHARE: u64 = 50;

/// The file system that a store is on, as the host measures it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Size in bytes.
    pub total_bytes: u64,
    /// Bytes that this user may still fill.
    pub free_bytes: u64,
}

impl Room {
    /// Returns how much a store may take there: 1 GiB or 2 % of the file system, whichever is less.
    ///
    /// # Examples
    ///
    /// ```
    /// use file_history::Room;
    /// let of = |total_bytes| Room { total_bytes, free_bytes: 0 }.quota_bytes();
    /// assert_eq!((of(10 << 30), of(1 << 40)), ((10 << 30) / 50, 1 << 30));
    /// ```
    pub fn quota_bytes(self) -> u64 {
        MAX_QUOTA_BYTES.min(self.total_bytes / QUOTA_SHARE)
    }
}

/// What went.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Number of changes forgotten.
    pub changes: u64,
    /// Number of stored contents dropped.
    pub blobs: u64,
}

/// Selects what `purge` forgets.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purge<'a> {
    /// Everything about this path.
    Path(&'a [u8]),
    /// Everything that this task did, and its goal.
    Task(&'a str),
    /// One change.
    Change(ChangeId),
    /// Everything.
    All,
}

/// What `verify` found.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Number of changes looked at.
    pub changes: u64,
    /// Number of stored contents decoded and checked against their hash.
    pub blobs: u64,
    /// Changes of which at least one side cannot be read back.
    pub damaged: Vec<ChangeId>,
    /// Stored contents that could not be checked, since they are sealed with a key that is not there.
    pub locked: u64,
    /// What is wrong with the store itself, one line each.
    pub problems: Vec<String>,
}

impl Verified {
    /// Tells whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.damaged.is_empty() && self.problems.is_empty()
    }
}

impl<S: Store> History<S> {
    /// Forgets on request, content and hashes, so that nothing of it is left in the store.
    ///
    /// Content that another, kept version shares stays. Open changes go as well.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownVersion`] and [`Error::Pruned`] for [`Purge::Change`], those of the store. [`Error::Busy`] may come
    /// after the versions are gone, when a reader still holds traces of them: purging again finishes the job.
    ///
    /// # Cost
    ///
    /// Passes over all changes; contents that were patches of forgotten ones are coded anew.
    pub fn purge(&mut self, what: Purge<'_>) -> Result<Pruned, Error> {
        let pruned = self.store.transact(Sync::Now, |tx| {
            let mut scan = Scan { which: Which::All, ..Scan::default() };
            let mut task = None;
            let rows = match what {
                Purge::Path(path) => match tx.path_id(path)? {
                    None => Vec::new(),
                    Some(path) => {
                        scan.path = Some(path);
                        tx.changes(&scan)?
                    }
                },
                Purge::Task(key) => {
                    task = tx.task_id(key)?;
                    match task {
                        None => Vec::new(),
                        Some(task) => {
                            scan.task = Some(task);
                            tx.changes(&scan)?
                        }
                    }
                }
                Purge::Change(id) => vec![crate::history::change(tx, id)?],
                Purge::All => tx.changes(&scan)?,
            };
            let dead: Vec<ChangeId> = rows.iter().map(|row| row.id).collect();
            let pruned = forget(tx, &dead)?;
            if let Some(task) = task {
                tx.drop_task(task)?;
            }
            Ok(pruned)
        })?;
        self.store.compact()?;
        Ok(pruned)
    }

    /// Decodes every stored content, checks it against its hash, and checks the store itself.
    ///
    /// # Errors
    ///
    /// Those of the store.
    ///
    /// # Cost
    ///
    /// Reads the whole store; chains of patches are decoded from their key frame for each member.
    pub fn verify(&self) -> Result<Verified, Error> {
        let problems = self.store.check()?;
        self.store.view(|rows| {
            let mut bad = HashSet::new();
            // Sealed content opens only together with its path, which a change tells.
            let mut sealed: HashMap<BlobId, Option<Gap>> = HashMap::new();
            let mut uses = Vec::new();
            let mut found = Verified { problems, ..Verified::default() };
            let mut after = BlobId(0);
            loop {
                let heads = rows.blobs(after, PAGE)?;
                let Some(last) = heads.last() else { break };
                after = last.id;
                for head in &heads {
                    found.blobs += 1;
                    if head.codec == codec::SEALED {
                        sealed.insert(head.id, None);
                    } else if blobs::load_plain(rows, head.id)?.is_none() {
                        bad.insert(head.id);
                    }
                }
            }
            let mut known: HashMap<BlobId, bool> = HashMap::new();
            let mut dangling = Vec::new();
            let mut paths: BTreeMap<PathId, Vec<ChangeId>> = BTreeMap::new();
            for_each_change(rows, |row| {
                found.changes += 1;
                let sides = [row.before.blob, row.after.blob];
                paths.entry(row.path).or_default().push(row.id);
                uses.extend(
                    sides
                        .into_iter()
                        .flatten()
                        .filter(|blob| sealed.contains_key(blob))
                        .map(|blob| (row.id, row.path, blob)),
                );
                if sides.into_iter().flatten().any(|blob| bad.contains(&blob)) {
                    found.damaged.push(row.id);
                } else {
                    dangling.extend(sides.into_iter().flatten().map(|blob| (row.id, blob)));
                }
            })?;
            for (change, blob) in dangling {
                let there = match known.get(&blob) {
                    Some(&there) => there,
                    None => {
                        let there = rows.blob(blob)?.is_some();
                        known.insert(blob, there);
                        there
                    }
                };
                if !there {
                    found.damaged.push(change);
                }
            }
            for (path, changes) in paths {
                if rows.path(path)?.is_none() {
                    found.damaged.extend(changes);
                    uses.retain(|&(_, of, _)| of != path);
                }
            }
            let mut read = HashSet::new();
            for (change, path, blob) in uses {
                if read.insert((path, blob)) {
                    let gap = blobs::load(rows, self.at(path), blob)?.err();
                    found.locked += u64::from(gap == Some(Gap::KeyMismatch));
                    sealed.insert(blob, gap);
                }
                if sealed.get(&blob) == Some(&Some(Gap::Damaged)) {
                    found.damaged.push(change);
                }
            }
            found.damaged.sort_unstable();
            found.damaged.dedup();
            Ok(found)
        })
    }

    /// Makes sure that the disk of the store has `min_free_bytes` left, before something is recorded that may be large:
    /// where it has less, the changes of the oldest tasks go, as over a quota.
    ///
    /// `room` measures the disk; it is asked again after pruning. `None` means that it cannot be told: nothing is done.
    ///
    /// # Errors
    ///
    /// [`Error::LowSpace`] if pruning did not help: a change that could destroy something is then better not made. Those
    /// of the store.
    ///
    /// # Cost
    ///
    /// One measurement where there is room; otherwise that of [`prune`](Self::prune).
    pub fn make_room(
        &mut self,
        mut room: impl FnMut() -> Option<Room>,
        min_free_bytes: u64,
        policy: &Policy<'_>,
        now: UnixMillis,
    ) -> Result<Pruned, Error> {
        let lacks = |room: Option<Room>| match room {
            Some(room) => min_free_bytes.saturating_sub(room.free_bytes),
            None => 0,
        };
        let lacking = lacks(room());
        if lacking == 0 {
            return Ok(Pruned::default());
        }
        let mut pruned = Pruned::default();
        let stored = self.stats()?.stored_bytes;
        // What is larger than the whole store cannot be gained by it.
        if lacking < stored {
            let quota_bytes = policy.quota_bytes.min(stored - lacking);
            pruned = self.prune(&Policy { quota_bytes, ..*policy }, now)?;
        }
        match room() {
            Some(room) if room.free_bytes < min_free_bytes => {
                Err(Error::LowSpace { free: room.free_bytes, min: min_free_bytes })
            }
            _ => Ok(pruned),
        }
    }

    /// Returns how much is kept.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn stats(&self) -> Result<Size, Error> {
        self.store.view(|rows| rows.size())
    }
}

/// Calls `f` with every change, newest first, a page at a time.
pub(crate) fn for_each_change(rows: &impl Rows, mut f: impl FnMut(ChangeRow)) -> Result<(), Error> {
    let mut scan = Scan { which: Which::All, limit: PAGE, ..Scan::default() };
    loop {
        let page = rows.changes(&scan)?;
        let last = page.last().map(|row| row.id);
        let full = page.len() == PAGE;
        page.into_iter().for_each(&mut f);
        match last {
            Some(last) if full => scan.below = Some(last),
            _ => return Ok(()),
        }
    }
}

fn forget(tx: &mut impl RowsMut, dead: &[ChangeId]) -> Result<Pruned, Error> {
    for &id in dead {
        tx.drop_change(id)?;
    }
    let blobs = blobs::sweep(tx)?;
    let (orphans, last) = (tx.orphans()?, tx.last_change()?);
    tx.drop_orphans(&orphans, last)?;
    Ok(Pruned { changes: dead.len() as u64, blobs })
}
