//! "No such file", with what was probably meant.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rooted_fs::{Dir, RelName, Root};

use super::{Gate, policy_kind};
use crate::config::nearest;
use crate::error::{Class, ToolError};
use crate::render::{echo, show_name};

/// Entries of a directory that are compared at most.
const MAX_ENTRIES: usize = 2_000;

/// Explains that nothing is there: the nearest visible name in the deepest directory that exists.
pub(super) fn not_found(gate: &Gate, asked: &str, root: &Root, name: &RelName, path: &Path) -> ToolError {
    let error =
        ToolError::new(Class::NotFound, "not_found", "not found: no such file or directory").at(echo(asked));
    let mut missing = name.clone();
    let mut directory = path.to_owned();
    while let Some(parent) = missing.parent() {
        directory.pop();
        let Ok(dir) = root.open_dir(&parent) else {
            missing = parent;
            continue;
        };
        let inside = std::ptr::eq(root, gate.root());
        let shown = if inside { parent.as_path() } else { &directory };
        let near = missing.file_name().and_then(|wanted| nearest_entry(gate, &dir, &directory, wanted));
        return error.hint(match near {
            Some(near) => {
                let rest = name.as_path().strip_prefix(missing.as_path()).unwrap_or(Path::new(""));
                let mut meant: PathBuf = shown.join(near);
                if !rest.as_os_str().is_empty() {
                    meant.push(rest);
                }
                format!("did you mean \"{}\"?", show_name(&meant))
            }
            None => {
                let shown = if shown.as_os_str().is_empty() { Path::new(".") } else { shown };
                format!("list_dir with path \"{}\" shows what is there; check the spelling", show_name(shown))
            }
        });
    }
    error.hint("list_dir with path \".\" shows what is there; check the spelling")
}

/// The entry that the policy shows and that is spelled most like `wanted`.
fn nearest_entry(gate: &Gate, dir: &Dir, path: &Path, wanted: &OsStr) -> Option<String> {
    let rules = gate.rules().enter(path);
    let mut names = Vec::new();
    let read = dir.each_entry(|entry, kind| {
        if rules.shows(entry, policy_kind(kind))
            && let Some(text) = entry.to_str()
        {
            names.push(text.to_owned());
        }
        names.len() < MAX_ENTRIES
    });
    read.ok()?;
    names.sort_unstable();
    nearest(wanted.to_str()?, names.iter().map(String::as_str)).map(str::to_owned)
}
