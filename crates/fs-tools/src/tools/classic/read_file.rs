//! `read_file`: pages of one file, by bytes or by numbered lines.

mod bytes;
mod lines;

use std::ops::Range;

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

const NAME: &str = "read_file";

/// Arguments of [`Workspace::read_file`].
///
/// # Examples
///
/// ```
/// use fs_tools::classic::{ReadFileArgs, ReadRange};
///
/// let start = ReadFileArgs::bytes("notes.txt");
/// assert_eq!(start.range, ReadRange::Bytes { offset: 0, length: None });
/// let lines = ReadRange::Lines { start_line: 120, max_lines: Some(40) };
/// let middle = ReadFileArgs { range: lines, ..start };
/// # assert_eq!(middle.path, "notes.txt");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFileArgs {
    /// Path of the file.
    pub path: String,
    /// Which part of it, and in which form.
    pub range: ReadRange,
}

/// A part of a file. A program may ask for either form, whatever mode models are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadRange {
    /// Raw bytes.
    Bytes {
        /// Byte to start from.
        offset: u64,
        /// Bytes to read at most; `None` and more than a page is a page.
        length: Option<u64>,
    },
    /// Numbered lines.
    Lines {
        /// First line, counted from 1.
        start_line: u64,
        /// Lines to read at most; `None` and more than a page is a page.
        max_lines: Option<u64>,
    },
}

impl ReadFileArgs {
    /// The first page of a file, as it is.
    pub fn bytes(path: impl Into<String>) -> Self {
        Self { path: path.into(), range: ReadRange::Bytes { offset: 0, length: None } }
    }

    /// The first page of a file, as numbered lines.
    pub fn lines(path: impl Into<String>) -> Self {
        Self { path: path.into(), range: ReadRange::Lines { start_line: 1, max_lines: None } }
    }

    /// Refuses what the schemas of the tool refuse.
    fn check(&self) -> Result<(), ToolError> {
        let (name, value) = match self.range {
            ReadRange::Bytes { length, .. } => ("length", length),
            ReadRange::Lines { start_line: 0, .. } => ("start_line", Some(0)),
            ReadRange::Lines { max_lines, .. } => ("max_lines", max_lines),
        };
        if value == Some(0) { Err(args::too_small(NAME, name, 1, 0)) } else { Ok(()) }
    }
}

/// Answer of [`Workspace::read_file`]: one page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct ReadFileReply {
    /// What a model reads: where the page stands, its content, and how to go on; bounded.
    pub text: String,
    /// The content alone: masked, with line numbers when lines were asked for, a hex dump of a binary file, empty at the
    /// end. Other than `text` it has data URLs and invisible characters, and is never spilled.
    pub content: String,
    /// Size of the file, bytes.
    pub file_bytes: u64,
    /// The bytes of the file that the page covers.
    pub bytes: Range<u64>,
    /// The lines that the page covers, counted from 1, when lines were asked for.
    pub lines: Option<Range<u64>>,
    /// What to ask for next; `None` at the end of the file.
    pub next: Option<ReadRange>,
    /// Number of values that are masked.
    pub masked: usize,
    /// What kind of binary file it is, when its bytes are shown as a hex dump.
    pub binary: Option<&'static str>,
    /// Artifacts that hold the whole of a `text` that was too long, relative to the workspace.
    pub attachments: Vec<String>,
}

impl ReadFileReply {
    fn new(text: String, file_bytes: u64, bytes: Range<u64>) -> Self {
        Self {
            text,
            content: String::new(),
            file_bytes,
            bytes,
            lines: None,
            next: None,
            masked: 0,
            binary: None,
            attachments: Vec::new(),
        }
    }
}

impl From<ReadFileReply> for Reply {
    fn from(reply: ReadFileReply) -> Self {
        Self { attachments: reply.attachments, ..Self::text(reply.text) }
    }
}

