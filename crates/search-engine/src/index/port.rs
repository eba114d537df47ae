//! What an index needs of a tree besides what a search needs, and who tells it of changes.

use std::{ffi::OsStr, io};

use super::{DirId, Stamp};
use crate::{FileFacts, Tree};

/// A tree whose files and directories have stamps.
pub trait StampedTree: Tree {
    /// Reads the stamp of an open directory as it is now.
    fn dir_stamp(&self, dir: &Self::Dir) -> io::Result<Stamp>;

    /// Reads the stamp of the entry `name`, without following a link and without opening it.
    fn file_stamp(&self, dir: &Self::Dir, name: &OsStr) -> io::Result<Stamp>;

    /// Opens a file as [`Tree::open`] does, with its stamp from the open handle.
    fn open_stamped(&self, dir: &Self::Dir, name: &OsStr) -> io::Result<(Self::File, FileFacts, Stamp)>;
}

/// Watches directories, so that an index need not look at them to know that they are the same.
///
/// What the watch reports is told to the index by [`Index::note`](super::Index::note) before it is asked. A directory is watched
/// before it is listed.
pub trait Watch<D> {
    /// Starts to watch the names in `dir` and the files directly in it; `false` when that is not possible, and the index
    /// then looks at it each time.
    fn watch(&mut self, dir: &D, id: DirId) -> bool;

    /// Ends it.
    fn forget(&mut self, id: DirId);
}

/// Watches nothing: the index compares stamps.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoWatch;

impl<D> Watch<D> for NoWatch {
    fn watch(&mut self, _: &D, _: DirId) -> bool {
        false
    }

    fn forget(&mut self, _: DirId) {}
}

/// How an index makes sure that it still agrees with the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// What was [noted](super::Index::note) is looked at, and directories that could not be watched: so names are right.
    Names,
    /// The same, and the stamps of the files in directories that could not be watched: so contents are right too.
    Contents,
    /// The stamps of all directories and files, watched or not: after the watch has lost something.
    All,
}
