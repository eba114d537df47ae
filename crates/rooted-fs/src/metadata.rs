//! Carrying owner, access list, attributes and mode over to the file that takes the place of another.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::fs::{
    Gid, Mode, Stat, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr, fremovexattr, fsetxattr, fstat,
};
use rustix::io::Errno;

use crate::Kept;
use crate::faults::{self, Step};

/// The POSIX access list.
const ACCESS_LIST: &[u8] = b"system.posix_acl_access";
/// Attributes that belong to the old content or to the inode and would be wrong on the new one: capabilities,
/// which the kernel too drops on a write, and signatures of the content.
const NEVER_COPIED: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];
/// Attributes in which overlay file systems keep their own books.
const NEVER_COPIED_PREFIX: &[u8] = b"trusted.overlay.";
/// Permission bits without setuid and setgid, which no content that somebody else wrote may inherit.
const SAFE_MODE: u32 = 0o1777;
/// Tries to read a list that grows between asking for its size and reading it.
const MAX_TRIES: usize = 4;

/// Copies from the open old file to the new one, whose mode is still `0600`.
///
/// The order is fixed: owner, attributes, mode; the mode comes last so that nothing is open to others before it
/// is complete. An owner that may not be given leaves the group or others with less, never with more.
pub(crate) fn copy(old: &File, old_stat: &Stat, new: &File) -> Result<Kept, Errno> {
    faults::at(Step::CopyMetadata)?;
    let (owner, group) = copy_owner(old_stat, new)?;
    let mut mode = old_stat.st_mode & SAFE_MODE;
    if !group {
        // Members of the old group count as others now: they keep no more than they had.
        let group_bits = (mode >> 3) & 7;
        mode = (mode & !0o077) | (mode & 7 & group_bits);
    }
    let attributes = copy_attributes(old, new, group)?;
    fchmod(new, Mode::from_raw_mode(mode))?;
    Ok(Kept { owner, group, attributes })
}

/// Returns whether the owner and whether the group could be given.
fn copy_owner(old: &Stat, new: &File) -> Result<(bool, bool), Errno> {
    let now = fstat(new)?;
    let owner = (old.st_uid != now.st_uid).then(|| Uid::from_raw(old.st_uid));
    let group = (old.st_gid != now.st_gid).then(|| Gid::from_raw(old.st_gid));
    if owner.is_none() && group.is_none() {
        return Ok((true, true));
    }
    // A user namespace answers INVAL for an owner that it has no number for.
    let refused = |errno| matches!(errno, Errno::PERM | Errno::INVAL | Errno::OPNOTSUPP);
    match fchown(new, owner, group) {
        Ok(()) => return Ok((true, true)),
        Err(errno) if refused(errno) => {}
        Err(errno) => return Err(errno),
    }
    let group_kept = match group {
        None => true,
        Some(group) => match fchown(new, None, Some(group)) {
            Ok(()) => true,
            Err(errno) if refused(errno) => false,
            Err(errno) => return Err(errno),
        },
    };
    Ok((owner.is_none(), group_kept))
}

/// Returns whether every attribute that may be copied was copied.
fn copy_attributes(old: &File, new: &File, group_kept: bool) -> Result<bool, Errno> {
    let names = match list(old) {
        Ok(names) => names,
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(true),
        Err(errno) => return Err(errno),
    };
    let mut all = true;
    let mut has_access_list = false;
    for name in names.split(|&b| b == 0).filter(|name| !name.is_empty()) {
        if NEVER_COPIED.contains(&name) || name.starts_with(NEVER_COPIED_PREFIX) {
            continue;
        }
        if name == ACCESS_LIST {
            has_access_list = true;
            if !group_kept {
                all = false;
                continue;
            }
        }
        match read(old, name).and_then(|value| fsetxattr(new, name, &value, XattrFlags::empty())) {
            Ok(()) | Err(Errno::NODATA) => {}
            Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::IO)) => return Err(errno),
            Err(_) => all = false,
        }
    }
    if !has_access_list {
        // The directory may have a default list, which a new file gets without asking.
        match fremovexattr(new, ACCESS_LIST) {
            Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
            Err(Errno::PERM | Errno::ACCESS) => all = false,
            Err(errno) => return Err(errno),
        }
    }
    Ok(all)
}

fn list(file: &File) -> Result<Vec<u8>, Errno> {
    // Most files have no attribute at all: one call finds out.
    read_growing(|buffer| flistxattr(file.as_fd(), buffer))
}

fn read(file: &File, name: &[u8]) -> Result<Vec<u8>, Errno> {
    read_growing(|buffer| fgetxattr(file.as_fd(), name, buffer))
}

/// Reads into a buffer that grows to the largest size the kernel gives out.
fn read_growing(get: impl Fn(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    /// Largest value, and largest list, of Linux (`XATTR_SIZE_MAX`, `XATTR_LIST_MAX`).
    const MAX_BYTES: usize = 64 * 1024;
    let mut buffer = vec![0; 1024];
    for _ in 0..MAX_TRIES {
        match get(&mut buffer) {
            Ok(len) => {
                buffer.truncate(len);
                return Ok(buffer);
            }
            Err(Errno::RANGE) if buffer.len() < MAX_BYTES => buffer.resize(MAX_BYTES, 0),
            Err(errno) => return Err(errno),
        }
    }
    Err(Errno::RANGE)
}
