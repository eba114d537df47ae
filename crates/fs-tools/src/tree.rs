//! The tree that a search sees: directories by handle, without what the policy hides.

use std::ffi::{OsStr, OsString};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use redact::Redactor;
use rooted_fs::{Dir, Handle, RelName};
use sandbox_policy::{DirRules, is_private_key};
use search_engine::{FileFacts, Kind, Listing, Tree};

use crate::gate::{Gate, OpenDir, OpenFile, policy_kind};
use crate::workspace::Workspace;

/// A directory of the walk, with the rules that hold in it.
pub(crate) struct Node<'w> {
    dir: Dir,
    rules: DirRules<'w>,
    /// Where the directory is, when the policy wants to know on the way.
    place: Option<PathBuf>,
}

/// The tree below one directory, or one file alone.
pub(crate) struct GateTree<'w> {
    start: Start<'w>,
    gate: &'w Gate,
    /// Set when the masked text is searched instead of the raw one.
    mask: Option<&'w Redactor>,
    /// Files opened so far, for progress.
    opened: AtomicU64,
    /// Where it starts below the workspace; none for a file, and outside.
    below: Option<PathBuf>,
}

enum Start<'w> {
    Dir { root: Arc<Node<'w>>, place: PathBuf },
    File { name: OsString, handle: Arc<Handle> },
}

/// A directory of [`GateTree`].
pub(crate) enum TreeDir<'w> {
    Real(Arc<Node<'w>>),
    Single,
}

/// A file of [`GateTree`].
pub(crate) enum TreeFile {
    /// The raw bytes.
    Raw { handle: Arc<Handle>, offset: u64 },
    /// The masked text.
    Masked(Cursor<Vec<u8>>),
}

/// Largest file that is masked as a whole before it is searched.
const MASKED_FILE_BYTES: u64 = 64 * 1024 * 1024;

impl<'w> GateTree<'w> {
    pub(crate) fn of_dir(workspace: &'w Workspace, open: OpenDir) -> Self {
        let rules = workspace.gate().rules().enter(&open.path);
        let known = workspace.gate().rules().has_privacy_folders().then(|| open.path.clone());
        let root = Arc::new(Node { dir: open.dir, rules, place: known });
        let below = open.path.strip_prefix(workspace.gate().root().path()).ok().map(Path::to_owned);
        Self {
            start: Start::Dir { root, place: open.path },
            gate: workspace.gate(),
            mask: mask(workspace),
            opened: AtomicU64::new(0),
            below,
        }
    }

    /// The whole workspace, for its index.
    pub(crate) fn of_workspace(gate: &'w Gate) -> io::Result<Self> {
        let rules = gate.rules().enter(gate.root().path());
        let root = Arc::new(Node { dir: gate.root().open_dir(&RelName::root())?, rules, place: None });
        let (opened, below) = (AtomicU64::new(0), Some(PathBuf::new()));
        let place = gate.root().path().to_owned();
        Ok(Self { start: Start::Dir { root, place }, gate, mask: None, opened, below })
    }

    /// The directory of the workspace that it starts from.
    pub(crate) fn below(&self) -> Option<&Path> {
        self.below.as_deref()
    }

    pub(crate) fn of_file(workspace: &'w Workspace, file: OpenFile<'w>) -> Self {
        let name = file.base_name().as_os_str().to_owned();
        let start = Start::File { name, handle: Arc::new(file.into_handle()) };
        let (opened, below) = (AtomicU64::new(0), None);
        Self { start, gate: workspace.gate(), mask: mask(workspace), opened, below }
    }

    /// Opens a file by its path below the start, component by component.
    pub(crate) fn open_path(&self, path: &Path) -> io::Result<Arc<Handle>> {
        match &self.start {
            Start::File { handle, .. } => Ok(Arc::clone(handle)),
            Start::Dir { root, .. } => {
                let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
                let mut dir: Option<Dir> = None;
                for step in path.parent().into_iter().flat_map(Path::components) {
                    dir = Some(dir.as_ref().unwrap_or(&root.dir).open_dir(step.as_os_str())?);
                }
                Ok(Arc::new(dir.as_ref().unwrap_or(&root.dir).open_file(name)?))
            }
        }
    }

    /// Files opened so far.
    pub(crate) fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    /// Whether the walk leaves out a directory that it was not sent to.
    fn passes_by(&self, start: &Start<'_>, node: &Node<'_>, name: &OsStr) -> bool {
        match (start, &node.place) {
            (Start::Dir { place: start, .. }, Some(place)) => {
                self.gate.rules().walk_passes_by(start, &place.join(name))
            }
            _ => false,
        }
    }

