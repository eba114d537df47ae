//! Watching directories for changes, by handle.

use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use crate::Error;
use crate::walk::Dir;

/// Bytes of events fetched by one system call: a thousand or so.
const BUFFER_BYTES: usize = 64 * 1024;

/// Names one watched directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WatchId(i32);

/// Is one change that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Seen<'a> {
    /// The content or the attributes of the entry `name` changed.
    Content {
        /// The directory.
        dir: WatchId,
        /// The entry.
        name: &'a OsStr,
    },
    /// The entry `name` is new, gone, or another one now.
    Name {
        /// The directory.
        dir: WatchId,
        /// The entry.
        name: &'a OsStr,
    },
    /// The attributes of the directory itself changed.
    Dir {
        /// The directory.
        dir: WatchId,
    },
    /// The directory itself was moved, removed or unmounted.
    Moved {
        /// The directory.
        dir: WatchId,
    },
    /// The watch has ended, and nothing more is seen there.
    Ended {
        /// The directory.
        dir: WatchId,
    },
    /// More happened than was kept: anything may have changed.
    Lost,
}

/// Watches directories. A change is seen by the first [`Watcher::drain`] after the system call that made it has returned.
///
/// Not seen are stores through a shared memory map, and what is done to a file through another name of it in a directory that is
/// not watched. Everything is released when the value is dropped.
#[derive(Debug)]
pub struct Watcher {
    fd: OwnedFd,
    buffer: Vec<MaybeUninit<u8>>,
}

impl Watcher {
    /// Makes a watcher that watches nothing yet.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and its kin when the system has no more watchers to give.
    pub fn new() -> Result<Self, Error> {
        let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        Ok(Self { fd, buffer: vec![MaybeUninit::uninit(); BUFFER_BYTES] })
    }

    /// Returns how many directories all watchers of this user may watch together; `None` when the system does not say.
    #[must_use]
    pub fn system_limit() -> Option<usize> {
        std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok()?.trim().parse().ok()
    }

    /// Watches the entries of an open directory. The same directory has the same id however often it is added.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and its kin when the limit of the system is reached, or the directory may not be read.
    pub fn add(&mut self, dir: &Dir) -> Result<WatchId, Error> {
        let flags = WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        // The handle and no path: the directory that was judged is the one that is watched.
        let path = format!("/proc/self/fd/{}", dir.fd().as_raw_fd());
        Ok(WatchId(inotify::add_watch(&self.fd, path, flags)?))
    }

    /// Ends one watch.
    pub fn remove(&mut self, id: WatchId) {
        // A directory that is gone has no watch any more.
        let _ = inotify::remove_watch(&self.fd, id.0);
    }

    /// Calls `each` with everything that was seen since the last time; does not wait.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the watcher cannot be read: then anything may have changed.
    ///
    /// # Cost
    ///
    /// One failed read when nothing changed, and one read per thousand changes or so.
    pub fn drain(&mut self, mut each: impl FnMut(Seen<'_>)) -> Result<(), Error> {
        let mut reader = inotify::Reader::new(&self.fd, &mut self.buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let (dir, events) = (WatchId(event.wd()), event.events());
            if events.contains(ReadFlags::QUEUE_OVERFLOW) {
                each(Seen::Lost);
                continue;
            }
            if events.intersects(ReadFlags::MOVE_SELF | ReadFlags::DELETE_SELF | ReadFlags::UNMOUNT) {
                each(Seen::Moved { dir });
            } else if events.contains(ReadFlags::IGNORED) {
                each(Seen::Ended { dir });
            } else if let Some(name) = event.file_name() {
                let name = OsStr::from_bytes(name.to_bytes());
                let names =
                    ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
                each(if events.intersects(names) {
                    Seen::Name { dir, name }
                } else {
                    Seen::Content { dir, name }
                });
            } else {
                each(Seen::Dir { dir });
            }
        }
    }
}
