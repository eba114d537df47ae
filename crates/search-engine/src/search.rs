//! The search itself: the calling thread walks and hands out groups of files, all threads search them, and the
//! calling thread puts the results together in the order of the walk.

use std::{
    collections::VecDeque,
    ops::ControlFlow::{self, Break, Continue},
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

use crate::{
    End, Error, Kind, Limits, Listing, Order, Page, Pattern, Progress, Query, Signal, Sink, Span, Summary,
    Totals, Tree, What,
    cursor::Place,
    lines::{self, Job, Scratch},
    listed::Listed,
    multiline,
    page::Assembler,
    pattern::Matcher,
    query::Start,
    records::{Batch, FileRec, Outcome},
    tree::name_of,
    walk::{Counts, DirNode, Walker},
};

/// Files of a group: few at first, so that the first page comes at once, then more.
const GROUP_FILES: (usize, usize) = (4, 64);
/// Groups that may wait or be worked on, for each thread; the calling thread works on them itself when there are more.
const GROUPS_PER_THREAD: u64 = 16;
/// Directories held open by files that wait.
const OPEN_DIRS: usize = 192;
/// Files between two looks at the clock.
const FILES_PER_CHECK: usize = 16;
/// Entries between two looks at the clock, when names alone are searched.
const NAMES_PER_CHECK: u64 = 256;

/// Searches a tree and gives the rows of one page to `sink`, in order.
///
/// Rows, their order, their number and the coverage depend on the tree, the query, the page and the limits alone, not
/// on [`Limits::threads`]; only time and cancellation are up to `progress`.
///
/// # Errors
/// [`Error::Start`] when the start of the search cannot be read, [`Error::OtherQuery`] when the cursor of the page
/// belongs to another query. Anything else that cannot be read is part of the summary.
///
/// # Cost
/// Time is that of reading the files up to the end of the page, shared by the threads. Memory does not grow with the
/// tree or with its files: some MiB for each thread, but for newest-first order (the paths) and patterns that
/// span lines (the file).
///
/// # Examples
/// ```
/// use std::ops::ControlFlow;
/// use search_engine::{Case, Limits, MemTree, Output, Page, Pattern, Query, Row, Span, Unattended, Unit, search};
///
/// let tree = MemTree::parse("//- /src/main.rs\nfn main() {}\n//- /src/lib.rs\npub fn run() {}\n");
/// let pattern = Pattern::new(r"fn \w+", Case::Sensitive, Span::Line)?;
/// let query = Query::content(pattern, Output::Lines { context: 0, unit: Unit::Line });
/// let mut found = Vec::new();
/// let summary = search(&tree, &query, &Page::first(50), &Limits::AGENT, &Unattended, &mut |row: &Row<'_>| {
///     if let Row::Line(line) = row {
///         found.push(format!("{}:{}", line.path.display(), line.line));
///     }
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(found, ["src/lib.rs:1", "src/main.rs:1"]);
/// assert!(summary.is_exhaustive());
/// # Ok::<(), search_engine::Error>(())
/// ```
pub fn search<T: Tree>(
    tree: &T,
    query: &Query,
    page: &Page,
    limits: &Limits,
    progress: &dyn Progress,
    sink: &mut dyn Sink,
) -> Result<Summary, Error> {
    let assembler = Assembler::new(query, page, limits, sink)?;
    let live = Arc::new(AtomicUsize::new(0));
    let after = page.after.as_ref().map(|cursor| &cursor.0);
    let mut feed = Feed::new(tree, query, limits, progress, &live, after)
        .map_err(|e| Error::Start { kind: e.kind() })?;
    match &query.what {
        What::Names => Ok(names(&mut feed, progress, assembler)),
        What::Content { pattern, output } => {
            let shared = Shared {
                tree,
                pattern,
                output: *output,
                count_all: query.totals == Totals::CountAll,
                limits,
                progress,
                state: Mutex::default(),
                work: Condvar::new(),
                done: Condvar::new(),
                room: Condvar::new(),
                stop: AtomicBool::new(false),
                want: AtomicU64::new(assembler.want()),
                bytes_left: AtomicU64::new(limits.max_bytes),
            };
            Ok(thread::scope(|scope| contents(scope, &shared, &mut feed, &live, assembler)))
        }
    }
}

/// Where the files to look at come from.
enum Feed<'a, T: Tree> {
    Walk(Box<Walker<'a, T>>),
    Listed(Box<Walker<'a, T>>, Box<Listed<'a, T>>),
    One { node: Arc<DirNode<T::Dir>>, name: Vec<u8>, given: bool, counts: Counts },
}

impl<'a, T: Tree> Feed<'a, T> {
    fn new(
        tree: &'a T,
        query: &'a Query,
        limits: &'a Limits,
        progress: &dyn Progress,
        live: &Arc<AtomicUsize>,
        after: Option<&'a Place>,
    ) -> std::io::Result<Self> {
        let from = after.map(|place| (&*place.path, place.row != Place::AFTER));
        if let Start::File(name) = &query.start {
            let node = DirNode::new(tree.root()?, Vec::new(), live);
            let mut listing = Listing::new();
            tree.entries(&node.dir, &mut listing)?;
            listing.sort();
            let name = name.as_encoded_bytes().to_vec();
            let kind = listing.kind_of(&name).ok_or(std::io::ErrorKind::NotFound)?;
            let mut counts = Counts::default();
            match kind {
                Kind::File => counts.files_seen = 1,
                Kind::Symlink => counts.symlinks = 1,
                Kind::Dir | Kind::Other => counts.special = 1,
            }
            let named = kind == Kind::File && query.names.is_match(&name);
            counts.files_named = u64::from(named);
            let past = from.is_some_and(|(path, inclusive)| path == &*name && !inclusive);
            return Ok(Self::One { node, name, given: !named || past, counts });
        }
        match query.order {
            Order::Path => Ok(Self::Walk(Box::new(Walker::new(tree, query, limits, live, from)?))),
            Order::Modified => {
                let mut walker = Box::new(Walker::new(tree, query, limits, live, None)?);
                let from = after.map(|place| (place.modified_ns, &*place.path, place.row != Place::AFTER));
                let listed = Box::new(Listed::new(tree, &mut walker, progress, live, from));
                Ok(Self::Listed(walker, listed))
            }
        }
    }

    /// Adds the next file to `group`; `false` when there is none.
    fn next(&mut self, group: &mut Group<T::Dir>) -> bool {
        match self {
            Self::Walk(walker) => {
                let Some(found) = walker.next() else { return false };
                let (node, name) = (Arc::clone(found.node), group.keep(found.name));
                let counts = walker.counts;
                group.items.push(Item { node: Some(node), name, counts });
            }
            Self::Listed(walker, listed) => {
                let counts = walker.counts;
                let Some(next) = listed.next() else { return false };
                let item = match next {
                    Ok(found) => {
                        Item { node: Some(Arc::clone(found.node)), name: group.keep(found.name), counts }
                    }
                    Err(path) => Item { node: None, name: group.keep(&path), counts },
                };
                group.items.push(item);
            }
            Self::One { node, name, given, counts } => {
                if std::mem::replace(given, true) {
                    return false;
                }
                let (node, name, counts) = (Some(Arc::clone(node)), group.keep(name), *counts);
                group.items.push(Item { node, name, counts });
            }
        }
        true
    }

    fn counts(&self) -> Counts {
        match self {
            Self::Walk(walker) | Self::Listed(walker, _) => walker.counts,
            Self::One { counts, .. } => *counts,
        }
    }

    fn named_dirs(&self) -> (&[PathBuf], &[PathBuf]) {
        match self {
            Self::Walk(walker) | Self::Listed(walker, _) => (&walker.unreadable, &walker.too_deep),
            Self::One { .. } => (&[], &[]),
        }
    }

    /// Tells why there are no more files.
    fn end(&self) -> End {
        match self {
            Self::Walk(walker) => walker.end,
            Self::Listed(walker, listed) => listed.stopped.map_or(walker.end, end_of),
            Self::One { .. } => End::Complete,
        }
    }
}

fn end_of(signal: Signal) -> End {
    match signal {
        Signal::Continue => End::Complete,
        Signal::TimeUp => End::TimeUp,
        Signal::Cancel => End::Cancelled,
    }
}

/// Searches for names, on this thread: listing directories is all there is to do.
fn names<T: Tree>(feed: &mut Feed<'_, T>, progress: &dyn Progress, mut assembler: Assembler<'_>) -> Summary {
    let mut last = None;
    let mut stopped = End::Complete;
    let mut given = 0u64;
    let mut path = Vec::new();
    loop {
        if given.is_multiple_of(NAMES_PER_CHECK) {
            stopped = end_of(progress.check());
            if stopped != End::Complete {
                break;
            }
        }
        given += 1;
        let modified_ns = match feed {
            Feed::Walk(walker) => match walker.next() {
                Some(found) => {
                    found.path_into(&mut path);
                    None
                }
                None => break,
            },
            Feed::Listed(_, listed) => match listed.next_path() {
                Some((next, modified_ns)) => {
                    path.clear();
                    path.extend_from_slice(next);
                    Some(modified_ns)
                }
                None => break,
            },
            Feed::One { name, given, .. } => {
                if std::mem::replace(given, true) {
                    break;
                }
                path.clone_from(name);
                None
            }
        };
        if assembler.name(std::path::Path::new(name_of(&path)), modified_ns).is_break() {
            break;
        }
        last = Some(modified_ns.unwrap_or(0));
    }
    if stopped == End::Complete {
        stopped = feed.end();
    }
    let counts = feed.counts();
    let (unreadable, too_deep) = feed.named_dirs();
    assembler.walked(&counts, unreadable, too_deep);
    let last_path = last.map(|modified_ns| {
        assembler.last_name(modified_ns);
        PathBuf::from(name_of(&path))
    });
    assembler.finish(stopped, last_path)
}

/// Files that are searched together.
struct Group<D> {
    id: u64,
    names: Vec<u8>,
    items: Vec<Item<D>>,
}

struct Item<D> {
    /// Its directory; none when that could not be opened, and then the name is the whole path.
    node: Option<Arc<DirNode<D>>>,
    name: (usize, usize),
    /// What the walk had met when it came here.
    counts: Counts,
}

impl<D> Group<D> {
    fn new(id: u64) -> Self {
        Self { id, names: Vec::new(), items: Vec::new() }
    }

    fn keep(&mut self, name: &[u8]) -> (usize, usize) {
        let start = self.names.len();
        self.names.extend_from_slice(name);
        (start, self.names.len())
    }

    fn name(&self, item: &Item<D>) -> &[u8] {
        &self.names[item.name.0..item.name.1]
    }

    fn path(&self, index: usize) -> PathBuf {
        let item = &self.items[index];
        match &item.node {
            Some(node) => node.join(self.name(item)),
            None => PathBuf::from(name_of(self.name(item))),
        }
    }
}

/// What the threads share.
struct Shared<'a, T: Tree> {
    tree: &'a T,
    pattern: &'a Pattern,
    output: crate::Output,
    count_all: bool,
    limits: &'a Limits,
    progress: &'a dyn Progress,
    state: Mutex<State<T::Dir>>,
    /// There is a group to work on, or there will be none.
    work: Condvar,
    /// A result is there.
    done: Condvar,
    /// A result was taken.
    room: Condvar,
    stop: AtomicBool,
    /// Rows that can still be of use; never less than that.
    want: AtomicU64,
    /// What the budget has left; never less than that.
    bytes_left: AtomicU64,
}

