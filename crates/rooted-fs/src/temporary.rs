//! Temporary files beside their target, and the removal of what a crash left.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{
    AtFlags, FlockOperation, Mode, OFlags, RenameFlags, flock, fstat, openat, renameat_with, unlinkat,
};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::faults::{self, Step};
use crate::meta::{id_of, kind_of};
use crate::parent::Parent;
use crate::{Error, Kind, RelName, Root};

const PREFIX: &str = ".rooted-fs-";
const SUFFIX: &str = ".tmp";
/// Suffix of a file that belongs to a set of changes: whoever wrote the set down takes it away, and no sweep does.
const STAGED_SUFFIX: &str = ".staged";
/// Suffix of what must not be swept: content of somebody else that lost its name in a three-way race.
const KEPT_SUFFIX: &str = ".kept";
/// Bytes of randomness in a name: nobody guesses it, and two never meet.
const RANDOM_BYTES: usize = 16;
/// Names tried before giving up; one is enough unless somebody sweeps at that very moment.
const MAX_NAMES: usize = 16;

/// Tells whether `name` is that of a temporary file of this crate, so that listings can leave it out.
///
/// # Examples
///
/// ```
/// assert!(rooted_fs::is_temporary_name(".rooted-fs-0123456789abcdef0123456789abcdef.tmp".as_ref()));
/// assert!(!rooted_fs::is_temporary_name("notes.tmp".as_ref()));
/// ```
#[must_use]
pub fn is_temporary_name(name: &OsStr) -> bool {
    has_form(name, SUFFIX) || has_form(name, STAGED_SUFFIX)
}

fn has_form(name: &OsStr, suffix: &str) -> bool {
    let middle =
        name.as_bytes().strip_prefix(PREFIX.as_bytes()).and_then(|n| n.strip_suffix(suffix.as_bytes()));
    middle.is_some_and(|hex| {
        hex.len() == 2 * RANDOM_BYTES && hex.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Makes a name that nothing has.
pub(crate) fn fresh_name() -> Result<OsString, Errno> {
    fresh(SUFFIX)
}

/// Makes such a name for a file of a set of changes.
pub(crate) fn fresh_staged_name() -> Result<OsString, Errno> {
    fresh(STAGED_SUFFIX)
}

fn fresh(suffix: &str) -> Result<OsString, Errno> {
    let mut random = [0; RANDOM_BYTES];
    getrandom(&mut random, GetRandomFlags::empty())?;
    let mut name = String::with_capacity(PREFIX.len() + 2 * RANDOM_BYTES + suffix.len());
    name.push_str(PREFIX);
    for byte in random {
        for digit in [byte >> 4, byte & 15] {
            name.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
    }
    name.push_str(suffix);
    Ok(name.into())
}

/// Holds a new file under a temporary name, which goes when this is dropped.
pub(crate) struct Temporary<'p> {
    parent: &'p Parent,
    name: OsString,
    file: Option<File>,
}

impl<'p> Temporary<'p> {
    /// Creates the file, locked against [`Root::sweep`] as long as it is open.
    pub(crate) fn create(parent: &'p Parent, mode: u32) -> Result<Self, Errno> {
        faults::at(Step::CreateTemporary)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..MAX_NAMES {
            let name = fresh_name()?;
            let file = match openat(parent, &name, flags, Mode::from_raw_mode(mode)) {
                Err(Errno::EXIST | Errno::INTR) => continue,
                result => File::from(result?),
            };
            let temporary = Self { parent, name, file: Some(file) };
            // A sweep that came between the two calls holds the lock, or has removed the file already.
            let locked = flock(temporary.file(), FlockOperation::NonBlockingLockExclusive);
            if locked != Err(Errno::AGAIN) && fstat(temporary.file())?.st_nlink != 0 {
                return Ok(temporary);
            }
        }
        Err(Errno::EXIST)
    }

    pub(crate) fn name(&self) -> &OsStr {
        &self.name
    }

    pub(crate) fn file(&self) -> &File {
        self.file.as_ref().expect("only `release` takes it, and consumes the value")
    }

    /// Makes sure that the name still leads to the file.
    pub(crate) fn recheck(&self) -> Result<(), Error> {
        let by_name = self.parent.stat(&self.name).map_err(|_| Error::Moved)?;
        if id_of(&by_name) == id_of(&fstat(self.file())?) { Ok(()) } else { Err(Error::Moved) }
    }

    /// Takes the file out, once the temporary name is gone or leads to something else.
    pub(crate) fn release(mut self) -> (File, OsString) {
        let file = self.file.take().expect("only `release` takes it, and consumes the value");
        // The next writer of this inode must not wait until the caller closes the handle.
        let _ = flock(&file, FlockOperation::Unlock);
        (file, std::mem::take(&mut self.name))
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if self.file.is_some() && faults::at(Step::TidyUp).is_ok() {
            let _ = unlinkat(self.parent, &self.name, AtFlags::empty());
        }
    }
}

/// Gives content of somebody else, which ended up under a temporary name, a name that no sweep removes.
pub(crate) fn keep(parent: &Parent, name: &OsStr) {
    let mut kept = name.as_bytes().strip_suffix(SUFFIX.as_bytes()).unwrap_or(name.as_bytes()).to_vec();
    kept.extend_from_slice(KEPT_SUFFIX.as_bytes());
    let _ = renameat_with(parent, name, parent, kept.as_slice(), RenameFlags::NOREPLACE);
}

impl Root {
    /// Removes the temporary files that crashed writers left in the directory `dir`; returns their number.
    ///
    /// Only regular files with a temporary name of a single write go, those of a [`Staging`](crate::Staging) stay, and only when no writer holds them: a file
    /// in use is locked, and a crash gives the lock back. Where the file system has no locks, nothing goes.
    ///
    /// Of a writer that was killed after its exchange, the old content goes, which is what it had set out to
    /// do. One case is beyond telling: that in the same instant a program that takes no lock had put other
    /// content there. A caller that cannot bear that looks before it sweeps.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`], [`Error::NotADirectory`], [`Error::PermissionDenied`].
    pub fn sweep(&self, dir: &RelName) -> Result<usize, Error> {
        let mut found = Vec::new();
        self.open_dir(dir)?.each_entry(|name, kind| {
            if kind == Kind::File && has_form(name, SUFFIX) {
                found.push(name.to_os_string());
            }
            true
        })?;
        if found.is_empty() {
            return Ok(0);
        }
        let parent = self.nail_directory(dir.as_bytes())?;
        Ok(found.iter().filter(|name| sweep_one(&parent, name).is_ok()).count())
    }
}

fn sweep_one(parent: &Parent, name: &OsStr) -> Result<(), Errno> {
    let before = parent.stat(name)?;
    if kind_of(&before) != Kind::File {
        return Err(Errno::INVAL);
    }
    let flags = OFlags::RDONLY | crate::open::CAREFUL;
    let file = openat(parent, name, flags, Mode::empty())?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    // Under the lock: the name may have been taken back, and the inode may by now have a name of its own.
    if id_of(&parent.stat(name)?) != id_of(&fstat(&file)?) {
        return Err(Errno::INVAL);
    }
    unlinkat(parent, name, AtFlags::empty())
}
