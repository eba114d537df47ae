//! From a path as asked to the canonical name it leads to, by racy means.
//!
//! A hint is only text. Nothing is opened for use here: the caller judges the text, and then opens exactly that
//! text with links forbidden. If the tree moved in between, the open fails; it never finds another object.

use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, OFlags, Stat, readlinkat, statat};
use rustix::io::Errno;

use crate::meta::kind_of;
use crate::name::{MAX_NAME_BYTES, MAX_PATH_BYTES, check_path};
use crate::{Error, Kind, RelName, Root};

/// Links followed before a path counts as a circle; the number the kernel uses.
const MAX_LINKS: usize = 40;

/// Searches before a tree counts as busy, when links vanish between being seen and being read.
const MAX_TRIES: usize = 8;

/// Says what to do with a link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// Goes on to what the link leads to.
    Leaf,
    /// Means the link itself. Links on the way to it are followed all the same.
    NoLeaf,
}

/// Says where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Below the root.
    Inside(RelName),
    /// Elsewhere, by its canonical absolute path.
    Outside(PathBuf),
}

/// Tells where a path led a moment ago.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Hint {
    /// The canonical name.
    pub place: Place,
    /// Whether something was there.
    pub exists: bool,
    /// Whether a link was followed on the way.
    pub via_symlink: bool,
    /// Whether the spelling demands a directory (a trailing `/`, `/.` or `/..`). What exists was checked.
    pub wants_dir: bool,
    /// What went wrong outside of the root; `None` inside, where it is an error of the call.
    ///
    /// `place` is then the point where the search stopped. A caller that grants nothing there must answer the
    /// same whether this is set or not, or it tells strangers what exists.
    pub problem: Option<Error>,
}

impl Root {
    /// Finds out where `asked` leads.
    ///
    /// `asked` is absolute, or relative to the root. It is taken literally: no trimming, no expansion of `~`,
    /// variables or URIs. Of a path that does not exist, the existing part is resolved and the rest is taken
    /// as plain names below it.
    ///
    /// # Errors
    ///
    /// For a path that stays inside: [`Error::EmptyPath`], [`Error::InvalidName`] (NUL byte),
    /// [`Error::NameTooLong`], [`Error::SymlinkLoop`], [`Error::DanglingSymlink`], [`Error::NotADirectory`],
    /// [`Error::ParentOfMissing`], [`Error::PermissionDenied`]; [`Error::Busy`] when the links on the way keep
    /// changing. Outside, the same is [`Hint::problem`].
    ///
    /// # Cost
    ///
    /// One `openat2` for a path without links and `..` that exists; else one `fstatat` per component and one
    /// `readlinkat` per link, at most 40 links.
    ///
    /// # Examples
    ///
    /// ```
    /// use rooted_fs::{Follow, Place, Root, TierChoice};
    /// use std::path::Path;
    ///
    /// let dir = tempfile::tempdir()?;
    /// let root = Root::open(dir.path(), TierChoice::Auto)?;
    /// let hint = root.hint(Path::new("./new//file.txt"), Follow::Leaf)?;
    /// assert!(!hint.exists);
    /// assert!(matches!(hint.place, Place::Inside(name) if name.as_path() == Path::new("new/file.txt")));
    /// assert!(matches!(root.hint(Path::new("../.."), Follow::Leaf)?.place, Place::Outside(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hint(&self, asked: &Path, follow: Follow) -> Result<Hint, Error> {
        let bytes = asked.as_os_str().as_bytes();
        if bytes.is_empty() {
            return Err(Error::EmptyPath);
        }
        check_path(bytes)?;
        let wants_dir = demands_directory(bytes);
        let follow = if wants_dir { Follow::Leaf } else { follow };
        let inside = self.strip(asked);
        if let Some(name) = inside.and_then(plain_name)
            && self.is_link_free(&name, follow, wants_dir)
        {
            let place = Place::Inside(RelName::from_canonical(name));
            return Ok(Hint { place, exists: true, via_symlink: false, wants_dir, problem: None });
        }
        for _ in 0..MAX_TRIES {
            match Search::new(self, asked, inside, follow, wants_dir).run() {
                Err(Error::Moved) => {}
                result => return result,
            }
        }
        Err(Error::Busy)
    }

    /// Cuts off the path of the root in either spelling; `None` for an absolute path that has neither.
    fn strip<'a>(&self, asked: &'a Path) -> Option<&'a Path> {
        if asked.is_relative() {
            return Some(asked);
        }
        asked.strip_prefix(self.path()).or_else(|_| asked.strip_prefix(self.configured_path())).ok()
    }

    /// Tells whether `name` can be opened as it stands, which proves that it is canonical.
    fn is_link_free(&self, name: &[u8], follow: Follow, wants_dir: bool) -> bool {
        let mut flags = OFlags::PATH;
        if wants_dir {
            flags |= OFlags::DIRECTORY;
        }
        if follow == Follow::NoLeaf {
            flags |= OFlags::NOFOLLOW;
        }
        self.can_be_nailed(name, flags)
    }
}

