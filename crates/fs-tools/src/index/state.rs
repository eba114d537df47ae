//! What the queries and the feeder share.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use search_engine::{Change, Check, Extent, Grams, NoWatch};

use super::Freshness;
use super::watch::Watches;
use crate::config::SearchConfig;
use crate::gate::Gate;
use crate::tree::GateTree;

/// What the index of a workspace is doing, for a log and for `doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexState {
    /// `off`, `idle` (no search yet), `building`, `ready`, `small` (the tree is too small for one) or `failed`.
    pub phase: &'static str,
    /// Visible files.
    pub files: u64,
    /// Files whose content is known.
    pub indexed: u64,
    /// Bytes of that content.
    pub text_bytes: u64,
    /// Memory of the index.
    pub memory_bytes: usize,
    /// Directories that are watched.
    pub watches: usize,
    /// Directories that are looked at each time, since they cannot be watched.
    pub unwatched: usize,
}

impl IndexState {
    /// The state where there is no index.
    pub(crate) fn off() -> Self {
        Self::new("off")
    }

    fn new(phase: &'static str) -> Self {
        Self { phase, files: 0, indexed: 0, text_bytes: 0, memory_bytes: 0, watches: 0, unwatched: 0 }
    }
}

impl std::fmt::Display for IndexState {
    /// Writes one line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "index {}", self.phase)?;
        if self.files > 0 {
            let mib = |bytes: u64| bytes.div_ceil(1 << 20);
            write!(
                f,
                ": {} of {} files, {} MiB of text in {} MiB, {} directories watched, {} compared",
                self.indexed,
                self.files,
                mib(self.text_bytes),
                mib(self.memory_bytes as u64),
                self.watches,
                self.unwatched
            )?;
        }
        Ok(())
    }
}

pub(super) struct Shared {
    pub(super) gate: Arc<Gate>,
    pub(super) settings: SearchConfig,
    state: Mutex<State>,
    /// The feeder has something to do.
    pub(super) wake: Condvar,
    /// The feeder has nothing left to do.
    pub(super) settled: Condvar,
    pub(super) stop: AtomicBool,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) phase: Phase,
    /// How often somebody asked to wait for the feeder to come to rest, and up to which of these it has.
    pub(super) asked: u64,
    pub(super) served: u64,
}

#[derive(Default)]
pub(super) enum Phase {
    /// No search has come yet, or the feeder has only begun.
    #[default]
    Idle,
    /// The names are being read.
    Listing,
    /// The tree is too small; it is looked at again after a while.
    Small(Instant),
    Ready(Box<Ready>),
    /// It cannot be had.
    Failed,
}

/// An index with names.
pub(super) struct Ready {
    pub(super) index: search_engine::Index,
    pub(super) watches: Option<Watches>,
    /// The first round of signatures is not done.
    pub(super) is_filling: bool,
    /// Some changes were not seen, so everything has to be compared.
    pub(super) lost: bool,
}

impl Shared {
    pub(super) fn new(gate: Arc<Gate>, settings: &SearchConfig) -> Self {
        gate.changes().keep();
        Self {
            gate,
            settings: *settings,
            state: Mutex::default(),
            wake: Condvar::new(),
            settled: Condvar::new(),
            stop: AtomicBool::new(false),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| {
            // A thread panicked in the middle of a change: what it left is not to be trusted.
            let mut state = PoisonError::into_inner(poisoned);
            state.phase = Phase::Failed;
            state
        })
    }

    pub(super) fn grams(&self) -> Grams {
        if self.settings.index_large { Grams::ThreeAndFive } else { Grams::Four }
    }
}

impl State {
    pub(super) fn describe(&self) -> IndexState {
        match &self.phase {
            Phase::Idle => IndexState::new("idle"),
            Phase::Listing => IndexState::new("building"),
            Phase::Small(_) => IndexState::new("small"),
            Phase::Failed => IndexState::new("failed"),
            Phase::Ready(ready) => {
                let Extent { files, indexed, text_bytes, memory_bytes, .. } = ready.index.extent();
                let watches = ready.watches.as_ref().map_or(0, Watches::len);
                let unwatched = ready.index.unwatched();
                let phase = if ready.is_filling { "building" } else { "ready" };
                IndexState { phase, files, indexed, text_bytes, memory_bytes, watches, unwatched }
            }
        }
    }
}

impl Phase {
    pub(super) fn is_building(&self) -> bool {
        matches!(self, Self::Idle | Self::Listing)
    }
}

impl Ready {
    /// Takes in what has changed since the last time; `false` when the index has to be thrown away.
    pub(super) fn refresh(&mut self, shared: &Shared, check: Check) -> bool {
        self.drain(shared);
        let check = if std::mem::take(&mut self.lost) { Check::All } else { check };
        let Ok(tree) = GateTree::of_workspace(&shared.gate) else { return false };
        let now = now_ns();
        let index = &mut self.index;
        match &mut self.watches {
            Some(watches) if watches.is_sound() => index.refresh(&tree, watches, check, now).is_ok(),
            // The workspace itself was moved, or cannot be watched any more: the index is made anew.
            Some(_) => false,
            None => index.refresh(&tree, &mut NoWatch, check, now).is_ok(),
        }
    }

    /// Notes what has changed since the last time, without looking at it yet.
    pub(super) fn drain(&mut self, shared: &Shared) {
        match shared.gate.changes().take() {
            Some(paths) => paths.iter().for_each(|path| self.index.note_path(path)),
            None => self.lost = true,
        }
        let index = &mut self.index;
        let lost = self.watches.as_mut().is_some_and(|watches| {
            watches.drain(&mut |seen| match seen {
                super::watch::Noted::Content(dir, name) => index.note(dir, name, Change::Content),
                super::watch::Noted::Name(dir, name) => index.note(dir, name, Change::Name),
                super::watch::Noted::Dir(dir) => index.note_dir(dir),
            })
        });
        self.lost |= lost;
    }
}

impl Freshness {
    pub(super) fn watches(self) -> bool {
        self == Self::Watch
    }
}

/// The time in nanoseconds since 1970.
pub(super) fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
