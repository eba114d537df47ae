//! Tier 1: one call, and the kernel forbids links and steps out of the root.

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::MAX_TRIES;

pub(super) fn open(root: BorrowedFd<'_>, name: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // NO_SYMLINKS forbids them everywhere; NOFOLLOW with DIRECTORY would answer "not a directory" for a link.
    let flags = if flags.contains(OFlags::PATH) { flags } else { flags - OFlags::NOFOLLOW };
    for _ in 0..MAX_TRIES {
        match rustix::fs::openat2(root, name, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            result => return result,
        }
    }
    Err(Errno::AGAIN)
}
