//! Writing what a multi-file patch comes to: through the tools, as a task of its own, all or nothing.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use fs_tools::file_history::OnConflict;
use fs_tools::v4a_patch::{DiffOptions, FileChange, FileMap, diff};
use fs_tools::{Call, Class, Scope, ToolError, ToolSet, Undo, show_path};
use serde_json::{Value, json};

use super::fail;
use super::patch::{Below, diff_error};
use crate::cli::{Cli, Whose};
use crate::{config_file, confirm, output};

/// The name of this command in the history.
const DOER: &str = "patch";

/// One write, ready to be made.
enum Step<'c> {
    Update { path: &'c str, patch: String },
    Create { path: &'c str, content: &'c str, moved_from: Option<&'c str> },
    Remove { path: &'c str },
}

impl<'c> Step<'c> {
    fn path(&self) -> &'c str {
        match self {
            Self::Update { path, .. } | Self::Create { path, .. } | Self::Remove { path } => path,
        }
    }

    fn done(&self) -> &'static str {
        match self {
            Self::Update { .. } => "updated",
            Self::Create { .. } => "created",
            Self::Remove { .. } => "removed",
        }
    }

    fn to_json(&self) -> Value {
        let moved_from = match self {
            Self::Create { moved_from, .. } => *moved_from,
            _ => None,
        };
        json!({ "path": self.path(), "action": self.done(), "moved_from": moved_from })
    }
}

/// Makes all changes or none; `reports` is what the patch itself has to say.
///
/// Everything that can be known is known before the first write. Should one fail all the same, the history takes those
/// before it back.
pub(super) fn write(
    cli: &Cli,
    files: &Below,
    changes: &[FileChange],
    reports: &Value,
) -> anyhow::Result<ExitCode> {
    let tools = config_file::tool_set(cli)?;
    let steps = match plan(&tools, files, changes) {
        Ok(steps) => steps,
        Err(error) => return Ok(fail(&error, cli.json)),
    };
    let whose = Whose { task: fresh_task(), ..cli.whose() };
    let confirm = confirm::Terminal::new(&[]);
    let call = Call { confirm: &confirm, origin: whose.origin(), ..Call::plain() };
    for (made, step) in steps.iter().enumerate() {
        if let Err(error) = run(&tools, files, step, &call) {
            return Ok(fail(
                &if made == 0 { error } else { take_back(&tools, &whose.task, error, &call) },
                cli.json,
            ));
        }
    }
    if cli.json {
        let list: Vec<Value> = steps.iter().map(Step::to_json).collect();
        return output::print(&format!(
            "{}\n",
            json!({ "task": whose.task, "files": list, "reports": reports })
        ));
    }
    let mut text: String =
        steps.iter().map(|step| format!("{} {}\n", step.done(), show_path(Path::new(step.path())))).collect();
    if steps.is_empty() {
        text.push_str("nothing to change\n");
    } else if tools.workspace().state_dir().is_some() {
        text.push_str(&format!("[`fs-tools history undo {}` takes this back]\n", whose.task));
    }
    output::print(&text)
}

/// Turns changes into writes; removals come last, so that nothing is missing while others are made.
fn plan<'c>(tools: &ToolSet, files: &Below, changes: &'c [FileChange]) -> Result<Vec<Step<'c>>, ToolError> {
    if changes.len() > 1 && tools.workspace().state_dir().is_none() {
        return Err(ToolError::new(
            Class::Failure,
            "history_off",
            "without a history a change of several files cannot be taken back when one of them fails; nothing was changed",
        )
        .hint("leave out --in-place, or switch the history on"));
    }
    let (mut steps, mut removals) = (Vec::new(), Vec::new());
    for change in changes {
        let path = change.path.as_str();
        match (&change.content, change.existed) {
            (None, _) => removals.push(Step::Remove { path }),
            (Some(content), true) => {
                let patch = diff(&files.known(path)?, content, &DiffOptions::default())
                    .map_err(|error| diff_error(&error, Path::new(path)))?;
                steps.push(Step::Update { path, patch });
            }
            (Some(content), false) => {
                let content = std::str::from_utf8(content).map_err(|_| {
                    ToolError::new(Class::Failure, "not_utf8", "a file that is not UTF-8 cannot be created")
                        .at(show_path(Path::new(path)))
                        .hint("leave out --in-place; the printed result has its bytes")
                })?;
                steps.push(Step::Create { path, content, moved_from: change.moved_from.as_deref() });
            }
        }
    }
    steps.append(&mut removals);
    Ok(steps)
}

fn run(tools: &ToolSet, files: &Below, step: &Step<'_>, call: &Call<'_>) -> Result<(), ToolError> {
    let full = files.full(step.path());
    let full = show_path(&full);
    let reply = match step {
        Step::Update { patch, .. } => tools.call("edit_file", &json!({ "path": full, "patch": patch }), call),
        Step::Create { content, .. } => {
            tools.call("write_file", &json!({ "path": full, "content": content }), call)
        }
        Step::Remove { path } => {
            if Below::new(files.dir())?.read(path).ok().flatten().as_deref() != Some(&*files.known(path)?) {
                return Err(ToolError::new(Class::Conflict, "stale", "the file changed meanwhile")
                    .at(show_path(Path::new(path)))
                    .hint("try again"));
            }
            return tools.workspace().remove(&full, DOER, call).map(drop);
        }
    };
    reply.error.map_or(Ok(()), Err)
}

/// Undoes what was written before `error`, and says how that went.
fn take_back(tools: &ToolSet, task: &str, error: ToolError, call: &Call<'_>) -> ToolError {
    let undo = Undo::Task { task, paths: &[], on_conflict: OnConflict::Refuse };
    let mut problem = None;
    for scope in [Scope::Workspace, Scope::Outside] {
        match tools.workspace().undo(&undo, scope, DOER, call) {
            Ok(undone) => problem = problem.or_else(|| undone.error()),
            // Files outside have a history of their own, which may never have heard of this task.
            Err(failure) if failure.code() == "unknown_task" => {}
            Err(failure) => problem = problem.or(Some(failure)),
        }
    }
    let (end, hint) = match problem {
        None => (
            "; the files before it were put back".to_owned(),
            error.next_step().unwrap_or_default().to_owned(),
        ),
        Some(problem) => (
            format!(
                "; the files before it were changed and could not all be put back: {}",
                problem.message()
            ),
            format!("`fs-tools history undo {task}` tries again"),
        ),
    };
    let mut told =
        ToolError::new(error.class(), error.code().to_owned(), format!("{}{end}", error.message()))
            .hint(hint);
    if let Some(path) = error.path() {
        told = told.at(path);
    }
    told
}

/// A task that nobody else has, so that undoing it undoes this patch and nothing more.
fn fresh_task() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("patch-{}-{}", since.as_millis(), std::process::id())
}
