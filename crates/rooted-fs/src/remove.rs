//! Removing a file, if and only if it is still the one that was seen.

use std::ffi::OsStr;

use rustix::fs::{AtFlags, RenameFlags, renameat_with, unlinkat};
use rustix::io::Errno;

use crate::durability::sync_entry;
use crate::faults::{self, Step};
use crate::lock::WriterLock;
use crate::meta::Identity;
use crate::parent::Parent;
use crate::replace::compare;
use crate::temporary::{fresh_name, keep};
use crate::{Durability, Error, Handle, RelName, Root};

impl Root {
    /// Removes the entry `name`, which must still be the file `expected` in the state it was opened in.
    ///
    /// The file takes a temporary name first, is compared there, and is put back if it is another one, so that
    /// a file that somebody else has just put there is not lost. Other names (hard links) stay.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`], [`Error::Moved`], [`Error::PermissionDenied`], [`Error::Busy`]; [`Error::Io`] when
    /// the directory could not be synced, and the file is gone then.
    pub fn remove(&self, name: &RelName, expected: &Handle, durability: Durability) -> Result<(), Error> {
        let (parent, leaf) = self.nail_parent(name)?;
        let old = compare(&parent, leaf, expected)?;
        faults::at(Step::Lock)?;
        let lock = WriterLock::acquire(crate::meta::id_of(&old), expected.file())?;
        parent.recheck(self)?;
        faults::at(Step::Compare)?;
        compare(&parent, leaf, expected)?;
        let aside = fresh_name()?;
        let moved = faults::at(Step::Commit)
            .and_then(|()| renameat_with(&parent, leaf, &parent, &aside, RenameFlags::NOREPLACE));
        match moved {
            Ok(()) => finish(&parent, leaf, &aside, expected)?,
            // No such rename here, or a mount point: then the comparison above has to do.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => unlinkat(&parent, leaf, AtFlags::empty())?,
            Err(Errno::NOENT) => return Err(Error::Changed),
            Err(errno) => return Err(errno.into()),
        }
        drop(lock);
        sync_entry(&parent, expected.file(), durability)?;
        Ok(())
    }
}

fn finish(parent: &Parent, leaf: &OsStr, aside: &OsStr, expected: &Handle) -> Result<(), Error> {
    let displaced = faults::at(Step::Displaced).and_then(|()| parent.stat(aside));
    let removed = match displaced {
        Ok(stat) if Identity::of(&stat).same_content(&expected.identity()) => {
            faults::at(Step::RemoveDisplaced).and_then(|()| unlinkat(parent, aside, AtFlags::empty()))
        }
        Ok(_) => Err(Errno::STALE),
        Err(errno) => Err(errno),
    };
    let Err(errno) = removed else {
        return Ok(());
    };
    if faults::at(Step::TidyUp).is_ok()
        && renameat_with(parent, aside, parent, leaf, RenameFlags::NOREPLACE).is_err()
    {
        keep(parent, aside);
    }
    Err(if errno == Errno::STALE { Error::Changed } else { errno.into() })
}
