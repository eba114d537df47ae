//! The calling thread of a content search: it walks, hands out groups of files, searches some itself, and takes the
//! results in the order of the walk.

use std::{
    ops::ControlFlow::{self, Break, Continue},
    sync::{
        Arc, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

use crate::{
    Summary, Tree,
    feed::{Feed, Group, end_of},
    page::Assembler,
    pool::{Shared, Slot, State, StopOnPanic, Worker},
    records::{Batch, Outcome},
};

/// Files of a group: few at first, so that the first page comes at once, then more.
const GROUP_FILES: (usize, usize) = (4, 64);
/// Groups that may wait or be worked on, for each thread; the calling thread works on them itself when there are more.
const GROUPS_PER_THREAD: u64 = 16;
/// Directories held open by files that wait.
const OPEN_DIRS: usize = 192;

/// Searches contents.
pub(crate) fn contents<'scope, 'env, T: Tree>(
    scope: &'scope thread::Scope<'scope, 'env>,
    shared: &'env Shared<'env, T>,
    feed: &mut Feed<'_, T>,
    live: &AtomicUsize,
    assembler: Assembler<'_>,
) -> Summary {
    let _stop_on_panic = StopOnPanic(shared);
    let mut desk = Desk { shared, assembler, last: None, ended: false };
    let mut worker = Worker::new(shared);
    let threads = shared.limits.threads.get();
    let most_groups = if threads == 1 { 1 } else { GROUPS_PER_THREAD.saturating_mul(threads as u64) };
    let (mut next_id, mut size) = (0, GROUP_FILES.0);
    let mut spawned = false;
    let mut more = true;
    while more && !desk.ended && shared.proceed() {
        let mut group = Group::new(next_id);
        while more
            && group.items.len() < size
            && live.load(Relaxed) < OPEN_DIRS.max(2 * shared.limits.max_depth)
        {
            more = feed.next(&mut group);
        }
        let full = !more || group.items.len() >= size;
        if !group.items.is_empty() {
            size = (size * 2).min(GROUP_FILES.1);
            next_id += 1;
            let group = Arc::new(group);
            let mut state = shared.lock();
            state.slots.push_back(Slot { group: Arc::clone(&group), batch: None, done: false });
            state.waiting.push_back(group);
            drop(state);
            shared.work.notify_one();
        }
        if threads > 1 && more && !spawned && next_id > 1 {
            spawned = true;
            for _ in 1..threads {
                let worker = move || Worker::new(shared).run();
                // Where no more threads can be had, those that there are do the work.
                if thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                    break;
                }
            }
        }
        // Too much is waiting, or too many directories are open: work instead of walking on.
        let (outstanding, waiting) = {
            let state = shared.lock();
            (state.slots.len() as u64, state.waiting.len())
        };
        if (outstanding >= most_groups && waiting > 0) || !full {
            if !desk.work(&mut worker) && !full {
                let state = shared.lock();
                if !is_ready(&state) && !state.slots.is_empty() {
                    drop(shared.done.wait(state).unwrap_or_else(PoisonError::into_inner));
                }
            }
        } else if outstanding >= most_groups {
            let state = shared.lock();
            if !is_ready(&state) && !shared.stop.load(Relaxed) {
                drop(shared.done.wait(state).unwrap_or_else(PoisonError::into_inner));
            }
        }
        desk.take_ready();
    }
    shared.lock().closed = true;
    shared.work.notify_all();
    // The rest: work while there is some, then wait for the others.
    while !desk.ended && !shared.stop.load(Relaxed) {
        let worked = desk.work(&mut worker);
        desk.take_ready();
        let state = shared.lock();
        if state.slots.is_empty() {
            break;
        }
        if !worked && !is_ready(&state) && !shared.stop.load(Relaxed) {
            drop(shared.done.wait(state).unwrap_or_else(PoisonError::into_inner));
        }
    }
    finish(shared, feed, desk, more)
}

fn finish<T: Tree>(
    shared: &Shared<'_, T>,
    feed: &Feed<'_, T>,
    mut desk: Desk<'_, '_, '_, T>,
    walk_was_stopped: bool,
) -> Summary {
    // When the time is up, what is ready and whose turn it is still counts.
    if !desk.ended {
        desk.take_ready();
    }
    let signal = shared.lock().signal;
    shared.stop_all();
    let stopped = match signal {
        Some(signal) => end_of(signal),
        None => feed.end(),
    };
    let cut_short = desk.ended || signal.is_some() || walk_was_stopped;
    let counts = match (&desk.last, cut_short) {
        (Some((group, index)), true) => group.items[*index].counts,
        _ => feed.counts(),
    };
    if let Some(spared) = feed.spared().filter(|_| !cut_short) {
        desk.assembler.spare(spared);
    }
    let (unreadable, too_deep) = feed.named_dirs();
    desk.assembler.walked(&counts, unreadable, too_deep);
    let last_path = desk.last.map(|(group, index)| group.path(index));
    desk.assembler.finish(stopped, last_path)
}

/// The calling thread's side: what has been put together, and how far.
struct Desk<'d, 'a, 'p, T: Tree> {
    shared: &'d Shared<'a, T>,
    assembler: Assembler<'p>,
    /// The last file that was dealt with.
    last: Option<(Arc<Group<T::Dir>>, usize)>,
    /// The assembler wants no more.
    ended: bool,
}

