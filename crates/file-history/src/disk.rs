//! A workspace in memory, for tests: a disk that can fail at any step, and lose what was not synced.

use std::collections::BTreeMap;

use crate::{
    error::{Block, Error},
    faults::Faults,
    version::{Content, FileState},
    workspace::{Current, Exchange, Workspace},
};

/// Permission bits of a file that nobody gave any.
const DEFAULT_MODE: u32 = 0o644;

/// A workspace in memory.
///
/// What is staged, exchanged and discarded is kept twice: as a running system sees it, and as the disk has it. Only
/// [`sync`](Workspace::sync) makes the two equal; [`power_cut`](Self::power_cut) keeps any subset of what was not synced.
///
/// # Examples
///
/// ```
/// use file_history::{MemWorkspace, Workspace, Current};
/// let mut disk = MemWorkspace::new();
/// disk.put(b"src/a", b"x");
/// assert_eq!(disk.get(b"src/a"), Some(&b"x"[..]));
/// assert_eq!(disk.look(b"src/b"), Ok(Current::Absent));
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemWorkspace {
    live: Nodes,
    durable: Nodes,
    log: Vec<Step>,
    temps: u64,
    writes: u64,
    denied: Vec<Vec<u8>>,
    faults: Faults,
}

type Nodes = BTreeMap<Vec<u8>, Node>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Dir,
    Link { outside: bool },
    File { bytes: Vec<u8>, mode: u32, stamp: u64 },
}

/// A step that is not synced yet.
#[derive(Debug, Clone)]
enum Step {
    Put(Vec<u8>, Node),
    Exchange(Vec<u8>, Vec<u8>, Exchange),
    Drop(Vec<u8>),
}

impl MemWorkspace {
    /// Makes an empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets the steps of this workspace take part in a plan of faults.
    #[must_use]
    pub fn with_faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    /// Writes a file as somebody outside the tools would, durably, with missing parents.
    pub fn put(&mut self, path: &[u8], bytes: &[u8]) {
        let mode = match self.live.get(path) {
            Some(Node::File { mode, .. }) => *mode,
            _ => DEFAULT_MODE,
        };
        self.put_mode(path, bytes, mode);
    }

    /// Writes a file with these permission bits.
    pub fn put_mode(&mut self, path: &[u8], bytes: &[u8], mode: u32) {
        self.writes += 1;
        self.set(path, Node::File { bytes: bytes.to_vec(), mode, stamp: self.writes });
    }

    /// Makes a directory, in place of whatever is there.
    pub fn put_dir(&mut self, path: &[u8]) {
        self.set(path, Node::Dir);
    }

    /// Makes a symbolic link that leads somewhere inside, in place of whatever is there.
    pub fn put_link(&mut self, path: &[u8]) {
        self.set(path, Node::Link { outside: false });
    }

    /// Makes a symbolic link that leads out of the workspace, in place of whatever is there.
    pub fn put_link_outside(&mut self, path: &[u8]) {
        self.set(path, Node::Link { outside: true });
    }

    /// Takes a file, link or whole directory away, durably.
    pub fn remove(&mut self, path: &[u8]) {
        for nodes in [&mut self.live, &mut self.durable] {
            nodes.retain(|name, _| !is_at_or_below(name, path));
        }
    }

    /// Lets nothing be written below this directory from now on.
    pub fn deny(&mut self, path: &[u8]) {
        self.denied.push(path.to_vec());
    }

    /// Returns the content of a file.
    pub fn get(&self, path: &[u8]) -> Option<&[u8]> {
        match self.live.get(path) {
            Some(Node::File { bytes, .. }) => Some(bytes),
            _ => None,
        }
    }

    /// Returns the permission bits of a file.
    pub fn mode(&self, path: &[u8]) -> Option<u32> {
        match self.live.get(path) {
            Some(Node::File { mode, .. }) => Some(*mode),
            _ => None,
        }
    }

    /// Returns a number that changes whenever a file is written: its modification time, so to speak.
    pub fn stamp(&self, path: &[u8]) -> Option<u64> {
        match self.live.get(path) {
            Some(Node::File { stamp, .. }) => Some(*stamp),
            _ => None,
        }
    }

    /// Returns every path there is, in byte order.
    pub fn paths(&self) -> impl Iterator<Item = &[u8]> {
        self.live.keys().map(Vec::as_slice)
    }

    /// Lets the power fail: of what was not synced, each step is kept if `keep` says so, and of a file that was being
    /// written each byte.
    pub fn power_cut(&mut self, mut keep: impl FnMut() -> bool) {
        let mut disk = std::mem::take(&mut self.durable);
        for step in std::mem::take(&mut self.log) {
            let kept = keep();
            match step {
                step if kept => {
                    apply(&mut disk, &step);
                }
                // Neither there nor not there: the name may be kept, with any of the bytes.
                Step::Put(path, Node::File { bytes, mode, stamp }) if keep() => {
                    let bytes = bytes.iter().map(|&byte| if keep() { byte } else { 0 }).collect();
                    apply(&mut disk, &Step::Put(path, Node::File { bytes, mode, stamp }));
                }
                _ => {}
            }
        }
        self.live.clone_from(&disk);
        self.durable = disk;
    }

    /// Takes the plan of faults away, as the next process would run without it.
    pub fn heal(&mut self) {
        self.faults = Faults::default();
    }

