//! What is kept and for how long; what is forgotten on request; whether what is kept can be read.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::{
    blobs::{self, Rebase},
    codec,
    error::{Error, Gap},
    history::History,
    store::{
        BlobId, ChangeRow, PathId, Rows, RowsMut, Scan, Size, StateKind, Store, StoredState, Sync, TaskId,
        Which,
    },
    version::{ChangeId, Op, Outcome, UnixMillis},
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
        Self { keep_ms: 7 * 24 * 3600 * 1000, keep_newest: 32, quota_bytes: 1 << 30, protect: &[] }
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
    /// Forgets what the policy does not keep.
    ///
    /// Always kept: changes that are open, the newest version and the first state of each path. By age alone the first
    /// change that a task made of a path is kept, too, as long as a later one is (undo needs it), and so is what others
    /// did in between; for the quota such a task becomes one that can no longer be undone, and says so.
    /// Forgotten ids answer [`Error::Pruned`] and are never issued again.
    ///
    /// # Errors
    ///
    /// Those of the store.
    ///
    /// # Cost
    ///
    /// Passes over all changes; one transaction per round.
    pub fn prune(&mut self, policy: &Policy<'_>, now: UnixMillis) -> Result<Pruned, Error> {
        let mut pruned = self.store.transact(Sync::Now, |tx| {
            let protect = protected(tx, policy)?;
            let mut paths: BTreeMap<PathId, Vec<ChangeRow>> = BTreeMap::new();
            for_each_change(tx, |row| paths.entry(row.path).or_default().push(row))?;
            let mut dead = Vec::new();
            for rows in paths.values() {
                let old = |index: usize, row: &ChangeRow| {
                    index >= policy.keep_newest && row.at.0 < now.0.saturating_sub(policy.keep_ms)
                };
                dead.extend(forgettable(rows, &protect, Undo::Kept, old));
            }
            forget(tx, &dead, Rebase::No)
        })?;
        // Over quota: more and more of the oldest tasks, until it fits or nothing may go.
        let mut share = 8;
        while self.store.view(|rows| rows.size())?.stored_bytes > policy.quota_bytes {
            let round = self.store.transact(Sync::Now, |tx| {
                let dead = oldest_tasks(tx, policy, share)?;
                forget(tx, &dead, Rebase::No)
            })?;
            pruned.changes += round.changes;
            pruned.blobs += round.blobs;
            self.give_back()?;
            if round.changes == 0 {
                if share == 1 {
                    break;
                }
                share = 1;
            }
        }
        self.give_back()?;
        Ok(pruned)
    }

    /// Compacts, unless a reader is in the way: the next time will do.
    fn give_back(&mut self) -> Result<(), Error> {
        match self.store.compact() {
            Err(Error::Busy { .. }) => Ok(()),
            result => result,
        }
    }

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
            let pruned = forget(tx, &dead, Rebase::Yes)?;
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
fn for_each_change(rows: &impl Rows, mut f: impl FnMut(ChangeRow)) -> Result<(), Error> {
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

fn protected(rows: &impl Rows, policy: &Policy<'_>) -> Result<HashSet<TaskId>, Error> {
    let mut tasks = HashSet::new();
    for task in policy.protect {
        tasks.extend(rows.task_id(task)?);
    }
    Ok(tasks)
}

/// Says whether what the undo of a listed change needs may go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Undo {
    Kept,
    GivenUp,
}

