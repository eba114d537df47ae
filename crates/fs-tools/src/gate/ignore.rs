//! The ignore files above the start of a search.

use std::path::Path;

use rooted_fs::RelName;
use search_engine::{IgnoreFile, ParentRules};

use super::Gate;

impl Gate {
    /// Reads the ignore files of the directories above `dir`, from the workspace down; outside the workspace there are
    /// none that count. What cannot be read ignores nothing.
    pub(crate) fn ignore_rules_above(&self, dir: &Path) -> Vec<ParentRules> {
        let Ok(below) = dir.strip_prefix(self.root.path()) else { return Vec::new() };
        let mut rules = Vec::new();
        for above in below.ancestors().skip(1) {
            let Ok(path) = below.strip_prefix(above) else { continue };
            let [gitignore, ignore] = [".gitignore", ".ignore"].map(|name| self.ignore_file(above, name));
            if !gitignore.is_empty() || !ignore.is_empty() {
                rules.push(ParentRules { below: path.to_owned(), gitignore, ignore });
            }
        }
        rules.reverse();
        rules
    }

    fn ignore_file(&self, dir: &Path, name: &str) -> IgnoreFile {
        RelName::parse(&dir.join(name))
            .and_then(|name| self.root.open_listed(&name))
            .and_then(|file| file.read_to_limit(IgnoreFile::MAX_BYTES as u64))
            .map(|content| IgnoreFile::parse(&content))
            .unwrap_or_default()
    }
}