struct State<D> {
    waiting: VecDeque<Arc<Group<D>>>,
    /// One for each group that was handed out and not yet dealt with, in order; the first is `head`.
    slots: VecDeque<Slot<D>>,
    head: u64,
    closed: bool,
    signal: Option<Signal>,
}

impl<D> Default for State<D> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), slots: VecDeque::new(), head: 0, closed: false, signal: None }
    }
}

struct Slot<D> {
    group: Arc<Group<D>>,
    batch: Option<Batch>,
    done: bool,
}

impl<T: Tree> Shared<'_, T> {
    fn lock(&self) -> MutexGuard<'_, State<T::Dir>> {
        // A poisoned lock means that another thread panicked; the scope passes that panic on.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whether to go on, and stops every thread when not.
    fn proceed(&self) -> bool {
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

    fn stop_all(&self) {
        self.stop.store(true, Relaxed);
        let _state = self.lock();
        self.work.notify_all();
        self.done.notify_all();
        self.room.notify_all();
    }
}

/// One thread's tools.
struct Worker<'s, 'a, T: Tree> {
    shared: &'s Shared<'a, T>,
    matcher: Matcher<'s>,
    scratch: Scratch,
}

impl<'s, 'a, T: Tree> Worker<'s, 'a, T> {
    fn new(shared: &'s Shared<'a, T>) -> Self {
        Self { shared, matcher: Matcher::new(shared.pattern), scratch: Scratch::default() }
    }

