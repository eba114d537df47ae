//! The port through which a search sees files: directories by handle, one component at a time.

use std::{
    ffi::OsStr,
    io::{self, Read},
};

/// What an entry of a directory is, without following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link; a search never follows one.
    Symlink,
    /// A FIFO, socket, device or anything else; never opened.
    Other,
}

/// What a search needs to know about a file besides its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileFacts {
    /// Length in bytes. A file is read up to it, even when it grows meanwhile; 0 also stands for an unknown length, and such
    /// a file is read to its end or up to [`Limits::max_bytes`](crate::Limits::max_bytes).
    pub size: u64,
    /// Time of the last modification, in nanoseconds since 1970.
    pub modified_ns: i64,
}

/// A tree of files that can be read from several threads.
///
/// The walk holds a handle for each directory on its way down and asks for one component at a time, so an
/// implementation never resolves a path of more than one name and a renamed ancestor cannot lead it elsewhere.
///
/// Contract:
/// - Entries that the caller must not see are left out by [`entries`](Self::entries): they are then absent from every
///   result and every total. [`Listing::hide`] may report how many there were.
/// - [`enter`](Self::enter) and [`open`](Self::open) never follow a link and never block; what turned into
///   something else since it was listed is an error.
/// - Errors are counted and named in the summary and do not end the search, except those of
///   [`root`](Self::root) and of the start of the search.
pub trait Tree: Sync {
    /// A directory handle.
    type Dir: Send + Sync;
    /// An open file.
    type File: Read + Send;

    /// Opens the directory that the search starts from.
    fn root(&self) -> io::Result<Self::Dir>;

    /// Adds every visible entry of `dir` to `out`, in any order.
    fn entries(&self, dir: &Self::Dir, out: &mut Listing) -> io::Result<()>;

    /// Opens the directory `name` of `dir`.
    fn enter(&self, dir: &Self::Dir, name: &OsStr) -> io::Result<Self::Dir>;

    /// Opens the regular file `name` of `dir` and tells its facts as read from the open handle.
    fn open(&self, dir: &Self::Dir, name: &OsStr) -> io::Result<(Self::File, FileFacts)>;

    /// Tells the facts of the file `name` of `dir`; asked only for newest-first order.
    fn facts(&self, dir: &Self::Dir, name: &OsStr) -> io::Result<FileFacts> {
        self.open(dir, name).map(|(_, facts)| facts)
    }

    /// Lets the next read of an open file start at `offset`; `false`, and nothing moves, when that is not possible.
    fn seek(&self, _file: &mut Self::File, _offset: u64) -> io::Result<bool> {
        Ok(false)
    }
}

/// One entry of a [`Listing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The name, one component.
    pub name: &'a OsStr,
    /// What it is.
    pub kind: Kind,
}

/// The entries of one directory, with all names in one allocation.
#[derive(Debug, Default)]
pub struct Listing {
    names: Vec<u8>,
    items: Vec<Item>,
    hidden: u64,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    /// The first bytes of the name, so that most comparisons need nothing else.
    prefix: u64,
    start: u32,
    len: u32,
    kind: Kind,
}

impl Listing {
    /// Makes an empty listing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry.
    pub fn push(&mut self, name: &OsStr, kind: Kind) {
        let bytes = name.as_encoded_bytes();
        let (Ok(start), Ok(len)) = (u32::try_from(self.names.len()), u32::try_from(bytes.len())) else {
            return; // over 4 GiB of names in one directory
        };
        self.names.extend_from_slice(bytes);
        let mut prefix = [0; 8];
        let kept = bytes.len().min(prefix.len());
        prefix[..kept].copy_from_slice(&bytes[..kept]);
        self.items.push(Item { prefix: u64::from_be_bytes(prefix), start, len, kind });
    }

    /// Counts one entry that was left out because the caller may not see it.
    pub fn hide(&mut self) {
        self.hidden += 1;
    }

    /// Returns how many entries were left out.
    pub fn hidden(&self) -> u64 {
        self.hidden
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Tells whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the entries, in the order in which they were added or, after a sort, of their names.
    pub fn iter(&self) -> impl Iterator<Item = Entry<'_>> {
        (0..self.len()).filter_map(|i| self.get(i))
    }

    pub(crate) fn get(&self, index: usize) -> Option<Entry<'_>> {
        let item = self.items.get(index)?;
        Some(Entry { name: name_of(self.bytes(item)), kind: item.kind })
    }

    pub(crate) fn sort(&mut self) {
        let names = &self.names;
        let key = |i: &Item| &names[i.start as usize..][..i.len as usize];
        self.items.sort_unstable_by(|a, b| a.prefix.cmp(&b.prefix).then_with(|| key(a).cmp(key(b))));
    }

    pub(crate) fn kind_of(&self, name: &[u8]) -> Option<Kind> {
        let found = self.items.binary_search_by(|item| self.bytes(item).cmp(name)).ok()?;
        Some(self.items[found].kind)
    }

    /// Index of the first entry whose name is not before `name`; the listing is sorted.
    pub(crate) fn first_from(&self, name: &[u8]) -> usize {
        self.items.partition_point(|item| self.bytes(item) < name)
    }

    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.items.clear();
        self.hidden = 0;
    }

    fn bytes(&self, item: &Item) -> &[u8] {
        &self.names[item.start as usize..][..item.len as usize]
    }
}

/// Turns the bytes of a name back into the name.
#[cfg(unix)]
pub(crate) fn name_of(bytes: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

/// Turns the bytes of a name back into the name; only valid Unicode is kept where names are not bytes.
#[cfg(not(unix))]
pub(crate) fn name_of(bytes: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(bytes).unwrap_or("\u{FFFD}"))
}
