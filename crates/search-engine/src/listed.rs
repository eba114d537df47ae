//! Newest-first order: the whole tree is walked and sorted, then its directories are opened again as needed.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, atomic::AtomicUsize},
};

use crate::{
    Progress, Signal, Tree,
    tree::name_of,
    walk::{DirNode, Found, Walker, compare},
    warm::Kept,
};

/// Files between two looks at the clock.
const FILES_PER_CHECK: u64 = 256;
/// Directories that are kept open.
const OPEN_DIRS: usize = 32;

/// The files of a tree, newest first.
pub(crate) struct Listed<'a, T: Tree> {
    tree: &'a T,
    paths: Vec<u8>,
    items: Vec<Item>,
    next: usize,
    open: VecDeque<Arc<DirNode<T::Dir>>>,
    live: Arc<AtomicUsize>,
    pub(crate) stopped: Option<Signal>,
    /// The directory of the last file that was returned.
    current: Option<Arc<DirNode<T::Dir>>>,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    modified_ns: i64,
    start: usize,
    len: usize,
    /// Its number, when the names are known.
    file: u32,
}

impl<'a, T: Tree> Listed<'a, T> {
    /// Walks the tree to its end and sorts what was found.
    pub(crate) fn new(
        tree: &'a T,
        walker: &mut Walker<'a, T>,
        progress: &dyn Progress,
        live: &Arc<AtomicUsize>,
        from: Option<(i64, &[u8], bool)>,
    ) -> Self {
        let (mut paths, mut items) = (Vec::new(), Vec::new());
        let mut stopped = None;
        let mut unreadable = 0;
        while let Some(Found { node, name }) = walker.next() {
            // A file that is gone by now would not be found later either.
            match tree.facts(&node.dir, name_of(name)) {
                Ok(facts) => {
                    let start = paths.len();
                    if !node.path.is_empty() {
                        paths.extend_from_slice(&node.path);
                        paths.push(b'/');
                    }
                    paths.extend_from_slice(name);
                    let len = paths.len() - start;
                    items.push(Item { modified_ns: facts.modified_ns, start, len, file: 0 });
                }
                Err(_) => {
                    let path = node.join(name);
                    walker.lose(path);
                    unreadable += 1;
                }
            }
            if (items.len() as u64 + unreadable).is_multiple_of(FILES_PER_CHECK) {
                match progress.check() {
                    Signal::Continue => {}
                    signal => {
                        stopped = Some(signal);
                        break;
                    }
                }
            }
        }
        Self::sorted(tree, paths, items, stopped, live, from)
    }

    /// The same of names that are known.
    pub(crate) fn kept(
        tree: &'a T,
        kept: &mut Kept<'a, T>,
        progress: &dyn Progress,
        live: &Arc<AtomicUsize>,
        from: Option<(i64, &[u8], bool)>,
    ) -> Self {
        let (mut paths, mut items) = (Vec::new(), Vec::new());
        let (mut stopped, mut met) = (None, 0u64);
        while let Some(file) = kept.advance() {
            let known = kept.modified(file).map_or_else(
                || {
                    kept.open_dir()
                        .and_then(|node| tree.facts(&node.dir, name_of(kept.name())))
                        .map(|it| it.modified_ns)
                },
                Ok,
            );
            match known {
                Ok(modified_ns) => {
                    let (start, len) = (paths.len(), kept.path().len());
                    paths.extend_from_slice(kept.path());
                    items.push(Item { modified_ns, start, len, file });
                }
                Err(_) => kept.lose(),
            }
            met += 1;
            if met.is_multiple_of(FILES_PER_CHECK) {
                match progress.check() {
                    Signal::Continue => {}
                    signal => {
                        stopped = Some(signal);
                        break;
                    }
                }
            }
        }
        Self::sorted(tree, paths, items, stopped, live, from)
    }

    fn sorted(
        tree: &'a T,
        paths: Vec<u8>,
        mut items: Vec<Item>,
        stopped: Option<Signal>,
        live: &Arc<AtomicUsize>,
        from: Option<(i64, &[u8], bool)>,
    ) -> Self {
        // The walk is in path order, and the sort keeps it among equals.
        items.sort_by_key(|item| std::cmp::Reverse(item.modified_ns));
        let mut listed = Self {
            tree,
            paths,
            items,
            next: 0,
            open: VecDeque::new(),
            live: Arc::clone(live),
            stopped,
            current: None,
        };
        if let Some((modified_ns, path, inclusive)) = from {
            listed.next = listed.items.partition_point(|item| {
                let order = modified_ns.cmp(&item.modified_ns).then_with(|| compare(listed.path(item), path));
                order.is_lt() || (order.is_eq() && !inclusive)
            });
        }
        listed
    }

    /// Returns the next file with its time.
    pub(crate) fn next_path(&mut self) -> Option<(&[u8], i64)> {
        let item = *self.items.get(self.next)?;
        self.next += 1;
        Some((self.path(&item), item.modified_ns))
    }

    /// Returns the number and the path of the next file without going on to it.
    pub(crate) fn ahead(&self) -> Option<(u32, &[u8])> {
        self.items.get(self.next).map(|item| (item.file, self.path(item)))
    }

    /// Leaves the next file out.
    pub(crate) fn pass(&mut self) {
        self.next += 1;
    }

    /// Returns the next file with its directory, open.
    pub(crate) fn next(&mut self) -> Option<Result<Found<'_, T::Dir>, Vec<u8>>> {
        let item = *self.items.get(self.next)?;
        self.next += 1;
        let path = self.path(&item);
        let split = memchr::memrchr(b'/', path);
        let dir = split.map_or(&b""[..], |slash| &path[..slash]).to_vec();
        let name_at = item.start + split.map_or(0, |slash| slash + 1);
        match self.open_dir(&dir) {
            Ok(node) => {
                let node = self.current.insert(node);
                Some(Ok(Found { node, name: &self.paths[name_at..item.start + item.len] }))
            }
            Err(_) => Some(Err(self.path(&item).to_vec())),
        }
    }

    fn path(&self, item: &Item) -> &[u8] {
        &self.paths[item.start..item.start + item.len]
    }

    /// Opens a directory from the nearest one above it that is open.
    fn open_dir(&mut self, path: &[u8]) -> io::Result<Arc<DirNode<T::Dir>>> {
        if let Some(at) = self.open.iter().rposition(|node| node.path == path) {
            return Ok(Arc::clone(&self.open[at]));
        }
        let node = if path.is_empty() {
            DirNode::new(self.tree.root()?, Vec::new(), &self.live)
        } else {
            let split = memchr::memrchr(b'/', path);
            let parent = self.open_dir(split.map_or(b"", |slash| &path[..slash]))?;
            let dir = self.tree.enter(&parent.dir, name_of(&path[split.map_or(0, |slash| slash + 1)..]))?;
            DirNode::new(dir, path.to_vec(), &self.live)
        };
        if self.open.len() >= OPEN_DIRS {
            self.open.pop_front();
        }
        self.open.push_back(Arc::clone(&node));
        Ok(node)
    }
}
