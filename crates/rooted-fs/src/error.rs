//! What can go wrong, as a stable word to branch on and a phrase to read.

use std::io;

use rustix::io::Errno;

use crate::Kind;

/// Says why an operation was not done.
///
/// No variant carries a path: the caller knows the one it asked for, and no other may be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path is empty.
    #[error("the path is empty")]
    EmptyPath,
    /// The path or a name in it cannot be a file name here; the text says which rule it breaks.
    #[error("{why}")]
    InvalidName {
        /// The rule that is broken.
        why: &'static str,
    },
    /// A name or the whole path is longer than the file system takes.
    #[error("the name is too long{}", numbers(*bytes, *limit))]
    NameTooLong {
        /// Length of what was given; 0 when it was the file system that refused it.
        bytes: usize,
        /// The limit that it passes; 0 when only the file system knows.
        limit: usize,
    },
    /// Nothing has this name.
    #[error("no such file or directory")]
    NotFound,
    /// A `..` stands behind a part of the path that does not exist.
    #[error("`..` behind a directory that does not exist")]
    ParentOfMissing,
    /// A symbolic link leads to nothing.
    #[error("a symbolic link leads to nothing")]
    DanglingSymlink,
    /// Symbolic links lead in a circle, or through too many steps.
    #[error("too many symbolic links")]
    SymlinkLoop,
    /// A directory stands where a file is wanted.
    #[error("is a directory")]
    IsADirectory,
    /// Something that is not a directory stands where one is wanted.
    #[error("not a directory")]
    NotADirectory,
    /// A device, FIFO, socket or link stands where a file is wanted; it was not opened.
    #[error("not a regular file: {kind}")]
    NotARegularFile {
        /// What stands there.
        kind: Kind,
    },
    /// The system refuses access.
    #[error("permission denied")]
    PermissionDenied,
    /// The file may not be written by this process, and the options say to respect that.
    #[error("the file is read-only (mode {mode:04o})")]
    ReadOnlyFile {
        /// Permission bits of the file.
        mode: u32,
    },
    /// The name is already taken.
    #[error("already exists")]
    Exists,
    /// The file is not the one that was read: somebody else changed it meanwhile. Read again and retry.
    #[error("changed by somebody else meanwhile")]
    Changed,
    /// The name leads elsewhere than a moment ago. Ask for a new hint and retry.
    #[error("moved by somebody else meanwhile")]
    Moved,
    /// Others keep moving or holding the file; the bounded number of tries is used up.
    #[error("busy: held or moved by others for too long")]
    Busy,
    /// The file has several names and the caller refuses to change it under all of them.
    #[error("the file has {names} names (hard links)")]
    HardLinked {
        /// Number of names.
        names: u64,
    },
    /// No space is left.
    #[error("no space left on the device")]
    NoSpace,
    /// The quota is used up.
    #[error("disk quota exceeded")]
    Quota,
    /// The file system is read-only.
    #[error("read-only file system")]
    ReadOnlyFileSystem,
    /// The file is larger than the caller takes.
    #[error("too large: {bytes} bytes, at most {limit}")]
    TooLarge {
        /// Size of the file, as far as it is known.
        bytes: u64,
        /// The limit that the caller gave.
        limit: u64,
    },
    /// Only writing in place would work, and the options do not allow it.
    #[error("can only be written in place: {why}")]
    InPlaceNeeded {
        /// Why a replacement is impossible.
        why: WhyInPlace,
    },
    /// Only a part of an append arrived.
    #[error("only {written} of {wanted} bytes were appended: {cause}")]
    ShortWrite {
        /// Bytes that are in the file now.
        written: u64,
        /// Bytes that were to be appended.
        wanted: u64,
        /// What stopped it.
        cause: Box<Error>,
    },
    /// Writing in place failed half-way and the old content could not be put back.
    #[error("failed while writing in place, content damaged: {cause}")]
    Damaged {
        /// What stopped it.
        cause: Box<Error>,
    },
    /// The kernel tier was demanded and the kernel does not offer it.
    #[error("the kernel has no usable openat2 ({why})")]
    TierUnavailable {
        /// What the probe answered.
        why: io::ErrorKind,
    },
    /// Any other answer of the system.
    #[error("input/output error: {kind} (os error {os})")]
    Io {
        /// The portable kind.
        kind: io::ErrorKind,
        /// The number the system gave.
        os: i32,
    },
}

