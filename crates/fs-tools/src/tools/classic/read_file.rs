//! `read_file`: pages of one file, by bytes or by numbered lines.

mod bytes;
mod lines;

pub(crate) use lines::LineSource;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::args;
use crate::config::{Config, ReadMode};
use crate::error::ToolError;
use crate::render::Guard;
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::workspace::Workspace;

/// Arguments of `read_file` in byte mode.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ReadBytesArgs {
    /// Path of the file
    pub path: String,
    /// Byte to start from (default 0)
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// Bytes to read at most (default and maximum: the page size)
    #[schemars(range(min = 1))]
    pub length: Option<u64>,
}

/// Arguments of `read_file` in line mode.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ReadLinesArgs {
    /// Path of the file
    pub path: String,
    /// First line, counted from 1 (default 1)
    #[schemars(range(min = 1))]
    pub start_line: Option<u64>,
    /// Lines to read at most
    #[schemars(range(min = 1))]
    pub max_lines: Option<u64>,
}

/// The tool, in the configured mode.
pub(super) struct ReadFile {
    spec: ToolSpec,
    mode: ReadMode,
}

impl ReadFile {
    pub(super) fn new(config: &Config) -> Self {
        let read = config.read_file;
        let (description, input_schema, mistaken): (_, _, &[_]) = match read.mode {
            ReadMode::Bytes => (
                format!(
                    "Read a file, up to {} bytes a call. The header gives the total size and, for more, the next \
                     offset. Credentials are shown as [FILTERED]. Binary files come as a hex dump. \
                     Example: {{\"path\": \"src/main.rs\", \"offset\": 65536}}",
                    read.max_bytes
                ),
                schema::portable::<ReadBytesArgs>(),
                &[
                    ("start_line", "this server reads by bytes: use `offset`"),
                    ("max_lines", "this server reads by bytes: use `length`"),
                    ("limit", "this server reads by bytes: use `length`"),
                ],
            ),
            ReadMode::Lines => (
                format!(
                    "Read a text file as numbered lines, LINE_NUMBER|TEXT, up to {} lines a call; the number and \
                     the bar are not in the file. The header says which start_line comes next. Credentials are \
                     shown as [FILTERED]. Example: {{\"path\": \"src/main.rs\", \"start_line\": 120, \"max_lines\": 40}}",
                    read.max_lines
                ),
                schema::portable::<ReadLinesArgs>(),
                &[
                    ("offset", "not supported in line mode: use `start_line`"),
                    ("length", "not supported in line mode: use `max_lines`"),
                    ("limit", "not supported in line mode: use `max_lines`"),
                ],
            ),
        };
        let spec = ToolSpec {
            name: "read_file",
            title: "Read file",
            description,
            input_schema,
            output_schema: None,
            annotations: Annotations {
                read_only: true,
                destructive: false,
                idempotent: true,
                open_world: false,
            },
            mistaken,
        };
        Self { spec, mode: read.mode }
    }
}

impl Tool for ReadFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        let page: Result<Page, ToolError> = match self.mode {
            ReadMode::Bytes => args::typed(args).and_then(|args| bytes::read(workspace, &args, call)),
            ReadMode::Lines => args::typed(args).and_then(|args| lines::read(workspace, &args, call)),
        };
        match page {
            Ok(page) if page.is_artifact => workspace.finish_inline(page.text, Guard::None),
            Ok(page) => workspace.finish(self.spec.name, page.text, Guard::None),
            Err(error) => error.into(),
        }
    }
}

/// One page as text, and whether it shows a spilled result, which is not spilled again.
struct Page {
    text: String,
    is_artifact: bool,
}

/// The sentence that tells how many values a page hides.
fn masked_note(count: usize) -> String {
    if count == 0 {
        String::new()
    } else {
        format!("[{count} value(s) masked; the file on disk is unchanged]\n")
    }
}
