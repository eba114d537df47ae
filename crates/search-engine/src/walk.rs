//! The walk: entries in path order, ignore rules applied, nothing that was left out entered.

use std::{
    cmp::Ordering,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use crate::{
    End, IgnoreFile, Kind, Limits, Listing, NamePattern, Tree,
    ahead::Ahead,
    ignore_rules::RuleStack,
    query::{Ignore, Query, Start},
    tree::name_of,
};

/// An open directory on the way, shared by the walk and by the files of it that wait to be searched.
#[derive(Debug)]
pub(crate) struct DirNode<D> {
    pub(crate) dir: D,
    /// Path below the start, without a trailing slash.
    pub(crate) path: Vec<u8>,
    live: Arc<AtomicUsize>,
}

impl<D> DirNode<D> {
    pub(crate) fn new(dir: D, path: Vec<u8>, live: &Arc<AtomicUsize>) -> Arc<Self> {
        live.fetch_add(1, Relaxed);
        Arc::new(Self { dir, path, live: Arc::clone(live) })
    }

    /// Returns the path of the entry `name`.
    pub(crate) fn join(&self, name: &[u8]) -> PathBuf {
        if self.path.is_empty() {
            return PathBuf::from(name_of(name));
        }
        PathBuf::from(name_of(&[&self.path, &b"/"[..], name].concat()))
    }
}

impl<D> Drop for DirNode<D> {
    fn drop(&mut self) {
        self.live.fetch_sub(1, Relaxed);
    }
}

/// What the walk has met so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) files_seen: u64,
    pub(crate) files_named: u64,
    pub(crate) ignored_files: u64,
    pub(crate) ignored_dirs: u64,
    pub(crate) symlinks: u64,
    pub(crate) special: u64,
    pub(crate) hidden: u64,
    pub(crate) unreadable: u64,
    pub(crate) too_deep: u64,
    pub(crate) ignore_files_incomplete: u64,
}

/// A file to look at.
#[derive(Debug)]
pub(crate) struct Found<'w, D> {
    pub(crate) node: &'w Arc<DirNode<D>>,
    pub(crate) name: &'w [u8],
}

impl<D> Found<'_, D> {
    /// Writes the path of the file to `path`.
    pub(crate) fn path_into(&self, path: &mut Vec<u8>) {
        path.clear();
        if !self.node.path.is_empty() {
            path.extend_from_slice(&self.node.path);
            path.push(b'/');
        }
        path.extend_from_slice(self.name);
    }
}

/// Directories that the walk lists itself before others list ahead of it: a small tree or a first page needs no help.
const LISTED_ALONE: u64 = 32;

pub(crate) struct Walker<'a, T: Tree> {
    tree: &'a T,
    names: &'a NamePattern,
    limits: &'a Limits,
    rules: Option<RuleStack>,
    root_only: bool,
    stack: Vec<Frame<T::Dir>>,
    spare: Vec<Listing>,
    /// Prefix of the rules, then the path of the entry.
    path: Vec<u8>,
    prefix: usize,
    entries: u64,
    resume: Option<Resume>,
    live: Arc<AtomicUsize>,
    /// Directories listed so far.
    listed: u64,
    ahead: Option<&'a Ahead<T::Dir>>,
    pub(crate) counts: Counts,
    /// The first directories that could not be read or lie too deep.
    pub(crate) unreadable: Vec<PathBuf>,
    pub(crate) too_deep: Vec<PathBuf>,
    pub(crate) end: End,
}

#[derive(Debug)]
struct Frame<D> {
    node: Arc<DirNode<D>>,
    listing: Listing,
    next: usize,
    /// Bytes of `path` that are this directory and its slash.
    base: usize,
    /// Whether the place to go on from lies in this directory.
    on_resume_path: bool,
    /// Number of the frame, for what is listed ahead.
    serial: u64,
}

/// A place to go on from.
#[derive(Debug)]
pub(crate) struct Resume {
    components: Vec<Vec<u8>>,
    inclusive: bool,
}

impl Resume {
    pub(crate) fn new(path: &[u8], inclusive: bool) -> Self {
        let components = path.split(|&b| b == b'/').map(<[u8]>::to_vec).collect();
        Self { components, inclusive }
    }

    /// The component at `depth`, from 1.
    pub(crate) fn component(&self, depth: usize) -> Option<&[u8]> {
        self.components.get(depth - 1).map(Vec::as_slice)
    }

    /// Tells whether `name` at `depth` leads to the place.
    pub(crate) fn is_component(&self, depth: usize, name: &[u8]) -> bool {
        self.component(depth) == Some(name)
    }

    /// Tells whether the place lies at `depth` and is itself wanted.
    pub(crate) fn is_inclusive_end(&self, depth: usize) -> bool {
        self.inclusive && self.components.len() == depth
    }

    /// Components of the path.
    pub(crate) fn len(&self) -> usize {
        self.components.len()
    }
}

