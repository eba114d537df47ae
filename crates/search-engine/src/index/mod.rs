//! What is kept of a tree, so that a search need not walk and need not read what cannot match.

mod blocks;
mod grams;
pub(crate) mod names;
mod plan;
mod port;
mod refresh;
mod signature;
mod store;

use std::{path::Path, sync::Arc};

pub use grams::Grams;
pub use names::DirId;
pub use plan::Plan;
pub use port::{Check, NoWatch, StampedTree, Watch};
pub use signature::{Maker, Signature};
pub use store::Stamp;

use crate::{Ignore, Limits, Order, Query, What, query::Start, warm::Warm};
use names::{Dir, Node};
use store::Store;

/// What is known of the names and contents of a tree.
///
/// The names are those that a walk from the root meets, with the ignore rules applied; of each file an index may hold a
/// [`Signature`]. A search that is given a [`Warm`] view of it does not walk, and does not read a file whose signature proves
/// that nothing in it matches; its rows come from the bytes that the files have now.
///
/// The index has no thread, no clock and no handles. Who owns it tells it what changed ([`note`](Self::note)), lets it look again
/// ([`refresh`](Self::refresh)) and feeds it with signatures ([`tasks`](Self::tasks), [`insert`](Self::insert)). What it does not know
/// for certain is read.
///
/// # Cost
/// Signatures take 11 % (or 22 %) of the text they stand for, names about 30 bytes each, files about 120 bytes each.
#[derive(Debug)]
pub struct Index {
    names: Arc<Vec<Arc<Node>>>,
    dirs: Vec<Dir>,
    free_dirs: Vec<u32>,
    store: Store,
    /// Entries of all directories.
    entries: u64,
    /// Counts the changes of names or of contents that were noticed.
    generation: u64,
    /// Where the next task is looked for.
    next_task: u32,
    /// A directory lies deeper than is followed, so the names are not all.
    too_deep: bool,
    /// The first listing is not done, so new files need no look at other names of theirs.
    is_new: bool,
    /// Directories whose changes are not noticed.
    unwatched: usize,
}

/// What has changed in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The content or the attributes of an entry.
    Content,
    /// An entry is new, gone or another one under the same name.
    Name,
}

/// A file whose signature is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    file: u32,
    dir: DirId,
    name: Box<[u8]>,
    version: u32,
}

impl Task {
    /// The directory that the file is in.
    pub fn dir(&self) -> DirId {
        self.dir
    }

    /// The name of the file.
    pub fn name(&self) -> &std::ffi::OsStr {
        crate::tree::name_of(&self.name)
    }
}

/// How much an index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Extent {
    /// Visible files.
    pub files: u64,
    /// Visible directories.
    pub dirs: u64,
    /// Files with a signature.
    pub indexed: u64,
    /// Bytes of the content of those.
    pub text_bytes: u64,
    /// Memory in use.
    pub memory_bytes: usize,
}

/// Depth to which directories are followed.
const MAX_DEPTH: u32 = 120;

impl Index {
    /// Makes an empty index that takes no more signatures when it uses `max_bytes` of memory. [`refresh`](Self::refresh) fills in
    /// the names.
    pub fn new(grams: Grams, max_bytes: usize) -> Self {
        let root = Dir { names_stale: true, depth: 1, ..Dir::default() };
        Self {
            names: Arc::new(vec![Arc::default()]),
            dirs: vec![root],
            free_dirs: Vec::new(),
            store: Store::new(grams, max_bytes),
            entries: 0,
            generation: 0,
            next_task: 0,
            too_deep: false,
            is_new: true,
            unwatched: 0,
        }
    }

    /// Which n-grams signatures are made of.
    pub fn grams(&self) -> Grams {
        self.store.grams
    }

    /// How much it holds.
    pub fn extent(&self) -> Extent {
        let dirs = self.dirs.iter().filter(|dir| !dir.gone).count() as u64;
        let names: usize = self.names.iter().map(|node| node.bytes()).sum();
        let memory_bytes = self.store.bytes() + names + self.dirs.capacity() * size_of::<Dir>();
        let (indexed, text_bytes) = (self.store.indexed, self.store.text_bytes);
        Extent { files: self.store.files(), dirs, indexed, text_bytes, memory_bytes }
    }

