//! Adding to the end of a file.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::fs::{OFlags, Stat, fstat, tell};
use rustix::io::Errno;

use crate::durability::{sync_file, write_counted};
use crate::faults::{self, Step};
use crate::in_place::strip_set_id;
use crate::lock::WriterLock;
use crate::meta::{id_of, kind_of};
use crate::open::{CAREFUL, from_open, want_file};
use crate::{Error, Handle, Kept, Meta, ReadOnlyFiles, RelName, Root, WriteOptions, Written};

/// Says whether a file that has several names may be changed under all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HardLinks {
    /// The answer is [`Error::HardLinked`]: another name may lie outside of the root.
    #[default]
    Refuse,
    /// All names see the change.
    Allow,
}

impl Root {
    /// Adds `bytes` at the end of `name`, in place.
    ///
    /// With `expected` the name must still lead to that inode, in whatever state: an append does not depend
    /// on what is there, so appends do not defeat each other. Without, the file is created, and
    /// [`Error::Exists`] says that it is there after all. Mode, owner and attributes stay; setuid and setgid
    /// go.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] when the name leads to another file by now, which has none of the bytes;
    /// [`Error::HardLinked`];
    /// [`Error::ReadOnlyFile`]; [`Error::ShortWrite`] when only a part arrived; [`Error::NoSpace`] and its kin
    /// when nothing did; [`Error::NotARegularFile`] and [`Error::IsADirectory`]; and those of
    /// [`Root::create`].
    ///
    /// # Concurrency
    ///
    /// Appends and replacements by this crate exclude each other, so neither is lost: an append that finds
    /// the file replaced answers [`Error::Changed`] and has written nothing. A program that knows nothing of the
    /// lock and replaces the file during the write is noticed afterwards.
    pub fn append(
        &self,
        name: &RelName,
        expected: Option<&Handle>,
        bytes: &[u8],
        options: &WriteOptions,
        hard_links: HardLinks,
    ) -> Result<Written, Error> {
        let Some(expected) = expected else {
            return self.create(name, bytes, options);
        };
        let before = fstat(self.nail(name.as_bytes(), OFlags::PATH | OFlags::NOFOLLOW)?)?;
        check(&before, expected, options, hard_links)?;
        let file = match self.nail(name.as_bytes(), OFlags::RDWR | OFlags::APPEND | CAREFUL) {
            // A file that may be written and not read: it cannot be verified, and that is all.
            Err(Errno::ACCESS) => self.nail(name.as_bytes(), OFlags::WRONLY | OFlags::APPEND | CAREFUL),
            result => result,
        };
        let file = File::from(file.map_err(from_open)?);
        if id_of(&fstat(&file)?) != id_of(&before) {
            return Err(Error::Moved);
        }

        faults::at(Step::Lock)?;
        let lock = WriterLock::acquire(id_of(&before), &file)?;
        faults::at(Step::Compare)?;
        let now = match self.nail(name.as_bytes(), OFlags::PATH | OFlags::NOFOLLOW) {
            Err(Errno::NOENT) => return Err(Error::Changed),
            result => fstat(result?)?,
        };
        check(&now, expected, options, hard_links)?;
        strip_set_id(&file, &now);
        faults::at(Step::Append)?;
        write_end(&file, bytes)?;
        // An append leaves the position behind what it wrote, wherever the end was.
        let offset = tell(&file)?.saturating_sub(bytes.len() as u64);
        // A program that knows nothing of the lock may have replaced the file: then the bytes are in no file
        // that has the name, and the caller must hear of it. Others wait for the lock, so this comes before it
        // is given back: a replacement after that has read the bytes.
        let by_name = self.nail(name.as_bytes(), OFlags::PATH | OFlags::NOFOLLOW).and_then(fstat);
        if !by_name.is_ok_and(|now| id_of(&now) == id_of(&before)) {
            return Err(Error::Changed);
        }
        drop(lock);

        let unsynced = sync_file(&file, options.durability).err().map(Error::from);
        let meta = self.meta(file.as_fd(), &fstat(&file)?)?;
        Ok(Written {
            bytes: bytes.len() as u64,
            offset,
            created: false,
            in_place: true,
            made_dirs: 0,
            kept: Kept::ALL,
            other_names: 0,
            unsynced,
            leftover: None,
            meta,
            file,
            appended: true,
        })
    }
}

fn check(now: &Stat, expected: &Handle, options: &WriteOptions, hard_links: HardLinks) -> Result<(), Error> {
    want_file(kind_of(now))?;
    let Meta { dev, ino, nlink, mode, .. } = Meta::new(now, 0);
    if (dev, ino) != (expected.meta().dev, expected.meta().ino) {
        return Err(Error::Changed);
    }
    if nlink > 1 && hard_links == HardLinks::Refuse {
        return Err(Error::HardLinked { names: nlink });
    }
    if mode & 0o222 == 0 && options.read_only == ReadOnlyFiles::Refuse {
        return Err(Error::ReadOnlyFile { mode });
    }
    Ok(())
}

/// Writes in one call; what the system leaves over is tried again, to learn why.
fn write_end(file: &File, bytes: &[u8]) -> Result<(), Error> {
    let (first, rest) = bytes.split_at(faults::first_part(bytes.len()));
    let short = |written: usize, errno: Errno| match written {
        0 => errno.into(),
        _ => Error::ShortWrite {
            written: written as u64,
            wanted: bytes.len() as u64,
            cause: Box::new(errno.into()),
        },
    };
    write_counted(file, first).map_err(|(written, errno)| short(written, errno))?;
    faults::at(Step::WriteRest).map_err(|errno| short(first.len(), errno))?;
    write_counted(file, rest).map_err(|(written, errno)| short(first.len() + written, errno))
}
