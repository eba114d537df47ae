//! `edit_file` of the batch family: every change of a file on disk.

mod fresh;
mod patch;
mod take_back;
mod write;

use file_history::OnConflict;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::args;
use crate::config::Config;
use crate::error::{Class, ToolError};
use crate::render::{Guard, echo};
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::workspace::Workspace;

/// Name of the tool, as the history records it.
const NAME: &str = "edit_file";

/// What `edit_file` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EditMode {
    /// Creates a file, or replaces the whole of one.
    Write,
    /// Replaces parts of a file.
    Patch,
    /// Moves a file aside, so that it can be restored.
    Remove,
    /// Puts a recorded version back, or takes back a task.
    Restore,
}

/// One part of a file and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct EditTarget {
    /// Text of the file, without row numbers
    pub old_string: String,
    /// Replacement; empty deletes
    pub new_string: String,
    /// Replace every occurrence
    pub replace_all: Option<bool>,
}

/// What an undo of a task does about files that changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConflictArg {
    /// Changes nothing at all.
    #[default]
    Refuse,
    /// Leaves those files out.
    Skip,
    /// Records their content and goes over it.
    Force,
}

/// Arguments of `edit_file` in the batch family.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct BatchEditArgs {
    /// The file; narrows a restore by task
    pub path: Option<String>,
    /// Default: by content or targets
    pub mode: Option<EditMode>,
    /// The whole content
    pub content: Option<String>,
    /// Parts to replace
    pub targets: Option<Vec<EditTarget>>,
    /// Version to restore, from file_history
    #[schemars(range(min = 1))]
    pub version: Option<u64>,
    /// Task to take back, or "current"
    pub task_id: Option<String>,
    /// For files that changed since (default refuse)
    pub on_conflict: Option<ConflictArg>,
}

impl BatchEditArgs {
    fn path(&self) -> Option<&str> {
        self.path.as_deref().filter(|path| !path.is_empty())
    }

    fn required_path(&self) -> Result<&str, ToolError> {
        self.path().ok_or_else(|| invalid("path is required", "name the file"))
    }

    fn targets(&self) -> Option<&[EditTarget]> {
        self.targets.as_deref().filter(|targets| !targets.is_empty())
    }

    fn task(&self) -> Option<&str> {
        self.task_id.as_deref().filter(|task| !task.is_empty())
    }

    /// The mode that was asked for, or the one that the arguments speak of.
    fn mode(&self) -> Result<EditMode, ToolError> {
        let mode = match (self.mode, self.targets(), &self.content) {
            (Some(mode), ..) => mode,
            (None, Some(_), Some(_)) => {
                return Err(invalid(
                    "give either content, which writes the whole file, or targets, which patch it, not both",
                    "call edit_file again with one of the two",
                ));
            }
            (None, Some(_), None) => EditMode::Patch,
            (None, None, Some(_)) => EditMode::Write,
            (None, None, None) => {
                return Err(invalid(
                    "nothing to do: give content (write), targets (patch), or mode remove or restore",
                    "call edit_file again with one of them; remove and restore are never inferred",
                ));
            }
        };
        let foreign: &[(bool, &str)] = match mode {
            EditMode::Write => &[(self.targets().is_some(), "targets")],
            EditMode::Patch => &[(self.content.is_some(), "content")],
            EditMode::Remove | EditMode::Restore => {
                &[(self.targets().is_some(), "targets"), (self.content.is_some(), "content")]
            }
        };
        let restores = mode == EditMode::Restore;
        let of_restore = [
            (self.version.is_some() && !restores, "version"),
            (self.task().is_some() && !restores, "task_id"),
            (self.on_conflict.is_some() && !restores, "on_conflict"),
        ];
        match foreign.iter().chain(&of_restore).find(|(given, _)| *given) {
            None => Ok(mode),
            Some((_, name)) => Err(invalid(
                format!("mode {} takes no {name}", mode_name(mode)),
                "leave it out, or name the mode that it belongs to",
            )),
        }
    }
}

fn mode_name(mode: EditMode) -> &'static str {
    match mode {
        EditMode::Write => "write",
        EditMode::Patch => "patch",
        EditMode::Remove => "remove",
        EditMode::Restore => "restore",
    }
}

fn invalid(message: impl Into<String>, hint: impl Into<String>) -> ToolError {
    ToolError::new(Class::Usage, "invalid_arguments", message).hint(hint)
}

impl From<ConflictArg> for OnConflict {
    fn from(arg: ConflictArg) -> Self {
        match arg {
            ConflictArg::Refuse => Self::Refuse,
            ConflictArg::Skip => Self::Skip,
            ConflictArg::Force => Self::Force,
        }
    }
}

/// The tool.
pub(super) struct EditFile {
    spec: ToolSpec,
}

impl EditFile {
    pub(super) fn new(config: &Config, warning: &str) -> Self {
        let place = match &config.output_dir {
            Some(dir) => {
                format!("A file made for the user with no location asked for goes to {}. ", dir.display())
            }
            None => String::new(),
        };
        let spec = ToolSpec {
            name: NAME,
            title: "Edit file",
            description: format!(
                "Every change of a file. content writes a new file or replaces a whole one. targets patch parts: each old_string \
                 must occur once in the file as it is; overlapping targets are refused and nothing is written. To insert, repeat \
                 old_string in new_string. An existing file must have been read in this run and be unchanged since. mode remove \
                 moves it aside; mode restore puts a version back or takes back a task.{warning} {place}\
                 Example: {{\"path\": \"a.py\", \"targets\": [{{\"old_string\": \"return 1\", \"new_string\": \"return 2\"}}]}}"
            ),
            input_schema: schema::portable::<BatchEditArgs>(),
            output_schema: None,
            annotations: Annotations {
                read_only: false,
                destructive: true,
                idempotent: false,
                open_world: false,
            },
            mistaken: &[
                ("old_string", "put it into `targets`: [{\"old_string\": …, \"new_string\": …}]"),
                ("new_string", "put it into `targets`: [{\"old_string\": …, \"new_string\": …}]"),
                ("old_text", "use `targets`: [{\"old_string\": …, \"new_string\": …}]"),
                ("new_text", "use `targets`: [{\"old_string\": …, \"new_string\": …}]"),
                ("edits", "use `targets`"),
                ("file_path", "use `path`"),
                ("patch", "use `targets`: [{\"old_string\": …, \"new_string\": …}]"),
            ],
        };
        Self { spec }
    }

    fn edit(&self, workspace: &Workspace, args: &BatchEditArgs, call: &Call<'_>) -> Result<Reply, ToolError> {
        match args.mode()? {
            EditMode::Write => write::write(workspace, args, call),
            EditMode::Patch => patch::patch(workspace, args, call),
            EditMode::Remove => {
                let path = args.required_path()?;
                let version = workspace.remove(path, NAME, call)?;
                Ok(Reply::text(format!(
                    "Removed {}. To bring it back: mode restore with version {version}.",
                    echo(path)
                )))
            }
            EditMode::Restore => take_back::restore(workspace, args, call),
        }
    }
}

impl Tool for EditFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        args::typed(args).and_then(|args| self.edit(workspace, &args, call)).unwrap_or_else(Reply::failure)
    }
}

/// A text of a tool, through the choke point.
fn finish(workspace: &Workspace, text: String) -> Reply {
    workspace.finish_batch(NAME, text, Guard::None)
}
