//! What the index needs of the tree of a workspace: stamps, and what can be relied on where.

use std::ffi::OsStr;
use std::io;

use rooted_fs::Meta;
use search_engine::{FileFacts, Stamp, StampedTree};

use crate::tree::{GateTree, TreeDir, TreeFile};

/// File systems of this machine alone, whose changes are seen and whose times are kept: `linux/magic.h` and the sources of
/// those that are not in it. On any other, nothing is taken from the index.
const LOCAL: &[u64] = &[
    0xEF53,      // ext2, ext3, ext4
    0x5846_5342, // xfs
    0x9123_683E, // btrfs
    0x0102_1994, // tmpfs
    0x8584_58F6, // ramfs
    0xF2F5_2010, // f2fs
    0x794C_7630, // overlayfs
    0x2FC1_2FC1, // zfs
    0xCA45_1A4E, // bcachefs
];

/// Whether changes below a directory are seen, and its times are kept.
pub(super) fn is_watchable(meta: &Meta) -> bool {
    LOCAL.contains(&meta.fs_magic)
}

fn stamp(meta: &Meta) -> io::Result<Stamp> {
    if !is_watchable(meta) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(Stamp {
        dev: meta.dev,
        ino: meta.ino,
        links: meta.nlink,
        size: meta.size,
        modified_ns: meta.mtime_ns,
        changed_ns: meta.ctime_ns,
    })
}

impl StampedTree for GateTree<'_> {
    fn dir_stamp(&self, dir: &Self::Dir) -> io::Result<Stamp> {
        // A handle is opened for each look, so what was known when it was opened is what is.
        stamp(dir.dir().ok_or(io::ErrorKind::NotADirectory)?.meta())
    }

    fn file_stamp(&self, dir: &Self::Dir, name: &OsStr) -> io::Result<Stamp> {
        stamp(&dir.dir().ok_or(io::ErrorKind::NotADirectory)?.stat(name)?)
    }

    fn open_stamped(&self, dir: &Self::Dir, name: &OsStr) -> io::Result<(TreeFile, FileFacts, Stamp)> {
        let TreeDir::Real(node) = dir else { return Err(io::ErrorKind::NotADirectory.into()) };
        let handle = node.open_file(name)?;
        let stamp = stamp(handle.meta())?;
        let (file, facts) = self.file(handle)?;
        Ok((file, facts, stamp))
    }
}
