//! A tree in memory, for tests, examples and callers without a disk.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io::{self, Cursor, ErrorKind},
    path::Path,
    sync::Arc,
};

use crate::{FileFacts, Kind, Listing, Tree};

/// A tree of files in memory.
///
/// # Examples
/// ```
/// use search_engine::MemTree;
///
/// let mut tree = MemTree::parse("//- /src/main.rs\nfn main() {}\n//- /README.md\n# demo\n");
/// tree.file("logo.png", b"\x89PNG\0".to_vec());
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemTree {
    root: Node,
    /// Counts the changes.
    serial: u64,
}

/// A directory of a [`MemTree`].
#[derive(Debug, Clone, Default)]
struct Node {
    entries: BTreeMap<OsString, Item>,
    /// Tells it from every other directory, and when its entries changed.
    stamp: [u64; 2],
}

#[derive(Debug, Clone)]
enum Item {
    File {
        content: Arc<[u8]>,
        modified_ns: i64,
        readable: bool,
        /// The change that put it there.
        #[cfg_attr(not(feature = "index"), expect(dead_code, reason = "read for stamps alone"))]
        serial: u64,
    },
    Dir(Arc<Node>),
    Other(Kind),
    Hidden,
}

impl MemTree {
    /// Makes an empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a tree from text: a line `//- /path/name` starts a file, and the lines up to the next are its content.
    pub fn parse(text: &str) -> Self {
        let mut tree = Self::new();
        let mut current: Option<(&str, String)> = None;
        for line in text.split_inclusive('\n') {
            match line.strip_prefix("//- /") {
                Some(path) => {
                    if let Some((path, content)) =
                        current.replace((path.trim_end_matches('\n'), String::new()))
                    {
                        tree.file(path, content.into_bytes());
                    }
                }
                None => {
                    if let Some((_, content)) = &mut current {
                        content.push_str(line);
                    }
                }
            }
        }
        if let Some((path, content)) = current {
            tree.file(path, content.into_bytes());
        }
        tree
    }

    /// Puts a file, with its directories, in the place of whatever is there.
    pub fn file(&mut self, path: impl AsRef<Path>, content: Vec<u8>) -> &mut Self {
        self.file_at(path, content, 0)
    }

    /// Puts a file with a time of modification, in nanoseconds since 1970.
    pub fn file_at(&mut self, path: impl AsRef<Path>, content: Vec<u8>, modified_ns: i64) -> &mut Self {
        let serial = self.serial + 1;
        self.put(path.as_ref(), Item::File { content: content.into(), modified_ns, readable: true, serial })
    }

    /// Puts a file that cannot be opened.
    pub fn unreadable_file(&mut self, path: impl AsRef<Path>) -> &mut Self {
        let serial = self.serial + 1;
        self.put(path.as_ref(), Item::File { content: Arc::new([]), modified_ns: 0, readable: false, serial })
    }

    /// Puts an entry that is neither a file nor a directory.
    pub fn other(&mut self, path: impl AsRef<Path>, kind: Kind) -> &mut Self {
        self.put(path.as_ref(), Item::Other(kind))
    }

    /// Puts an entry that is not shown, only counted.
    pub fn hidden(&mut self, path: impl AsRef<Path>) -> &mut Self {
        self.put(path.as_ref(), Item::Hidden)
    }

    /// Takes away a file or a directory with everything below it.
    pub fn remove(&mut self, path: impl AsRef<Path>) -> &mut Self {
        self.change(path.as_ref(), None)
    }

    fn put(&mut self, path: &Path, item: Item) -> &mut Self {
        self.change(path, Some(item))
    }

