//! The thread that reads names and contents into the index while nobody waits for it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use rooted_fs::Kind;
use search_engine::{Check, Index, Maker, NoWatch, Signature, StampedTree as _, Task, Tree as _};

use super::state::{Phase, Ready, Shared, now_ns};
use super::watch::Watches;
use crate::tree::{GateTree, TreeDir};

/// Bytes that do so with fewer files.
const MIN_BYTES: u64 = 100_000_000;
/// How long a tree is taken to be small.
const LOOK_AGAIN: Duration = Duration::from_secs(300);
/// Time between two looks at what has changed while no search comes: the queue of the watch must not overflow.
const TICK: Duration = Duration::from_secs(1);
/// Time between two comparisons of all stamps, which find what no watch sees.
const SWEEP: Duration = Duration::from_secs(120);
/// Files that are read between two looks at the index.
const BATCH: usize = 16;
/// Files that are asked for at a time.
const TASKS: usize = 2_048;
/// A file that is still being written is not read again and again: one second of rest for so many bytes.
const QUIET_BYTES_PER_SECOND: u64 = 16 << 20;

/// Works until the index is dropped.
pub(super) fn run(shared: &Arc<Shared>) {
    let mut swept = Instant::now();
    let mut maker = Maker::default();
    while !shared.stop.load(Ordering::Relaxed) {
        let (asked, is_listed) = {
            let state = shared.lock();
            let is_listed = match &state.phase {
                Phase::Idle | Phase::Listing => false,
                Phase::Small(since) => since.elapsed() < LOOK_AGAIN,
                Phase::Ready(_) | Phase::Failed => true,
            };
            (state.asked, is_listed)
        };
        if !is_listed {
            list(shared);
            continue;
        }
        let fed = feed(shared, &mut maker);
        if swept.elapsed() > SWEEP && !fed {
            sweep(shared);
            swept = Instant::now();
        }
        if !fed {
            settle(shared, asked);
            let state = shared.lock();
            if !shared.stop.load(Ordering::Relaxed) && state.asked == state.served {
                let (_state, _) =
                    shared.wake.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

/// Tells those who waited before the last round that nothing was left to do in it.
fn settle(shared: &Shared, asked: u64) {
    let mut state = shared.lock();
    state.served = asked;
    if let Phase::Ready(ready) = &mut state.phase {
        ready.is_filling = false;
    }
    drop(state);
    shared.settled.notify_all();
}

/// Reads all names, and decides whether there is to be an index.
fn list(shared: &Shared) {
    {
        let mut state = shared.lock();
        if shared.stop.load(Ordering::Relaxed) {
            return;
        }
        state.phase = Phase::Listing;
    }
    let phase = listed(shared).unwrap_or(Phase::Failed);
    let mut state = shared.lock();
    if !shared.stop.load(Ordering::Relaxed) {
        state.phase = phase;
    }
}

fn listed(shared: &Shared) -> Option<Phase> {
    let tree = GateTree::of_workspace(&shared.gate).ok()?;
    let mut index = Index::new(shared.grams(), shared.settings.index_max_bytes);
    let mut watches = if shared.settings.freshness.watches() { Watches::new() } else { None };
    if !is_large(shared, &tree) {
        return Some(Phase::Small(Instant::now()));
    }
    match &mut watches {
        Some(watches) => index.refresh(&tree, watches, Check::Names, now_ns()).ok()?,
        None => index.refresh(&tree, &mut NoWatch, Check::Names, now_ns()).ok()?,
    }
    Some(Phase::Ready(Box::new(Ready { index, watches, is_filling: true, lost: false })))
}

/// Counts files and bytes until they are enough, without the ignore rules.
fn is_large(shared: &Shared, tree: &GateTree<'_>) -> bool {
    let (mut files, mut bytes) = (0u64, 0u64);
    let Ok(root) = tree.root() else { return false };
    let mut left = vec![root];
    while let Some(dir) = left.pop() {
        let mut listing = search_engine::Listing::new();
        if shared.stop.load(Ordering::Relaxed) || tree.entries(&dir, &mut listing).is_err() {
            continue;
        }
        for entry in listing.iter() {
            match entry.kind {
                search_engine::Kind::Dir if entry.name != ".git" => left.extend(tree.enter(&dir, entry.name)),
                search_engine::Kind::File => {
                    files += 1;
                    let meta = dir.dir().and_then(|dir| dir.stat(entry.name).ok());
                    bytes += meta.filter(|meta| meta.kind == Kind::File).map_or(0, |meta| meta.size);
                }
                _ => {}
            }
        }
        if files >= shared.settings.index_min_files as u64 || bytes >= MIN_BYTES {
            return true;
        }
    }
    false
}

/// Reads some files; returns whether there may be more to do.
fn feed(shared: &Shared, maker: &mut Maker) -> bool {
    let tasks = {
        let mut state = shared.lock();
        let Phase::Ready(ready) = &mut state.phase else { return false };
        if ready.watches.is_none() && ready.index.pending() == 0 {
            return false;
        }
        if !ready.refresh(shared, Check::Names) {
            state.phase = Phase::Idle;
            return true;
        }
        let dirs: Vec<_> = ready.index.tasks(TASKS);
        let path = |task: &Task| ready.index.path_of(task.dir());
        dirs.into_iter().filter_map(|task| path(&task).map(|path| (path, task))).collect::<Vec<_>>()
    };
    let Ok(tree) = GateTree::of_workspace(&shared.gate) else { return false };
    let mut open: Option<(std::path::PathBuf, TreeDir<'_>)> = None;
    let mut taken = 0;
    for batch in tasks.chunks(BATCH) {
        let mut made = Vec::new();
        for (path, task) in batch {
            if shared.stop.load(Ordering::Relaxed) {
                return false;
            }
            if open.as_ref().is_none_or(|(known, _)| known != path) {
                let entered = tree
                    .root()
                    .and_then(|root| path.iter().try_fold(root, |dir, name| tree.enter(&dir, name)));
                open = entered.ok().map(|dir| (path.clone(), dir));
            }
            let Some((_, dir)) = &open else { continue };
            let now = now_ns();
            // A file that is gone or may not be read is told of by the watch, or is looked at again with its directory.
            let Ok((file, facts, stamp)) = tree.open_stamped(dir, task.name()) else {
                made.push((task, search_engine::Stamp::default(), None, now));
                continue;
            };
            let rest = (facts.size / QUIET_BYTES_PER_SECOND).min(60) as i64 * 1_000_000_000;
            if rest > 0 && stamp.modified_ns > now - rest {
                continue;
            }
            let signature = Signature::read(file, &facts, shared.grams(), maker);
            made.push((task, stamp, signature, now));
        }
        let mut state = shared.lock();
        let Phase::Ready(ready) = &mut state.phase else { return false };
        // What changed while it was read is noted before the signature is offered.
        ready.drain(shared);
        for (task, stamp, signature, now) in &made {
            taken += u32::from(ready.index.insert(task, stamp, signature.as_ref(), *now));
        }
    }
    taken > 0
}

/// Compares all stamps, for what no watch sees: stores through memory maps, and writes through other names.
fn sweep(shared: &Shared) {
    let mut state = shared.lock();
    if let Phase::Ready(ready) = &mut state.phase
        && ready.watches.is_some()
        && !ready.refresh(shared, Check::All)
    {
        state.phase = Phase::Idle;
    }
}
