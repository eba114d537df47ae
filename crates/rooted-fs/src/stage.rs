//! The steps of a set of changes: staged beside their targets, published by exchange, durable together.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, fchmod, fdatasync, fstat, fsync, linkat, openat,
    renameat_with, syncfs, unlinkat,
};
use rustix::io::Errno;

use crate::durability::write_all;
use crate::faults::{self, Step};
use crate::meta::kind_of;
use crate::parent::Parent;
use crate::replace::exchange_is_safe;
use crate::swap::swap;
use crate::temporary::fresh_staged_name;
use crate::{Access, Durability, Error, Kind, RelName, Root, metadata};

/// Files and directories up to this number are synced one by one; for more, one sync of the file system is cheaper.
const MAX_SINGLE_SYNCS: usize = 16;
/// Mode of a new file before the umask.
const NEW_FILE_MODE: u32 = 0o666;
/// Permission bits that a caller may ask for: no setuid, no setgid.
const SAFE_MODE: u32 = 0o1777;

/// Says which of the two names of an exchange lead to a file before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// Both: they change places.
    Both,
    /// Only the temporary one: it becomes the other, which must be free.
    Place,
    /// Only the target: it takes the temporary name, which must be free.
    Take,
}

/// Takes the single steps of changing several files together, and remembers what has to be synced.
///
/// The caller decides the order, writes down its intent before it publishes, and takes everything back when a step
/// fails. Every step happens in nailed directories; nothing follows a link, and nothing but the names given is touched.
///
/// # Examples
///
/// ```
/// use rooted_fs::{Durability, Exchange, RelName, Root, TierChoice};
/// use std::path::Path;
///
/// let dir = tempfile::tempdir()?;
/// let root = Root::open(dir.path(), TierChoice::Auto)?;
/// let name = RelName::parse(Path::new("sub/notes.txt"))?;
/// let mut staging = root.staging(Durability::None);
/// let temporary = staging.temporary_for(&name)?;
/// let made = staging.stage(&name, &temporary, b"one\n", None)?;
/// staging.sync()?;
/// staging.exchange(&name, &temporary, Exchange::Place)?;
/// staging.sync()?;
/// assert_eq!((made, root.open_file(&name)?.read_to_limit(1024)?), (1, b"one\n".to_vec()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Staging<'r> {
    root: &'r Root,
    durability: Durability,
    /// Staged files that are not synced yet; only the first few are held open.
    files: Vec<File>,
    staged: usize,
    /// Directories with entries that are not synced yet.
    dirs: BTreeSet<Vec<u8>>,
    /// One handle per file system that something was staged on.
    devices: Vec<(u64, OwnedFd)>,
}

impl Root {
    /// Begins a set of changes.
    #[must_use]
    pub fn staging(&self, durability: Durability) -> Staging<'_> {
        Staging {
            root: self,
            durability,
            files: Vec::new(),
            staged: 0,
            dirs: BTreeSet::new(),
            devices: Vec::new(),
        }
    }
}

