//! Letting two files change places where the file system offers no sound exchange.
//!
//! The old file gets a third name, by a second link or as a copy; then the new file takes its name, and the third name
//! becomes the temporary one. A reader finds the old file or the new one at every moment. What an exchange would show,
//! namely whom it displaced, has to be looked at beforehand: a program that takes no lock and replaces the file between
//! the last look and the renaming loses its change. That moment is a few microseconds long.

use std::ffi::{OsStr, OsString};
use std::fs::File;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, fsync, linkat, openat, renameat, unlinkat};
use rustix::io::Errno;

use crate::faults::{self, Step};
use crate::lock::WriterLock;
use crate::meta::id_of;
use crate::open::CAREFUL;
use crate::parent::Parent;
use crate::temporary::fresh_name;
use crate::{Error, Identity, metadata};

/// Bytes copied at a time.
const CHUNK: usize = 1 << 16;

/// Lets the files `leaf` and `temporary` change places; both must be regular files.
///
/// Where the file system has no second links, `temporary` is a synced copy of the old file afterwards, with its owner,
/// mode and attributes, and not the file itself.
///
/// # Errors
///
/// [`Error::Changed`] when the file at `leaf` is changed or replaced meanwhile, [`Error::Busy`], [`Error::NoSpace`] and
/// others. `leaf` is as before then.
pub(crate) fn swap(parent: &Parent, leaf: &OsStr, temporary: &OsStr) -> Result<(), Error> {
    let file = match openat(parent, leaf, OFlags::RDONLY | CAREFUL, Mode::empty()) {
        Err(Errno::NOENT) => return Err(Error::Changed),
        result => File::from(result?),
    };
    let before = fstat(&file)?;
    if FileType::from_raw_mode(before.st_mode) != FileType::RegularFile {
        return Err(Error::Changed);
    }
    let _lock = WriterLock::acquire(id_of(&before), &file)?;
    let aside = Aside::make(parent, leaf, &file, &before)?;
    faults::at(Step::Compare)?;
    match parent.stat(leaf) {
        Ok(now) if Identity::of(&now).same_content(&Identity::of(&before)) => {}
        Ok(_) | Err(Errno::NOENT) => return Err(Error::Changed),
        Err(errno) => return Err(errno.into()),
    }
    renameat(parent, temporary, parent, leaf)
        .map_err(|errno| if errno == Errno::NOENT { Error::Changed } else { errno.into() })?;
    let moved = faults::at(Step::Displaced).and_then(|()| renameat(parent, &aside.name, parent, temporary));
    if let Err(errno) = moved {
        // Nobody but the caller knows the new file yet: the old one takes its name back.
        if faults::at(Step::TidyUp).is_ok() {
            renameat(parent, &aside.name, parent, leaf)?;
        }
        return Err(errno.into());
    }
    aside.forget();
    Ok(())
}

/// The old file under a third name, which goes when this is dropped. A crash leaves it for [`Root::sweep`](crate::Root::sweep).
struct Aside<'p> {
    parent: &'p Parent,
    name: OsString,
}

impl<'p> Aside<'p> {
    fn make(parent: &'p Parent, leaf: &OsStr, file: &File, stat: &Stat) -> Result<Self, Error> {
        let aside = Self { parent, name: fresh_name()? };
        let linked = faults::at(Step::CommitByLink)
            .and_then(|()| linkat(parent, leaf, parent, &aside.name, AtFlags::empty()));
        match linked {
            Ok(()) => Ok(aside),
            Err(Errno::NOENT) => Err(Error::Changed),
            // No second links here, or none of this file.
            Err(
                Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK | Errno::INVAL,
            ) => {
                aside.copy(file, stat)?;
                Ok(aside)
            }
            Err(errno) => Err(errno.into()),
        }
    }

    fn copy(&self, file: &File, stat: &Stat) -> Result<(), Error> {
        faults::at(Step::CreateTemporary)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let copy = File::from(openat(self.parent, &self.name, flags, Mode::from_raw_mode(0o600))?);
        let mut chunk = vec![0; CHUNK];
        let mut at = 0;
        loop {
            let read = match rustix::io::pread(file, &mut chunk[..], at) {
                Ok(0) => break,
                Err(Errno::INTR) => continue,
                result => result?,
            };
            crate::durability::write_all(&copy, &chunk[..read])?;
            at += read as u64;
        }
        metadata::copy(file, stat, &copy)?;
        faults::at(Step::SyncFile)?;
        Ok(fsync(&copy)?)
    }

    /// The name leads nowhere any more.
    fn forget(mut self) {
        self.name.clear();
    }
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        if !self.name.is_empty() && faults::at(Step::TidyUp).is_ok() {
            let _ = unlinkat(self.parent, &self.name, AtFlags::empty());
        }
    }
}
