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
}

/// A directory of a [`MemTree`].
#[derive(Debug, Clone, Default)]
struct Node {
    entries: BTreeMap<OsString, Item>,
}

#[derive(Debug, Clone)]
enum Item {
    File { content: Arc<[u8]>, modified_ns: i64, readable: bool },
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
        self.put(path.as_ref(), Item::File { content: content.into(), modified_ns, readable: true })
    }

    /// Puts a file that cannot be opened.
    pub fn unreadable_file(&mut self, path: impl AsRef<Path>) -> &mut Self {
        self.put(path.as_ref(), Item::File { content: Arc::new([]), modified_ns: 0, readable: false })
    }

    /// Puts an entry that is neither a file nor a directory.
    pub fn other(&mut self, path: impl AsRef<Path>, kind: Kind) -> &mut Self {
        self.put(path.as_ref(), Item::Other(kind))
    }

    /// Puts an entry that is not shown, only counted.
    pub fn hidden(&mut self, path: impl AsRef<Path>) -> &mut Self {
        self.put(path.as_ref(), Item::Hidden)
    }

    fn put(&mut self, path: &Path, item: Item) -> &mut Self {
        let mut names: Vec<&OsStr> = path.iter().filter(|name| *name != "/" && *name != ".").collect();
        let Some(last) = names.pop() else { return self };
        let mut node = &mut self.root;
        for name in names {
            let slot = node.entries.entry(name.to_owned()).or_insert_with(|| Item::Dir(Arc::default()));
            if !matches!(slot, Item::Dir(_)) {
                *slot = Item::Dir(Arc::default());
            }
            let Item::Dir(below) = slot else { return self };
            node = Arc::make_mut(below);
        }
        node.entries.insert(last.to_owned(), item);
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
            Some(Item::File { content, modified_ns, readable: true }) => {
                let facts = FileFacts { size: content.len() as u64, modified_ns: *modified_ns };
                Ok((Cursor::new(Arc::clone(content)), facts))
            }
            Some(Item::File { .. }) => Err(ErrorKind::PermissionDenied.into()),
            Some(Item::Hidden) | None => Err(ErrorKind::NotFound.into()),
            Some(_) => Err(ErrorKind::InvalidInput.into()),
        }
    }
}
