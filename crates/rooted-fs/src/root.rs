//! A directory that everything else happens below.

use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use rustix::fs::{CWD, Mode, OFlags, Stat, fstat, fstatfs, openat};
use rustix::io::Errno;

use crate::meta::id_of;
use crate::{Error, Meta, RelName, Tier, TierChoice, tier};

/// Holds one directory open; every file of it is reached from this handle and from nothing else.
///
/// After construction no absolute path is opened: if the directory is renamed, the root goes with it. It is
/// `Send` and `Sync`, and one is enough for all threads.
///
/// # Examples
///
/// ```
/// use rooted_fs::{Durability, Error, Root, TierChoice, WriteOptions, RelName};
/// use std::path::Path;
///
/// let dir = tempfile::tempdir()?;
/// let root = Root::open(dir.path(), TierChoice::Auto)?;
/// let name = RelName::parse(Path::new("notes.txt"))?;
/// root.create(&name, b"one\n", &WriteOptions { durability: Durability::None, ..WriteOptions::default() })?;
/// assert_eq!(root.open_file(&name)?.read_to_limit(1024)?, b"one\n");
/// assert_eq!(root.create(&name, b"two\n", &WriteOptions::default()).unwrap_err(), Error::Exists);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Root {
    fd: OwnedFd,
    tier: Tier,
    path: PathBuf,
    configured: PathBuf,
    id: (u64, u64),
    fs_magic: u64,
    /// Set once it turns out that a nameless file cannot be given a name here.
    pub(crate) no_nameless: AtomicBool,
}

impl Root {
    /// Opens the directory `path` and settles how names below it are opened.
    ///
    /// This is the only place where a path is opened by the ambient rules, links and all.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`], [`Error::NotADirectory`], [`Error::PermissionDenied`];
    /// [`Error::TierUnavailable`] when [`TierChoice::Kernel`] is demanded of a kernel that does not offer it.
    pub fn open(path: &Path, choice: TierChoice) -> Result<Self, Error> {
        if path.as_os_str().is_empty() {
            return Err(Error::EmptyPath);
        }
        let configured = std::path::absolute(path).map_err(from_std)?;
        let canonical = fs::canonicalize(&configured).map_err(from_std)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(CWD, &canonical, flags, Mode::empty()).map_err(Error::from)?;
        let tier = choice.settle(fd.as_fd())?;
        let id = id_of(&fstat(&fd)?);
        let fs_magic = magic_of(fd.as_fd())?;
        Ok(Self { fd, tier, path: canonical, configured, id, fs_magic, no_nameless: AtomicBool::new(false) })
    }

    /// Returns how names are opened below this root.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Returns the canonical absolute path the directory had when it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the absolute path as it was given, links and all.
    #[must_use]
    pub fn configured_path(&self) -> &Path {
        &self.configured
    }

    /// Returns device and inode of the directory.
    #[must_use]
    pub fn id(&self) -> (u64, u64) {
        self.id
    }

    /// Tells, without any I/O, whether the text of `asked` begins below this root.
    ///
    /// True for relative paths and for absolute ones that begin with the canonical or the configured path of
    /// the root. A caller that grants nothing outside refuses all others before the disk is touched. The
    /// answer is about spelling only: `..` and links can still lead out, which [`Root::hint`] finds.
    #[must_use]
    pub fn spelled_inside(&self, asked: &Path) -> bool {
        !asked.is_absolute() || asked.starts_with(&self.path) || asked.starts_with(&self.configured)
    }

    /// Returns the facts about `name` itself; a link is not followed.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`], [`Error::NotADirectory`], [`Error::Moved`] when a link turned up on the way.
    pub fn stat(&self, name: &RelName) -> Result<Meta, Error> {
        let fd = self.nail(name.as_bytes(), OFlags::PATH | OFlags::NOFOLLOW)?;
        self.meta(fd.as_fd(), &fstat(&fd)?)
    }

    /// Opens a canonical name without following anything.
    pub(crate) fn nail(&self, name: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        tier::open(self.tier, self.fd.as_fd(), name, flags)
    }

    /// Opens a canonical name after `check` has seen the facts about it.
    pub(crate) fn nail_checked(
        &self,
        name: &[u8],
        flags: OFlags,
        check: impl FnOnce(&Stat) -> Result<(), Error>,
    ) -> Result<(OwnedFd, Stat), Error> {
        tier::open_checked(self.tier, self.fd.as_fd(), name, flags, check)
    }

    /// Finds out whether a canonical name can be opened as it stands.
    pub(crate) fn can_be_nailed(&self, name: &[u8], flags: OFlags) -> bool {
        tier::look(self.tier, self.fd.as_fd(), name, flags).is_ok()
    }

    pub(crate) fn meta(&self, fd: BorrowedFd<'_>, stat: &Stat) -> Result<Meta, Error> {
        Ok(Meta::new(stat, self.magic(fd, stat)?))
    }

    /// Returns the magic of the file system; what lies on the device of the root needs no system call.
    pub(crate) fn magic(&self, fd: BorrowedFd<'_>, stat: &Stat) -> Result<u64, Error> {
        if stat.st_dev == self.id.0 { Ok(self.fs_magic) } else { magic_of(fd) }
    }

    /// Returns the canonical path without a trailing slash: empty for a root on `/`.
    pub(crate) fn prefix(&self) -> &[u8] {
        match self.path.as_os_str().as_bytes() {
            b"/" => b"",
            bytes => bytes,
        }
    }
}

impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

pub(crate) fn magic_of(fd: BorrowedFd<'_>) -> Result<u64, Error> {
    #![allow(clippy::cast_sign_loss, clippy::unnecessary_cast, reason = "the width differs by architecture")]
    Ok(fstatfs(fd)?.f_type as u64)
}

fn from_std(error: std::io::Error) -> Error {
    match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => Error::SymlinkLoop,
        Some(errno) => errno.into(),
        None => Error::Io { kind: error.kind(), os: 0 },
    }
}
