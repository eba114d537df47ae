//! Spilled results: written by the product itself, below the workspace, for nobody but the user.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rooted_fs::{Access, Durability, Error, Parents, RelName, WriteOptions};

use super::Gate;
use crate::limits;

/// Keeps the directory out of version control, whatever the project's own rules say.
const IGNORE_ALL: &[u8] = b"*\n";

impl Gate {
    /// Stores a result under a name below the artifact directory. A result that is there already stays.
    ///
    /// The directory ignores itself, and what is older than the retention or over the total size is removed, oldest
    /// first. Artifacts are a convenience: nothing is forced to the disk.
    pub(crate) fn store_artifact(&self, name: &Path, bytes: &[u8]) -> Result<(), Error> {
        let options = WriteOptions {
            durability: Durability::None,
            parents: Parents::Create,
            access: Access::Private,
            ..self.options
        };
        let name = RelName::parse(name)?;
        let Some(directory) = name.parent() else { return Err(Error::EmptyPath) };
        for (name, bytes) in [(&directory.join(".gitignore".as_ref())?, IGNORE_ALL), (&name, bytes)] {
            match self.root.create(name, bytes, &options) {
                Ok(_) | Err(Error::Exists) => {}
                Err(error) => return Err(error),
            }
        }
        // The new result is in place; that old ones could not be removed is not its failure.
        let _ = self.prune(&directory, &name);
        Ok(())
    }

    fn prune(&self, directory: &RelName, keep: &RelName) -> Result<(), Error> {
        let dir = self.root.open_dir(directory)?;
        let mut entries = Vec::new();
        dir.entries(&mut entries)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
        let mut files: Vec<(i64, u64, RelName)> = Vec::new();
        for entry in entries {
            let is_result = Path::new(&entry.name).extension().is_some_and(|end| end == "txt");
            if entry.kind == rooted_fs::Kind::File && is_result {
                let meta = dir.stat(&entry.name)?;
                files.push((meta.mtime_ns, meta.size, directory.join(&entry.name)?));
            }
        }
        files.sort_by_key(|(time, _, _)| std::cmp::Reverse(*time));
        let mut total = 0u64;
        for (time, size, name) in files {
            total = total.saturating_add(size);
            let age = now.saturating_sub(u64::try_from(time / 1_000_000_000).unwrap_or(0));
            if name != *keep && (age > limits::ARTIFACT_AGE_SECS || total > limits::ARTIFACT_TOTAL_BYTES) {
                let old = self.root.open_file(&name)?;
                self.root.remove(&name, &old, Durability::None)?;
            }
        }
        Ok(())
    }
}
