//! Replacing a file as a whole, if and only if it is still the one that was read.

use std::ffi::OsStr;
use std::os::fd::AsFd;

use rustix::fs::{Access, AtFlags, RenameFlags, Stat, accessat, fstat, renameat, renameat_with, unlinkat};
use rustix::io::Errno;

use crate::durability::{sync_entry, sync_file, write_all};
use crate::faults::{self, Step};
use crate::lock::WriterLock;
use crate::meta::id_of;
use crate::parent::Parent;
use crate::temporary::{Temporary, keep};
use crate::{
    Error, Handle, Identity, InPlace, ReadOnlyFiles, RelName, Root, WhyInPlace, WriteOptions, Written,
    metadata,
};

/// Magic numbers of the file systems whose `RENAME_EXCHANGE` is sound: ext2/3/4, XFS, btrfs, tmpfs, overlayfs,
/// F2FS, bcachefs, ZFS (`include/uapi/linux/magic.h` and the sources of the last two). FUSE is not here: on
/// some of its servers an exchange has lost data.
const EXCHANGE_IS_SAFE: [u64; 8] =
    [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, OVERLAYFS, 0xF2F5_2010, 0xCA45_1A4E, 0x2FC1_2FC1];
const OVERLAYFS: u64 = 0x794C_7630;

/// Tells whether two names in this directory can change places without a risk.
pub(crate) fn exchange_is_safe(parent: &Parent) -> bool {
    EXCHANGE_IS_SAFE.contains(&parent.fs_magic())
}

/// Says how the new file got its name.
enum Committed {
    /// The old file is under the temporary name now.
    Exchanged,
    /// The old file lost the name.
    Renamed,
}

/// Says why it got none.
enum Refused {
    InPlace(WhyInPlace),
    Error(Error),
}

impl<E: Into<Error>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

impl Root {
    /// Puts a new file with `bytes` in the place of `name`, which must still be the file `expected` in the
    /// state it was opened in: content, size, times, mode and number of names.
    ///
    /// Readers see the old content or the new, nothing in between. Owner, group, access list, extended
    /// attributes and mode are those of the old file, without setuid, setgid and capabilities. Other names
    /// (hard links) of the old file keep the old content. `name` is canonical, so a link that leads here
    /// stays a link.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] when somebody else replaced, changed or removed the file: read it again and retry.
    /// [`Error::Moved`] when a directory on the way was moved; [`Error::ReadOnlyFile`];
    /// [`Error::InPlaceNeeded`]; [`Error::NoSpace`], [`Error::Quota`], [`Error::Io`] and
    /// [`Error::PermissionDenied`]; [`Error::Busy`] when another program holds a lock for 10 seconds. After an
    /// error the old file is untouched and no temporary file is left.
    ///
    /// # Concurrency
    ///
    /// Writers of this crate exclude each other per inode: threads by a table of the process, processes by
    /// `flock`. Under this lock the state of the file is compared. A program that knows nothing of the lock
    /// and replaces the file in the moment after the comparison is found out on file systems with a sound
    /// `RENAME_EXCHANGE`: the displaced file is not the expected one, and the exchange is undone. Elsewhere
    /// (FUSE, NFS) that moment stays open. A program that writes into the old inode through a handle that it
    /// opened before cannot be seen by anyone after the replacement.
    ///
    /// # Cost
    ///
    /// About twenty system calls, and the syncs that `options.durability` asks for; content is written once.
    pub fn replace(
        &self,
        name: &RelName,
        expected: &Handle,
        bytes: &[u8],
        options: &WriteOptions,
    ) -> Result<Written, Error> {
        match self.replace_by_rename(name, expected, bytes, options) {
            Ok(written) => Ok(written),
            Err(Refused::Error(error)) => Err(error),
            Err(Refused::InPlace(why)) if options.in_place == InPlace::Refuse => {
                Err(Error::InPlaceNeeded { why })
            }
            Err(Refused::InPlace(_)) => self.replace_in_place(name, expected, bytes, options),
        }
    }

    fn replace_by_rename(
        &self,
        name: &RelName,
        expected: &Handle,
        bytes: &[u8],
        options: &WriteOptions,
    ) -> Result<Written, Refused> {
        let (parent, leaf) = self.nail_parent(name)?;
        let old = compare(&parent, leaf, expected)?;
        check_writable(&parent, leaf, &old, options)?;
        let temporary = match Temporary::create(&parent, 0o600) {
            Err(Errno::ACCESS | Errno::PERM) => {
                return Err(Refused::InPlace(WhyInPlace::DirectoryNotWritable));
            }
            result => result?,
        };
        write_all(temporary.file(), bytes)?;
        let kept = metadata::copy(expected.file(), &old, temporary.file())?;
        sync_file(temporary.file(), options.durability)?;

        faults::at(Step::Lock)?;
        let lock = WriterLock::acquire(id_of(&old), expected.file())?;
        parent.recheck(self)?;
        temporary.recheck()?;
        faults::at(Step::Compare)?;
        let old = compare(&parent, leaf, expected)?;
        let committed = commit(&parent, leaf, temporary.name())?;
        let (file, temporary_name) = temporary.release();
        let mut leftover = None;
        if matches!(committed, Committed::Exchanged) {
            let new = id_of(&fstat(&file)?);
            check_displaced(&parent, leaf, &temporary_name, new, expected)?;
            let removed = faults::at(Step::RemoveDisplaced)
                .and_then(|()| unlinkat(&parent, &temporary_name, AtFlags::empty()));
            leftover = removed.is_err().then_some(temporary_name);
        }
        drop(lock);

        let unsynced = sync_entry(&parent, &file, options.durability).err().map(Error::from);
        let meta = self.meta(file.as_fd(), &fstat(&file)?)?;
        Ok(Written {
            bytes: bytes.len() as u64,
            offset: 0,
            created: false,
            in_place: false,
            made_dirs: 0,
            kept,
            other_names: crate::meta::Meta::new(&old, 0).nlink.saturating_sub(1),
            unsynced,
            leftover,
            meta,
            file,
            appended: false,
        })
    }
}