/// Tells whether the text itself says that a directory is meant.
fn demands_directory(bytes: &[u8]) -> bool {
    let last = bytes.rsplit(|&b| b == b'/').next().unwrap_or_default();
    matches!(last, b"" | b"." | b"..")
}

/// Rewrites a relative path to canonical bytes; `None` when it has a `..`, which only the disk can answer.
fn plain_name(path: &Path) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(path.as_os_str().len());
    for component in path.components() {
        match component {
            Component::Normal(part) if part.len() <= MAX_NAME_BYTES => {
                if !name.is_empty() {
                    name.push(b'/');
                }
                name.extend_from_slice(part.as_bytes());
            }
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(name)
}

/// One part of the path that is still to be walked.
enum Part {
    Up,
    Name(OsString),
}

/// The walk over the components, as text: `here` is the canonical absolute path so far.
struct Search<'r> {
    root: &'r Root,
    follow: Follow,
    wants_dir: bool,
    /// Absolute, without a trailing slash; the empty string is `/`.
    here: Vec<u8>,
    /// What is to come, the next part last.
    pending: Vec<Part>,
    /// How many of the next parts were read out of a link.
    from_link: usize,
    links: usize,
}

/// What a step met.
enum Step {
    Plain,
    Linked,
}

/// Why the walk ends early.
enum Stop {
    Missing(OsString),
    Failed(Error, OsString),
}

impl<'r> Search<'r> {
    fn new(root: &'r Root, asked: &Path, inside: Option<&Path>, follow: Follow, wants_dir: bool) -> Self {
        let here = if inside.is_some() { root.prefix().to_vec() } else { Vec::new() };
        let pending = parts(inside.unwrap_or(asked));
        Self { root, follow, wants_dir, here, pending, from_link: 0, links: 0 }
    }

    fn run(mut self) -> Result<Hint, Error> {
        while let Some(part) = self.pending.pop() {
            let linked = self.from_link > 0;
            self.from_link = self.from_link.saturating_sub(1);
            let Part::Name(name) = part else {
                let end = self.here.iter().rposition(|&b| b == b'/').unwrap_or(0);
                self.here.truncate(end);
                continue;
            };
            match self.step(name) {
                Ok(Step::Plain) => {}
                Ok(Step::Linked) => {
                    if let Some(name) = self.rest_without_links() {
                        self.here = [self.root.prefix(), b"/", &name].concat();
                        return self.finish(true, None);
                    }
                }
                Err(Stop::Missing(name)) if linked => return self.fail(Error::DanglingSymlink, &name),
                Err(Stop::Missing(name)) => return self.missing(&name),
                Err(Stop::Failed(error, name)) => return self.fail(error, &name),
            }
        }
        self.finish(true, None)
    }

    fn step(&mut self, name: OsString) -> Result<Step, Stop> {
        if name.len() > MAX_NAME_BYTES {
            let error = Error::NameTooLong { bytes: name.len(), limit: MAX_NAME_BYTES };
            return Err(Stop::Failed(error, name));
        }
        if self.here.len() + 1 + name.len() >= MAX_PATH_BYTES {
            let error =
                Error::NameTooLong { bytes: self.here.len() + 1 + name.len(), limit: MAX_PATH_BYTES - 1 };
            return Err(Stop::Failed(error, name));
        }
        let kept = self.here.len();
        self.push(&name);
        let last = self.pending.is_empty();
        let failed = match self.stat().map(|stat| kind_of(&stat)) {
            Ok(Kind::Symlink) if last && self.follow == Follow::NoLeaf => return Ok(Step::Plain),
            Ok(Kind::Symlink) => match self.expand(kept) {
                Ok(()) => return Ok(Step::Linked),
                Err(error) => error,
            },
            Ok(Kind::Dir) => return Ok(Step::Plain),
            Ok(_) if last && !self.wants_dir => return Ok(Step::Plain),
            Ok(_) => Error::NotADirectory,
            Err(Errno::NOENT) => {
                self.here.truncate(kept);
                return Err(Stop::Missing(name));
            }
            Err(Errno::LOOP) => Error::SymlinkLoop,
            Err(Errno::NAMETOOLONG) => Error::NameTooLong { bytes: name.len(), limit: MAX_NAME_BYTES },
            Err(errno) => errno.into(),
        };
        self.here.truncate(kept);
        Err(Stop::Failed(failed, name))
    }