/// Compares paths component by component.
pub(crate) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    a.split(|&b| b == b'/').cmp(b.split(|&b| b == b'/'))
}

impl<'a, T: Tree> Walker<'a, T> {
    /// Starts a walk, after the file `from` if there is one, or with it.
    pub(crate) fn new(
        tree: &'a T,
        query: &'a Query,
        limits: &'a Limits,
        live: &Arc<AtomicUsize>,
        from: Option<(&[u8], bool)>,
    ) -> io::Result<Self> {
        let rules = match &query.ignore {
            Ignore::Honour(parents) => Some(RuleStack::new(parents)),
            Ignore::Off => None,
        };
        let path = rules.as_ref().map(|rules| rules.prefix().to_vec()).unwrap_or_default();
        let resume = from.map(|(path, inclusive)| Resume::new(path, inclusive));
        let mut walker = Self {
            tree,
            names: &query.names,
            limits,
            rules,
            root_only: query.start == Start::RootOnly,
            stack: Vec::new(),
            spare: Vec::new(),
            prefix: path.len(),
            path,
            entries: 0,
            resume,
            live: Arc::clone(live),
            listed: 0,
            ahead: None,
            counts: Counts::default(),
            unreadable: Vec::new(),
            too_deep: Vec::new(),
            end: End::Complete,
        };
        let root = DirNode::new(tree.root()?, Vec::new(), live);
        let on_resume_path = walker.resume.is_some();
        let listing = walker.list(&root.dir)?;
        walker.push(root, listing, on_resume_path);
        Ok(walker)
    }

    /// From here on, other threads list the directories that come.
    pub(crate) fn use_ahead(&mut self, ahead: &'a Ahead<T::Dir>) {
        self.ahead = Some(ahead);
    }

