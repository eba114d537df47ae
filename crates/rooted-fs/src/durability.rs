//! Writing bytes and bringing them to the disk.

use std::fs::File;

use rustix::fs::{fdatasync, fsync};
use rustix::io::{Errno, write};

use crate::Durability;
use crate::faults::{self, Step};
use crate::parent::Parent;

/// Writes all of `bytes` at the position of `file`.
pub(crate) fn write_all(file: &File, bytes: &[u8]) -> Result<(), Errno> {
    faults::at(Step::WriteFirst)?;
    let (first, rest) = bytes.split_at(faults::first_part(bytes.len()));
    write_counted(file, first).map_err(|(_, errno)| errno)?;
    faults::at(Step::WriteRest)?;
    write_counted(file, rest).map_err(|(_, errno)| errno)
}

/// Writes all of `bytes`, or tells how many arrived before the error.
pub(crate) fn write_counted(file: &File, bytes: &[u8]) -> Result<(), (usize, Errno)> {
    let mut done = 0;
    while done < bytes.len() {
        match write(file, &bytes[done..]) {
            Ok(0) => return Err((done, Errno::IO)),
            Ok(n) => done += n,
            Err(Errno::INTR) => {}
            Err(errno) => return Err((done, errno)),
        }
    }
    Ok(())
}

/// Brings the content to the disk, as far as that is asked for.
pub(crate) fn sync_file(file: &File, durability: Durability) -> Result<(), Errno> {
    match durability {
        Durability::Full => {
            faults::at(Step::SyncFile)?;
            fsync(file)
        }
        Durability::Data => {
            faults::at(Step::SyncFile)?;
            fdatasync(file)
        }
        Durability::None => Ok(()),
    }
}

/// Brings the entry to the disk, as far as that is asked for.
pub(crate) fn sync_entry(parent: &Parent, file: &File, durability: Durability) -> Result<(), Errno> {
    match durability {
        Durability::Full => {
            faults::at(Step::SyncDir)?;
            parent.sync(file)
        }
        Durability::Data | Durability::None => Ok(()),
    }
}
