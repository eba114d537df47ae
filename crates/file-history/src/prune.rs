//! Forgetting what is old or too much: found out while others write, taken away in slices.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::{
    blobs,
    error::Error,
    history::History,
    retain::{Policy, Pruned, for_each_change},
    store::{ChangeRow, PathId, Rows, RowsMut, Scan, StateKind, Store, StoredState, Sync, TaskId, Which},
    version::{ChangeId, Op, Outcome, UnixMillis},
};

/// Rows taken away while other writers wait. A row costs about 0.1 ms, so this is well below 50 ms.
const SLICE_ROWS: usize = 128;
/// Content taken away while other writers wait, in bytes before coding: freed pages are overwritten. One content may be
/// longer.
const SLICE_BYTES: u64 = 16 << 20;

/// What is to be done to one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It goes.
    Drop(ChangeId),
    /// It stays, and says that what was before it is gone.
    CutOff(ChangeId),
}

/// What is to be done, path by path, and the newest change that was known when this was found out.
#[derive(Debug, Default)]
struct Work {
    /// Within a path the marks come first and the newest change goes first: whenever this is interrupted, no task seems
    /// to begin later than it did.
    steps: Vec<(PathId, Step)>,
    last: ChangeId,
}

/// What decides about a change. A million of these fit into memory.
struct Brief {
    id: ChangeId,
    at: UnixMillis,
    task: Option<TaskId>,
    op: Op,
    outcome: Outcome,
    has_temp: bool,
}

impl Brief {
    fn of(row: &ChangeRow) -> Self {
        let ChangeRow { id, at, task, op, outcome, .. } = *row;
        Self { id, at, task, op, outcome, has_temp: row.temp.is_some() }
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
    /// Those of the store. What is gone by then is gone; the rest is as it was.
    ///
    /// # Concurrency
    ///
    /// What may go is found out in a snapshot, without a lock, and taken away by many small transactions, between which
    /// other writers have their turn. A path that is changed meanwhile is left alone this time.
    ///
    /// # Cost
    ///
    /// Passes over all changes and the descriptions of all contents, 100 bytes of memory for each; up to 128 rows a
    /// transaction.
    pub fn prune(&mut self, policy: &Policy<'_>, now: UnixMillis) -> Result<Pruned, Error> {
        let work = self.store.view(|rows| too_old(rows, policy, now))?;
        let mut pruned = self.take_away(&work)?;
        // Over quota: more and more of the oldest tasks, until it fits or nothing may go.
        let mut share = 8;
        while self.store.view(|rows| rows.size())?.stored_bytes > policy.quota_bytes {
            let work = self.store.view(|rows| oldest_tasks(rows, policy, share))?;
            let round = self.take_away(&work)?;
            pruned.changes += round.changes;
            pruned.blobs += round.blobs;
            if round.changes == 0 {
                if share == 1 {
                    break;
                }
                share = 1;
            }
        }
        Ok(pruned)
    }

    /// Takes changes away, then the contents and names that only they needed, then the room.
    fn take_away(&mut self, work: &Work) -> Result<Pruned, Error> {
        let mut pruned = Pruned::default();
        for slice in work.steps.chunks(SLICE_ROWS) {
            pruned.changes += self.store.transact(Sync::Later, |tx| do_steps(tx, slice, work.last))?;
        }
        if pruned.changes == 0 {
            return Ok(pruned);
        }
        let (dead, orphans, last) =
            self.store.view(|rows| Ok((blobs::find_dead(rows)?, rows.orphans()?, rows.last_change()?)))?;
        let mut rest = &dead.contents[..];
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take(SLICE_ROWS).take_while(|(_, len)| {
                bytes = len.saturating_add(bytes);
                bytes <= SLICE_BYTES
            });
            let (slice, later) = rest.split_at(fits.count().max(1));
            pruned.blobs += self.store.transact(Sync::Later, |tx| blobs::drop_dead(tx, &dead, slice))?;
            rest = later;
        }
        for part in orphans.slices(SLICE_ROWS) {
            self.store.transact(Sync::Later, |tx| tx.drop_orphans(&part, last))?;
        }
        match self.store.compact() {
            // A reader is in the way: the next time will do.
            Err(Error::Busy { .. }) => Ok(pruned),
            result => result.map(|()| pruned),
        }
    }
}

