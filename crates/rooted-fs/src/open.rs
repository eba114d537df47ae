//! Open files: nailed, of a checked type, and known by identity.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

use rustix::fs::{OFlags, Stat, fstat};
use rustix::io::Errno;

use crate::meta::kind_of;
use crate::{Dir, Error, Identity, Kind, Meta, RelName, Root};

/// Flags under which no open waits, takes a terminal, follows a link or leaks into a child.
pub(crate) const CAREFUL: OFlags =
    OFlags::NONBLOCK.union(OFlags::NOCTTY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Holds a regular file open for reading, with what was known of it when it was opened.
///
/// `Read` and `Seek` move the position of the handle; [`Handle::read_at`] and [`Handle::read_to_limit`] do not.
#[derive(Debug)]
pub struct Handle {
    file: File,
    meta: Meta,
}

impl Root {
    /// Opens the regular file `name` for reading.
    ///
    /// The type is checked before the open, so that no device, FIFO or socket is ever opened, and on the open
    /// handle, which must be the object that was checked.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`], [`Error::IsADirectory`], [`Error::NotARegularFile`], [`Error::PermissionDenied`];
    /// [`Error::Moved`] when the tree changed under the call: make a new hint and retry.
    ///
    /// # Cost
    ///
    /// Two opens (one without access) and two `fstat` on tier `openat2`; on tier `nofollow` two walks.
    pub fn open_file(&self, name: &RelName) -> Result<Handle, Error> {
        if name.is_root() {
            return Err(Error::IsADirectory);
        }
        let (fd, stat) = self
            .nail_checked(name.as_bytes(), OFlags::RDONLY | CAREFUL, |before| want_file(kind_of(before)))?;
        self.handle(fd, &stat)
    }

    /// Opens the regular file `name` for reading, where a listing has just said that it is one.
    ///
    /// Like [`Root::open_file`] without the check before the open: the flags make sure that nothing blocks,
    /// and anything but a regular file is refused by its handle.
    ///
    /// # Errors
    ///
    /// As [`Root::open_file`].
    ///
    /// # Cost
    ///
    /// One open and one `fstat` on tier `openat2`.
    pub fn open_listed(&self, name: &RelName) -> Result<Handle, Error> {
        let fd = self.nail(name.as_bytes(), OFlags::RDONLY | CAREFUL).map_err(from_open)?;
        let stat = fstat(&fd)?;
        want_file(kind_of(&stat))?;
        self.handle(fd, &stat)
    }

    /// Opens the directory `name` to list it and to walk on from it.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`], [`Error::NotADirectory`], [`Error::PermissionDenied`], [`Error::Moved`].
    pub fn open_dir(&self, name: &RelName) -> Result<Dir, Error> {
        let fd = self.nail(name.as_bytes(), OFlags::RDONLY | OFlags::DIRECTORY | CAREFUL)?;
        let meta = self.meta(fd.as_fd(), &fstat(&fd)?)?;
        Ok(Dir::new(fd, meta))
    }

    fn handle(&self, fd: OwnedFd, stat: &Stat) -> Result<Handle, Error> {
        let meta = self.meta(fd.as_fd(), stat)?;
        Ok(Handle::new(fd, meta))
    }
}

impl Handle {
    pub(crate) fn new(fd: OwnedFd, meta: Meta) -> Self {
        Self { file: File::from(fd), meta }
    }

    /// Returns what was known of the file when it was opened.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Returns the state of the file when it was opened; [`Root::replace`] compares against it.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.meta.identity()
    }

    /// Returns the state that the file is in now.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the system cannot say.
    pub fn identity_now(&self) -> Result<Identity, Error> {
        Ok(Identity::of(&fstat(&self.file)?))
    }

    /// Reads into `buf` from byte `offset` on; returns how many bytes came, 0 at the end of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and its kin.
    pub fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, Error> {
        loop {
            match self.file.read_at(buf, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result.map_err(|error| from_io(&error)),
            }
        }
    }

    /// Reads the whole file, wherever the position of the handle is.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] when there are more than `max_bytes`; found out from the size before anything is
    /// read, or after `max_bytes + 1` bytes when the file grows or hides its size.
    ///
    /// # Cost
    ///
    /// One allocation of the size of the file and a copy.
    pub fn read_to_limit(&self, max_bytes: u64) -> Result<Vec<u8>, Error> {
        if self.meta.size > max_bytes {
            return Err(Error::TooLarge { bytes: self.meta.size, limit: max_bytes });
        }
        let stop = usize::try_from(max_bytes).unwrap_or(usize::MAX).saturating_add(1);
        let first = usize::try_from(self.meta.size).unwrap_or(usize::MAX).saturating_add(1).min(stop);
        let mut bytes = vec![0; first];
        let mut len = 0;
        loop {
            if len == bytes.len() {
                if len == stop {
                    return Err(Error::TooLarge { bytes: len as u64, limit: max_bytes });
                }
                bytes.resize(len.saturating_mul(2).clamp(len.saturating_add(4096), usize::MAX).min(stop), 0);
            }
            match self.read_at(&mut bytes[len..], len as u64)? {
                0 => break,
                n => len += n,
            }
        }
        bytes.truncate(len);
        if len as u64 > max_bytes {
            return Err(Error::TooLarge { bytes: len as u64, limit: max_bytes });
        }
        Ok(bytes)
    }

    /// Gives the file away, with the position where it is.
    #[must_use]
    pub fn into_file(self) -> File {
        self.file
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }
}

impl AsFd for Handle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Read for Handle {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.file.read(buf)
    }
}

impl Read for &Handle {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        (&self.file).read(buf)
    }
}

impl Seek for Handle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Refuses everything that is not a regular file, each kind with its own words.
pub(crate) fn want_file(kind: Kind) -> Result<(), Error> {
    match kind {
        Kind::File => Ok(()),
        Kind::Dir => Err(Error::IsADirectory),
        kind => Err(Error::NotARegularFile { kind }),
    }
}

/// Reads the answers that only the opening of an unexpected object gives.
pub(crate) fn from_open(errno: Errno) -> Error {
    match errno {
        // A socket, or a FIFO opened for writing that nobody reads.
        Errno::NXIO => Error::NotARegularFile { kind: Kind::Socket },
        errno => errno.into(),
    }
}

pub(crate) fn from_io(error: &io::Error) -> Error {
    match Errno::from_io_error(error) {
        Some(errno) => errno.into(),
        None => Error::Io { kind: error.kind(), os: 0 },
    }
}
