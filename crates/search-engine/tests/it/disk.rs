//! The port over plain paths, for tests against other programs.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use search_engine::{FileFacts, Kind, Listing, Tree};

/// A tree on the disk.
pub(crate) struct DiskTree(pub(crate) PathBuf);

fn facts(metadata: &fs::Metadata) -> FileFacts {
    let modified = metadata.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
    let modified_ns = modified.map_or(0, |d| i64::try_from(d.as_nanos()).unwrap_or(i64::MAX));
    FileFacts { size: metadata.len(), modified_ns }
}

impl Tree for DiskTree {
    type Dir = PathBuf;
    type File = fs::File;

    fn root(&self) -> io::Result<PathBuf> {
        Ok(self.0.clone())
    }

    fn entries(&self, dir: &PathBuf, out: &mut Listing) -> io::Result<()> {
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let kind = if kind.is_file() {
                Kind::File
            } else if kind.is_dir() {
                Kind::Dir
            } else if kind.is_symlink() {
                Kind::Symlink
            } else {
                Kind::Other
            };
            out.push(&entry.file_name(), kind);
        }
        Ok(())
    }

    fn enter(&self, dir: &PathBuf, name: &OsStr) -> io::Result<PathBuf> {
        Ok(dir.join(name))
    }

    fn open(&self, dir: &PathBuf, name: &OsStr) -> io::Result<(fs::File, FileFacts)> {
        let file = fs::File::open(dir.join(name))?;
        let facts = facts(&file.metadata()?);
        Ok((file, facts))
    }
}

/// Writes a tree in the notation of `MemTree::parse`, with more than text in it.
pub(crate) fn write(root: &Path, files: &[(&str, &[u8])]) {
    for (path, content) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}