/// Makes sure that `leaf` is the expected file in the expected state.
pub(crate) fn compare(parent: &Parent, leaf: &OsStr, expected: &Handle) -> Result<Stat, Error> {
    match parent.stat(leaf) {
        Ok(now) if Identity::of(&now) == expected.identity() => Ok(now),
        Ok(_) | Err(Errno::NOENT) => Err(Error::Changed),
        Err(errno) => Err(errno.into()),
    }
}

/// Makes sure that the file could be written if it were opened for writing: the right to replace entries of
/// a directory is not taken for the right to change a file.
pub(crate) fn check_writable(
    parent: &Parent,
    leaf: &OsStr,
    old: &Stat,
    options: &WriteOptions,
) -> Result<(), Error> {
    if options.read_only == ReadOnlyFiles::Replace {
        return Ok(());
    }
    if old.st_mode & 0o222 == 0 {
        return Err(Error::ReadOnlyFile { mode: old.st_mode & 0o7777 });
    }
    match accessat(parent, leaf, Access::WRITE_OK, AtFlags::EACCESS) {
        Err(errno @ (Errno::ACCESS | Errno::PERM | Errno::ROFS)) => Err(errno.into()),
        // Gone meanwhile, or a kernel without the call: the comparison and the rename decide.
        _ => Ok(()),
    }
}

/// Gives the new file its name.
fn commit(parent: &Parent, leaf: &OsStr, temporary: &OsStr) -> Result<Committed, Refused> {
    let exchanged = faults::at(Step::Commit).and_then(|()| {
        if exchange_is_safe(parent) {
            renameat_with(parent, temporary, parent, leaf, RenameFlags::EXCHANGE)
        } else {
            Err(Errno::NOSYS)
        }
    });
    let result = match exchanged {
        Ok(()) => Ok(Committed::Exchanged),
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            renameat(parent, temporary, parent, leaf).map(|()| Committed::Renamed)
        }
        Err(errno) => Err(errno),
    };
    result.map_err(|errno| match errno {
        Errno::BUSY => Refused::InPlace(WhyInPlace::MountPoint),
        Errno::XDEV => Refused::InPlace(WhyInPlace::CrossDevice),
        Errno::ACCESS | Errno::PERM => Refused::InPlace(WhyInPlace::DirectoryNotWritable),
        Errno::NOENT | Errno::ISDIR => Refused::Error(Error::Changed),
        errno => Refused::Error(errno.into()),
    })
}

/// Makes sure that the file that lost its name is the expected one; if not, puts it back.
fn check_displaced(
    parent: &Parent,
    leaf: &OsStr,
    temporary: &OsStr,
    new: (u64, u64),
    expected: &Handle,
) -> Result<(), Error> {
    let displaced = faults::at(Step::Displaced).and_then(|()| parent.stat(temporary));
    let error = match displaced {
        Ok(stat) if is_expected(&Identity::of(&stat), expected, parent.fs_magic()) => return Ok(()),
        Ok(_) => Error::Changed,
        Err(errno) => errno.into(),
    };
    if faults::at(Step::TidyUp).is_err() {
        return Err(error);
    }
    let undone = renameat_with(parent, temporary, parent, leaf, RenameFlags::EXCHANGE);
    // Now the new file should be under the temporary name again. If a third writer came between the two
    // exchanges, what is there is neither ours nor known: it is kept under a name that no sweep removes.
    match parent.stat(temporary) {
        Ok(stat) if undone.is_ok() && id_of(&stat) == new => {
            let _ = unlinkat(parent, temporary, AtFlags::empty());
        }
        Ok(_) => keep(parent, temporary),
        Err(_) => {}
    }
    Err(error)
}

fn is_expected(displaced: &Identity, expected: &Handle, fs_magic: u64) -> bool {
    let expected = expected.identity();
    displaced.same_content(&expected)
        // An overlay may give a file another inode number when the rename copies it to the upper layer.
        || (fs_magic == OVERLAYFS
            && (displaced.size, displaced.mtime_ns) == (expected.size, expected.mtime_ns))
}