impl Workspace {
    /// Reads one page of a file: what the tool `read_file` does.
    ///
    /// # Errors
    ///
    /// [`ToolError`] with its stable code: the path leads nowhere or outside, is protected, a directory, or no regular
    /// file; lines were asked of a binary file; the tool is switched off.
    ///
    /// # Cost
    ///
    /// Memory for a page, whatever the size of the file. Time does not depend on a byte offset; the lines before
    /// `start_line` are read through.
    ///
    /// # Examples
    ///
    /// ```
    /// use fs_tools::classic::ReadFileArgs;
    /// use fs_tools::{Call, Config, Options, Workspace};
    ///
    /// let dir = tempfile::tempdir()?;
    /// std::fs::write(dir.path().join("notes.txt"), "first\nsecond\n")?;
    /// let workspace = Workspace::open(Options::new(dir.path(), Config::default()))?;
    /// let page = workspace.read_file(&ReadFileArgs::lines("notes.txt"), &Call::plain())?;
    /// assert_eq!(page.content, "1|first\n2|second\n");
    /// assert_eq!((page.lines, page.next), (Some(1..3), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_file(&self, args: &ReadFileArgs, call: &Call<'_>) -> Result<ReadFileReply, ToolError> {
        self.typed(NAME, || {
            args.check()?;
            let page = match args.range {
                ReadRange::Bytes { offset, length } => bytes::read(self, &args.path, offset, length, call)?,
                ReadRange::Lines { start_line, max_lines } => {
                    lines::read(self, &args.path, start_line, max_lines, call)?
                }
            };
            let mut reply = page.reply;
            let text = std::mem::take(&mut reply.text);
            let shown = if page.is_artifact {
                self.finish_inline(text, Guard::None)
            } else {
                self.finish(NAME, text, Guard::None)
            };
            Ok(ReadFileReply { text: shown.for_model, attachments: shown.attachments, ..reply })
        })
    }
}

/// Arguments of the tool in byte mode.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadBytesArgs {
    /// Path of the file
    path: String,
    /// Byte to start from (default 0)
    #[schemars(range(min = 0))]
    offset: Option<u64>,
    /// Bytes to read at most (default and maximum: the page size)
    #[schemars(range(min = 1))]
    length: Option<u64>,
}

/// Arguments of the tool in line mode.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadLinesArgs {
    /// Path of the file
    path: String,
    /// First line, counted from 1 (default 1)
    #[schemars(range(min = 1))]
    start_line: Option<u64>,
    /// Lines to read at most
    #[schemars(range(min = 1))]
    max_lines: Option<u64>,
}

impl From<ReadBytesArgs> for ReadFileArgs {
    fn from(args: ReadBytesArgs) -> Self {
        let range = ReadRange::Bytes { offset: args.offset.unwrap_or(0), length: args.length };
        Self { path: args.path, range }
    }
}

impl From<ReadLinesArgs> for ReadFileArgs {
    fn from(args: ReadLinesArgs) -> Self {
        let range = ReadRange::Lines { start_line: args.start_line.unwrap_or(1), max_lines: args.max_lines };
        Self { path: args.path, range }
    }
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
            name: NAME,
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
        let args = match self.mode {
            ReadMode::Bytes => args::typed::<ReadBytesArgs>(args).map(ReadFileArgs::from),
            ReadMode::Lines => args::typed::<ReadLinesArgs>(args).map(ReadFileArgs::from),
        };
        args.and_then(|args| workspace.read_file(&args, call)).map_or_else(Reply::failure, Reply::from)
    }
}

/// One page, and whether it shows a spilled result, which is not spilled again.
struct Page {
    reply: ReadFileReply,
    is_artifact: bool,
}

/// What a page without content adds when there is none anywhere.
fn empty_note(size: u64) -> &'static str {
    if size == 0 { ": the file is empty" } else { "" }
}

/// The sentence that tells how many values a page hides.
fn masked_note(count: usize) -> String {
    if count == 0 {
        String::new()
    } else {
        format!("[{count} value(s) masked; the file on disk is unchanged]\n")
    }
}
