//! Making directories, step by step from the root.

use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, fsync, mkdirat, openat, statat, unlinkat};
use rustix::io::Errno;

use crate::faults::{self, Step};
use crate::meta::id_of;
use crate::{Access, Durability, Error, RelName, Root};

/// Tries at one step when somebody else makes and removes the same directory.
const MAX_TRIES: usize = 8;

/// Remembers the directories that were made, to take them back when what they were made for fails.
#[derive(Default)]
pub(crate) struct Made(Vec<(OwnedFd, OsString)>);

impl Made {
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Removes them again, the deepest first; what is in use by now stays.
    pub(crate) fn take_back(self) {
        for (parent, name) in self.0.iter().rev() {
            if faults::at(Step::TidyUp).is_err() || unlinkat(parent, name, AtFlags::REMOVEDIR).is_err() {
                break;
            }
        }
    }

    fn sync(&self) -> Result<(), Errno> {
        for (parent, _) in &self.0 {
            match openat(parent, c".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
                Ok(fd) => fsync(fd)?,
                // Without read permission there is no handle to sync; the sync of the file covers it on
                // journalling file systems.
                Err(Errno::ACCESS) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }
}

impl Root {
    /// Makes the directory `name` and all that are missing above it, with mode `0777` less the umask; returns
    /// how many were made. Nothing happens when it exists.
    ///
    /// # Errors
    ///
    /// [`Error::NotADirectory`] when something else has one of the names, [`Error::Moved`],
    /// [`Error::PermissionDenied`], [`Error::NoSpace`]. Directories made before the error are removed again.
    pub fn make_dirs(&self, name: &RelName, durability: Durability) -> Result<usize, Error> {
        self.make_path(name, durability, Access::Shared).map(|made| made.count())
    }

    pub(crate) fn make_path(
        &self,
        name: &RelName,
        durability: Durability,
        access: Access,
    ) -> Result<Made, Error> {
        let mut made = Made::default();
        match self.make_steps(name, durability, access, &mut made) {
            Ok(()) => Ok(made),
            Err(error) => {
                made.take_back();
                Err(error)
            }
        }
    }

    fn make_steps(
        &self,
        name: &RelName,
        durability: Durability,
        access: Access,
        made: &mut Made,
    ) -> Result<(), Error> {
        let mode = match access {
            Access::Shared => 0o777,
            Access::Private => 0o700,
        };
        let mut here = self.nail(b"", OFlags::PATH | OFlags::DIRECTORY)?;
        for component in name.components() {
            let mut tries = 0;
            let next = loop {
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                match openat(&here, component, flags, Mode::empty()) {
                    Ok(fd) => break fd,
                    Err(Errno::NOENT) if tries < MAX_TRIES => tries += 1,
                    Err(Errno::NOTDIR | Errno::LOOP) => {
                        let stat = statat(&here, component, AtFlags::SYMLINK_NOFOLLOW)?;
                        let link = FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
                        return Err(if link { Error::Moved } else { Error::NotADirectory });
                    }
                    Err(errno) => return Err(errno.into()),
                }
                faults::at(Step::MakeDir)?;
                match mkdirat(&here, component, Mode::from_raw_mode(mode)) {
                    Ok(()) => made.0.push((self.duplicate(&here)?, component.to_os_string())),
                    Err(Errno::EXIST) => {}
                    Err(errno) => return Err(errno.into()),
                }
            };
            here = next;
        }
        let by_name = fstat(self.nail(name.as_bytes(), OFlags::PATH | OFlags::DIRECTORY)?)?;
        if id_of(&by_name) != id_of(&fstat(&here)?) {
            return Err(Error::Moved);
        }
        if durability == Durability::Full && made.count() > 0 {
            faults::at(Step::SyncDir)?;
            made.sync()?;
        }
        Ok(())
    }

    fn duplicate(&self, fd: &OwnedFd) -> Result<OwnedFd, Errno> {
        rustix::io::fcntl_dupfd_cloexec(fd.as_fd(), 3)
    }
}
