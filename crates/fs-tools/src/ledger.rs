//! What a run has read: an edit of anything else is refused, so that nothing is changed that was not seen.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rooted_fs::Meta;

/// What a file was when the run saw it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Hash of the content; `None` for a file that is too large to be hashed at every read.
    hash: Option<blake3::Hash>,
    size: u64,
    mtime_ns: i64,
    ctime_ns: i64,
}

impl Stamp {
    /// Of a file whose whole content is at hand.
    pub(crate) fn of(meta: &Meta, content: &[u8]) -> Self {
        Self { hash: Some(blake3::hash(content)), size: content.len() as u64, ..Self::of_large(meta) }
    }

    /// Of a file that is too large for that.
    pub(crate) fn of_large(meta: &Meta) -> Self {
        Self { hash: None, size: meta.size, mtime_ns: meta.mtime_ns, ctime_ns: meta.ctime_ns }
    }

    /// Whether the content of this hash is the one that was seen.
    pub(crate) fn is_of(&self, content: &[u8]) -> bool {
        self.hash.is_some_and(|hash| hash == blake3::hash(content))
    }
}

/// How a file stands to what the run has seen of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It is as it was.
    Fresh,
    /// The run never read it.
    Never,
    /// It is another now.
    Changed(Stamp),
    /// The content is the same, but the modification time is not, and the configuration wants both.
    Touched,
}

/// The files that each run has read.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Where ledgers are kept, so that a run can go on in another process.
    dir: Option<PathBuf>,
    runs: Mutex<HashMap<String, Run>>,
}

/// The ledger of one run.
#[derive(Debug, Default)]
struct Run {
    /// By the hash of the path.
    seen: HashMap<Key, Stamp>,
    /// Contents that were seen last, to tell what changed.
    contents: Contents,
}

type Key = [u8; 32];

/// A run's ledger is removed when nobody added to it for so long.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// Bytes of a line in the file of a ledger, at most.
const LINE_BYTES: usize = 256;

impl Ledger {
    /// Ledgers in memory, and below `state` for the runs that have a name.
    pub(crate) fn new(state: Option<&Path>) -> Self {
        Self { dir: state.map(|state| state.join("runs")), runs: Mutex::default() }
    }

    /// Notes that `run` has seen `path` as it is now; `content` is kept, within bounds, to compare with later.
    pub(crate) fn saw(&self, run: &str, path: &Path, stamp: Stamp, content: Option<&[u8]>) {
        let key = key(path);
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.of(&mut runs, run);
        if let Some(content) = content {
            known.contents.keep(key, content);
        }
        if known.seen.insert(key, stamp) != Some(stamp) {
            // What cannot be kept is only missed by another process: it will ask for a read.
            let _ = self.append(run, key, stamp);
        }
    }

    /// Compares the file that is about to be changed with what `run` has seen.
    pub(crate) fn judge(&self, run: &str, path: &Path, meta: &Meta, content: &[u8], strict: bool) -> Seen {
        let key = key(path);
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.of(&mut runs, run);
        let seen = compare(known.seen.get(&key), meta, content, strict);
        if seen == Seen::Fresh || run.is_empty() {
            return seen;
        }
        // Another process of the same run may have read it since.
        if let Some(dir) = &self.dir {
            load(&file_of(dir, run), &mut known.seen);
        }
        compare(known.seen.get(&key), meta, content, strict)
    }

    /// The content of this stamp, when it is still at hand.
    pub(crate) fn content(&self, run: &str, path: &Path, stamp: &Stamp) -> Option<Vec<u8>> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let content = self.of(&mut runs, run).contents.get(key(path))?;
        stamp.is_of(&content).then_some(content)
    }

    /// The ledger of a run, read from disk when it is first needed.
    fn of<'r>(&self, runs: &'r mut HashMap<String, Run>, run: &str) -> &'r mut Run {
        runs.entry(run.to_owned()).or_insert_with(|| {
            let mut known = Run::default();
            if let Some(dir) = self.dir.as_ref().filter(|_| !run.is_empty()) {
                load(&file_of(dir, run), &mut known.seen);
            }
            known
        })
    }

    fn append(&self, run: &str, key: Key, stamp: Stamp) -> io::Result<()> {
        let Some(dir) = self.dir.as_ref().filter(|_| !run.is_empty()) else { return Ok(()) };
        let path = file_of(dir, run);
        if !path.exists() {
            DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
            forget_old(dir);
        }
        let hash = stamp.hash.map_or_else(|| "-".to_owned(), |hash| hash.to_hex().to_string());
        let line = format!(
            "{} {hash} {} {} {}\n",
            blake3::Hash::from_bytes(key).to_hex(),
            stamp.size,
            stamp.mtime_ns,
            stamp.ctime_ns
        );
        // One write of one line: two processes never mix theirs.
        OpenOptions::new().append(true).create(true).mode(0o600).open(path)?.write_all(line.as_bytes())
    }
}