    /// How many files could have a signature and have none.
    pub fn pending(&self) -> u64 {
        self.store.pending()
    }

    /// Tells whether there is no room for more signatures.
    pub fn is_full(&self) -> bool {
        self.store.is_full()
    }

    /// How many directories could not be watched.
    pub fn unwatched(&self) -> usize {
        self.unwatched
    }

    /// A number that is another one whenever a change of the tree was noticed.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Notes that something changed in the directory `dir`.
    pub fn note(&mut self, dir: DirId, name: &std::ffi::OsStr, change: Change) {
        let name = name.as_encoded_bytes();
        let Some(entry) = self.dirs.get(dir.0 as usize).filter(|dir| !dir.gone) else { return };
        debug_assert!(entry.depth > 0, "a directory has a depth");
        self.generation += 1;
        let known = self.names[dir.0 as usize].find(name);
        if let Some(names::What::File(file)) = known {
            self.store.forget(file);
        }
        let is_rules = name == b".gitignore" || name == b".ignore";
        let entry = &mut self.dirs[dir.0 as usize];
        let is_same =
            change == Change::Content && matches!(known, Some(names::What::File(_) | names::What::Dir(_)));
        if !is_same && entry.touched.last().is_none_or(|last| **last != *name) {
            entry.touched.push(name.into());
        }
        entry.rules_stale |= is_rules;
        match (change, known) {
            (Change::Name, _) => {
                entry.names_stale = true;
                if let Some(names::What::Dir(_)) = known {
                    entry.replaced.push(name.into());
                }
            }
            // The mode of a directory decides whether it can be listed.
            (Change::Content, Some(names::What::Dir(child))) => {
                self.dirs[child as usize].names_stale = true;
                self.mark_above(child);
            }
            (Change::Content, Some(names::What::Unreadable)) => entry.names_stale = true,
            (Change::Content, _) => {}
        }
        if self.dirs[dir.0 as usize].is_stale() {
            self.mark_above(dir.0);
        }
    }

    /// Notes that the directory `dir` itself changed, or is not there any more.
    pub fn note_dir(&mut self, dir: DirId) {
        if self.dirs.get(dir.0 as usize).is_some_and(|dir| !dir.gone) {
            self.generation += 1;
            self.dirs[dir.0 as usize].names_stale = true;
            self.mark_above(dir.0);
        }
    }

    /// Forgets what is known of the file at `path`, below the root.
    pub fn note_path(&mut self, path: &Path) {
        let mut dir = DirId::ROOT;
        let mut names = path.iter().peekable();
        while let Some(name) = names.next() {
            let known = self.names[dir.0 as usize].find(name.as_encoded_bytes());
            match (known, names.peek()) {
                (Some(names::What::Dir(below)), Some(_)) => dir = DirId(below),
                // A name that was not there may be new.
                _ => return self.note(dir, name, Change::Name),
            }
        }
    }

    /// Returns files without a signature, `most` and at most those of one directory more; none when there is no room. The
    /// directories are gone through from where the last call ended, once around.
    pub fn tasks(&mut self, most: usize) -> Vec<Task> {
        let mut tasks = Vec::new();
        if self.store.is_full() {
            return tasks;
        }
        let dirs = self.names.len() as u32;
        for step in 0..dirs {
            let at = (self.next_task + step) % dirs;
            let dir = &self.dirs[at as usize];
            if dir.gone || dir.unwatched_without_stamps() {
                continue;
            }
            for (name, what) in self.names[at as usize].iter() {
                let names::What::File(file) = what else { continue };
                if !self.store.is_indexed(file) && !self.store.is_refused(file) {
                    let version = self.store.version(file);
                    tasks.push(Task { file, dir: DirId(at), name: name.into(), version });
                }
            }
            if tasks.len() >= most {
                self.next_task = at;
                return tasks;
            }
        }
        self.next_task = 0;
        tasks
    }