/// Says why a file cannot be replaced by renaming.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WhyInPlace {
    /// The name is a mount point (a single-file bind mount).
    #[error("the file is a mount point")]
    MountPoint,
    /// The directory crosses a file system or quota border.
    #[error("the directory does not allow renaming across its border")]
    CrossDevice,
    /// The directory takes no new entries from this process.
    #[error("the directory is not writable")]
    DirectoryNotWritable,
}

fn numbers(bytes: usize, limit: usize) -> String {
    if limit == 0 { " for this file system".to_owned() } else { format!(": {bytes} bytes, at most {limit}") }
}

impl Error {
    /// Returns the stable word for this error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::EmptyPath => "empty_path",
            Self::InvalidName { .. } => "invalid_name",
            Self::NameTooLong { .. } => "name_too_long",
            Self::NotFound => "not_found",
            Self::ParentOfMissing => "parent_of_missing",
            Self::DanglingSymlink => "dangling_symlink",
            Self::SymlinkLoop => "symlink_loop",
            Self::IsADirectory => "is_a_directory",
            Self::NotADirectory => "not_a_directory",
            Self::NotARegularFile { .. } => "not_a_regular_file",
            Self::PermissionDenied => "permission_denied",
            Self::ReadOnlyFile { .. } => "read_only_file",
            Self::Exists => "exists",
            Self::Changed => "changed",
            Self::Moved => "moved",
            Self::Busy => "busy",
            Self::HardLinked { .. } => "hard_linked",
            Self::NoSpace => "no_space",
            Self::Quota => "quota",
            Self::ReadOnlyFileSystem => "read_only_file_system",
            Self::TooLarge { .. } => "too_large",
            Self::InPlaceNeeded { .. } => "in_place_needed",
            Self::ShortWrite { .. } => "short_write",
            Self::Damaged { .. } => "damaged",
            Self::TierUnavailable { .. } => "tier_unavailable",
            Self::Io { .. } => "io",
        }
    }

    /// Tells whether a new hint may lead to another answer, because the tree moved since the last one.
    ///
    /// True for [`Error::Moved`], and for what a name answers that was there, and was no link, when the hint was
    /// made: [`Error::NotFound`], [`Error::NotADirectory`], and [`Error::NotARegularFile`] of a link. A caller
    /// retries a few times (8 is enough) and then answers [`Error::Busy`].
    #[must_use]
    pub fn is_race(&self) -> bool {
        matches!(
            self,
            Self::Moved
                | Self::NotFound
                | Self::NotADirectory
                | Self::NotARegularFile { kind: Kind::Symlink }
        )
    }
}

impl From<Errno> for Error {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT => Self::NotFound,
            Errno::EXIST => Self::Exists,
            Errno::NOTDIR => Self::NotADirectory,
            Errno::ISDIR => Self::IsADirectory,
            // The tiers answer these when a link or a step out of the root turns up in a canonical name.
            Errno::LOOP | Errno::XDEV | Errno::STALE => Self::Moved,
            Errno::AGAIN | Errno::TXTBSY => Self::Busy,
            Errno::ACCESS | Errno::PERM => Self::PermissionDenied,
            Errno::NAMETOOLONG => Self::NameTooLong { bytes: 0, limit: 0 },
            Errno::NOSPC => Self::NoSpace,
            Errno::DQUOT => Self::Quota,
            Errno::ROFS => Self::ReadOnlyFileSystem,
            other => {
                let os = other.raw_os_error();
                Self::Io { kind: io::Error::from_raw_os_error(os).kind(), os }
            }
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::EmptyPath | Error::InvalidName { .. } => io::ErrorKind::InvalidInput,
            Error::NameTooLong { .. } => io::ErrorKind::InvalidFilename,
            Error::NotFound | Error::DanglingSymlink => io::ErrorKind::NotFound,
            Error::IsADirectory => io::ErrorKind::IsADirectory,
            Error::NotADirectory => io::ErrorKind::NotADirectory,
            Error::PermissionDenied => io::ErrorKind::PermissionDenied,
            Error::Exists => io::ErrorKind::AlreadyExists,
            Error::Busy => io::ErrorKind::ResourceBusy,
            Error::NoSpace => io::ErrorKind::StorageFull,
            Error::Quota => io::ErrorKind::QuotaExceeded,
            Error::ReadOnlyFileSystem => io::ErrorKind::ReadOnlyFilesystem,
            Error::TooLarge { .. } => io::ErrorKind::FileTooLarge,
            Error::Io { kind, .. } => *kind,
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}
