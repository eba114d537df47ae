//! A walk over the names of an index, in the order and with the counts of a walk over the tree.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicUsize},
};

use crate::{
    Error, Limits, NamePattern, Page, Progress, Query, Sink, Summary, Tree,
    index::names::{Node, What},
    query::Start,
    spared::{Runs, Spared, Verdict},
    tree::name_of,
    walk::{Counts, DirNode, Resume},
};

/// What an index knows for one search; made by [`Index::view`](crate::Index::view).
///
/// It is a picture of one moment: it is used at once and then thrown away.
#[derive(Debug, Clone)]
pub struct Warm {
    pub(crate) names: Arc<Vec<Arc<Node>>>,
    pub(crate) start: u32,
    /// For each file what to do with it; empty when names alone are searched.
    pub(crate) verdicts: Vec<Verdict>,
    /// The parts of larger files that have to be read.
    pub(crate) runs: HashMap<u32, Arc<Runs>>,
    /// Times of the last modification, for newest-first order.
    pub(crate) modified: Vec<Option<i64>>,
}

impl Warm {
    /// How many files the search may leave out.
    pub fn spared(&self) -> usize {
        self.verdicts.iter().filter(|verdict| **verdict != Verdict::Read).count()
    }
}

/// Searches as [`search`](crate::search()) does, with what an index knows.
///
/// `tree` has its root where the view was made for. Rows, their order, the counts and the end of the search are those of a search without
/// the index, but for what the budgets of `limits` allow: files that are left out cost nothing, so that a search which would have ended
/// at a budget goes further.
///
/// # Errors
/// Those of [`search`](crate::search()).
///
/// # Cost
/// Time grows with the number of names (some nanoseconds each) and with the files that are read.
pub fn search_warm<T: Tree>(
    tree: &T,
    warm: &Warm,
    query: &Query,
    page: &Page,
    limits: &Limits,
    progress: &dyn Progress,
    sink: &mut dyn Sink,
) -> Result<Summary, Error> {
    crate::search::run(tree, Some(warm), query, page, limits, progress, sink)
}

/// The walk. It stands on one file at a time.
pub(crate) struct Kept<'a, T: Tree> {
    tree: &'a T,
    warm: &'a Warm,
    names: &'a NamePattern,
    root_only: bool,
    stack: Vec<Frame<'a, T::Dir>>,
    /// The path of the entry that it stands on.
    path: Vec<u8>,
    resume: Option<Resume>,
    live: Arc<AtomicUsize>,
    pub(crate) counts: Counts,
    pub(crate) unreadable: Vec<PathBuf>,
    /// What was left out since the last file that was not.
    pub(crate) spared: Spared,
    /// Binary files left out so far.
    binaries: usize,
}

struct Frame<'a, D> {
    node: &'a Node,
    next: usize,
    /// Bytes of the path that are this directory and its slash.
    base: usize,
    on_resume_path: bool,
    open: Option<Arc<DirNode<D>>>,
}

impl<'a, T: Tree> Kept<'a, T> {
    pub(crate) fn new(
        tree: &'a T,
        warm: &'a Warm,
        query: &'a Query,
        live: &Arc<AtomicUsize>,
        from: Option<(&[u8], bool)>,
    ) -> Self {
        let mut kept = Self {
            tree,
            warm,
            names: &query.names,
            root_only: query.start == Start::RootOnly,
            stack: Vec::new(),
            path: Vec::new(),
            resume: from.map(|(path, inclusive)| Resume::new(path, inclusive)),
            live: Arc::clone(live),
            counts: Counts::default(),
            unreadable: Vec::new(),
            spared: Spared::default(),
            binaries: 0,
        };
        let on_resume_path = kept.resume.is_some();
        kept.push(warm.start, on_resume_path);
        kept
    }