    pub(crate) fn file(&self, handle: Arc<Handle>) -> io::Result<(TreeFile, FileFacts)> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        let meta = handle.meta();
        if self.gate.is_alias_of_hidden(meta) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let facts = FileFacts { size: meta.size, modified_ns: meta.mtime_ns };
        let file = match self.mask {
            None => TreeFile::Raw { handle, offset: 0 },
            Some(redactor) => {
                let raw = handle.read_to_limit(MASKED_FILE_BYTES)?;
                TreeFile::Masked(Cursor::new(redactor.redact_bytes(&raw).into_owned()))
            }
        };
        Ok((file, facts))
    }
}

fn mask(workspace: &Workspace) -> Option<&Redactor> {
    workspace.config().match_masked.then(|| workspace.redactor())
}

impl<'w> Tree for GateTree<'w> {
    type Dir = TreeDir<'w>;
    type File = TreeFile;

    fn root(&self) -> io::Result<Self::Dir> {
        Ok(match &self.start {
            Start::Dir { root, .. } => TreeDir::Real(Arc::clone(root)),
            Start::File { .. } => TreeDir::Single,
        })
    }

    fn entries(&self, dir: &Self::Dir, out: &mut Listing) -> io::Result<()> {
        match (dir, &self.start) {
            (TreeDir::Real(node), start) => {
                node.dir.each_entry(|name, kind| {
                    if rooted_fs::is_temporary_name(name)
                        || !node.rules.shows(name, policy_kind(kind))
                        || (kind == rooted_fs::Kind::Dir && self.passes_by(start, node, name))
                    {
                        out.hide();
                    } else {
                        out.push(name, engine_kind(kind));
                    }
                    true
                })?;
            }
            (TreeDir::Single, Start::File { name, .. }) => out.push(name, Kind::File),
            (TreeDir::Single, Start::Dir { .. }) => {}
        }
        Ok(())
    }

    fn enter(&self, dir: &Self::Dir, name: &OsStr) -> io::Result<Self::Dir> {
        match dir {
            TreeDir::Real(node) => Ok(TreeDir::Real(Arc::new(Node {
                dir: node.dir.open_dir(name)?,
                rules: node.rules.enter(name),
                place: node.place.as_ref().map(|place| place.join(name)),
            }))),
            TreeDir::Single => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn open(&self, dir: &Self::Dir, name: &OsStr) -> io::Result<(Self::File, FileFacts)> {
        match (dir, &self.start) {
            (TreeDir::Real(node), _) => self.file(Arc::new(node.dir.open_file(name)?)),
            (TreeDir::Single, Start::File { handle, .. }) => self.file(Arc::clone(handle)),
            (TreeDir::Single, Start::Dir { .. }) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn facts(&self, dir: &Self::Dir, name: &OsStr) -> io::Result<FileFacts> {
        let meta = match (dir, &self.start) {
            (TreeDir::Real(node), _) => node.dir.stat(name)?,
            (TreeDir::Single, Start::File { handle, .. }) => *handle.meta(),
            (TreeDir::Single, Start::Dir { .. }) => return Err(io::ErrorKind::NotFound.into()),
        };
        Ok(FileFacts { size: meta.size, modified_ns: meta.mtime_ns })
    }

    fn seek(&self, file: &mut Self::File, to: u64) -> io::Result<bool> {
        match file {
            TreeFile::Raw { handle, offset } => {
                if *offset == 0 && to > 0 {
                    // Its first bytes decide whether it may be read at all.
                    let mut head = [0; 64];
                    let read = handle.read_at(&mut head, 0)?;
                    if is_private_key(&head[..read]) {
                        return Err(io::ErrorKind::PermissionDenied.into());
                    }
                }
                *offset = to;
                Ok(true)
            }
            TreeFile::Masked(_) => Ok(false),
        }
    }
}

impl<'w> TreeDir<'w> {
    /// The open directory; none when one file alone is searched.
    pub(crate) fn dir(&self) -> Option<&Dir> {
        match self {
            Self::Real(node) => Some(&node.dir),
            Self::Single => None,
        }
    }
}

impl Node<'_> {
    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<Arc<Handle>> {
        Ok(Arc::new(self.dir.open_file(name)?))
    }
}

impl Read for TreeFile {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Raw { handle, offset } => {
                let read = handle.read_at(buf, *offset)?;
                // A private key is one under any name; the policy tells by the first bytes.
                if *offset == 0 && is_private_key(&buf[..read]) {
                    return Err(io::ErrorKind::PermissionDenied.into());
                }
                *offset += read as u64;
                Ok(read)
            }
            Self::Masked(text) => text.read(buf),
        }
    }
}

fn engine_kind(kind: rooted_fs::Kind) -> Kind {
    match kind {
        rooted_fs::Kind::File => Kind::File,
        rooted_fs::Kind::Dir => Kind::Dir,
        rooted_fs::Kind::Symlink => Kind::Symlink,
        _ => Kind::Other,
    }
}