    /// Takes the signature of the file of a task; `None` when there can be none now, and the file is not asked for again until it
    /// changes. `now_ns` is the time in nanoseconds since 1970 before the file was opened: a file that was changed just then may
    /// change again without a trace. Returns whether the signature was taken.
    pub fn insert(&mut self, task: &Task, stamp: &Stamp, signature: Option<&Signature>, now_ns: i64) -> bool {
        let is_current = self.store.version_of(task.file) == Some(task.version)
            && self.names.get(task.dir.0 as usize).and_then(|node| node.find(&task.name))
                == Some(names::What::File(task.file));
        if !is_current {
            return false;
        }
        if stamp.links != 1 {
            self.store.linked(stamp);
            self.store.refuse(task.file);
            return false;
        }
        let racy = stamp.is_racy(now_ns);
        match signature {
            // Nothing but the stamp would tell of the next change.
            _ if racy && self.dirs[task.dir.0 as usize].unwatched => false,
            Some(signature) if !self.store.is_full() => {
                self.store.insert(task.file, *stamp, racy, signature);
                true
            }
            Some(_) => false,
            None => {
                self.store.refuse(task.file);
                false
            }
        }
    }

    /// The path of a directory below the root; `None` when it is not in the tree any more.
    pub fn path_of(&self, dir: DirId) -> Option<std::path::PathBuf> {
        let mut names = Vec::new();
        let mut at = dir.0;
        while at != DirId::ROOT.0 {
            let dir = self.dirs.get(at as usize).filter(|dir| !dir.gone)?;
            names.push(dir.name());
            at = dir.parent;
        }
        Some(names.into_iter().rev().collect())
    }

    /// Forgets signatures, the largest first, until at most `max_bytes` of memory are used by them.
    pub fn shrink(&mut self, max_bytes: usize) {
        self.store.shrink(max_bytes);
    }

    /// Makes the view of the index for one search that starts in the directory `start`, below the root; `None` when
    /// the search has to walk: the start is not known (or ignored), nothing is to be ignored, one file is searched alone, or the
    /// tree does not fit into `limits`.
    ///
    /// [`refresh`](Self::refresh) comes before.
    pub fn view(&self, query: &Query, start: &Path, limits: &Limits) -> Option<Warm> {
        let is_whole = matches!(query.start, Start::Root | Start::RootOnly);
        if !is_whole
            || !matches!(query.ignore, Ignore::Honour(_))
            || self.too_deep
            || self.is_new
            || limits.max_depth < MAX_DEPTH as usize
            || self.entries >= limits.max_entries
        {
            return None;
        }
        let mut dir = DirId::ROOT.0;
        for name in start.iter() {
            let Some(names::What::Dir(below)) = self.names[dir as usize].find(name.as_encoded_bytes()) else {
                return None;
            };
            dir = below;
        }
        let (verdicts, runs) = match &query.what {
            What::Names => (Vec::new(), std::collections::HashMap::new()),
            What::Content { pattern, .. } => self.store.verdicts(&Plan::new(pattern), pattern.span()),
        };
        let modified = if query.order == Order::Modified { self.store.modified() } else { Vec::new() };
        Some(Warm { names: Arc::clone(&self.names), start: dir, verdicts, runs, modified })
    }

    fn mark_above(&mut self, dir: u32) {
        let mut at = dir;
        while at != DirId::ROOT.0 {
            at = self.dirs[at as usize].parent;
            if std::mem::replace(&mut self.dirs[at as usize].below_stale, true) {
                break;
            }
        }
    }
}

impl Dir {
    fn is_stale(&self) -> bool {
        self.names_stale || self.rules_stale || !self.touched.is_empty()
    }

    /// Nothing tells when a file in it changes.
    fn unwatched_without_stamps(&self) -> bool {
        self.unwatched && self.stamp == Stamp::default()
    }
}

impl Stamp {
    /// File systems stamp with a clock that ticks; within two ticks of the coarsest a second change may not show.
    const RACY_NS: i64 = 20_000_000;

    pub(crate) fn is_racy(&self, now_ns: i64) -> bool {
        self.changed_ns.max(self.modified_ns) > now_ns - Self::RACY_NS
    }
}