    fn change(&mut self, path: &Path, item: Option<Item>) -> &mut Self {
        self.serial += 1;
        let serial = self.serial;
        let mut names: Vec<&OsStr> = path.iter().filter(|name| *name != "/" && *name != ".").collect();
        let Some(last) = names.pop() else { return self };
        let mut node = &mut self.root;
        for (depth, name) in (1..).zip(names) {
            if !matches!(node.entries.get(name), Some(Item::Dir(_))) {
                if item.is_none() {
                    return self;
                }
                let made = Node { stamp: [serial << 8 | depth, serial], ..Node::default() };
                node.entries.insert(name.to_owned(), Item::Dir(Arc::new(made)));
                node.stamp[1] = serial;
            }
            let Some(Item::Dir(below)) = node.entries.get_mut(name) else { return self };
            node = Arc::make_mut(below);
        }
        let is_file = matches!(item, Some(Item::File { .. }));
        let before = match item {
            Some(item) => node.entries.insert(last.to_owned(), item),
            None => node.entries.remove(last),
        };
        // A file that is written anew leaves its directory alone.
        if !(is_file && matches!(before, Some(Item::File { .. }))) {
            node.stamp[1] = serial;
        }
        self
    }
}

/// A directory of a [`MemTree`], open.
#[derive(Debug, Clone)]
pub struct MemDir(Arc<Node>);

impl Tree for MemTree {
    type Dir = MemDir;
    type File = Cursor<Arc<[u8]>>;

    fn root(&self) -> io::Result<MemDir> {
        Ok(MemDir(Arc::new(self.root.clone())))
    }

    fn entries(&self, dir: &MemDir, out: &mut Listing) -> io::Result<()> {
        for (name, item) in &dir.0.entries {
            match item {
                Item::File { .. } => out.push(name, Kind::File),
                Item::Dir(_) => out.push(name, Kind::Dir),
                Item::Other(kind) => out.push(name, *kind),
                Item::Hidden => out.hide(),
            }
        }
        Ok(())
    }

    fn enter(&self, dir: &MemDir, name: &OsStr) -> io::Result<MemDir> {
        match dir.0.entries.get(name) {
            Some(Item::Dir(node)) => Ok(MemDir(Arc::clone(node))),
            Some(_) => Err(ErrorKind::NotADirectory.into()),
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    fn open(&self, dir: &MemDir, name: &OsStr) -> io::Result<(Cursor<Arc<[u8]>>, FileFacts)> {
        match dir.0.entries.get(name) {
            Some(Item::File { content, modified_ns, readable: true, .. }) => {
                let facts = FileFacts { size: content.len() as u64, modified_ns: *modified_ns };
                Ok((Cursor::new(Arc::clone(content)), facts))
            }
            Some(Item::File { .. }) => Err(ErrorKind::PermissionDenied.into()),
            Some(Item::Hidden) | None => Err(ErrorKind::NotFound.into()),
            Some(_) => Err(ErrorKind::InvalidInput.into()),
        }
    }

    fn seek(&self, file: &mut Cursor<Arc<[u8]>>, offset: u64) -> io::Result<bool> {
        file.set_position(offset);
        Ok(true)
    }
}

#[cfg(feature = "index")]
impl crate::StampedTree for MemTree {
    fn dir_stamp(&self, dir: &MemDir) -> io::Result<crate::Stamp> {
        let [ino, changed] = dir.0.stamp;
        let changed_ns = changed.cast_signed();
        // A directory and a file never share a number.
        Ok(crate::Stamp { dev: 1, ino, links: 1, size: 0, modified_ns: changed_ns, changed_ns })
    }

    fn file_stamp(&self, dir: &MemDir, name: &OsStr) -> io::Result<crate::Stamp> {
        let (size, modified_ns, serial) = match dir.0.entries.get(name) {
            Some(Item::File { content, modified_ns, serial, .. }) => {
                (content.len() as u64, *modified_ns, *serial)
            }
            Some(Item::Hidden) | None => return Err(ErrorKind::NotFound.into()),
            Some(_) => return Err(ErrorKind::InvalidInput.into()),
        };
        let changed_ns = serial.cast_signed();
        Ok(crate::Stamp { dev: 2, ino: serial, links: 1, size, modified_ns, changed_ns })
    }

    fn open_stamped(&self, dir: &MemDir, name: &OsStr) -> io::Result<(Self::File, FileFacts, crate::Stamp)> {
        let (file, facts) = self.open(dir, name)?;
        Ok((file, facts, self.file_stamp(dir, name)?))
    }
}
