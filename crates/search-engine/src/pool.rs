//! The threads that search the content of files, and what they share.

use std::{
    collections::VecDeque,
    ops::ControlFlow::{self, Break, Continue},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
};

use crate::{
    FileFacts, Limits, Output, Pattern, Progress, Signal, Span, Tree,
    feed::{Group, Item},
    lines::{self, Job, Scratch},
    multiline,
    pattern::Matcher,
    records::{Batch, FileRec, Outcome},
    spared::Run,
    tree::name_of,
};

/// Files between two looks at the clock.
const FILES_PER_CHECK: usize = 16;

/// What the threads share.
pub(crate) struct Shared<'a, T: Tree> {
    pub(crate) tree: &'a T,
    pub(crate) pattern: &'a Pattern,
    pub(crate) output: Output,
    pub(crate) count_all: bool,
    pub(crate) limits: &'a Limits,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) state: Mutex<State<T::Dir>>,
    /// There is a group to work on, or there will be none.
    pub(crate) work: Condvar,
    /// A result is there.
    pub(crate) done: Condvar,
    /// A result was taken.
    pub(crate) room: Condvar,
    pub(crate) stop: AtomicBool,
    /// Rows that can still be of use; never less than that.
    pub(crate) want: AtomicU64,
    /// What the budget has left; never less than that.
    pub(crate) bytes_left: AtomicU64,
}

pub(crate) struct State<D> {
    pub(crate) waiting: VecDeque<Arc<Group<D>>>,
    /// One for each group that was handed out and not yet dealt with, in order; the first is `head`.
    pub(crate) slots: VecDeque<Slot<D>>,
    pub(crate) head: u64,
    pub(crate) closed: bool,
    pub(crate) signal: Option<Signal>,
}

impl<D> Default for State<D> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), slots: VecDeque::new(), head: 0, closed: false, signal: None }
    }
}

pub(crate) struct Slot<D> {
    pub(crate) group: Arc<Group<D>>,
    pub(crate) batch: Option<Batch>,
    pub(crate) done: bool,
}

impl<T: Tree> Shared<'_, T> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State<T::Dir>> {
        // A poisoned lock means that another thread panicked; the scope passes that panic on.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whether to go on, and stops every thread when not.
    pub(crate) fn proceed(&self) -> bool {
        if self.stop.load(Relaxed) {
            return false;
        }
        match self.progress.check() {
            Signal::Continue => true,
            signal => {
                self.lock().signal.get_or_insert(signal);
                self.stop_all();
                false
            }
        }
    }

    pub(crate) fn stop_all(&self) {
        self.stop.store(true, Relaxed);
        let _state = self.lock();
        self.work.notify_all();
        self.done.notify_all();
        self.room.notify_all();
    }
}

/// One thread's tools.
pub(crate) struct Worker<'s, 'a, T: Tree> {
    shared: &'s Shared<'a, T>,
    matcher: Matcher<'s>,
    scratch: Scratch,
}

impl<'s, 'a, T: Tree> Worker<'s, 'a, T> {
    pub(crate) fn new(shared: &'s Shared<'a, T>) -> Self {
        Self { shared, matcher: Matcher::new(shared.pattern), scratch: Scratch::default() }
    }

