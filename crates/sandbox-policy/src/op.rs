//! What a tool wants to do with a path.

use std::fmt;

/// Names what a tool wants to do with a path.
///
/// The write operations are those for which [`Op::is_write`] answers true; everything else only looks.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// Reads the content of a file.
    Read,
    /// Lists the entries of a directory.
    List,
    /// Looks at the kind, size or times of one entry.
    Stat,
    /// Searches names or content, at the start of a walk or in one of its files.
    Search,
    /// Makes a file that is not there yet.
    Create,
    /// Replaces the whole content of a file.
    Overwrite,
    /// Adds to the end of a file, in place.
    Append,
    /// Changes a part of a file; the file is replaced as a whole.
    Edit,
    /// Removes a file.
    Remove,
    /// Brings an earlier version of a file back.
    Restore,
    /// Reads earlier versions of a file, or what changed between them.
    HistoryRead,
    /// Hands a file or directory to the desktop's opener, which may run it.
    Open,
}

impl Op {
    /// Lists every operation.
    pub const ALL: [Op; 12] = [
        Op::Read,
        Op::List,
        Op::Stat,
        Op::Search,
        Op::Create,
        Op::Overwrite,
        Op::Append,
        Op::Edit,
        Op::Remove,
        Op::Restore,
        Op::HistoryRead,
        Op::Open,
    ];

    /// Tells whether the operation changes what is on the disk.
    pub const fn is_write(self) -> bool {
        matches!(self, Op::Create | Op::Overwrite | Op::Append | Op::Edit | Op::Remove | Op::Restore)
    }

    /// Tells whether the answer is made of names rather than content: a listing, a walk, a look at one entry.
    pub const fn is_look(self) -> bool {
        matches!(self, Op::List | Op::Stat | Op::Search)
    }

    /// Returns the stable snake_case name.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::List => "list",
            Op::Stat => "stat",
            Op::Search => "search",
            Op::Create => "create",
            Op::Overwrite => "overwrite",
            Op::Append => "append",
            Op::Edit => "edit",
            Op::Remove => "remove",
            Op::Restore => "restore",
            Op::HistoryRead => "history_read",
            Op::Open => "open",
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