impl Staging<'_> {
    /// Returns a name beside `name` that nothing has. Creates nothing.
    ///
    /// Listings can leave it out by [`is_temporary_name`](crate::is_temporary_name), and [`Root::sweep`] leaves it alone.
    ///
    /// # Errors
    ///
    /// [`Error::IsADirectory`] for the root; [`Error::NameTooLong`].
    pub fn temporary_for(&self, name: &RelName) -> Result<RelName, Error> {
        let parent = name.parent().ok_or(Error::IsADirectory)?;
        parent.join(&fresh_staged_name()?)
    }

    /// Writes `bytes` to the new file `temporary` beside `name` and makes missing directories; returns how many it made.
    ///
    /// The new file gets owner, attributes and access list of the file at `name`, if there is one, and the permission
    /// bits `mode`; without `mode` those of that file, or `0666` less the umask. It is not synced yet.
    ///
    /// # Errors
    ///
    /// [`Error::Exists`] when something has the temporary name, [`Error::InvalidName`] when it is not beside `name`,
    /// [`Error::NoSpace`], [`Error::PermissionDenied`], [`Error::Moved`] and others. Nothing is left then.
    pub fn stage(
        &mut self,
        name: &RelName,
        temporary: &RelName,
        bytes: &[u8],
        mode: Option<u32>,
    ) -> Result<usize, Error> {
        let (above, leaf) = beside(name, temporary)?;
        let made = match self.root.nail(above.as_bytes(), OFlags::PATH | OFlags::DIRECTORY) {
            Err(Errno::NOENT) => self.root.make_path(&above, Durability::None, Access::Shared)?,
            result => {
                result?;
                Default::default()
            }
        };
        match self.write(name, &above, leaf, bytes, mode) {
            Ok(()) => {
                let count = made.count();
                let mut dir = Some(above);
                for _ in 0..=count {
                    let Some(name) = dir else { break };
                    dir = name.parent();
                    self.dirs.insert(name.as_bytes().to_vec());
                }
                Ok(count)
            }
            Err(error) => {
                made.take_back();
                Err(error)
            }
        }
    }

    fn write(
        &mut self,
        name: &RelName,
        above: &RelName,
        leaf: &OsStr,
        bytes: &[u8],
        mode: Option<u32>,
    ) -> Result<(), Error> {
        let old = match self.root.open_file(name) {
            Ok(handle) => Some(handle),
            Err(Error::NotFound) => None,
            Err(error) => return Err(error),
        };
        let parent = self.root.nail_directory(above.as_bytes())?;
        faults::at(Step::CreateTemporary)?;
        let first = if old.is_none() && mode.is_none() { NEW_FILE_MODE } else { 0o600 };
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(&parent, leaf, flags, Mode::from_raw_mode(first))?);
        let filled = (|| {
            write_all(&file, bytes)?;
            if let Some(old) = &old {
                let stat = fstat(old.file())?;
                metadata::copy(old.file(), &stat, &file)?;
            }
            if let Some(mode) = mode {
                fchmod(&file, Mode::from_raw_mode(mode & SAFE_MODE))?;
            }
            parent.recheck(self.root)
        })();
        if let Err(error) = filled {
            if faults::at(Step::TidyUp).is_ok() {
                let _ = unlinkat(&parent, leaf, AtFlags::empty());
            }
            return Err(error);
        }
        self.staged += 1;
        let device = fstat(&file)?.st_dev;
        if self.files.len() < MAX_SINGLE_SYNCS {
            self.files.push(file);
        } else if self.devices.iter().all(|(known, _)| *known != device) {
            self.devices.push((device, file.into()));
        }
        Ok(())
    }

    /// Lets the two names change places, or one file take the other name.
    ///
    /// No third file is ever replaced where the file system has a sound exchange. Elsewhere (FUSE, NFS)
    /// [`Exchange::Both`] compares the file just before it takes its name: only what a program that takes no lock puts
    /// there in the microseconds in between is lost. The temporary name may lead to a copy of the old file then.
    ///
    /// # Errors
    ///
    /// [`Error::Exists`] when the name to take is not free; [`Error::Changed`] when a name that has to lead to a regular
    /// file does not, or somebody changed it meanwhile. The name is as before then.
    pub fn exchange(&mut self, name: &RelName, temporary: &RelName, how: Exchange) -> Result<(), Error> {
        let (above, temporary) = beside(name, temporary)?;
        let (parent, leaf) = self.root.nail_parent(name)?;
        parent.recheck(self.root)?;
        match how {
            Exchange::Both => {
                want_regular(&parent, leaf)?;
                want_regular(&parent, temporary)?;
                let exchanged = faults::at(Step::Commit).and_then(|()| {
                    if exchange_is_safe(&parent) {
                        renameat_with(&parent, temporary, &parent, leaf, RenameFlags::EXCHANGE)
                    } else {
                        Err(Errno::NOSYS)
                    }
                });
                match exchanged {
                    Ok(()) => {}
                    Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => swap(&parent, leaf, temporary)?,
                    Err(Errno::NOENT) => return Err(Error::Changed),
                    Err(errno) => return Err(errno.into()),
                }
                if want_regular(&parent, temporary).is_err() {
                    renameat_with(&parent, temporary, &parent, leaf, RenameFlags::EXCHANGE)?;
                    return Err(Error::Changed);
                }
            }
            Exchange::Place => {
                faults::at(Step::Commit)?;
                take_name(&parent, temporary, leaf)?;
            }
            Exchange::Take => {
                faults::at(Step::Commit)?;
                take_name(&parent, leaf, temporary)?;
            }
        }
        self.dirs.insert(above.as_bytes().to_vec());
        Ok(())
    }

    /// Removes the file `temporary`, if it is there, and then up to `dirs` directories above it that are empty, from
    /// the innermost; the first one that is not empty ends it.
    ///
    /// # Errors
    ///
    /// [`Error::NotARegularFile`] when something else has the name, [`Error::PermissionDenied`] and others.
    pub fn discard(&mut self, temporary: &RelName, dirs: usize) -> Result<(), Error> {
        faults::at(Step::RemoveDisplaced)?;
        let above = temporary.parent().ok_or(Error::IsADirectory)?;
        match self.root.nail_parent(temporary) {
            Err(Error::NotFound) => {}
            Err(error) => return Err(error),
            Ok((parent, leaf)) => match parent.stat(leaf) {
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(errno.into()),
                Ok(stat) => {
                    let kind = kind_of(&stat);
                    if kind != Kind::File {
                        return Err(Error::NotARegularFile { kind });
                    }
                    match unlinkat(&parent, leaf, AtFlags::empty()) {
                        Ok(()) | Err(Errno::NOENT) => {}
                        Err(errno) => return Err(errno.into()),
                    }
                    self.dirs.insert(above.as_bytes().to_vec());
                }
            },
        }
        let mut dir = above;
        for _ in 0..dirs {
            let Some(next) = dir.parent() else { break };
            let Ok((parent, leaf)) = self.root.nail_parent(&dir) else { break };
            if unlinkat(&parent, leaf, AtFlags::REMOVEDIR).is_err() {
                break;
            }
            self.dirs.remove(dir.as_bytes());
            self.dirs.insert(next.as_bytes().to_vec());
            dir = next;
        }
        Ok(())
    }

    /// Brings everything to the disk that was staged, exchanged or discarded since the last time, as far as the
    /// durability asks for it.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and its kin. What was not synced then must be taken for lost: it is not tried again.
    ///
    /// # Cost
    ///
    /// One sync per file and directory up to 16 of them, and one per file system above.
    pub fn sync(&mut self) -> Result<(), Error> {
        let (files, dirs) = (std::mem::take(&mut self.files), std::mem::take(&mut self.dirs));
        let (staged, devices) = (std::mem::take(&mut self.staged), std::mem::take(&mut self.devices));
        if self.durability == Durability::None || (staged == 0 && dirs.is_empty()) {
            return Ok(());
        }
        faults::at(Step::SyncFile)?;
        if staged + dirs.len() <= MAX_SINGLE_SYNCS {
            for file in &files {
                if self.durability == Durability::Data { fdatasync(file) } else { fsync(file) }?;
            }
            if self.durability == Durability::Full {
                faults::at(Step::SyncDir)?;
                dirs.iter().try_for_each(|dir| self.sync_dir(dir))?;
            }
            return Ok(());
        }
        let mut done = BTreeSet::new();
        for (device, fd) in devices {
            syncfs(fd)?;
            done.insert(device);
        }
        for file in &files {
            if done.insert(fstat(file)?.st_dev) {
                syncfs(file)?;
            }
        }
        for dir in &dirs {
            match self.root.nail(dir, OFlags::RDONLY | OFlags::DIRECTORY) {
                Ok(fd) if done.insert(fstat(&fd)?.st_dev) => syncfs(fd)?,
                Ok(_) | Err(Errno::NOENT) => {}
                Err(Errno::ACCESS) if !done.is_empty() => {}
                Err(Errno::ACCESS) => rustix::fs::sync(),
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    fn sync_dir(&self, dir: &[u8]) -> Result<(), Error> {
        let fd = match self.root.nail(dir, OFlags::RDONLY | OFlags::DIRECTORY) {
            // Gone again, with everything in it.
            Err(Errno::NOENT) => return Ok(()),
            // Not readable, so there is no handle that it could be synced by alone.
            Err(Errno::ACCESS) => {
                rustix::fs::sync();
                return Ok(());
            }
            result => result?,
        };
        match fsync(fd.as_fd()) {
            Err(Errno::INVAL | Errno::OPNOTSUPP) => Ok(()),
            result => Ok(result?),
        }
    }
}

/// Returns the directory of both names, and the last component of the temporary one.
fn beside<'t>(name: &RelName, temporary: &'t RelName) -> Result<(RelName, &'t OsStr), Error> {
    let above = name.parent().ok_or(Error::IsADirectory)?;
    match (temporary.parent(), temporary.file_name()) {
        (Some(other), Some(leaf)) if other == above && temporary != name => Ok((above, leaf)),
        _ => Err(Error::InvalidName { why: "the temporary name is not beside the other" }),
    }
}

fn want_regular(parent: &Parent, leaf: &OsStr) -> Result<(), Error> {
    match parent.stat(leaf) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => Ok(()),
        Ok(_) | Err(Errno::NOENT) => Err(Error::Changed),
        Err(errno) => Err(errno.into()),
    }
}

/// Renames `from` to `to`, which must be free.
fn take_name(parent: &Parent, from: &OsStr, to: &OsStr) -> Result<(), Error> {
    want_regular(parent, from)?;
    match renameat_with(parent, from, parent, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            linkat(parent, from, parent, to, AtFlags::empty())?;
            Ok(unlinkat(parent, from, AtFlags::empty())?)
        }
        Err(Errno::NOENT) => Err(Error::Changed),
        result => Ok(result?),
    }
}
