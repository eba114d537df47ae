//! The two ways to open a canonical name with symbolic links forbidden.

mod nofollow;
mod openat2;

use std::fmt;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{OFlags, Stat, fstat};
use rustix::io::Errno;

use crate::Error;
use crate::meta::id_of;
use crate::open::from_open;

/// Tries against a concurrent rename before an open answers "busy".
///
/// A canonical name has no `..`, for which alone the kernel asks to try again; the longest run that a rename
/// storm produced in measurements was 2.
const MAX_TRIES: usize = 128;

/// Says how names are opened below a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tier {
    /// By one `openat2` call that forbids links and steps out of the root: the kernel keeps the promise.
    Openat2,
    /// By one `openat` per component that follows no link, checked once more afterwards.
    Nofollow,
}

impl Tier {
    /// Returns the name of the tier, as diagnostics show it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Openat2 => "openat2",
            Self::Nofollow => "nofollow",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Says which tier a root may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TierChoice {
    /// The kernel tier where a probe finds it, else the component walk.
    #[default]
    Auto,
    /// The kernel tier, or no root at all.
    Kernel,
    /// The component walk, also where the kernel could do more.
    Nofollow,
}

impl TierChoice {
    /// Settles the tier once, by opening the root itself through `openat2`.
    ///
    /// Only "no such call" and "not permitted" on the root mean that the call is missing (old kernels and
    /// system call filters answer one or the other); a later refusal of a file never changes the tier.
    pub(crate) fn settle(self, root: BorrowedFd<'_>) -> Result<Tier, Error> {
        if self == Self::Nofollow {
            return Ok(Tier::Nofollow);
        }
        match openat2::open(root, b".", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC) {
            Ok(_) => Ok(Tier::Openat2),
            Err(Errno::NOSYS | Errno::PERM) if self == Self::Auto => Ok(Tier::Nofollow),
            Err(errno @ (Errno::NOSYS | Errno::PERM)) => {
                let why = io::Error::from_raw_os_error(errno.raw_os_error()).kind();
                Err(Error::TierUnavailable { why })
            }
            Err(errno) => Err(errno.into()),
        }
    }
}

/// Finds out whether the canonical `name` can be opened as it stands; a link anywhere in it is `LOOP`.
///
/// The answer is only a hint, so the second tier does not walk twice for it.
pub(crate) fn look(tier: Tier, root: BorrowedFd<'_>, name: &[u8], flags: OFlags) -> Result<(), Errno> {
    let name = if name.is_empty() { b"." } else { name };
    let flags = flags | OFlags::PATH | OFlags::CLOEXEC;
    match tier {
        Tier::Openat2 => openat2::open(root, name, flags).map(drop),
        Tier::Nofollow => nofollow::look(root, name, flags),
    }
}

/// Opens the object `name` after `check` has seen the facts about it; the handle is on that very inode.
pub(crate) fn open_checked(
    tier: Tier,
    root: BorrowedFd<'_>,
    name: &[u8],
    flags: OFlags,
    check: impl FnOnce(&Stat) -> Result<(), Error>,
) -> Result<(OwnedFd, Stat), Error> {
    let flags = flags | OFlags::CLOEXEC;
    let (before, opened) = match tier {
        Tier::Openat2 => {
            let before =
                fstat(openat2::open(root, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC)?)?;
            check(&before)?;
            (before, openat2::open(root, name, flags).map_err(from_open)?)
        }
        Tier::Nofollow => nofollow::open_checked(root, name, flags, check)?,
    };
    let after = fstat(&opened)?;
    if id_of(&before) == id_of(&after) { Ok((opened, after)) } else { Err(Error::Moved) }
}

/// Opens the canonical `name` below `root`; a link anywhere in it is `LOOP`.
///
/// With `PATH | NOFOLLOW` a link as the last component is opened itself.
pub(crate) fn open(tier: Tier, root: BorrowedFd<'_>, name: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let name = if name.is_empty() { b"." } else { name };
    let flags = flags | OFlags::CLOEXEC;
    match tier {
        Tier::Openat2 => openat2::open(root, name, flags),
        Tier::Nofollow => nofollow::open(root, name, flags),
    }
}
