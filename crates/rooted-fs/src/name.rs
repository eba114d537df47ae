//! The one spelling of a place below a root.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use crate::Error;

/// Longest name of one entry; the limit of every common Linux file system.
pub(crate) const MAX_NAME_BYTES: usize = 255;
/// Longest path a system call takes, its NUL included (`PATH_MAX`).
pub(crate) const MAX_PATH_BYTES: usize = 4096;

/// Names a place below a root, in the only spelling it has.
///
/// Components are separated by one `/`; none is empty, `.` or `..`; there is no leading or trailing `/`. The
/// root itself is the empty name. Bytes are taken as they are: no case folding, no Unicode normal form.
///
/// # Examples
///
/// ```
/// use rooted_fs::RelName;
/// use std::path::Path;
///
/// let name = RelName::parse(Path::new("src/main.rs"))?;
/// assert_eq!(name.file_name().unwrap(), "main.rs");
/// assert_eq!(name.parent().unwrap().as_path(), Path::new("src"));
/// assert!(RelName::parse(Path::new("src/../main.rs")).is_err());
/// # Ok::<(), rooted_fs::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RelName(Vec<u8>);

impl RelName {
    /// Returns the name of the root itself.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Takes a canonical name; nothing is rewritten.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`] for a leading, doubled or trailing `/`, a `.` or `..` component or a NUL byte;
    /// [`Error::NameTooLong`] for a component over 255 bytes or a name over 4095.
    pub fn parse(path: &Path) -> Result<Self, Error> {
        let bytes = path.as_os_str().as_bytes();
        check_path(bytes)?;
        if !bytes.is_empty() {
            bytes.split(|&b| b == b'/').try_for_each(check_component)?;
        }
        Ok(Self(bytes.to_vec()))
    }

    /// Takes a canonical absolute path as a name below a root on `/`.
    ///
    /// # Errors
    ///
    /// As [`RelName::parse`], and [`Error::InvalidName`] when the path is not absolute.
    pub fn from_absolute(path: &Path) -> Result<Self, Error> {
        match path.as_os_str().as_bytes().split_first() {
            Some((b'/', rest)) => Self::parse(Path::new(OsStr::from_bytes(rest))),
            _ => Err(Error::InvalidName { why: "the path is not absolute" }),
        }
    }

    /// Wraps bytes that the hint has built component by component.
    pub(crate) fn from_canonical(bytes: Vec<u8>) -> Self {
        debug_assert!(Self::parse(Path::new(OsStr::from_bytes(&bytes))).is_ok());
        Self(bytes)
    }

    /// Returns the name as a relative path; the root is the empty path.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// Returns the bytes of the name.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Tells whether this is the root itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the name of the directory that holds it, or `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.split().map(|(parent, _)| Self(parent.to_vec()))
    }

    /// Returns the last component, or `None` for the root.
    #[must_use]
    pub fn file_name(&self) -> Option<&OsStr> {
        self.split().map(|(_, leaf)| leaf)
    }

    /// Returns the components from the root down.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &OsStr> {
        self.0.split(|&b| b == b'/').filter(|c| !c.is_empty()).map(OsStr::from_bytes)
    }

    /// Returns the name of `entry` below this one.
    ///
    /// # Errors
    ///
    /// As [`RelName::parse`]; `entry` is one component, so a `/` in it is refused too.
    pub fn join(&self, entry: &OsStr) -> Result<Self, Error> {
        let entry = entry.as_bytes();
        check_component(entry)?;
        let mut joined = Vec::with_capacity(self.0.len() + 1 + entry.len());
        joined.extend_from_slice(&self.0);
        if !joined.is_empty() {
            joined.push(b'/');
        }
        joined.extend_from_slice(entry);
        check_path(&joined)?;
        Ok(Self(joined))
    }

    /// Returns the name as an owned string.
    #[must_use]
    pub fn into_os_string(self) -> OsString {
        OsString::from_vec(self.0)
    }

    /// Splits off the last component.
    pub(crate) fn split(&self) -> Option<(&[u8], &OsStr)> {
        if self.0.is_empty() {
            return None;
        }
        Some(match self.0.iter().rposition(|&b| b == b'/') {
            Some(at) => (&self.0[..at], OsStr::from_bytes(&self.0[at + 1..])),
            None => (&[], OsStr::from_bytes(&self.0)),
        })
    }
}

impl fmt::Debug for RelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_path(), f)
    }
}

/// Checks what holds for a path as a whole.
pub(crate) fn check_path(bytes: &[u8]) -> Result<(), Error> {
    if bytes.len() >= MAX_PATH_BYTES {
        return Err(Error::NameTooLong { bytes: bytes.len(), limit: MAX_PATH_BYTES - 1 });
    }
    if bytes.contains(&0) {
        return Err(Error::InvalidName { why: "the path contains a NUL byte" });
    }
    Ok(())
}

/// Checks that `name` can be one entry of a directory.
pub(crate) fn check_component(name: &[u8]) -> Result<(), Error> {
    let why = match name {
        b"" => "a component of the name is empty",
        b"." | b".." => "a component of the name is `.` or `..`",
        _ if name.contains(&b'/') => "the name contains a `/`",
        _ if name.contains(&0) => "the name contains a NUL byte",
        _ if name.len() > MAX_NAME_BYTES => {
            return Err(Error::NameTooLong { bytes: name.len(), limit: MAX_NAME_BYTES });
        }
        _ => return Ok(()),
    };
    Err(Error::InvalidName { why })
}
