//! Walking by handle, one component at a time.

use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, Mode, OFlags, RawDir, SeekFrom, Stat, fstat, openat, seek, statat};
use rustix::io::Errno;

use crate::meta::kind_of;
use crate::name::check_component;
use crate::open::{CAREFUL, from_open, want_file};
use crate::root::magic_of;
use crate::{Error, Handle, Kind, Meta};

/// Bytes of directory entries fetched by one system call; the size that common C libraries use.
const LIST_BUFFER_BYTES: usize = 32 * 1024;

/// Holds a directory open to list it and to open what is directly in it.
///
/// Nothing is resolved again: entries are opened by one component from this handle, and no link is followed.
#[derive(Debug)]
pub struct Dir {
    fd: OwnedFd,
    meta: Meta,
    /// The position of the listing belongs to the handle, so one listing runs at a time; whether there was one before.
    listing: Mutex<bool>,
}

/// Is one entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    /// Name of the entry.
    pub name: OsString,
    /// What it is; a link is a link.
    pub kind: Kind,
}

impl Dir {
    pub(crate) fn new(fd: OwnedFd, meta: Meta) -> Self {
        Self { fd, meta, listing: Mutex::new(false) }
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Returns what was known of the directory when it was opened.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Appends every entry but `.` and `..` to `out`, in the order of the file system.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and its kin; `out` then holds what came before.
    ///
    /// # Cost
    ///
    /// One system call per 32 KiB of entries and one allocation per name; one `fstatat` more per entry only
    /// where the file system does not tell the kind.
    pub fn entries(&self, out: &mut Vec<DirEntry>) -> Result<(), Error> {
        self.each_entry(|name, kind| {
            out.push(DirEntry { name: name.to_os_string(), kind });
            true
        })
    }

    /// Calls `visit` with every entry but `.` and `..` until it returns false; allocates nothing.
    ///
    /// # Errors
    ///
    /// As [`Dir::entries`].
    pub fn each_entry(&self, mut visit: impl FnMut(&OsStr, Kind) -> bool) -> Result<(), Error> {
        let mut listed = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *listed, true) {
            seek(&self.fd, SeekFrom::Start(0))?;
        }
        let mut buffer = [MaybeUninit::uninit(); LIST_BUFFER_BYTES];
        let mut list = RawDir::new(&self.fd, &mut buffer);
        while let Some(entry) = list.next() {
            let entry = entry?;
            let bytes = entry.file_name().to_bytes();
            if matches!(bytes, b"." | b"..") {
                continue;
            }
            let name = OsStr::from_bytes(bytes);
            let kind = match Kind::from(entry.file_type()) {
                Kind::Unknown => match statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => kind_of(&stat),
                    Err(Errno::NOENT) => continue,
                    Err(_) => Kind::Unknown,
                },
                kind => kind,
            };
            if !visit(name, kind) {
                break;
            }
        }
        Ok(())
    }

    /// Opens the directory `name` in this one.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`] unless `name` is one component; [`Error::NotADirectory`] also for a link.
    pub fn open_dir(&self, name: &OsStr) -> Result<Self, Error> {
        check_component(name.as_bytes())?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | CAREFUL;
        let fd = openat(&self.fd, name, flags, Mode::empty())?;
        let stat = fstat(&fd)?;
        let meta = self.child(fd.as_fd(), &stat)?;
        Ok(Self::new(fd, meta))
    }

    /// Opens the regular file `name` in this directory for reading.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`] unless `name` is one component; [`Error::NotARegularFile`] for links, FIFOs,
    /// sockets and devices, [`Error::IsADirectory`], [`Error::NotFound`], [`Error::PermissionDenied`].
    ///
    /// # Cost
    ///
    /// One open and one `fstat`.
    pub fn open_file(&self, name: &OsStr) -> Result<Handle, Error> {
        check_component(name.as_bytes())?;
        let fd = match openat(&self.fd, name, OFlags::RDONLY | CAREFUL, Mode::empty()) {
            Err(Errno::LOOP) => return Err(Error::NotARegularFile { kind: Kind::Symlink }),
            result => result.map_err(from_open)?,
        };
        let stat = fstat(&fd)?;
        want_file(kind_of(&stat))?;
        let meta = self.child(fd.as_fd(), &stat)?;
        Ok(Handle::new(fd, meta))
    }

    /// Returns the facts about the entry `name`; a link is not followed.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`] unless `name` is one component; [`Error::NotFound`].
    pub fn stat(&self, name: &OsStr) -> Result<Meta, Error> {
        check_component(name.as_bytes())?;
        let stat = statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if stat.st_dev == self.meta.dev {
            return Ok(Meta::new(&stat, self.meta.fs_magic));
        }
        let fd = openat(&self.fd, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        self.child(fd.as_fd(), &fstat(&fd)?)
    }

    fn child(&self, fd: BorrowedFd<'_>, stat: &Stat) -> Result<Meta, Error> {
        let magic = if stat.st_dev == self.meta.dev { self.meta.fs_magic } else { magic_of(fd)? };
        Ok(Meta::new(stat, magic))
    }
}
