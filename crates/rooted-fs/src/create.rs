//! New files, without ever touching one that exists.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, fstat, linkat, openat, renameat_with, unlinkat};
use rustix::io::Errno;

use crate::directories::Made;
use crate::durability::{sync_entry, sync_file, write_all};
use crate::faults::{self, Step};
use crate::parent::Parent;
use crate::temporary::Temporary;
use crate::{Access, Error, Kept, Parents, RelName, Root, WriteOptions, Written};

/// Mode of a new file before the umask.
const NEW_FILE_MODE: u32 = 0o666;
/// Mode of a new file that is for its owner alone.
const PRIVATE_FILE_MODE: u32 = 0o600;

impl Root {
    /// Creates the file `name` with `bytes`; it appears complete or not at all, and never replaces anything.
    ///
    /// Of any number of callers that race for one name, in any number of processes, exactly one succeeds. The
    /// mode is `0666` less the umask.
    ///
    /// # Errors
    ///
    /// [`Error::Exists`] when anything has the name, a link included; [`Error::NotFound`] when the directory is
    /// missing and [`Parents::Require`] is set; [`Error::NoSpace`], [`Error::Quota`], [`Error::Moved`],
    /// [`Error::PermissionDenied`], [`Error::IsADirectory`] for the root. After an error no file, no
    /// temporary file and no directory made on the way is left.
    ///
    /// # Cost
    ///
    /// Half a dozen system calls, and the syncs that `options.durability` asks for.
    pub fn create(&self, name: &RelName, bytes: &[u8], options: &WriteOptions) -> Result<Written, Error> {
        let made = match (options.parents, name.parent()) {
            (Parents::Create, Some(parent))
                if self.nail(parent.as_bytes(), OFlags::PATH | OFlags::DIRECTORY).is_err() =>
            {
                self.make_path(&parent, options.durability, options.access)?
            }
            _ => Made::default(),
        };
        match self.create_in_parent(name, bytes, options) {
            Ok(mut written) => {
                written.made_dirs = made.count();
                Ok(written)
            }
            Err(error) => {
                made.take_back();
                Err(error)
            }
        }
    }

    fn create_in_parent(
        &self,
        name: &RelName,
        bytes: &[u8],
        options: &WriteOptions,
    ) -> Result<Written, Error> {
        let (parent, leaf) = self.nail_parent(name)?;
        match parent.stat(leaf) {
            Err(Errno::NOENT) => {}
            Ok(_) => return Err(Error::Exists),
            Err(errno) => return Err(errno.into()),
        }
        let file = match self.create_nameless(&parent, leaf, bytes, options)? {
            Some(file) => file,
            None => self.create_named(&parent, leaf, bytes, options)?,
        };
        let unsynced = sync_entry(&parent, &file, options.durability).err().map(Error::from);
        let meta = self.meta(file.as_fd(), &fstat(&file)?)?;
        Ok(Written {
            bytes: bytes.len() as u64,
            offset: 0,
            created: true,
            in_place: false,
            made_dirs: 0,
            kept: Kept::ALL,
            other_names: 0,
            unsynced,
            leftover: None,
            meta,
            file,
            appended: false,
        })
    }

    /// Writes a file that has no name and then gives it one, so that a crash leaves nothing behind.
    ///
    /// Answers `None` where the file system or the kernel does not do that.
    fn create_nameless(
        &self,
        parent: &Parent,
        leaf: &OsStr,
        bytes: &[u8],
        options: &WriteOptions,
    ) -> Result<Option<File>, Error> {
        if self.no_nameless.load(Ordering::Relaxed) {
            return Ok(None);
        }
        faults::at(Step::CreateTemporary)?;
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = match openat(parent, c".", flags, Mode::from_raw_mode(file_mode(options))) {
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => return Ok(None),
            result => File::from(result?),
        };
        write_all(&file, bytes)?;
        sync_file(&file, options.durability)?;
        parent.recheck(self)?;
        let committed =
            faults::at(Step::Commit).and_then(|()| linkat(&file, c"", parent, leaf, AtFlags::EMPTY_PATH));
        match committed {
            Ok(()) => Ok(Some(file)),
            // Older kernels want a capability for this, and say so in one of these ways.
            Err(Errno::NOENT | Errno::PERM | Errno::INVAL | Errno::OPNOTSUPP) => {
                self.no_nameless.store(true, Ordering::Relaxed);
                Ok(None)
            }
            Err(errno) => Err(errno.into()),
        }
    }

    /// Writes a file under a temporary name and then renames it to a name that must be free.
    fn create_named(
        &self,
        parent: &Parent,
        leaf: &OsStr,
        bytes: &[u8],
        options: &WriteOptions,
    ) -> Result<File, Error> {
        let temporary = Temporary::create(parent, file_mode(options))?;
        write_all(temporary.file(), bytes)?;
        sync_file(temporary.file(), options.durability)?;
        parent.recheck(self)?;
        temporary.recheck()?;
        let committed = faults::at(Step::Commit)
            .and_then(|()| renameat_with(parent, temporary.name(), parent, leaf, RenameFlags::NOREPLACE));
        match committed {
            Ok(()) => return Ok(temporary.release().0),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            Err(errno) => return Err(errno.into()),
        }
        // A second name does not clobber either; the first one goes with the temporary.
        let committed = faults::at(Step::CommitByLink)
            .and_then(|()| linkat(parent, temporary.name(), parent, leaf, AtFlags::empty()));
        match committed {
            Ok(()) => {
                return temporary.file().try_clone().map_err(|error| crate::open::from_io(&error));
            }
            Err(Errno::PERM | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::MLINK) => {}
            Err(errno) => return Err(errno.into()),
        }
        drop(temporary);
        create_directly(parent, leaf, bytes, options)
    }
}

/// Mode of a new file, before the umask is taken off.
fn file_mode(options: &WriteOptions) -> u32 {
    match options.access {
        Access::Shared => NEW_FILE_MODE,
        Access::Private => PRIVATE_FILE_MODE,
    }
}

/// Creates the file under its own name where neither way around that exists (FAT, some network mounts).
fn create_directly(
    parent: &Parent,
    leaf: &OsStr,
    bytes: &[u8],
    options: &WriteOptions,
) -> Result<File, Error> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(openat(parent, leaf, flags, Mode::from_raw_mode(file_mode(options)))?);
    let written = write_all(&file, bytes).and_then(|()| sync_file(&file, options.durability));
    if let Err(errno) = written {
        if faults::at(Step::TidyUp).is_ok() {
            let _ = unlinkat(parent, leaf, AtFlags::empty());
        }
        return Err(errno.into());
    }
    Ok(file)
}
