//! How a write is done, and what came of it.

use std::ffi::OsString;
use std::fs::File;

use crate::{Error, Identity, Meta};

/// Says how far a write must have got when the call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// The content and the entry in the directory survive a power cut.
    #[default]
    Full,
    /// The content is on the disk; the entry follows when the system writes it.
    Data,
    /// The system writes both when it likes. After a power cut the file can be old, new or empty.
    None,
}

/// Says what to do about directories that are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parents {
    /// A missing directory is an error.
    #[default]
    Require,
    /// Missing directories are made, with mode `0777` less the umask.
    Create,
}

/// Says whether a file may be written in place where it cannot be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InPlace {
    /// No: the answer is [`Error::InPlaceNeeded`].
    #[default]
    Refuse,
    /// Yes. A crash can leave a mixture, so the caller has the old content safe before.
    Allow,
}

/// Says what to do about a file that this process may not write but could replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadOnlyFiles {
    /// The answer is [`Error::ReadOnlyFile`] or [`Error::PermissionDenied`].
    #[default]
    Refuse,
    /// It is replaced and stays read-only.
    Replace,
}

/// Who may use a new file and the directories made for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Whom the umask allows: mode `0666` and `0777` less the umask.
    #[default]
    Shared,
    /// The owner alone: mode `0600` and `0700`.
    Private,
}

/// Holds the settings of a write. The default is the safe one: durable, nothing made or written on the side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// How far the write must have got.
    pub durability: Durability,
    /// What to do about missing directories.
    pub parents: Parents,
    /// What to do where only writing in place works.
    pub in_place: InPlace,
    /// What to do about read-only files.
    pub read_only: ReadOnlyFiles,
    /// Who may use what is created. A file that is replaced keeps its own mode.
    pub access: Access,
}

/// Tells which attributes of the old file the new one has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// The owner.
    pub owner: bool,
    /// The group. If not, the group has no access, lest another group gets what was not its own.
    pub group: bool,
    /// The access list and all other extended attributes that may be copied.
    pub attributes: bool,
}

impl Kept {
    pub(crate) const ALL: Self = Self { owner: true, group: true, attributes: true };

    /// Tells whether nothing was lost.
    #[must_use]
    pub fn all(&self) -> bool {
        self.owner && self.group && self.attributes
    }
}

/// Tells what a write did, and holds the file for [`Root::verify`](crate::Root::verify).
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct Written {
    /// Bytes written by this call.
    pub bytes: u64,
    /// Where in the file they begin: 0 but for an append.
    pub offset: u64,
    /// Whether the file is new.
    pub created: bool,
    /// Whether the content was written into the old inode instead of replacing it.
    pub in_place: bool,
    /// Directories that were made for it.
    pub made_dirs: usize,
    /// Which attributes of the old file were kept.
    pub kept: Kept,
    /// Number of other names (hard links) that still lead to the old content.
    pub other_names: u64,
    /// Why the entry may not survive a power cut although that was asked for. The new content is in place.
    pub unsynced: Option<Error>,
    /// Name of a temporary file beside it that could not be removed; [`Root::sweep`](crate::Root::sweep) can.
    pub leftover: Option<OsString>,
    /// What the system says about the file now.
    pub meta: Meta,
    pub(crate) file: File,
    pub(crate) appended: bool,
}

impl Written {
    /// Returns the state that the write left the file in.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.meta.identity()
    }
}
