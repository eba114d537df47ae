//! The warm search: an index of the workspace, kept by a long-lived process, and how a search comes to use it.
//!
//! A query itself fetches what the watch has seen, before it asks the index, so an answer is never older than the query. What the index
//! does not know for certain is read; rows come from the bytes that the files have now.

mod changes;
mod feeder;
mod state;
mod tree;
mod watch;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use search_engine::{
    Check, Error, IndexUse, Limits, Page, Progress, Query, Sink, Summary, Warm, What, search, search_warm,
};

pub(crate) use changes::Changes;
pub use state::IndexState;

use crate::config::Config;
use crate::gate::Gate;
use crate::tree::GateTree;
use state::{Phase, Shared};

/// How the index learns what has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// The size and the times of every file are compared for each search.
    Strict,
    /// Directories are watched; what cannot be watched is compared.
    Watch,
    /// No index is used.
    Off,
}

/// The index of one workspace. Dropping it ends its thread and releases its watches.
pub(crate) struct Index {
    shared: Arc<Shared>,
    feeder: Mutex<Option<JoinHandle<()>>>,
}

impl Index {
    /// Makes an index that is built when the first search comes; `None` when the configuration wants none.
    pub(crate) fn new(gate: &Arc<Gate>, config: &Config) -> Option<Self> {
        // Masked text is not what the index is made of, and folders that only some searches enter are in no index.
        let wanted = config.search.index
            && config.search.freshness != Freshness::Off
            && !config.match_masked
            && !gate.rules().has_privacy_folders();
        wanted.then(|| Self {
            shared: Arc::new(Shared::new(Arc::clone(gate), &config.search)),
            feeder: Mutex::default(),
        })
    }

    /// What the index is doing and how much it holds.
    pub(crate) fn state(&self) -> IndexState {
        self.shared.lock().describe()
    }

    /// Makes the view for one search that starts at `below`, a directory of the workspace.
    fn view(&self, query: &Query, below: &Path, limits: &Limits) -> (Option<Warm>, IndexUse) {
        self.start();
        let mut state = self.shared.lock();
        let Phase::Ready(ready) = &mut state.phase else {
            return (None, if state.phase.is_building() { IndexUse::Building } else { IndexUse::Off });
        };
        let check = match query.what {
            What::Names if query.order == search_engine::Order::Path => Check::Names,
            _ => Check::Contents,
        };
        if !ready.refresh(&self.shared, check) {
            // It is made anew.
            state.phase = Phase::Idle;
            return (None, IndexUse::Building);
        }
        let view = ready.index.view(query, below, limits);
        let used = match &view {
            None => IndexUse::Off,
            Some(_) if ready.is_filling => IndexUse::Building,
            Some(_) => IndexUse::Used,
        };
        let is_pending = ready.index.pending() > 0;
        drop(state);
        if is_pending {
            self.shared.wake.notify_one();
        }
        (view, used)
    }

    /// Starts the thread that builds and feeds the index, at the first search.
    fn start(&self) {
        let mut feeder = self.feeder.lock().unwrap_or_else(PoisonError::into_inner);
        if feeder.is_some() || self.shared.stop.load(Ordering::Relaxed) {
            return;
        }
        let shared = Arc::clone(&self.shared);
        // Without a thread there is no index, and every search is a cold one.
        *feeder = thread::Builder::new().name("index".into()).spawn(move || feeder::run(&shared)).ok();
    }

    /// Waits until everything that can have a signature has one, or there will be no index.
    pub(crate) fn wait(&self) {
        self.start();
        if self.feeder.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            return;
        }
        let mut state = self.shared.lock();
        state.asked += 1;
        let asked = state.asked;
        while state.served < asked && !self.shared.stop.load(Ordering::Relaxed) {
            self.shared.wake.notify_one();
            state = self.shared.settled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.lock().phase = Phase::Failed;
        self.shared.wake.notify_all();
        self.shared.settled.notify_all();
        let feeder = self.feeder.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(feeder) = feeder {
            // A thread that panicked has nothing to say here.
            let _ = feeder.join();
        }
    }
}

/// Searches a tree of the workspace, with the index if there is one that knows it.
///
/// The rows are the same either way; [`Summary::index`] says whether it was used.
pub(crate) fn search_tree(
    index: Option<&Index>,
    tree: &GateTree<'_>,
    query: &Query,
    page: &Page,
    limits: &Limits,
    progress: &dyn Progress,
    sink: &mut dyn Sink,
) -> Result<Summary, Error> {
    let (view, used) = match (index, tree.below()) {
        (Some(index), Some(below)) => index.view(query, below, limits),
        _ => (None, IndexUse::Off),
    };
    let mut summary = match &view {
        Some(view) => search_warm(tree, view, query, page, limits, progress, sink)?,
        None => search(tree, query, page, limits, progress, sink)?,
    };
    summary.index = used;
    Ok(summary)
}
