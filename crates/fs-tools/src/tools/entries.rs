//! The entries of one directory, as far as the policy shows them.

use std::ffi::OsString;

use rooted_fs::Kind;

use crate::error::ToolError;
use crate::gate::{OpenDir, disk_error, policy_kind};
use crate::tool::Call;
use crate::workspace::Workspace;

/// Reads the names and kinds of a directory, sorted by name.
pub(crate) fn entries(
    workspace: &Workspace,
    open: &OpenDir,
    call: &Call<'_>,
) -> Result<Vec<(OsString, Kind)>, ToolError> {
    let gate = workspace.gate();
    let rules = gate.rules().enter(&open.path);
    let mut names: Vec<(OsString, Kind)> = Vec::new();
    let mut read = 0usize;
    open.dir
        .each_entry(|name, kind| {
            if !rooted_fs::is_temporary_name(name) && rules.shows(name, policy_kind(kind)) {
                names.push((name.to_owned(), kind));
            }
            read += 1;
            // Looking at the flag for each entry would cost more than reading it.
            !read.is_multiple_of(4096) || !call.is_cancelled()
        })
        .map_err(|error| disk_error(&error, &open.asked))?;
    call.check()?;
    // A link shows its name alone, but one to a hidden file is another name of it.
    names.retain(|(name, kind)| *kind != Kind::Symlink || !gate.leads_to_hidden(&open.path.join(name)));
    names.sort_unstable();
    Ok(names)
}
