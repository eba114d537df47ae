//! Paths as they are asked for: parsed once, spelt one way, nothing expanded.

use std::{
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use crate::{error::PathError, escape};

/// How long a path may be, in bytes: `PATH_MAX` of Linux.
pub const MAX_PATH_BYTES: usize = 4096;

/// How long a name in a path may be, in bytes: `NAME_MAX` of the usual file systems.
pub const MAX_NAME_BYTES: usize = 255;

/// Holds a path as it was asked for, in normal form: no empty components and no `.`, but with every `..` kept.
///
/// Nothing is trimmed and nothing is expanded: `~`, `$HOME`, `%2e`, `file://` and `*` are ordinary characters of names.
/// What `..` means depends on links, so only somebody who can look at the disk may take it away.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use sandbox_policy::RequestPath;
///
/// let path = RequestPath::parse("src/./lib//mod.rs/")?;
/// assert_eq!(path.as_path(), Path::new("src/lib/mod.rs"));
/// assert!(path.wants_directory());
/// assert_eq!(RequestPath::parse("").unwrap_err().code(), "empty_path");
/// # Ok::<(), sandbox_policy::PathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestPath {
    path: PathBuf,
    wants_directory: bool,
}

impl RequestPath {
    /// Parses a path in the spelling that listings show: see [`crate::escape()`].
    ///
    /// # Errors
    ///
    /// [`PathError::Empty`], [`PathError::Nul`], [`PathError::TooLong`], [`PathError::NameTooLong`]; on Windows also
    /// [`PathError::Windows`].
    pub fn parse(text: &str) -> Result<RequestPath, PathError> {
        RequestPath::from_os(escape::unescape(text).as_os_str())
    }

    /// Parses a path of the operating system as it is.
    ///
    /// # Errors
    ///
    /// As [`RequestPath::parse`].
    pub fn from_os(text: &OsStr) -> Result<RequestPath, PathError> {
        let bytes = text.as_encoded_bytes();
        if bytes.is_empty() {
            return Err(PathError::Empty);
        }
        if bytes.len() > MAX_PATH_BYTES {
            return Err(PathError::TooLong { bytes: bytes.len(), max: MAX_PATH_BYTES });
        }
        if bytes.contains(&0) {
            return Err(PathError::Nul);
        }
        if cfg!(windows)
            && let Some(issue) = crate::windows_issue(&text.to_string_lossy())
        {
            return Err(PathError::Windows(issue));
        }
        let given = Path::new(text);
        let mut path = PathBuf::with_capacity(bytes.len());
        for component in given.components() {
            let name = component.as_os_str();
            if name.len() > MAX_NAME_BYTES {
                return Err(PathError::NameTooLong { bytes: name.len(), max: MAX_NAME_BYTES });
            }
            if component != Component::CurDir {
                path.push(name);
            }
        }
        if path.as_os_str().is_empty() {
            path.push(".");
        }
        let wants_directory = ends_as_directory(bytes);
        Ok(RequestPath { path, wants_directory })
    }

    /// Returns the normal form; `.` when nothing is left.
    pub fn as_path(&self) -> &Path {
        &self.path
    }

    /// Tells whether the path starts at the root of the file system.
    pub fn is_absolute(&self) -> bool {
        self.path.is_absolute()
    }

    /// Tells whether the path was spelt so that only a directory can be meant: with `/`, `/.` or `..` at its end.
    pub fn wants_directory(&self) -> bool {
        self.wants_directory
    }

    /// Tells whether the path has a `..` in it.
    pub fn has_parent_step(&self) -> bool {
        self.path.components().any(|component| component == Component::ParentDir)
    }

    /// Puts the path behind an absolute `base` unless it is absolute itself; every `..` is kept.
    pub fn below(&self, base: &Path) -> PathBuf {
        if self.path == Path::new(".") { base.to_owned() } else { base.join(&self.path) }
    }
}

fn ends_as_directory(bytes: &[u8]) -> bool {
    let is_separator = |byte: &u8| *byte == b'/' || (cfg!(windows) && *byte == b'\\');
    let last = bytes.rsplit(is_separator).next().unwrap_or(bytes);
    matches!(last, b"" | b"." | b"..")
}

/// Takes every `..` of an absolute path away by the text alone, as if there were no links.
///
/// The result tells what a path *looks like*; it must never be opened.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// assert_eq!(sandbox_policy::lexical(Path::new("/w/a/../../etc")), Path::new("/etc"));
/// ```
pub fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::with_capacity(path.as_os_str().len());
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Tells whether a path is absolute and spelt in the one canonical way: no `.`, no `..`, no empty names.
pub(crate) fn is_canonical(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    if cfg!(windows) {
        let is_step = |part| matches!(part, Component::ParentDir | Component::CurDir);
        return path.is_absolute() && !path.components().any(is_step) && !bytes.contains(&0);
    }
    let Some(rest) = bytes.strip_prefix(b"/") else { return false };
    let is_name = |name: &[u8]| !matches!(name, b"" | b"." | b"..");
    (rest.is_empty() || rest.split(|byte| *byte == b'/').all(is_name)) && !bytes.contains(&0)
}

/// Lists the names of a path as bytes, without its root and without steps.
#[cfg(unix)]
pub(crate) fn names(path: &Path) -> impl Iterator<Item = &[u8]> {
    let is_name = |name: &&[u8]| !matches!(*name, b"" | b"." | b"..");
    path.as_os_str().as_encoded_bytes().split(|byte| *byte == b'/').filter(is_name)
}

/// Lists the names of a path as bytes, without its root and without steps.
#[cfg(not(unix))]
pub(crate) fn names(path: &Path) -> impl Iterator<Item = &[u8]> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.as_encoded_bytes()),
        _ => None,
    })
}

/// Returns what is left of a path below a directory, comparing whole names.
///
/// Does the same as [`Path::strip_prefix`]; the usual case, one spelling being the beginning of the other, is quick.
pub(crate) fn below<'p>(path: &'p Path, dir: &Path) -> Option<&'p Path> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let rest = path.as_os_str().as_bytes().strip_prefix(dir.as_os_str().as_bytes());
        if let Some([b'/', rest @ ..]) = rest
            && rest.first() != Some(&b'/')
        {
            return Some(Path::new(OsStr::from_bytes(rest)));
        }
    }
    path.strip_prefix(dir).ok()
}
