//! What can go wrong, each with a stable code.

use crate::version::{ChangeId, SetId};

/// Says why an operation on the history failed.
///
/// Nothing was changed when an error is returned, unless the documentation of the method says otherwise.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Another process holds the lock for longer than the caller was willing to wait.
    #[error("the history is in use by process {}", .owner.map_or_else(|| "(unknown)".to_owned(), |pid| pid.to_string()))]
    Busy {
        /// The process that wrote its id into the lock file, where that could be read.
        owner: Option<u32>,
    },
    /// The store was written by a newer version of this crate. Not a byte was written.
    #[error("the history has format {found}, this version understands up to {supported}")]
    FormatTooNew {
        /// The format number found on disk.
        found: u64,
        /// The newest format this version reads.
        supported: u64,
    },
    /// The store cannot be opened, read or written.
    #[error("the history cannot be used: {0}")]
    Unavailable(String),
    /// The disk, or the limit set for the store, is full. The transaction was rolled back.
    #[error("no room left for the history")]
    StoreFull,
    /// The disk of the store is nearly full, and what could be forgotten is.
    #[error("only {} MiB are left on the disk of the history, which wants {} MiB left free", .free >> 20, .min >> 20)]
    LowSpace {
        /// Bytes left.
        free: u64,
        /// Bytes that are to be left.
        min: u64,
    },
    /// The structure of the store is damaged beyond one version: see `repair`.
    #[error("the history is damaged: {0}")]
    StoreDamaged(String),
    /// No version with this id was ever issued.
    #[error("there is no version {0}")]
    UnknownVersion(ChangeId),
    /// The version existed and is no longer kept.
    #[error("version {0} is no longer kept")]
    Pruned(ChangeId),
    /// The stored content of this version does not pass its own hash.
    #[error("the stored content of version {0} is damaged")]
    Damaged(ChangeId),
    /// The content of this version is sealed with a key that the host does not offer.
    #[error("version {0} is sealed with a key that is not configured here")]
    KeyMismatch(ChangeId),
    /// `Keep::Seal` asked for content to be sealed, and there is no key, or no cipher is compiled in.
    #[error("content is to be sealed, and no key is configured")]
    NoKey,
    /// The version has no content that could be put back.
    #[error("version {id} cannot be restored: {}", .why.text())]
    NotRestorable {
        /// The version that was asked for.
        id: ChangeId,
        /// What stands in the way.
        why: Gap,
    },
    /// The content exceeds what the history keeps, and `Keep::Content` asked for it to be kept.
    #[error("{len} bytes are more than the {max} bytes that the history keeps of one file")]
    TooLargeToKeep {
        /// Length of the content in bytes.
        len: u64,
        /// The limit in bytes.
        max: u64,
    },
    /// The task was never seen.
    #[error("no such task")]
    UnknownTask,
    /// The set of changes does not exist, or was not interrupted.
    #[error("change set {0} is not interrupted")]
    NotInterrupted(SetId),
    /// The lower bound of a time range lies after its upper bound.
    #[error("the range from {from} to {to} is empty")]
    EmptyRange {
        /// Lower bound, inclusive, in milliseconds since 1970.
        from: i64,
        /// Upper bound, exclusive, in milliseconds since 1970.
        to: i64,
    },
    /// A bound of a time range is none of the accepted forms.
    #[error("expected YYYY-MM-DD, YYYY-MM-DD HH:MM or YYYY-MM-DD HH:MM:SS")]
    BadTime,
    /// The path is empty, absolute, too long, or has an empty, `.` or `..` component or a NUL byte.
    #[error("a path is relative to the root, without empty, `.` or `..` components, at most {max} bytes")]
    BadPath {
        /// The limit in bytes.
        max: usize,
    },
    /// A task, run or tool name is too long.
    #[error("{what} has {len} bytes, at most {max} are kept")]
    TooLong {
        /// Which field.
        what: &'static str,
        /// Its length in bytes.
        len: usize,
        /// The limit in bytes.
        max: usize,
    },
    /// A change cannot be settled as open.
    #[error("a change is settled as landed, failed, unknown or partial")]
    NotAnOutcome,
    /// What is at the path cannot be touched.
    #[error("blocked: {}", .0.text())]
    Blocked(Block),
    /// The content at the path is not what the plan was made for.
    #[error("the file changed meanwhile")]
    Stale,
    /// The workspace failed.
    #[error("{0}")]
    Workspace(String),
}