    /// Goes on to the next file whose name matches and returns its number.
    pub(crate) fn advance(&mut self) -> Option<u32> {
        loop {
            let depth = self.stack.len();
            let frame = self.stack.last_mut()?;
            let Some((name, what)) = frame.node.get(frame.next) else {
                self.stack.pop();
                continue;
            };
            frame.next += 1;
            let (base, on_resume_path) = (frame.base, frame.on_resume_path);
            match what {
                What::Git => continue,
                What::Symlink => {
                    self.counts.symlinks += 1;
                    continue;
                }
                What::Other => {
                    self.counts.special += 1;
                    continue;
                }
                What::IgnoredDir => {
                    self.counts.ignored_dirs += u64::from(!self.root_only);
                    continue;
                }
                What::IgnoredFile if !on_resume_path => {
                    self.counts.ignored_files += 1;
                    continue;
                }
                _ => {}
            }
            self.path.truncate(base);
            self.path.extend_from_slice(name);
            let resume = self.resume.as_ref().filter(|_| on_resume_path);
            let passing = resume.filter(|resume| resume.is_component(depth, name));
            match what {
                What::File(_) | What::IgnoredFile
                    if passing.is_some_and(|it| !it.is_inclusive_end(depth)) => {}
                What::IgnoredFile => self.counts.ignored_files += 1,
                What::File(file) => {
                    self.counts.files_seen += 1;
                    if self.names.is_all() || self.names.is_match(&self.path) {
                        self.counts.files_named += 1;
                        return Some(file);
                    }
                }
                What::Dir(_) | What::Unreadable
                    if self.root_only
                        || !(self.names.is_all() || self.names.may_enter(&self.path, depth)) => {}
                What::Dir(child) => {
                    let below = passing.is_some_and(|resume| resume.len() > depth);
                    self.path.push(b'/');
                    self.push(child, below);
                }
                What::Unreadable => self.lose(),
                _ => {}
            }
        }
    }

    fn push(&mut self, dir: u32, on_resume_path: bool) {
        let warm = self.warm;
        let node = &*warm.names[dir as usize];
        self.counts.hidden += node.hidden;
        self.counts.ignore_files_incomplete += node.incomplete;
        let depth = self.stack.len() + 1;
        let resume = self.resume.as_ref().filter(|_| on_resume_path);
        let next = resume.and_then(|it| it.component(depth)).map_or(0, |name| node.first_from(name));
        self.stack.push(Frame { node, next, base: self.path.len(), on_resume_path, open: None });
    }

    /// Leaves a file out when nothing in it can match, and counts it then.
    pub(crate) fn spares(&mut self, file: u32, path: &[u8]) -> bool {
        match self.warm.verdicts.get(file as usize) {
            None | Some(Verdict::Read) => return false,
            Some(Verdict::Text) => self.spared.texts += 1,
            Some(Verdict::Binary) => {
                self.spared.binaries += 1;
                if self.binaries < crate::Skipped::MAX_NAMED {
                    self.spared.named.push(Path::new(name_of(path)).to_owned());
                }
                self.binaries += 1;
            }
        }
        true
    }

    /// The same for the file that the walk stands on.
    pub(crate) fn spares_here(&mut self, file: u32) -> bool {
        let path = std::mem::take(&mut self.path);
        let spares = self.spares(file, &path);
        self.path = path;
        spares
    }

    /// The parts of a file that have to be read, when not all have.
    pub(crate) fn runs(&self, file: u32) -> Option<Arc<Runs>> {
        self.warm.runs.get(&file).cloned()
    }

    /// When a file was modified last, if that is known.
    pub(crate) fn modified(&self, file: u32) -> Option<i64> {
        self.warm.modified.get(file as usize).copied().flatten()
    }

    /// The path of the file that the walk stands on.
    pub(crate) fn path(&self) -> &[u8] {
        &self.path
    }

    /// The name of that file.
    pub(crate) fn name(&self) -> &[u8] {
        &self.path[self.stack.last().map_or(0, |frame| frame.base)..]
    }

    /// Opens the directory of that file, and those above it that are not open.
    pub(crate) fn open_dir(&mut self) -> io::Result<Arc<DirNode<T::Dir>>> {
        let open = self.stack.iter().rposition(|frame| frame.open.is_some());
        let mut at = match open {
            Some(at) => at,
            None => {
                let root = DirNode::new(self.tree.root()?, Vec::new(), &self.live);
                let first = self.stack.first_mut().ok_or(io::ErrorKind::NotFound)?;
                first.open = Some(root);
                0
            }
        };
        loop {
            let node = self.stack[at].open.clone().ok_or(io::ErrorKind::NotFound)?;
            let Some(next) = self.stack.get(at + 1) else { return Ok(node) };
            let path = &self.path[..next.base - 1];
            let dir = self.tree.enter(&node.dir, name_of(&path[self.stack[at].base..]))?;
            let entered = DirNode::new(dir, path.to_vec(), &self.live);
            self.stack[at + 1].open = Some(entered);
            at += 1;
        }
    }

    /// Notes that what the walk stands on cannot be read.
    pub(crate) fn lose(&mut self) {
        self.counts.unreadable += 1;
        if self.unreadable.len() < crate::Skipped::MAX_NAMED {
            self.unreadable.push(Path::new(name_of(&self.path)).to_owned());
        }
    }
}
