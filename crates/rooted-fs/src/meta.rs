//! Facts about a file, as the open handle gives them.

use std::fmt;

use rustix::fs::{FileType, Stat};

/// Says what kind of object a name leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device.
    CharDevice,
    /// A block device.
    BlockDevice,
    /// Something the system has no name for.
    Unknown,
}

impl Kind {
    /// Returns the kind in words, as they stand in an error.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "regular file",
            Self::Dir => "directory",
            Self::Symlink => "symbolic link",
            Self::Fifo => "FIFO",
            Self::Socket => "socket",
            Self::CharDevice => "character device",
            Self::BlockDevice => "block device",
            Self::Unknown => "unknown kind of object",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Dir,
            FileType::Symlink => Self::Symlink,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice => Self::CharDevice,
            FileType::BlockDevice => Self::BlockDevice,
            FileType::Unknown => Self::Unknown,
        }
    }
}

/// Holds what the system says about one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meta {
    /// What it is.
    pub kind: Kind,
    /// Device that holds it.
    pub dev: u64,
    /// Number of the inode on that device.
    pub ino: u64,
    /// Number of names (hard links).
    pub nlink: u64,
    /// Size in bytes.
    pub size: u64,
    /// Permission bits with setuid, setgid and sticky; no type bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Last change of content or attributes, in nanoseconds since 1970.
    pub ctime_ns: i64,
    /// Magic number of the file system, as `statfs` gives it.
    pub fs_magic: u64,
}

impl Meta {
    pub(crate) fn new(stat: &Stat, fs_magic: u64) -> Self {
        let identity = Identity::of(stat);
        Self {
            kind: kind_of(stat),
            dev: identity.dev,
            ino: identity.ino,
            nlink: widths::nlink(stat),
            size: identity.size,
            mode: stat.st_mode & 0o7777,
            uid: stat.st_uid,
            gid: stat.st_gid,
            mtime_ns: identity.mtime_ns,
            ctime_ns: identity.ctime_ns,
            fs_magic,
        }
    }

    /// Returns the part that tells one state of one file from another.
    #[must_use]
    pub fn identity(&self) -> Identity {
        let Self { dev, ino, size, mtime_ns, ctime_ns, .. } = *self;
        Identity { dev, ino, size, mtime_ns, ctime_ns }
    }
}

/// Tells one state of one file from another.
///
/// Two different states can share it when both were written within one tick of the kernel's clock and have the
/// same size, so a caller that must be sure compares content as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Identity {
    /// Device that holds the file.
    pub dev: u64,
    /// Number of the inode on that device.
    pub ino: u64,
    /// Size in bytes.
    pub size: u64,
    /// Last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Last change of content or attributes, in nanoseconds since 1970.
    pub ctime_ns: i64,
}

impl Identity {
    pub(crate) fn of(stat: &Stat) -> Self {
        let (mtime_ns, ctime_ns) = widths::times(stat);
        Self {
            dev: stat.st_dev,
            ino: stat.st_ino,
            size: stat.st_size.max(0).unsigned_abs(),
            mtime_ns,
            ctime_ns,
        }
    }

    /// Tells whether both are states of the same inode.
    #[must_use]
    pub fn same_inode(&self, other: &Self) -> bool {
        (self.dev, self.ino) == (other.dev, other.ino)
    }

    /// Tells whether both are the same state, a rename apart: `ctime_ns` does not count.
    #[must_use]
    pub fn same_content(&self, other: &Self) -> bool {
        self.same_inode(other) && (self.size, self.mtime_ns) == (other.size, other.mtime_ns)
    }
}

pub(crate) fn kind_of(stat: &Stat) -> Kind {
    FileType::from_raw_mode(stat.st_mode).into()
}

pub(crate) fn id_of(stat: &Stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}

/// The fields whose width depends on the architecture.
mod widths {
    #![allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "the widths differ by architecture"
    )]

    use rustix::fs::Stat;

    pub(super) fn nlink(stat: &Stat) -> u64 {
        u64::from(stat.st_nlink)
    }

    pub(super) fn times(stat: &Stat) -> (i64, i64) {
        let ns = |secs: i64, nanos: u64| secs.saturating_mul(1_000_000_000).saturating_add_unsigned(nanos);
        (
            ns(stat.st_mtime as i64, stat.st_mtime_nsec as u64),
            ns(stat.st_ctime as i64, stat.st_ctime_nsec as u64),
        )
    }
}