impl<T: Tree> Desk<'_, '_, '_, T> {
    /// Takes a batch of the group whose turn it is.
    fn take(&mut self, group: &Arc<Group<T::Dir>>, batch: &Batch) {
        let mut first_line = 0;
        for rec in &batch.files {
            if self.ended {
                return;
            }
            if !self.assembler.is_in_file() {
                self.assembler.spare(&group.items[rec.index].spared);
            }
            let flow = self.assembler.file(rec, batch, first_line, &|| group.path(rec.index));
            first_line = rec.lines_end;
            self.shared.bytes_left.store(self.assembler.bytes_left, Relaxed);
            if rec.outcome != Outcome::Interrupted {
                self.last = Some((Arc::clone(group), rec.index));
            }
            if flow.is_break() {
                self.ended = true;
                self.shared.stop_all();
            }
        }
        self.shared.want.store(self.assembler.want(), Relaxed);
    }

    /// Takes every result whose turn it is.
    fn take_ready(&mut self) {
        let mut state = self.shared.lock();
        loop {
            let Some(slot) = state.slots.front_mut() else { return };
            let (group, batch, done) = (Arc::clone(&slot.group), slot.batch.take(), slot.done);
            if batch.is_none() && !done {
                return;
            }
            if done {
                state.slots.pop_front();
                state.head += 1;
            }
            self.shared.room.notify_all();
            drop(state);
            if let Some(batch) = batch {
                self.take(&group, &batch);
            }
            state = self.shared.lock();
        }
    }

    /// Works on the first group that waits, if there is one.
    fn work(&mut self, worker: &mut Worker<'_, '_, T>) -> bool {
        let Some(group) = self.shared.lock().waiting.pop_front() else { return false };
        let mut batch = Batch::default();
        worker.group(&group, &mut batch, &mut |batch| {
            self.wait_for_turn(group.id)?;
            self.take(&group, batch);
            *batch = Batch::default();
            if self.ended { Break(()) } else { Continue(()) }
        });
        let mut state = self.shared.lock();
        let at = (group.id - state.head) as usize;
        state.slots[at].batch = Some(batch);
        state.slots[at].done = true;
        true
    }

    /// Takes the results of others until it is the turn of the group `id`.
    fn wait_for_turn(&mut self, id: u64) -> ControlFlow<()> {
        loop {
            self.take_ready();
            let state = self.shared.lock();
            if self.shared.stop.load(Relaxed) {
                return Break(());
            }
            if state.head == id {
                return Continue(());
            }
            if !is_ready(&state) {
                drop(self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner));
            }
        }
    }
}

fn is_ready<D>(state: &State<D>) -> bool {
    state.slots.front().is_some_and(|slot| slot.done || slot.batch.is_some())
}
