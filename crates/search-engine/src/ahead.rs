//! Lists directories before the walk comes to them, on other threads. What they find is used in the order of the walk.

use std::{
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use crate::{Listing, Tree, tree::name_of, walk::DirNode};

/// Directories of one parent that are listed and held open before their turn.
const MOST_OF_ONE_PARENT: usize = 8;
/// The same of all parents together.
const MOST_LISTED: usize = 96;

/// A directory and what is in it, sorted.
pub(crate) type Listed<D> = io::Result<(D, Listing)>;

/// What the walk shares with the threads that list ahead of it.
#[derive(Debug)]
pub(crate) struct Ahead<D> {
    state: Mutex<State<D>>,
    work: Condvar,
    done: Condvar,
}

#[derive(Debug)]
struct State<D> {
    /// The directories that the walk is in and that have some below them, the deepest last.
    parents: Vec<Parent<D>>,
    /// How many directories were taken from there and not asked for yet.
    begun: usize,
    closed: bool,
}

#[derive(Debug)]
struct Parent<D> {
    /// The number of its frame.
    serial: u64,
    node: Arc<DirNode<D>>,
    /// What waits, by its place in the listing, the next of the walk last.
    waiting: Vec<(usize, Vec<u8>)>,
    /// What has been taken from there; none while it is being listed.
    begun: Vec<(usize, Option<Listed<D>>)>,
}

/// A directory to list.
struct Job<D> {
    serial: u64,
    node: Arc<DirNode<D>>,
    place: usize,
    name: Vec<u8>,
}

impl<D> Ahead<D> {
    pub(crate) fn new() -> Self {
        let state = State { parents: Vec::new(), begun: 0, closed: false };
        Self { state: Mutex::new(state), work: Condvar::new(), done: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<D>> {
        // A poisoned lock means that another thread panicked; the scope passes that panic on.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Announces directories of the one that the walk has just entered, in their order.
    pub(crate) fn announce(
        &self,
        serial: u64,
        node: &Arc<DirNode<D>>,
        dirs: impl Iterator<Item = (usize, Vec<u8>)>,
    ) {
        let mut waiting: Vec<(usize, Vec<u8>)> = dirs.collect();
        if waiting.is_empty() {
            return;
        }
        waiting.reverse();
        self.lock().parents.push(Parent { serial, node: Arc::clone(node), waiting, begun: Vec::new() });
        self.work.notify_all();
    }

    /// Returns what was found in the directory at `place` of the frame `serial`, whose turn it is; `None` when nobody has
    /// begun to list it.
    pub(crate) fn take(&self, serial: u64, place: usize) -> Option<Listed<D>> {
        let mut state = self.lock();
        // The walk has left what is deeper.
        while let Some(parent) = state.parents.pop_if(|parent| parent.serial > serial) {
            state.begun -= parent.begun.len();
        }
        loop {
            let State { parents, begun, closed } = &mut *state;
            let parent = parents.last_mut().filter(|parent| parent.serial == serial)?;
            if parent.waiting.last().is_some_and(|(next, _)| *next == place) {
                parent.waiting.pop();
                return None;
            }
            let at = parent.begun.iter().position(|(begun, _)| *begun == place)?;
            if parent.begun[at].1.is_some() {
                *begun -= 1;
                self.work.notify_one();
                return parent.begun.swap_remove(at).1;
            }
            if *closed {
                return None;
            }
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lists what is announced until the walk has ended.
    pub(crate) fn run<T: Tree<Dir = D>>(&self, tree: &T) {
        let _close_on_panic = Close(self);
        let mut state = self.lock();
        while !state.closed {
            let Some(Job { serial, node, place, name }) = state.begin() else {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            let listed = list(tree, &node.dir, &name);
            drop(node);
            state = self.lock();
            let parent = state.parents.iter_mut().rev().find(|parent| parent.serial == serial);
            if let Some((_, slot)) =
                parent.and_then(|parent| parent.begun.iter_mut().find(|(begun, _)| *begun == place))
            {
                *slot = Some(listed);
                self.done.notify_all();
            }
        }
    }

    /// Ends the threads.
    fn close(&self) {
        self.lock().closed = true;
        self.work.notify_all();
        self.done.notify_all();
    }
}

impl<D> State<D> {
    /// Takes the next directory of the walk that may be listed.
    fn begin(&mut self) -> Option<Job<D>> {
        if self.begun >= MOST_LISTED {
            return None;
        }
        let may_go_on =
            |parent: &&mut Parent<D>| !parent.waiting.is_empty() && parent.begun.len() < MOST_OF_ONE_PARENT;
        let parent = self.parents.iter_mut().rev().find(may_go_on)?;
        let (place, name) = parent.waiting.pop()?;
        parent.begun.push((place, None));
        self.begun += 1;
        Some(Job { serial: parent.serial, node: Arc::clone(&parent.node), place, name })
    }
}

/// Ends the threads when the walk ends, in whatever way, and the wait for a thread that panics.
pub(crate) struct Close<'a, D>(pub(crate) &'a Ahead<D>);

impl<D> Drop for Close<'_, D> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Opens and lists the directory `name`.
fn list<T: Tree>(tree: &T, parent: &T::Dir, name: &[u8]) -> Listed<T::Dir> {
    let dir = tree.enter(parent, name_of(name))?;
    let mut listing = Listing::default();
    tree.entries(&dir, &mut listing)?;
    listing.sort();
    Ok((dir, listing))
}
