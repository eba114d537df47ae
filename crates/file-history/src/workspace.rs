//! The port to the files of the user: all that restore, undo and recovery may do to them.

use crate::{
    error::{Block, Error},
    version::{Content, FileState},
};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Current {
    /// Nothing, and a file could be put there.
    Absent,
    /// A regular file.
    File(Content),
    /// Something that must not be touched, or cannot.
    Blocked(Block),
}

impl Current {
    /// Returns the file, if there is one.
    pub fn file(&self) -> Option<FileState<'_>> {
        match self {
            Self::File(Content { bytes, mode }) => Some(FileState { bytes, mode: *mode }),
            Self::Absent | Self::Blocked(_) => None,
        }
    }
}

/// How the two names of an exchange are taken before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// Both names are files: they change places.
    Both,
    /// Only the temporary file is there: it takes the path, which must be free.
    Place,
    /// Only the path is there: it takes the temporary name, which must be free.
    Take,
}

impl Exchange {
    /// Returns the exchange that takes this one back.
    #[must_use]
    pub fn back(self) -> Self {
        match self {
            Self::Both => Self::Both,
            Self::Place => Self::Take,
            Self::Take => Self::Place,
        }
    }
}

/// Reads and replaces files below one root.
///
/// All paths are relative to the root, in bytes. An implementation resolves every parent without following links,
/// applies the policy of its host, and never touches anything but the names it is given.
///
/// Errors are [`Error::Blocked`], [`Error::Stale`] or [`Error::Workspace`].
pub trait Workspace {
    /// Returns what is at `path`, without following a link there. A missing parent means [`Current::Absent`].
    fn look(&mut self, path: &[u8]) -> Result<Current, Error>;

    /// Returns a free name for a temporary file beside `path`. Creates nothing.
    fn temp_name(&mut self, path: &[u8]) -> Result<Vec<u8>, Error>;

    /// Creates the temporary file with this content, and missing parents. Returns how many parents it created,
    /// counted from the innermost. Permission bits that are not given are those of the file at `path`, or the default.
    fn stage(&mut self, path: &[u8], temp: &[u8], file: FileState<'_>) -> Result<u32, Error>;

    /// Makes everything durable that was staged, exchanged or discarded so far.
    fn sync(&mut self) -> Result<(), Error>;

    /// Lets the two names change places, without ever clobbering a third file.
    ///
    /// At every moment the path leads to the one file or to the other. Where the file system cannot exchange names, an
    /// implementation compares the file just before it renames; the temporary name may lead to a copy of it then.
    fn exchange(&mut self, path: &[u8], temp: &[u8], how: Exchange) -> Result<(), Error>;

    /// Takes a temporary file away; one that is not there is no error. Then takes away up to `dirs` parents of it that
    /// are empty, from the innermost.
    fn discard(&mut self, temp: &[u8], dirs: u32) -> Result<(), Error>;
}
