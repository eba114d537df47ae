//! A recorded version put back, or everything that a task did taken back.

use file_history::{ChangeId, FileResult};
use sandbox_policy::Op;

use super::{BatchEditArgs, NAME, finish, invalid};
use crate::error::{Class, ToolError};
use crate::gate::{Scope, history_error};
use crate::ledger::Stamp;
use crate::render::{echo, show_name};
use crate::tool::{Call, Reply};
use crate::undo::{Undo, Undone};
use crate::workspace::Workspace;

pub(super) fn restore(
    workspace: &Workspace,
    args: &BatchEditArgs,
    call: &Call<'_>,
) -> Result<Reply, ToolError> {
    let path = args.path();
    let scope = match path {
        Some(path) => workspace.history_path(path, call)?.0,
        None => Scope::Workspace,
    };
    let paths: Vec<&str> = path.into_iter().collect();
    let undo = match (args.version, args.task()) {
        (Some(version), _) => {
            if let Some(path) = path {
                same_path(workspace, scope, version, path, call)?;
            }
            Undo::Version(version)
        }
        (None, Some(task)) => {
            Undo::Task { task, paths: &paths, on_conflict: args.on_conflict.unwrap_or_default().into() }
        }
        (None, None) => {
            return Err(invalid(
                "mode restore needs a version or a task_id",
                "file_history lists the versions; task_id \"current\" is the task running now",
            ));
        }
    };
    let undone = workspace.undo(&undo, scope, NAME, call)?;
    saw_again(workspace, &undone, scope, call);
    let text = undone.text();
    match undone.error() {
        None => Ok(finish(workspace, text)),
        Some(error) => {
            let mut reply = Reply::failure(error);
            reply.for_model = format!("{}\n{text}", reply.for_model);
            Ok(reply)
        }
    }
}

/// A version belongs to one path; another one in the same call is a mistake.
fn same_path(
    workspace: &Workspace,
    scope: Scope,
    version: u64,
    path: &str,
    call: &Call<'_>,
) -> Result<(), ToolError> {
    let (_, asked) = workspace.history_path(path, call)?;
    let id = ChangeId(version);
    let row = workspace
        .history_in(scope, |history| history.version(id))?
        .ok_or_else(|| history_error(&file_history::Error::UnknownVersion(id), path))?;
    if row.path == asked {
        return Ok(());
    }
    use std::os::unix::ffi::OsStrExt as _;
    let of = std::path::Path::new(std::ffi::OsStr::from_bytes(&row.path));
    Err(ToolError::new(
        Class::Usage,
        "version_of_another_file",
        format!("version {version} is of {}; nothing was changed", show_name(of)),
    )
    .at(echo(path))
    .hint("leave out path, or take a version of this file from file_history"))
}

/// What was put back is known to the run: it can be edited without another read.
fn saw_again(workspace: &Workspace, undone: &Undone, scope: Scope, call: &Call<'_>) {
    use std::os::unix::ffi::OsStrExt as _;
    for file in undone.report.files.iter().filter(|file| file.result == FileResult::Restored) {
        let name = std::path::Path::new(std::ffi::OsStr::from_bytes(&file.path));
        let asked = match scope {
            Scope::Workspace => workspace.root().join(name),
            Scope::Outside => std::path::Path::new("/").join(name),
        };
        // A file that cannot be opened now has to be read before it is edited.
        let Ok(open) = workspace.gate().open_file(Op::Read, &show_name(&asked), call) else { continue };
        if let Ok(content) = open.read_all() {
            let stamp = Stamp::of(open.meta(), &content);
            workspace.ledger().saw(call.origin.run, open.path(), stamp, Some(&content));
        }
    }
}
