//! The nailed directory that a write happens in.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, OFlags, Stat, fstat, fsync, statat, syncfs};
use rustix::io::Errno;

use crate::meta::id_of;
use crate::{Error, RelName, Root};

/// Holds the directory of a file open, so that every later step is relative to this handle.
pub(crate) struct Parent {
    fd: OwnedFd,
    name: Vec<u8>,
    id: (u64, u64),
    fs_magic: u64,
    /// Without read permission only a handle for walking is had, which cannot be synced by itself.
    readable: bool,
}

impl Root {
    /// Opens the directory of `name`; answers [`Error::IsADirectory`] for the root, which has none.
    pub(crate) fn nail_parent<'n>(&self, name: &'n RelName) -> Result<(Parent, &'n OsStr), Error> {
        let (parent, leaf) = name.split().ok_or(Error::IsADirectory)?;
        Ok((self.nail_directory(parent)?, leaf))
    }

    pub(crate) fn nail_directory(&self, name: &[u8]) -> Result<Parent, Error> {
        let (fd, readable) = match self.nail(name, OFlags::RDONLY | OFlags::DIRECTORY) {
            Err(Errno::ACCESS) => (self.nail(name, OFlags::PATH | OFlags::DIRECTORY)?, false),
            result => (result?, true),
        };
        let stat = fstat(&fd)?;
        let fs_magic = self.magic(fd.as_fd(), &stat)?;
        Ok(Parent { fd, name: name.to_vec(), id: id_of(&stat), fs_magic, readable })
    }
}

impl Parent {
    /// Returns the facts about an entry; a link is not followed.
    pub(crate) fn stat(&self, leaf: &OsStr) -> Result<Stat, Errno> {
        statat(&self.fd, leaf, AtFlags::SYMLINK_NOFOLLOW)
    }

    /// Makes sure that the name of the directory still leads to it: nobody moved it, least of all out.
    pub(crate) fn recheck(&self, root: &Root) -> Result<(), Error> {
        let now = fstat(root.nail(&self.name, OFlags::PATH | OFlags::DIRECTORY)?)?;
        if id_of(&now) == self.id { Ok(()) } else { Err(Error::Moved) }
    }

    /// Brings the entries to the disk. `file` is one on the same file system.
    pub(crate) fn sync(&self, file: &File) -> Result<(), Errno> {
        let result = if self.readable { fsync(&self.fd) } else { syncfs(file) };
        match result {
            // Some file systems have no way to sync a directory, and write entries through.
            Err(Errno::INVAL | Errno::OPNOTSUPP) => Ok(()),
            result => result,
        }
    }

    pub(crate) fn fs_magic(&self) -> u64 {
        self.fs_magic
    }
}

impl AsFd for Parent {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