    fn set(&mut self, path: &[u8], node: Node) {
        self.remove(path);
        for nodes in [&mut self.live, &mut self.durable] {
            for parent in parents(path) {
                nodes.entry(parent.to_vec()).or_insert(Node::Dir);
            }
            nodes.insert(path.to_vec(), node.clone());
        }
    }

    /// Says what keeps a path from being resolved.
    fn obstacle(&self, path: &[u8]) -> Option<Block> {
        for parent in parents(path) {
            match self.live.get(parent) {
                None => return None,
                Some(Node::Dir) => {}
                Some(Node::Link { .. }) => return Some(Block::Outside),
                Some(Node::File { .. }) => return Some(Block::Special),
            }
        }
        None
    }

    fn check(&self, path: &[u8]) -> Result<(), Error> {
        if self.denied.iter().any(|denied| is_at_or_below(path, denied)) {
            return Err(Error::Blocked(Block::Denied));
        }
        self.obstacle(path).map_or(Ok(()), |block| Err(Error::Blocked(block)))
    }

    fn run(&mut self, step: Step) -> Result<(), Error> {
        if !apply(&mut self.live, &step) {
            return Err(Error::Stale);
        }
        self.log.push(step);
        Ok(())
    }
}

/// Does one step, or tells that it cannot be done.
fn apply(nodes: &mut Nodes, step: &Step) -> bool {
    match step {
        Step::Put(path, node) => {
            if parents(path).any(|parent| nodes.get(parent) != Some(&Node::Dir)) {
                return false;
            }
            nodes.insert(path.clone(), node.clone());
        }
        Step::Drop(path) => {
            nodes.remove(path);
        }
        Step::Exchange(path, temp, how) => {
            let is_file = |name: &Vec<u8>| matches!(nodes.get(name), Some(Node::File { .. }));
            let free = |name: &Vec<u8>| !nodes.contains_key(name);
            let fits = match how {
                Exchange::Both => is_file(path) && is_file(temp),
                Exchange::Place => free(path) && is_file(temp),
                Exchange::Take => is_file(path) && free(temp),
            };
            if !fits {
                return false;
            }
            let (at_path, at_temp) = (nodes.remove(path), nodes.remove(temp));
            nodes.extend(at_temp.map(|node| (path.clone(), node)));
            nodes.extend(at_path.map(|node| (temp.clone(), node)));
        }
    }
    true
}

/// Returns the parents of a path from the outermost.
fn parents(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|&(_, &byte)| byte == b'/').map(|(index, _)| &path[..index])
}

fn is_at_or_below(path: &[u8], dir: &[u8]) -> bool {
    path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

impl Workspace for MemWorkspace {
    fn look(&mut self, path: &[u8]) -> Result<Current, Error> {
        self.faults.step()?;
        if let Some(block) = self.obstacle(path) {
            return Ok(Current::Blocked(block));
        }
        Ok(match self.live.get(path) {
            None => Current::Absent,
            Some(Node::Dir) => Current::Blocked(Block::Directory),
            Some(Node::Link { outside: true }) => Current::Blocked(Block::Outside),
            Some(Node::Link { outside: false }) => Current::Blocked(Block::Symlink),
            Some(Node::File { bytes, mode, .. }) => {
                Current::File(Content { bytes: bytes.clone(), mode: Some(*mode) })
            }
        })
    }

    fn temp_name(&mut self, path: &[u8]) -> Result<Vec<u8>, Error> {
        self.temps += 1;
        let start = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        let name = format!(".fs-tools-{}.tmp", self.temps);
        Ok([&path[..start], name.as_bytes()].concat())
    }

    fn stage(&mut self, path: &[u8], temp: &[u8], file: FileState<'_>) -> Result<u32, Error> {
        self.faults.step()?;
        self.check(temp)?;
        let missing: Vec<Vec<u8>> =
            parents(temp).filter(|parent| !self.live.contains_key(*parent)).map(<[u8]>::to_vec).collect();
        for parent in &missing {
            self.run(Step::Put(parent.clone(), Node::Dir))?;
        }
        let mode = file.mode.or(self.mode(path)).unwrap_or(DEFAULT_MODE);
        self.writes += 1;
        let node = Node::File { bytes: file.bytes.to_vec(), mode, stamp: self.writes };
        if self.live.contains_key(temp) {
            return Err(Error::Stale);
        }
        self.run(Step::Put(temp.to_vec(), node))?;
        Ok(u32::try_from(missing.len()).unwrap_or(u32::MAX))
    }

    fn sync(&mut self) -> Result<(), Error> {
        self.faults.step()?;
        self.durable.clone_from(&self.live);
        self.log.clear();
        Ok(())
    }

    fn exchange(&mut self, path: &[u8], temp: &[u8], how: Exchange) -> Result<(), Error> {
        self.faults.step()?;
        self.check(path)?;
        self.run(Step::Exchange(path.to_vec(), temp.to_vec(), how))
    }

    fn discard(&mut self, temp: &[u8], dirs: u32) -> Result<(), Error> {
        self.faults.step()?;
        if matches!(self.live.get(temp), Some(Node::File { .. })) {
            self.run(Step::Drop(temp.to_vec()))?;
        }
        let inner_first: Vec<Vec<u8>> = parents(temp).map(<[u8]>::to_vec).collect();
        for dir in inner_first.into_iter().rev().take(dirs as usize) {
            let used = self.live.keys().any(|name| name.len() > dir.len() && is_at_or_below(name, &dir));
            if used || self.live.get(&dir) != Some(&Node::Dir) {
                break;
            }
            self.run(Step::Drop(dir))?;
        }
        Ok(())
    }
}