    /// Puts the target of the link `here` in front of what is to come, and goes back to its directory.
    fn expand(&mut self, kept: usize) -> Result<(), Error> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(Error::SymlinkLoop);
        }
        let target = match self.relative() {
            Some(name) => readlinkat(self.root.as_fd(), name, Vec::new()),
            None => readlinkat(CWD, self.here.as_slice(), Vec::new()),
        };
        let target = match target {
            Ok(target) => OsString::from_vec(target.into_bytes()),
            // It was a link when its kind was asked for.
            Err(Errno::INVAL | Errno::NOENT) => return Err(Error::Moved),
            Err(errno) => return Err(errno.into()),
        };
        if self.pending.is_empty() && demands_directory(target.as_bytes()) {
            self.wants_dir = true;
        }
        self.here.truncate(if target.as_bytes().starts_with(b"/") { 0 } else { kept });
        let parts = parts(Path::new(&target));
        self.from_link += parts.len();
        self.pending.extend(parts);
        Ok(())
    }

    /// Tries to open all that is to come in one go, which succeeds when it holds no further link.
    fn rest_without_links(&self) -> Option<Vec<u8>> {
        let mut name = self.relative()?.to_vec();
        for part in self.pending.iter().rev() {
            match part {
                Part::Name(part) if part.len() <= MAX_NAME_BYTES => {
                    if !name.is_empty() {
                        name.push(b'/');
                    }
                    name.extend_from_slice(part.as_bytes());
                }
                _ => return None,
            }
        }
        let fits = self.root.prefix().len() + 1 + name.len() < MAX_PATH_BYTES;
        (fits && !name.is_empty() && self.root.is_link_free(&name, self.follow, self.wants_dir))
            .then_some(name)
    }

    /// Ends at a name that does not exist: the rest must be plain names.
    fn missing(mut self, first: &OsStr) -> Result<Hint, Error> {
        let mut names = vec![first.to_os_string()];
        while let Some(part) = self.pending.pop() {
            match part {
                Part::Name(name) => names.push(name),
                Part::Up => return self.fail(Error::ParentOfMissing, first),
            }
        }
        for name in names {
            if name.len() > MAX_NAME_BYTES {
                return self.fail(Error::NameTooLong { bytes: name.len(), limit: MAX_NAME_BYTES }, first);
            }
            self.push(&name);
        }
        if self.here.len() >= MAX_PATH_BYTES {
            return Err(Error::NameTooLong { bytes: self.here.len(), limit: MAX_PATH_BYTES - 1 });
        }
        self.finish(false, None)
    }

    /// Ends with an error at `name`: inside it is the answer, outside it is kept for the caller to judge.
    fn fail(mut self, error: Error, name: &OsStr) -> Result<Hint, Error> {
        self.push(name);
        if self.relative().is_some() {
            return Err(error);
        }
        self.finish(false, Some(error))
    }

    fn finish(self, exists: bool, problem: Option<Error>) -> Result<Hint, Error> {
        let place = match self.relative() {
            Some(name) => Place::Inside(RelName::from_canonical(name.to_vec())),
            None if self.here.is_empty() => Place::Outside(PathBuf::from("/")),
            None => Place::Outside(PathBuf::from(OsString::from_vec(self.here))),
        };
        Ok(Hint { place, exists, via_symlink: self.links > 0, wants_dir: self.wants_dir, problem })
    }

    fn push(&mut self, name: &OsStr) {
        self.here.push(b'/');
        self.here.extend_from_slice(name.as_bytes());
    }

    /// Returns `here` as a name below the root, or `None` when it is elsewhere.
    fn relative(&self) -> Option<&[u8]> {
        let rest = self.here.strip_prefix(self.root.prefix())?;
        match rest.split_first() {
            None => Some(rest),
            Some((b'/', name)) => Some(name),
            Some(_) => None,
        }
    }

    fn stat(&self) -> Result<Stat, Errno> {
        match self.relative() {
            Some(b"") => statat(self.root.as_fd(), c".", AtFlags::SYMLINK_NOFOLLOW),
            Some(name) => statat(self.root.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW),
            None => statat(CWD, self.here.as_slice(), AtFlags::SYMLINK_NOFOLLOW),
        }
    }
}

/// Returns the parts of a path, the first one last.
fn parts(path: &Path) -> Vec<Part> {
    path.components()
        .rev()
        .filter_map(|component| match component {
            Component::ParentDir => Some(Part::Up),
            Component::Normal(name) => Some(Part::Name(name.to_os_string())),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        })
        .collect()
}