fn compare(stamp: Option<&Stamp>, meta: &Meta, content: &[u8], strict: bool) -> Seen {
    let Some(stamp) = stamp else { return Seen::Never };
    let is_same = match stamp.hash {
        Some(hash) => stamp.size == content.len() as u64 && hash == blake3::hash(content),
        None => *stamp == Stamp::of_large(meta),
    };
    match is_same {
        false => Seen::Changed(*stamp),
        true if strict && stamp.mtime_ns != meta.mtime_ns => Seen::Touched,
        true => Seen::Fresh,
    }
}

fn key(path: &Path) -> Key {
    *blake3::hash(path.as_os_str().as_encoded_bytes()).as_bytes()
}

/// The file of a run: its name can hold anything, so its hash names the file.
fn file_of(dir: &Path, run: &str) -> PathBuf {
    dir.join(&blake3::hash(run.as_bytes()).to_hex()[..32])
}

/// Reads a ledger; what is not understood is passed over, and costs a read at most.
fn load(path: &Path, seen: &mut HashMap<Key, Stamp>) {
    let Ok(text) = fs::read_to_string(path) else { return };
    for line in text.lines().filter(|line| line.len() <= LINE_BYTES) {
        if let Some((key, stamp)) = parse(line) {
            seen.insert(key, stamp);
        }
    }
}

fn parse(line: &str) -> Option<(Key, Stamp)> {
    let mut fields = line.split(' ');
    let key = blake3::Hash::from_hex(fields.next()?).ok()?;
    let hash = match fields.next()? {
        "-" => None,
        hex => Some(blake3::Hash::from_hex(hex).ok()?),
    };
    let size = fields.next()?.parse().ok()?;
    let mtime_ns = fields.next()?.parse().ok()?;
    let ctime_ns = fields.next()?.parse().ok()?;
    fields.next().is_none().then_some((*key.as_bytes(), Stamp { hash, size, mtime_ns, ctime_ns }))
}

/// Removes the ledgers of runs that ended long ago.
fn forget_old(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let age =
            entry.metadata().and_then(|meta| meta.modified()).map(|at| SystemTime::now().duration_since(at));
        if age.is_ok_and(|age| age.is_ok_and(|age| age > KEPT)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The contents that were seen last, oldest first.
#[derive(Debug, Default)]
struct Contents {
    kept: std::collections::VecDeque<(Key, Vec<u8>)>,
    bytes: usize,
}

impl Contents {
    /// Bytes of one content, and of all together.
    const MAX: (usize, usize) = (1 << 20, 16 << 20);

    fn keep(&mut self, key: Key, content: &[u8]) {
        self.drop_where(|of| *of == key);
        if content.len() > Self::MAX.0 {
            return;
        }
        self.bytes += content.len();
        self.kept.push_back((key, content.to_vec()));
        while self.bytes > Self::MAX.1 {
            let Some((_, gone)) = self.kept.pop_front() else { break };
            self.bytes -= gone.len();
        }
    }

    fn get(&self, key: Key) -> Option<Vec<u8>> {
        self.kept.iter().find(|(of, _)| *of == key).map(|(_, content)| content.clone())
    }

    fn drop_where(&mut self, is_it: impl Fn(&Key) -> bool) {
        self.kept.retain(|(key, _)| !is_it(key));
        self.bytes = self.kept.iter().map(|(_, content)| content.len()).sum();
    }
}
