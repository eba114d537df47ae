//! `read_files`: parts of several files in one call.

mod table;
mod text;

use std::path::Path;

use document_text::{Encoding, Format, Kind};
use sandbox_policy::Op;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::args;
use crate::error::{Class, ToolError};
use crate::gate::OpenFile;
use crate::ledger::Stamp;
use crate::limits;
use crate::render::{Guard, echo};
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::workspace::Workspace;

/// One part of one file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ReadEntry {
    /// Path of the file
    pub path: String,
    /// First line or row, from 1
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// How many (default 2048)
    #[schemars(range(min = 0))]
    pub limit: Option<u64>,
    /// Rows of a text, instead of offset and limit
    pub around: Option<Vec<i64>>,
    /// Lines on each side of them (default 20)
    #[schemars(range(min = 0))]
    pub context: Option<u64>,
}

/// Arguments of `read_files`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ReadFilesArgs {
    /// What to read
    #[schemars(length(min = 1))]
    pub files: Vec<ReadEntry>,
}

impl ReadEntry {
    fn offset(&self) -> u64 {
        self.offset.unwrap_or(1).max(1)
    }

    fn limit(&self) -> u64 {
        self.limit.filter(|limit| *limit > 0).unwrap_or(limits::BATCH_READ_LINES)
    }

    /// The rows whose surroundings are wanted, when any are.
    fn around(&self) -> Option<&[i64]> {
        self.around.as_deref().filter(|rows| !rows.is_empty())
    }

    fn context(&self) -> u64 {
        self.context.unwrap_or(limits::AROUND_LINES)
    }
}

/// The tool.
pub(super) struct ReadFiles {
    spec: ToolSpec,
}

impl ReadFiles {
    pub(super) fn new() -> Self {
        let spec = ToolSpec {
            name: "read_files",
            title: "Read files",
            description: "Read parts of several files. Text comes as ROW, TAB, LINE: row and TAB are not in the file. CSV and \
                          TSV come by row. Up to 2048 lines and 1 MiB each; the last line gives the offset to go on with. around reads \
                          the lines around rows. Read a file before edit_file changes it. Sensitive files need a confirmation. \
                          Example: {\"files\": [{\"path\": \"a.rs\"}, {\"path\": \"b.rs\", \"around\": [120], \"context\": 5}]}"
                .into(),
            input_schema: schema::portable::<ReadFilesArgs>(),
            output_schema: None,
            annotations: Annotations { read_only: true, destructive: false, idempotent: true, open_world: false },
            mistaken: &[
                ("path", "put it into `files`: {\"files\": [{\"path\": …}]}"),
                ("paths", "use `files`: [{\"path\": …}]"),
                ("file_path", "use `files`: [{\"path\": …}]"),
                ("offset", "put it into an entry of `files`"),
                ("limit", "put it into an entry of `files`"),
            ],
        };
        Self { spec }
    }

    fn read(&self, workspace: &Workspace, args: &ReadFilesArgs, call: &Call<'_>) -> Reply {
        let mut slots: Vec<(&str, String)> = Vec::new();
        let (mut bytes, mut failed, mut first_error) = (0, 0, None);
        for entry in &args.files {
            if call.is_cancelled() {
                break;
            }
            let result = if bytes > limits::READ_FILES_BYTES {
                Err(ToolError::new(Class::Limit, "result_full", "not read: the result of this call is full")
                    .hint("read this file in a call of its own"))
            } else {
                part(workspace, entry, call)
            };
            let text = match result {
                Ok(text) => text,
                Err(error) => {
                    let error = error.for_batch();
                    let text = error.to_string();
                    failed += 1;
                    first_error.get_or_insert(error);
                    text
                }
            };
            bytes += text.len();
            match slots.iter_mut().find(|(path, _)| *path == entry.path) {
                Some((_, joined)) => {
                    joined.push('\n');
                    joined.push_str(&text);
                }
                None => slots.push((&entry.path, text)),
            }
        }
        if let Err(error) = call.check() {
            return error.into();
        }
        if let ([_], Some(error)) = (args.files.as_slice(), &first_error) {
            return error.clone().into();
        }
        let text = match slots.as_slice() {
            [(_, only)] => only.clone(),
            several => {
                let blocks: Vec<String> =
                    several.iter().map(|(path, text)| format!("== {}\n{text}", echo(path))).collect();
                blocks.join("\n")
            }
        };
        let mut reply = workspace.finish_batch(self.spec.name, text, Guard::None);
        if failed == args.files.len() {
            reply.is_error = true;
            reply.error = first_error;
        }
        reply
    }
}

impl Tool for ReadFiles {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        match args::typed(args) {
            Ok(args) => self.read(workspace, &args, call),
            Err(error) => error.into(),
        }
    }
}

/// Reads one part, and notes that the run has seen the file.
fn part(workspace: &Workspace, entry: &ReadEntry, call: &Call<'_>) -> Result<String, ToolError> {
    let file = workspace.gate().open_file(Op::Read, &entry.path, call)?;
    let head = file.read_range(0..file.size().min(document_text::SEARCH_SNIFF_BYTES as u64))?;
    let kind = document_text::classify(Path::new(file.base_name()), &head);
    if file.size() > limits::WHOLE_FILE_BYTES {
        workspace.ledger().saw(call.origin.run, file.path(), Stamp::of_large(file.meta()), None);
        return match kind {
            Kind::Text(encoding) if encoding.is_utf8() || matches!(encoding, Encoding::Legacy(_)) => {
                text::large(workspace, &file, entry, call)
            }
            Kind::Binary(format) => binary(entry, &file, format),
            _ => Err(too_large(&file)),
        };
    }
    let content = file.read_all()?;
    workspace.ledger().saw(call.origin.run, file.path(), Stamp::of(file.meta(), &content), Some(&content));
    match kind {
        Kind::Binary(format) => binary(entry, &file, format),
        Kind::Empty => Ok(format!("{} is empty", echo(&entry.path))),
        _ if table::is_table(file.base_name()) => table::read(workspace, &file, &content, entry),
        _ => text::read(workspace, &content, entry),
    }
}

fn binary(entry: &ReadEntry, file: &OpenFile<'_>, format: Format) -> Result<String, ToolError> {
    no_around(entry, format.name())?;
    Ok(format!("{} is a binary file ({}, {} bytes)", echo(&entry.path), format.name(), file.size()))
}

/// `around` is for lines of plain text.
fn no_around(entry: &ReadEntry, kind: &str) -> Result<(), ToolError> {
    if entry.around().is_none() {
        return Ok(());
    }
    Err(ToolError::new(
        Class::Usage,
        "around_needs_text",
        format!("around takes rows of plain text, and this is {kind}"),
    )
    .at(echo(&entry.path))
    .hint("use offset and limit"))
}

fn too_large(file: &OpenFile<'_>) -> ToolError {
    ToolError::new(
        Class::Limit,
        "too_large",
        format!(
            "the file has {} bytes; up to {} are read unless it is text in UTF-8",
            file.size(),
            limits::WHOLE_FILE_BYTES
        ),
    )
    .at(echo(file.asked()))
    .hint("find_files searches it")
}
