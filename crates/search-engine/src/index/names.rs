//! The names of a tree, kept: what a walk would meet in each directory, with the ignore rules applied.

use std::sync::Arc;

use crate::{IgnoreFile, Kind, tree::name_of};

/// Names one directory of an [`Index`](super::Index); the root of the tree is [`DirId::ROOT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirId(pub(crate) u32);

impl DirId {
    /// The root of the tree.
    pub const ROOT: Self = Self(0);
}

/// What an entry is to a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// A visible file, by its number.
    File(u32),
    /// A visible directory, by its number.
    Dir(u32),
    /// A directory that could not be listed.
    Unreadable,
    IgnoredFile,
    IgnoredDir,
    /// What is called `.git`.
    Git,
    Symlink,
    Other,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    start: u32,
    len: u32,
    what: What,
}

/// The entries of one directory, sorted by name.
#[derive(Debug, Default)]
pub(crate) struct Node {
    names: Vec<u8>,
    items: Vec<Item>,
    /// Entries that the tree does not show.
    pub(crate) hidden: u64,
    /// Ignore files that could not be read whole.
    pub(crate) incomplete: u64,
    /// `.gitignore` and `.ignore`.
    pub(crate) rules: Arc<[IgnoreFile; 2]>,
    /// Fingerprint of the two.
    pub(crate) rules_hash: u64,
}

impl Node {
    pub(crate) fn push(&mut self, name: &[u8], what: What) {
        // A listing holds less than 4 GiB of names.
        let (start, len) = (self.names.len() as u32, name.len() as u32);
        self.names.extend_from_slice(name);
        self.items.push(Item { start, len, what });
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<(&[u8], What)> {
        self.items.get(at).map(|item| (self.name(item), item.what))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], What)> {
        self.items.iter().map(|item| (self.name(item), item.what))
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<What> {
        let at = self.items.binary_search_by(|item| self.name(item).cmp(name)).ok()?;
        Some(self.items[at].what)
    }

    /// Index of the first entry whose name is not before `name`.
    pub(crate) fn first_from(&self, name: &[u8]) -> usize {
        self.items.partition_point(|item| self.name(item) < name)
    }

    /// The same entries, with another meaning of one.
    pub(crate) fn with(&self, name: &[u8], what: What) -> Self {
        let mut node = Self {
            names: self.names.clone(),
            items: self.items.clone(),
            hidden: self.hidden,
            incomplete: self.incomplete,
            rules: Arc::clone(&self.rules),
            rules_hash: self.rules_hash,
        };
        if let Ok(at) = node.items.binary_search_by(|item| self.name(item).cmp(name)) {
            node.items[at].what = what;
        }
        node
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.names.capacity() + self.items.capacity() * size_of::<Item>()
    }

    pub(crate) fn shrink(&mut self) {
        self.names.shrink_to_fit();
        self.items.shrink_to_fit();
    }

    fn name(&self, item: &Item) -> &[u8] {
        &self.names[item.start as usize..][..item.len as usize]
    }
}

/// What an entry of a listing is that needs no further look.
pub(crate) fn plain_kind(name: &[u8], kind: Kind) -> Option<What> {
    match kind {
        _ if name == b".git" => Some(What::Git),
        Kind::Symlink => Some(What::Symlink),
        Kind::Other => Some(What::Other),
        Kind::File | Kind::Dir => None,
    }
}

/// A directory as the index keeps track of it.
#[derive(Debug, Default)]
pub(crate) struct Dir {
    pub(crate) parent: u32,
    pub(crate) name: Box<[u8]>,
    pub(crate) depth: u32,
    /// Its entries may be others than are known.
    pub(crate) names_stale: bool,
    /// So may its ignore files.
    pub(crate) rules_stale: bool,
    /// Something below it is stale.
    pub(crate) below_stale: bool,
    /// Changes of it are not noticed: it is listed each time, and the files in it are always read.
    pub(crate) unwatched: bool,
    /// It was tried to watch it.
    pub(crate) watch_tried: bool,
    /// Entries that were replaced by others of the same name.
    pub(crate) replaced: Vec<Box<[u8]>>,
    /// Entries that are new or others now, and changed ones that are no visible files: each may be another name of a known file.
    pub(crate) touched: Vec<Box<[u8]>>,
    pub(crate) stamp: super::Stamp,
    /// The stamps of its ignore files.
    pub(crate) rules: [Option<super::Stamp>; 2],
    /// The time of the last change was so near the listing that a later one may not show.
    pub(crate) racy: bool,
    /// Not a directory of the tree any more.
    pub(crate) gone: bool,
}

impl Dir {
    pub(crate) fn name(&self) -> &std::ffi::OsStr {
        name_of(&self.name)
    }
}
