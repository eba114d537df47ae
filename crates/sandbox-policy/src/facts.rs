//! What the caller knows about a path: its names, and the object behind them once it was looked at.

use std::path::Path;

/// Describes one path at the moment of a decision.
///
/// Decisions are made twice: first on names alone ([`Facts::object`] is `None`), before the object is touched; then
/// with the facts of the handle that will be used. A name that does not exist yet is decided on names only.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The path as it was asked for. Relative means relative to the workspace. It can only make a decision stricter:
    /// the name tables are consulted for it as well, so that a link called `.env` is guarded like the file.
    pub asked: &'a Path,
    /// The canonical absolute name that will be opened: no links, no `.` and no `..` in it.
    pub path: &'a Path,
    /// Whether a symbolic link was followed between the two; the grant remembers it.
    pub via_symlink: bool,
    /// The object behind the name, or `None` to decide on names only.
    pub object: Option<Object<'a>>,
}

impl<'a> Facts<'a> {
    /// Describes a canonical absolute `path` by its names alone.
    pub const fn names(path: &'a Path) -> Facts<'a> {
        Facts { asked: path, path, via_symlink: false, object: None }
    }

    /// Adds the object that was found behind the name.
    pub const fn with(self, object: Object<'a>) -> Facts<'a> {
        Facts { object: Some(object), ..self }
    }
}

/// Describes an object of the file system, as its open handle reports it.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    /// The type of the object.
    pub kind: Kind,
    /// The device that holds the object.
    pub dev: u64,
    /// The inode number on that device.
    pub ino: u64,
    /// How many names the object has.
    pub nlink: u64,
    /// The size in bytes.
    pub size: u64,
    /// The permission bits.
    pub mode: u32,
    /// The sort of file system the object lives on.
    pub fs: FsMagic,
    /// The first bytes of a regular file, at most [`crate::SNIFF_BYTES`] are looked at; `None` when they were not read.
    pub head: Option<&'a [u8]>,
    /// Whether the caller has seen the same device and inode under a sensitive name.
    pub alias_of_sensitive: bool,
}

impl Object<'_> {
    /// Describes an ordinary regular file with one name and mode 0644.
    pub const fn file(dev: u64, ino: u64) -> Object<'static> {
        Object {
            kind: Kind::File,
            dev,
            ino,
            nlink: 1,
            size: 0,
            mode: 0o644,
            fs: FsMagic::Ordinary,
            head: None,
            alias_of_sensitive: false,
        }
    }

    /// Describes an ordinary directory with mode 0755.
    pub const fn directory(dev: u64, ino: u64) -> Object<'static> {
        let mut object = Object::file(dev, ino);
        object.kind = Kind::Directory;
        object.nlink = 2;
        object.mode = 0o755;
        object
    }
}

/// Names the type of an object.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link that was not followed.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device.
    CharDevice,
    /// A block device.
    BlockDevice,
    /// Anything else, or not known.
    Unknown,
}

/// Names the sort of file system an object lives on.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FsMagic {
    /// Files that hold what was written to them.
    Ordinary,
    /// `procfs`: processes shown as files.
    Proc,
    /// `sysfs` and its kin: devices shown as files.
    Sys,
    /// `debugfs`, `tracefs` and their kin: the kernel shown as files.
    Debug,
    /// Not recognised; treated as ordinary.
    Other,
}