/// Returns the changes of one path, given newest first, that may go: those that `old` names and nothing needs.
fn forgettable(
    rows: &[ChangeRow],
    protect: &HashSet<TaskId>,
    undo: Undo,
    old: impl Fn(usize, &ChangeRow) -> bool,
) -> Vec<ChangeId> {
    let mut keep: Vec<bool> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            !old(index, row)
                || row.outcome == Outcome::Open
                || row.temp.is_some()
                || row.task.is_some_and(|task| protect.contains(&task))
        })
        .collect();
    if let Some(newest) = rows.iter().position(|row| row.outcome != Outcome::Failed) {
        keep[newest] = true;
    }
    // What a task's undo needs: its first change, and what others did in between. Keeping more may make more needed.
    loop {
        if undo == Undo::GivenUp {
            break;
        }
        let before = keep.iter().filter(|&&kept| kept).count();
        let mut spans: HashMap<TaskId, (usize, usize)> = HashMap::new();
        for (index, row) in rows.iter().enumerate() {
            let Some(task) = row.task.filter(|_| row.outcome != Outcome::Failed) else { continue };
            let span = spans.entry(task);
            if let std::collections::hash_map::Entry::Occupied(mut known) = span {
                known.get_mut().1 = index;
            } else if keep[index] {
                span.or_insert((index, index));
            }
        }
        for (task, (newest, oldest)) in spans {
            keep[oldest] = true;
            for index in newest..oldest {
                keep[index] |= rows[index].task != Some(task) && rows[index].outcome != Outcome::Failed;
            }
        }
        if keep.iter().filter(|&&kept| kept).count() == before {
            break;
        }
    }
    // The state in which the path was first found stays as long as anything else does.
    if let Some(first) = rows.last().filter(|row| row.op == Op::Baseline)
        && rows.iter().zip(&keep).any(|(row, &kept)| kept && row.id != first.id)
    {
        keep[rows.len() - 1] = true;
    }
    rows.iter().zip(keep).filter(|&(_, kept)| !kept).map(|(row, _)| row.id).collect()
}

/// Returns about a `share`th of the changes that may go, those of the tasks that ended first.
///
/// A task that loses its first change of a path and keeps a later one can no longer be undone there: the later change
/// is made to say so.
fn oldest_tasks(tx: &mut impl RowsMut, policy: &Policy<'_>, share: usize) -> Result<Vec<ChangeId>, Error> {
    let protect = protected(tx, policy)?;
    let mut paths: BTreeMap<PathId, Vec<ChangeRow>> = BTreeMap::new();
    let mut ended: HashMap<Option<TaskId>, ChangeId> = HashMap::new();
    let mut total = 0;
    for_each_change(tx, |row| {
        total += 1;
        // What belongs to no task goes by its own age.
        if row.task.is_some() {
            let last = ended.entry(row.task).or_insert(row.id);
            *last = row.id.max(*last);
        }
        paths.entry(row.path).or_default().push(row);
    })?;
    let end_of =
        |row: &ChangeRow| ended.get(&row.task).copied().filter(|_| row.task.is_some()).unwrap_or(row.id);
    let mut ends: Vec<ChangeId> = paths.values().flatten().map(end_of).collect();
    ends.sort_unstable();
    let Some(&cut) = ends.get((total / share).min(ends.len().saturating_sub(1))) else {
        return Ok(Vec::new());
    };
    let mut dead = BTreeSet::new();
    for rows in paths.values() {
        let gone = forgettable(rows, &protect, Undo::GivenUp, |_, row| end_of(row) <= cut);
        let gone: BTreeSet<ChangeId> = gone.into_iter().collect();
        let mut cut_off = HashSet::new();
        for row in rows.iter().rev().filter(|row| row.outcome != Outcome::Failed) {
            let Some(task) = row.task else { continue };
            if gone.contains(&row.id) {
                cut_off.insert(task);
            } else if cut_off.remove(&task) {
                let before = StoredState { kind: StateKind::Pruned, blob: None, ..row.before };
                tx.put_change(&ChangeRow { before, ..row.clone() })?;
            }
        }
        dead.extend(gone);
    }
    Ok(dead.into_iter().collect())
}

fn forget(tx: &mut impl RowsMut, dead: &[ChangeId], rebase: Rebase) -> Result<Pruned, Error> {
    for &id in dead {
        tx.drop_change(id)?;
    }
    if dead.is_empty() && rebase == Rebase::No {
        return Ok(Pruned::default());
    }
    let blobs = blobs::sweep(tx, rebase)?;
    tx.tidy()?;
    Ok(Pruned { changes: dead.len() as u64, blobs })
}