/// Does some steps; returns how many changes are gone.
fn do_steps(tx: &mut impl RowsMut, steps: &[(PathId, Step)], last: ChangeId) -> Result<u64, Error> {
    let mut touched: HashMap<PathId, bool> = HashMap::new();
    let mut gone = 0;
    for &(path, step) in steps {
        let is_touched = match touched.get(&path) {
            Some(&known) => known,
            None => {
                let scan = Scan {
                    path: Some(path),
                    above: Some(last),
                    which: Which::All,
                    limit: 1,
                    ..Scan::default()
                };
                let found = !tx.changes(&scan)?.is_empty();
                touched.insert(path, found);
                found
            }
        };
        if is_touched {
            continue;
        }
        match step {
            Step::Drop(id) => {
                // Somebody may have forgotten newer changes meanwhile, so that this is the newest now.
                let newest = Scan { path: Some(path), limit: 1, ..Scan::default() };
                if tx.change(id)?.is_some() && tx.changes(&newest)?.first().map(|row| row.id) != Some(id) {
                    tx.drop_change(id)?;
                    gone += 1;
                }
            }
            Step::CutOff(id) => {
                if let Some(row) = tx.change(id)? {
                    let before = StoredState { kind: StateKind::Pruned, blob: None, ..row.before };
                    tx.put_change(&ChangeRow { before, ..row })?;
                }
            }
        }
    }
    Ok(gone)
}

type Paths = BTreeMap<PathId, Vec<Brief>>;

fn too_old(rows: &impl Rows, policy: &Policy<'_>, now: UnixMillis) -> Result<Work, Error> {
    let protect = protected(rows, policy)?;
    let mut paths = Paths::new();
    for_each_change(rows, |row| paths.entry(row.path).or_default().push(Brief::of(&row)))?;
    let mut work = Work { last: rows.last_change()?, ..Work::default() };
    for (&path, rows) in &paths {
        let old = |index: usize, row: &Brief| {
            index >= policy.keep_newest && row.at.0 < now.0.saturating_sub(policy.keep_ms)
        };
        let gone = forgettable(rows, &protect, Undo::Kept, old);
        work.steps.extend(gone.into_iter().map(|id| (path, Step::Drop(id))));
    }
    Ok(work)
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
    rows: &[Brief],
    protect: &HashSet<TaskId>,
    undo: Undo,
    old: impl Fn(usize, &Brief) -> bool,
) -> Vec<ChangeId> {
    let mut keep: Vec<bool> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            !old(index, row)
                || row.outcome == Outcome::Open
                || row.has_temp
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
fn oldest_tasks(rows: &impl Rows, policy: &Policy<'_>, share: usize) -> Result<Work, Error> {
    let protect = protected(rows, policy)?;
    let mut paths = Paths::new();
    let mut ended: HashMap<Option<TaskId>, ChangeId> = HashMap::new();
    let mut total = 0;
    for_each_change(rows, |row| {
        total += 1;
        // What belongs to no task goes by its own age.
        if row.task.is_some() {
            let last = ended.entry(row.task).or_insert(row.id);
            *last = row.id.max(*last);
        }
        paths.entry(row.path).or_default().push(Brief::of(&row));
    })?;
    let end_of = |row: &Brief| ended.get(&row.task).copied().filter(|_| row.task.is_some()).unwrap_or(row.id);
    let mut ends: Vec<ChangeId> = paths.values().flatten().map(end_of).collect();
    ends.sort_unstable();
    let Some(&cut) = ends.get((total / share).min(ends.len().saturating_sub(1))) else {
        return Ok(Work::default());
    };
    let mut work = Work { last: rows.last_change()?, ..Work::default() };
    for (&path, rows) in &paths {
        let order = forgettable(rows, &protect, Undo::GivenUp, |_, row| end_of(row) <= cut);
        let gone: BTreeSet<ChangeId> = order.iter().copied().collect();
        let mut cut_off = HashSet::new();
        for row in rows.iter().rev().filter(|row| row.outcome != Outcome::Failed) {
            let Some(task) = row.task else { continue };
            if gone.contains(&row.id) {
                cut_off.insert(task);
            } else if cut_off.remove(&task) {
                work.steps.push((path, Step::CutOff(row.id)));
            }
        }
        work.steps.extend(order.into_iter().map(|id| (path, Step::Drop(id))));
    }
    Ok(work)
}
