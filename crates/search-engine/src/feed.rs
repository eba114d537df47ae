//! Where the files to look at come from, and the groups in which they are handed out.

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicUsize},
};

use crate::{
    End, Kind, Limits, Listing, Order, Progress, Query, Signal, Tree,
    cursor::Place,
    listed::Listed,
    query::Start,
    spared::{Runs, Spared},
    tree::name_of,
    walk::{Counts, DirNode, Walker},
    warm::{Kept, Warm},
};

/// Where the files to look at come from.
pub(crate) enum Feed<'a, T: Tree> {
    Walk(Box<Walker<'a, T>>),
    Listed(Box<Walker<'a, T>>, Box<Listed<'a, T>>),
    One {
        node: Arc<DirNode<T::Dir>>,
        name: Vec<u8>,
        given: bool,
        counts: Counts,
    },
    /// Names that are known.
    Kept(Box<Kept<'a, T>>),
    /// The same, newest first.
    KeptListed(Box<Kept<'a, T>>, Box<Listed<'a, T>>),
}

impl<'a, T: Tree> Feed<'a, T> {
    pub(crate) fn new(
        tree: &'a T,
        warm: Option<&'a Warm>,
        query: &'a Query,
        limits: &'a Limits,
        progress: &dyn Progress,
        live: &Arc<AtomicUsize>,
        after: Option<&'a Place>,
    ) -> std::io::Result<Self> {
        let from = after.map(|place| (&*place.path, place.row != Place::AFTER));
        let newest_from = || after.map(|place| (place.modified_ns, &*place.path, place.row != Place::AFTER));
        if let Some(warm) = warm {
            return Ok(match query.order {
                Order::Path => Self::Kept(Box::new(Kept::new(tree, warm, query, live, from))),
                Order::Modified => {
                    let mut kept = Box::new(Kept::new(tree, warm, query, live, None));
                    let listed = Listed::kept(tree, &mut kept, progress, live, newest_from());
                    Self::KeptListed(kept, Box::new(listed))
                }
            });
        }
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
                let listed = Box::new(Listed::new(tree, &mut walker, progress, live, newest_from()));
                Ok(Self::Listed(walker, listed))
            }
        }
    }

    /// Adds the next file to `group`; `false` when there is none.
    pub(crate) fn next(&mut self, group: &mut Group<T::Dir>) -> bool {
        match self {
            Self::Walk(walker) => {
                let Some(found) = walker.next() else { return false };
                let (node, name) = (Arc::clone(found.node), group.keep(found.name));
                group.items.push(Item::new(Some(node), name, walker.counts));
            }
            Self::Listed(walker, listed) => {
                let counts = walker.counts;
                let Some(next) = listed.next() else { return false };
                let item = match next {
                    Ok(found) => Item::new(Some(Arc::clone(found.node)), group.keep(found.name), counts),
                    Err(path) => Item::new(None, group.keep(&path), counts),
                };
                group.items.push(item);
            }
            Self::Kept(kept) => {
                let file = loop {
                    let Some(file) = kept.advance() else { return false };
                    if !kept.spares_here(file) {
                        break file;
                    }
                };
                let mut item = match kept.open_dir() {
                    Ok(node) => Item::new(Some(node), group.keep(kept.name()), kept.counts),
                    Err(_) => Item::new(None, group.keep(kept.path()), kept.counts),
                };
                item.spared = std::mem::take(&mut kept.spared);
                item.runs = kept.runs(file);
                group.items.push(item);
            }
            Self::KeptListed(kept, listed) => {
                let file = loop {
                    let Some((file, path)) = listed.ahead() else { return false };
                    if !kept.spares(file, path) {
                        break file;
                    }
                    listed.pass();
                };
                let Some(next) = listed.next() else { return false };
                let mut item = match next {
                    Ok(found) => Item::new(Some(Arc::clone(found.node)), group.keep(found.name), kept.counts),
                    Err(path) => Item::new(None, group.keep(&path), kept.counts),
                };
                item.spared = std::mem::take(&mut kept.spared);
                item.runs = kept.runs(file);
                group.items.push(item);
            }
            Self::One { node, name, given, counts } => {
                if std::mem::replace(given, true) {
                    return false;
                }
                let item = Item::new(Some(Arc::clone(node)), group.keep(name), *counts);
                group.items.push(item);
            }
        }
        true
    }

    pub(crate) fn counts(&self) -> Counts {
        match self {
            Self::Walk(walker) | Self::Listed(walker, _) => walker.counts,
            Self::Kept(kept) | Self::KeptListed(kept, _) => kept.counts,
            Self::One { counts, .. } => *counts,
        }
    }

    pub(crate) fn named_dirs(&self) -> (&[PathBuf], &[PathBuf]) {
        match self {
            Self::Walk(walker) | Self::Listed(walker, _) => (&walker.unreadable, &walker.too_deep),
            Self::Kept(kept) | Self::KeptListed(kept, _) => (&kept.unreadable, &[]),
            Self::One { .. } => (&[], &[]),
        }
    }

    /// Tells why there are no more files.
    pub(crate) fn end(&self) -> End {
        match self {
            Self::Walk(walker) => walker.end,
            Self::Listed(walker, listed) => listed.stopped.map_or(walker.end, end_of),
            Self::KeptListed(_, listed) => listed.stopped.map_or(End::Complete, end_of),
            Self::Kept(_) | Self::One { .. } => End::Complete,
        }
    }

    /// What was left out after the last file.
    pub(crate) fn spared(&self) -> Option<&Spared> {
        match self {
            Self::Kept(kept) | Self::KeptListed(kept, _) => Some(&kept.spared),
            _ => None,
        }
    }
}

pub(crate) fn end_of(signal: Signal) -> End {
    match signal {
        Signal::Continue => End::Complete,
        Signal::TimeUp => End::TimeUp,
        Signal::Cancel => End::Cancelled,
    }
}

/// Files that are searched together.
pub(crate) struct Group<D> {
    pub(crate) id: u64,
    names: Vec<u8>,
    pub(crate) items: Vec<Item<D>>,
}

pub(crate) struct Item<D> {
    /// Its directory; none when that could not be opened, and then the name is the whole path.
    pub(crate) node: Option<Arc<DirNode<D>>>,
    name: (usize, usize),
    /// What the walk had met when it came here.
    pub(crate) counts: Counts,
    /// What was left out before it.
    pub(crate) spared: Spared,
    /// The parts of it that have to be read, when not all have.
    pub(crate) runs: Option<Arc<Runs>>,
}

impl<D> Item<D> {
    fn new(node: Option<Arc<DirNode<D>>>, name: (usize, usize), counts: Counts) -> Self {
        Self { node, name, counts, spared: Spared::default(), runs: None }
    }
}

impl<D> Group<D> {
    pub(crate) fn new(id: u64) -> Self {
        Self { id, names: Vec::new(), items: Vec::new() }
    }

    fn keep(&mut self, name: &[u8]) -> (usize, usize) {
        let start = self.names.len();
        self.names.extend_from_slice(name);
        (start, self.names.len())
    }

    pub(crate) fn name(&self, item: &Item<D>) -> &[u8] {
        &self.names[item.name.0..item.name.1]
    }

    pub(crate) fn path(&self, index: usize) -> PathBuf {
        let item = &self.items[index];
        match &item.node {
            Some(node) => node.join(self.name(item)),
            None => PathBuf::from(name_of(self.name(item))),
        }
    }
}