    /// Works until there is nothing left to do.
    pub(crate) fn run(&mut self) {
        let _stop_on_panic = StopOnPanic(self.shared);
        loop {
            let mut state = self.shared.lock();
            let group = loop {
                if self.shared.stop.load(Relaxed) {
                    return;
                }
                match state.waiting.pop_front() {
                    Some(group) => break group,
                    None if state.closed => return,
                    None => state = self.shared.work.wait(state).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(state);
            let id = group.id;
            let shared = self.shared;
            let mut batch = Batch::default();
            self.group(&group, &mut batch, &mut |batch| hand_over(shared, id, batch));
            let mut state = shared.lock();
            let at = (id - state.head) as usize;
            let is_head = at == 0;
            // A part that was handed over before has been taken by now, or the search has been stopped.
            while !shared.stop.load(Relaxed) && state.slots[(id - state.head) as usize].batch.is_some() {
                state = shared.room.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let at = (id - state.head) as usize;
            let slot = &mut state.slots[at];
            match &mut slot.batch {
                Some(first) => first.append(batch),
                None => slot.batch = Some(batch),
            }
            slot.done = true;
            if is_head || at == 0 {
                shared.done.notify_all();
            }
        }
    }

    /// Searches the files of a group; the last part of the results is left in `batch`.
    pub(crate) fn group(
        &mut self,
        group: &Group<T::Dir>,
        batch: &mut Batch,
        flush: &mut dyn FnMut(&mut Batch) -> ControlFlow<()>,
    ) {
        for (index, item) in group.items.iter().enumerate() {
            if self.shared.stop.load(Relaxed) || (index % FILES_PER_CHECK == 0 && !self.shared.proceed()) {
                batch.files.push(FileRec::new(index, Outcome::Interrupted, batch.lines.len()));
                return;
            }
            self.file(index, item, group.name(item), batch, flush);
            if batch.is_full() && index + 1 < group.items.len() && flush(batch).is_break() {
                batch.files.push(FileRec::new(index + 1, Outcome::Interrupted, batch.lines.len()));
                return;
            }
        }
    }

    fn file(
        &mut self,
        index: usize,
        item: &Item<T::Dir>,
        name: &[u8],
        batch: &mut Batch,
        flush: &mut dyn FnMut(&mut Batch) -> ControlFlow<()>,
    ) {
        let shared = self.shared;
        let mut rec = FileRec::new(index, Outcome::Unreadable, batch.lines.len());
        let opened = item.node.as_ref().map(|node| shared.tree.open(&node.dir, name_of(name)));
        let Some(Ok((mut file, facts))) = opened else { return batch.files.push(rec) };
        (rec.size, rec.cost, rec.modified_ns) = (facts.size, facts.size, facts.modified_ns);
        let whole = shared.pattern.span() == Span::File;
        let parts = if whole { None } else { self.parts(item, &facts, &mut file) };
        if let Some(parts) = &parts {
            rec.cost = parts.iter().map(|part| part.end - part.start).sum();
        }
        // What is left of the budget only shrinks, so a file that does not fit now will not fit in its turn.
        if rec.cost > shared.bytes_left.load(Relaxed) {
            rec.outcome = Outcome::OverBudget;
            return batch.files.push(rec);
        }
        if whole && facts.size > shared.limits.max_whole_file_bytes {
            rec.outcome = Outcome::TooLarge;
            return batch.files.push(rec);
        }
        let job = Job {
            output: shared.output,
            want: shared.want.load(Relaxed),
            count_all: shared.count_all,
            proceed: &|| shared.proceed(),
        };
        if let Some(parts) = parts {
            rec.outcome = Outcome::Searched;
            let mut seek =
                |file: &mut T::File, offset| shared.tree.seek(file, offset).is_ok_and(|moved| moved);
            let (matcher, scratch) = (&mut self.matcher, &mut self.scratch);
            return lines::search_parts(file, &parts, &mut seek, rec, matcher, &job, scratch, batch, flush);
        }
        match lines::open_text(file, facts.size, shared.limits.max_bytes, &mut self.scratch) {
            Err((outcome, bytes)) => {
                (rec.outcome, rec.bytes) = (outcome, bytes);
                batch.files.push(rec);
            }
            Ok(opened) => {
                rec.outcome = Outcome::Searched;
                let (matcher, scratch) = (&mut self.matcher, &mut self.scratch);
                if whole {
                    let max = shared.limits.max_whole_file_bytes;
                    multiline::search_whole(opened, rec, max, matcher, &job, scratch, batch, flush);
                } else {
                    lines::search_lines(opened, rec, matcher, &job, scratch, batch, flush);
                }
            }
        }
    }
}

impl<T: Tree> Worker<'_, '_, T> {
    /// The parts of a large file that have to be read, when that is known, still right, and the file can be read from anywhere.
    fn parts(&self, item: &Item<T::Dir>, facts: &FileFacts, file: &mut T::File) -> Option<Vec<Run>> {
        let runs = item.runs.as_ref()?;
        if (runs.size, runs.modified_ns) != (facts.size, facts.modified_ns) {
            return None;
        }
        let context = match self.shared.output {
            Output::Lines { context, .. } => context.min(Output::MAX_CONTEXT),
            _ => 0,
        };
        let parts = runs.with_context(u64::from(context));
        let first = parts.first()?;
        let moved = self.shared.tree.seek(file, first.start).is_ok_and(|moved| moved);
        moved.then_some(parts)
    }
}

/// Hands over a full batch of the group `id`, when it is its turn.
fn hand_over<T: Tree>(shared: &Shared<'_, T>, id: u64, batch: &mut Batch) -> ControlFlow<()> {
    let mut state = shared.lock();
    while state.head != id || state.slots.front().is_some_and(|slot| slot.batch.is_some()) {
        if shared.stop.load(Relaxed) {
            return Break(());
        }
        state = shared.room.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    if let Some(slot) = state.slots.front_mut() {
        slot.batch = Some(std::mem::take(batch));
    }
    shared.done.notify_all();
    Continue(())
}

/// Wakes everybody when a thread panics, so that the panic is passed on instead of waited for.
pub(crate) struct StopOnPanic<'s, 'a, T: Tree>(pub(crate) &'s Shared<'a, T>);

impl<T: Tree> Drop for StopOnPanic<'_, '_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop_all();
        }
    }
}
