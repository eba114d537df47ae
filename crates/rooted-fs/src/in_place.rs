//! Writing into the old inode, where it cannot be replaced: a single-file mount, a closed directory.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;

use rustix::fs::{FallocateFlags, Mode, OFlags, Stat, fallocate, fchmod, fstat, ftruncate};
use rustix::io::Errno;

use crate::durability::sync_file;
use crate::faults::{self, Step};
use crate::lock::WriterLock;
use crate::meta::{id_of, kind_of};
use crate::open::{CAREFUL, from_io, from_open, want_file};
use crate::replace::{check_writable, compare};
use crate::{Error, Handle, Identity, Kept, RelName, Root, WriteOptions, Written};

impl Root {
    /// Writes `bytes` over the expected file. Space is reserved first; after an error the old content is put
    /// back. Only a crash can leave a mixture.
    pub(crate) fn replace_in_place(
        &self,
        name: &RelName,
        expected: &Handle,
        bytes: &[u8],
        options: &WriteOptions,
    ) -> Result<Written, Error> {
        let (parent, leaf) = self.nail_parent(name)?;
        let old = compare(&parent, leaf, expected)?;
        want_file(kind_of(&old))?;
        check_writable(&parent, leaf, &old, options)?;
        let file = File::from(self.nail(name.as_bytes(), OFlags::RDWR | CAREFUL).map_err(from_open)?);
        let lock = WriterLock::acquire(id_of(&old), &file)?;
        if Identity::of(&fstat(&file)?) != expected.identity() {
            return Err(Error::Changed);
        }
        compare(&parent, leaf, expected)?;
        let content = expected.read_to_limit(u64::MAX)?;
        reserve(&file, content.len() as u64, bytes.len() as u64)?;
        strip_set_id(&file, &old);
        if let Err(cause) = overwrite(&file, bytes, options) {
            if faults::at(Step::TidyUp).is_err() || put_back(&file, &content).is_err() {
                return Err(Error::Damaged { cause: Box::new(cause) });
            }
            return Err(cause);
        }
        drop(lock);
        let stat = fstat(&file)?;
        let meta = self.meta(file.as_fd(), &stat)?;
        Ok(Written {
            bytes: bytes.len() as u64,
            offset: 0,
            created: false,
            in_place: true,
            made_dirs: 0,
            kept: Kept::ALL,
            other_names: 0,
            unsynced: None,
            leftover: None,
            meta,
            file,
            appended: false,
        })
    }
}

/// Makes room for a file that grows, so that a full disk is found out before anything is overwritten.
fn reserve(file: &File, old_len: u64, new_len: u64) -> Result<(), Error> {
    if new_len <= old_len {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::KEEP_SIZE, old_len, new_len - old_len) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::PERM) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

fn overwrite(file: &File, bytes: &[u8], options: &WriteOptions) -> Result<(), Error> {
    faults::at(Step::WriteInPlace)?;
    let first = faults::first_part(bytes.len());
    file.write_all_at(&bytes[..first], 0).map_err(|error| from_io(&error))?;
    faults::at(Step::WriteRest)?;
    file.write_all_at(&bytes[first..], first as u64).map_err(|error| from_io(&error))?;
    ftruncate(file, bytes.len() as u64)?;
    sync_file(file, options.durability)?;
    Ok(())
}

fn put_back(file: &File, content: &[u8]) -> Result<(), Error> {
    file.write_all_at(content, 0).map_err(|error| from_io(&error))?;
    ftruncate(file, content.len() as u64)?;
    Ok(())
}

/// Takes setuid and setgid off before the content changes; for root the kernel would leave them.
pub(crate) fn strip_set_id(file: &File, stat: &Stat) {
    if stat.st_mode & 0o6000 != 0 {
        // Who may not do this is not root, and then the kernel does it at the write.
        let _ = fchmod(file, Mode::from_raw_mode(stat.st_mode & 0o1777));
    }
}