    /// Works until there is nothing left to do.
    fn run(&mut self) {
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
    fn group(
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
        let Some(Ok((file, facts))) = opened else { return batch.files.push(rec) };
        (rec.size, rec.modified_ns) = (facts.size, facts.modified_ns);
        let whole = shared.pattern.span() == Span::File;
        // What is left of the budget only shrinks, so a file that does not fit now will not fit in its turn.
        if facts.size > shared.bytes_left.load(Relaxed) {
            rec.outcome = Outcome::OverBudget;
            return batch.files.push(rec);
        }
        if whole && facts.size > shared.limits.max_whole_file_bytes {
            rec.outcome = Outcome::TooLarge;
            return batch.files.push(rec);
        }
        match lines::open_text(file, facts.size, &mut self.scratch) {
            Err((outcome, bytes)) => {
                (rec.outcome, rec.bytes) = (outcome, bytes);
                batch.files.push(rec);
            }
            Ok(opened) => {
                rec.outcome = Outcome::Searched;
                let job = Job {
                    output: shared.output,
                    want: shared.want.load(Relaxed),
                    count_all: shared.count_all,
                    proceed: &|| shared.proceed(),
                };
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
struct StopOnPanic<'s, 'a, T: Tree>(&'s Shared<'a, T>);

impl<T: Tree> Drop for StopOnPanic<'_, '_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop_all();
        }
    }
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

/// Searches contents.
fn contents<'scope, 'env, T: Tree>(
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
                scope.spawn(move || Worker::new(shared).run());
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
    let (unreadable, too_deep) = feed.named_dirs();
    desk.assembler.walked(&counts, unreadable, too_deep);
    let last_path = desk.last.map(|(group, index)| group.path(index));
    desk.assembler.finish(stopped, last_path)
}
