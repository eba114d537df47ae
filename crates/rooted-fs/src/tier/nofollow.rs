//! Tier 2: one call per component, none of which follows a link.
//!
//! A directory that is moved out of the root between two steps would stay reachable through the handle of the
//! first step. So the way to the parent is walked a second time after the open, and must end at the same inode.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;

use super::MAX_TRIES;
use crate::Error;
use crate::meta::id_of;
use crate::open::from_open;

pub(super) fn open(root: BorrowedFd<'_>, name: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let parent = Parent::walk(root, name)?;
    let opened = step(parent.as_fd(), parent.leaf, flags)?;
    parent.recheck()?;
    Ok(opened)
}

/// Walks once; nothing is opened for use.
pub(super) fn look(root: BorrowedFd<'_>, name: &[u8], flags: OFlags) -> Result<(), Errno> {
    let parent = Parent::walk(root, name)?;
    step(parent.as_fd(), parent.leaf, flags).map(drop)
}

/// Opens the last component after `check` has seen the facts about it.
pub(super) fn open_checked(
    root: BorrowedFd<'_>,
    name: &[u8],
    flags: OFlags,
    check: impl FnOnce(&Stat) -> Result<(), Error>,
) -> Result<(Stat, OwnedFd), Error> {
    let parent = Parent::walk(root, name)?;
    let before = statat(parent.as_fd(), OsStr::from_bytes(parent.leaf), AtFlags::SYMLINK_NOFOLLOW)?;
    check(&before)?;
    let opened = step(parent.as_fd(), parent.leaf, flags).map_err(from_open)?;
    parent.recheck()?;
    Ok((before, opened))
}

/// The directory of the last component, and how it was reached.
struct Parent<'a> {
    root: BorrowedFd<'a>,
    way: &'a [u8],
    leaf: &'a [u8],
    /// `None` for the root itself.
    fd: Option<OwnedFd>,
}

impl<'a> Parent<'a> {
    fn walk(root: BorrowedFd<'a>, name: &'a [u8]) -> Result<Self, Errno> {
        match name.iter().rposition(|&b| b == b'/') {
            None => Ok(Self { root, way: b"", leaf: name, fd: None }),
            Some(at) => {
                let way = &name[..at];
                Ok(Self { root, way, leaf: &name[at + 1..], fd: Some(walk(root, way)?) })
            }
        }
    }

    /// Walks again and makes sure that the way still ends here.
    fn recheck(&self) -> Result<(), Errno> {
        let Some(fd) = &self.fd else { return Ok(()) };
        let (before, after) = (fstat(fd)?, fstat(walk(self.root, self.way)?)?);
        if id_of(&before) == id_of(&after) { Ok(()) } else { Err(Errno::XDEV) }
    }
}

impl AsFd for Parent<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_ref().map_or(self.root, AsFd::as_fd)
    }
}

/// Opens the directory `name` from `root` down.
fn walk(root: BorrowedFd<'_>, name: &[u8]) -> Result<OwnedFd, Errno> {
    let mut here: Option<OwnedFd> = None;
    for component in name.split(|&b| b == b'/') {
        let from = here.as_ref().map_or(root, AsFd::as_fd);
        let next = step(from, component, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC)?;
        here = Some(next);
    }
    here.ok_or(Errno::INVAL)
}

/// Opens one component, which must not be a link unless the link itself is asked for.
fn step(from: BorrowedFd<'_>, component: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let name = OsStr::from_bytes(component);
    let mut tries = 0;
    let opened = loop {
        match openat(from, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
            Err(Errno::INTR) if tries < MAX_TRIES => tries += 1,
            result => break result,
        }
    };
    match opened {
        // With DIRECTORY a link is "not a directory"; callers must learn that it is a link.
        Err(Errno::NOTDIR) if is_link(from, name) => Err(Errno::LOOP),
        Ok(fd) if flags.contains(OFlags::PATH) && !flags.intersects(OFlags::NOFOLLOW | OFlags::DIRECTORY) => {
            match FileType::from_raw_mode(fstat(&fd)?.st_mode) {
                FileType::Symlink => Err(Errno::LOOP),
                _ => Ok(fd),
            }
        }
        result => result,
    }
}

fn is_link(from: BorrowedFd<'_>, name: &OsStr) -> bool {
    statat(from, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}