    /// Returns the next file whose name matches.
    pub(crate) fn next(&mut self) -> Option<Found<'_, T::Dir>> {
        while let Some(frame) = self.stack.last_mut() {
            let Some(entry) = frame.listing.get(frame.next) else {
                self.pop();
                continue;
            };
            if self.entries >= self.limits.max_entries {
                self.end = End::EntryLimit;
                return None;
            }
            frame.next += 1;
            self.entries += 1;
            let name = entry.name.as_encoded_bytes();
            let base = frame.base;
            self.path.truncate(base);
            self.path.extend_from_slice(name);
            let depth = self.stack.len();
            let passing =
                self.stack.last().is_some_and(|f| f.on_resume_path) && self.is_resume_component(base, depth);
            match entry_kind(&self.stack) {
                _ if self.path[base..] == *b".git" => {}
                Kind::Symlink => self.counts.symlinks += 1,
                Kind::Other => self.counts.special += 1,
                Kind::Dir => self.directory(base, passing),
                Kind::File => {
                    if passing && !self.resume.as_ref().is_some_and(|resume| resume.is_inclusive_end(depth)) {
                        continue;
                    }
                    if self.rules.as_ref().is_some_and(|rules| rules.ignores(&self.path, base, false)) {
                        self.counts.ignored_files += 1;
                        continue;
                    }
                    self.counts.files_seen += 1;
                    if !self.names.is_all() && !self.names.is_match(&self.path[self.prefix..]) {
                        continue;
                    }
                    self.counts.files_named += 1;
                    let node = &self.stack[depth - 1].node;
                    return Some(Found { node, name: &self.path[base..] });
                }
            }
        }
        None
    }

    /// Notes that a file which was found could not be looked at.
    pub(crate) fn lose(&mut self, path: PathBuf) {
        self.counts.unreadable += 1;
        if self.unreadable.len() < crate::Skipped::MAX_NAMED {
            self.unreadable.push(path);
        }
    }

    /// Tells whether the current entry is the next component of the place to go on from.
    fn is_resume_component(&self, base: usize, depth: usize) -> bool {
        self.resume.as_ref().is_some_and(|resume| resume.is_component(depth, &self.path[base..]))
    }

    fn directory(&mut self, base: usize, passing: bool) {
        if self.root_only {
            return;
        }
        let depth = self.stack.len();
        if self.rules.as_ref().is_some_and(|rules| rules.ignores(&self.path, base, true)) {
            self.counts.ignored_dirs += 1;
            return;
        }
        let relative = &self.path[self.prefix..];
        if !self.names.is_all() && !self.names.may_enter(relative, depth) {
            return;
        }
        if depth > self.limits.max_depth {
            self.counts.too_deep += 1;
            note(&mut self.too_deep, relative);
            return;
        }
        let frame = &self.stack[depth - 1];
        let (serial, place) = (frame.serial, frame.next - 1);
        let listed = match self.ahead.and_then(|ahead| ahead.take(serial, place)) {
            Some(listed) => listed,
            None => self
                .tree
                .enter(&frame.node.dir, name_of(&self.path[base..]))
                .and_then(|dir| self.list(&dir).map(|listing| (dir, listing))),
        };
        let below = passing && self.resume.as_ref().is_some_and(|resume| resume.len() > depth);
        let relative = &self.path[self.prefix..];
        match listed {
            Ok((dir, listing)) => {
                let node = DirNode::new(dir, relative.to_vec(), &self.live);
                self.push(node, listing, below);
            }
            Err(_) => {
                self.counts.unreadable += 1;
                note(&mut self.unreadable, relative);
            }
        }
    }

    /// Lists a directory.
    fn list(&mut self, dir: &T::Dir) -> io::Result<Listing> {
        let mut listing = self.spare.pop().unwrap_or_default();
        listing.clear();
        if let Err(error) = self.tree.entries(dir, &mut listing) {
            self.spare.push(listing);
            return Err(error);
        }
        listing.sort();
        Ok(listing)
    }

    /// Makes a directory the current one. `path` is its path.
    fn push(&mut self, node: Arc<DirNode<T::Dir>>, listing: Listing, on_resume_path: bool) {
        self.counts.hidden += listing.hidden();
        self.listed += 1;
        if !node.path.is_empty() {
            self.path.push(b'/');
        }
        let base = self.path.len();
        let depth = self.stack.len() + 1;
        if self.rules.is_some() {
            let gitignore = self.ignore_file(&node.dir, &listing, b".gitignore");
            let ignore = self.ignore_file(&node.dir, &listing, b".ignore");
            if let Some(rules) = &mut self.rules {
                rules.push(depth, base, gitignore, ignore);
            }
        }
        let next = match &self.resume {
            Some(resume) if on_resume_path => {
                resume.component(depth).map_or(0, |name| listing.first_from(name))
            }
            _ => 0,
        };
        let serial = self.listed;
        self.stack.push(Frame { node, listing, next, base, on_resume_path, serial });
        self.announce();
    }

    /// Names the directories below the current one that the walk will enter to those who list ahead.
    fn announce(&mut self) {
        let (Some(ahead), Some(frame)) = (self.ahead, self.stack.last()) else { return };
        let depth = self.stack.len();
        if self.listed < LISTED_ALONE || self.root_only || depth > self.limits.max_depth {
            return;
        }
        let (rules, names, prefix, base) = (&self.rules, self.names, self.prefix, frame.base);
        let path = &mut self.path;
        let dirs = (frame.next..frame.listing.len()).filter_map(|at| {
            let entry = frame.listing.get(at).filter(|entry| entry.kind == Kind::Dir)?;
            let name = entry.name.as_encoded_bytes();
            path.truncate(base);
            path.extend_from_slice(name);
            let is_left_out = name == b".git"
                || rules.as_ref().is_some_and(|rules| rules.ignores(path, base, true))
                || (!names.is_all() && !names.may_enter(&path[prefix..], depth));
            (!is_left_out).then(|| (at, name.to_vec()))
        });
        ahead.announce(frame.serial, &frame.node, dirs);
        self.path.truncate(base);
    }

    fn pop(&mut self) {
        if let Some(rules) = &mut self.rules {
            rules.pop_to(self.stack.len());
        }
        if let Some(frame) = self.stack.pop()
            && self.spare.len() <= self.stack.len()
        {
            self.spare.push(frame.listing);
        }
    }

    fn ignore_file(&mut self, dir: &T::Dir, listing: &Listing, name: &[u8]) -> IgnoreFile {
        if listing.kind_of(name) != Some(Kind::File) {
            return IgnoreFile::default();
        }
        match read_start(self.tree, dir, name) {
            Ok((content, whole)) => {
                self.counts.ignore_files_incomplete += u64::from(!whole);
                IgnoreFile::parse(&content)
            }
            Err(_) => {
                self.counts.ignore_files_incomplete += 1;
                IgnoreFile::default()
            }
        }
    }
}

fn entry_kind<D>(stack: &[Frame<D>]) -> Kind {
    stack.last().and_then(|f| f.listing.get(f.next - 1)).map_or(Kind::Other, |e| e.kind)
}

fn note(list: &mut Vec<PathBuf>, path: &[u8]) {
    if list.len() < crate::Skipped::MAX_NAMED {
        list.push(Path::new(name_of(path)).to_owned());
    }
}

/// Reads an ignore file up to its bound, cut after a whole line, and tells whether that was all.
pub(crate) fn read_start<T: Tree>(tree: &T, dir: &T::Dir, name: &[u8]) -> io::Result<(Vec<u8>, bool)> {
    let (file, _) = tree.open(dir, name_of(name))?;
    let mut content = Vec::new();
    file.take(IgnoreFile::MAX_BYTES as u64 + 1).read_to_end(&mut content)?;
    let whole = content.len() <= IgnoreFile::MAX_BYTES;
    if !whole {
        let end = memchr::memrchr(b'\n', &content).unwrap_or(0);
        content.truncate(end);
    }
    Ok((content, whole))
}
