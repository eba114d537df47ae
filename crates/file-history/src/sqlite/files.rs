//! The files of the store: private, durable, and none of them the user's.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    path::Path,
};

#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};

/// Opens a file for reading and writing, creating it readable by its owner alone.
pub(super) fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    options.mode(0o600);
    options.open(path)
}

/// Creates a directory and its missing parents, for its owner alone.
pub(super) fn create_private_dir(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(path)
}

/// Takes away every permission of group and others. Tells whether there was one.
#[cfg(unix)]
pub(super) fn tighten(path: &Path) -> io::Result<bool> {
    let mode = match fs::symlink_metadata(path) {
        Ok(meta) => meta.permissions().mode() & 0o7777,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    if mode & 0o077 == 0 {
        return Ok(false);
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))?;
    Ok(true)
}

/// Permission bits exist on Unix only.
#[cfg(not(unix))]
pub(super) fn tighten(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Makes the names in a directory durable.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Reads a small text file; `None` if it is not there.
pub(super) fn read_text(path: &Path) -> io::Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a small text file so that it is there whole or not at all.
pub(super) fn write_text(path: &Path, text: &str) -> io::Result<()> {
    let temp = path.with_extension(format!("{}.tmp", std::process::id()));
    let mut file = open_private(&temp)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temp, path)
}