impl Error {
    /// Says that a version cannot be read for a reason.
    pub(crate) fn unreadable(id: ChangeId, why: Gap) -> Self {
        match why {
            Gap::Damaged => Self::Damaged(id),
            Gap::KeyMismatch => Self::KeyMismatch(id),
            why => Self::NotRestorable { id, why },
        }
    }

    /// Returns the stable word for this error; it never changes within a major version.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Busy { .. } => "busy",
            Self::FormatTooNew { .. } => "format_too_new",
            Self::Unavailable(_) => "history_unavailable",
            Self::StoreFull => "history_full",
            Self::LowSpace { .. } => "low_space",
            Self::StoreDamaged(_) => "history_damaged",
            Self::UnknownVersion(_) => "unknown_version",
            Self::Pruned(_) => "pruned",
            Self::Damaged(_) => "damaged",
            Self::KeyMismatch(_) => "key_mismatch",
            Self::NoKey => "no_key",
            Self::NotRestorable { .. } => "not_restorable",
            Self::TooLargeToKeep { .. } => "too_large_to_keep",
            Self::UnknownTask => "unknown_task",
            Self::NotInterrupted(_) => "not_interrupted",
            Self::EmptyRange { .. } => "empty_range",
            Self::BadTime => "bad_time",
            Self::BadPath { .. } => "bad_path",
            Self::TooLong { .. } => "too_long",
            Self::NotAnOutcome => "not_an_outcome",
            Self::Blocked(Block::Directory) => "target_is_directory",
            Self::Blocked(_) => "blocked",
            Self::Stale => "stale",
            Self::Workspace(_) => "workspace_failed",
        }
    }
}

/// Says why a recorded state has no content to give back.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gap {
    /// The content was sensitive and withheld.
    Sensitive,
    /// The content was larger than the limit and the caller accepted that.
    TooLarge,
    /// The stored bytes do not pass their hash.
    Damaged,
    /// It was kept once, and went with older versions when room was needed.
    Pruned,
    /// It is sealed with a key that the host does not offer.
    KeyMismatch,
}

impl Gap {
    /// Returns the stable word for this reason.
    pub fn code(self) -> &'static str {
        match self {
            Self::Sensitive => "sensitive",
            Self::TooLarge => "too_large",
            Self::Damaged => "damaged",
            Self::Pruned => "pruned",
            Self::KeyMismatch => "key_mismatch",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Sensitive => "its content is sensitive and was not kept",
            Self::TooLarge => "its content was too large to keep",
            Self::Damaged => "its stored content is damaged",
            Self::Pruned => "its content is no longer kept",
            Self::KeyMismatch => "its content is sealed with a key that is not configured here",
        }
    }
}

/// Says why a path cannot be read or replaced.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Block {
    /// A directory is there.
    Directory,
    /// A symbolic link is there, and it is not followed.
    Symlink,
    /// A parent leads out of the workspace.
    Outside,
    /// Policy or permissions forbid it.
    Denied,
    /// Something else that is not a regular file is there.
    Special,
}

impl Block {
    /// Returns the stable word for this reason.
    pub fn code(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::Symlink => "symlink",
            Self::Outside => "outside",
            Self::Denied => "denied",
            Self::Special => "special",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Directory => "a directory is there",
            Self::Symlink => "symlink",
            Self::Outside => "outside workspace",
            Self::Denied => "not permitted",
            Self::Special => "not a regular file",
        }
    }
}
