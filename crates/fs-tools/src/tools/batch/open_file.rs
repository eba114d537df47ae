//! `open_file`: a file opened in its default application.

use std::time::Duration;

use sandbox_policy::Op;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::args;
use crate::error::{Class, ToolError};
use crate::gate::{Looked, disk_error};
use crate::opener::Opened;
use crate::render::{Guard, clean, echo};
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::workspace::Workspace;

/// Arguments of `open_file`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct OpenFileArgs {
    /// Path of the file or directory
    pub path: String,
}

/// The tool.
pub(super) struct OpenFile {
    spec: ToolSpec,
}

impl OpenFile {
    pub(super) fn new() -> Self {
        let spec = ToolSpec {
            name: "open_file",
            title: "Open file",
            description: "Open a file or directory in the user's default application, to show it. Programs and sensitive files \
                          need a confirmation. Waits up to 10 s. Example: {\"path\": \"report.pdf\"}"
                .into(),
            input_schema: schema::portable::<OpenFileArgs>(),
            output_schema: None,
            annotations: Annotations { read_only: false, destructive: false, idempotent: false, open_world: true },
            mistaken: &[("file", "use `path`"), ("url", "only files are opened: use `path`")],
        };
        Self { spec }
    }

    fn open(&self, workspace: &Workspace, args: &OpenFileArgs, call: &Call<'_>) -> Result<Reply, ToolError> {
        let path = match workspace.gate().look(Op::Open, &args.path, call)? {
            Looked::File(file) => file.path().to_owned(),
            Looked::Dir(dir) => dir.path,
            Looked::Special => {
                let kind = rooted_fs::Kind::Unknown;
                return Err(disk_error(&rooted_fs::Error::NotARegularFile { kind }, &args.path));
            }
        };
        call.check()?;
        let wait = Duration::from_millis(workspace.config().open_wait_millis);
        let shown = echo(&args.path);
        match workspace.opener().open(&path, wait) {
            Opened::Done => Ok(Reply::text(format!("Opened {shown}."))),
            Opened::HandedOver => Ok(Reply::text(format!(
                "Handed {shown} over: the opener still runs after {} s and is left running.",
                wait.as_secs_f32()
            ))),
            Opened::NoOpener => Err(ToolError::new(
                Class::Failure,
                "no_opener",
                "this system has no program to open files with, such as xdg-open",
            )
            .at(shown)
            .hint("tell the user where the file is")),
            Opened::Failed { status, stderr } => {
                let said = if stderr.is_empty() { String::new() } else { format!(": {stderr}") };
                let message = format!("the opener failed ({status}){said}");
                Err(ToolError::new(Class::Failure, "open_failed", clean(&message, Guard::None).into_owned())
                    .at(shown)
                    .hint("tell the user where the file is"))
            }
        }
    }
}

impl Tool for OpenFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        args::typed(args).and_then(|args| self.open(workspace, &args, call)).unwrap_or_else(Reply::failure)
    }
}
