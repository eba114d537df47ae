//! `append_file`: content at the end of a file, in place.

use redact::contains_marker;
use sandbox_policy::Op;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::args;
use crate::error::{Class, ToolError};
use crate::gate::{By, OpenFile, Target, WriteError};
use crate::limits;
use crate::render::echo;
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::tools::masked_value;
use crate::workspace::Workspace;

const NAME: &str = "append_file";

/// Arguments of [`Workspace::append_file`] and of the tool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct AppendFileArgs {
    /// Path of the file; it and missing directories are created
    pub path: String,
    /// Content to append, byte for byte
    pub content: String,
}

impl AppendFileArgs {
    /// Content for the end of a file.
    pub fn new(path: impl Into<String>, content: impl Into<String>) -> Self {
        Self { path: path.into(), content: content.into() }
    }
}

/// Answer of [`Workspace::append_file`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct AppendFileReply {
    /// What a model reads.
    pub text: String,
    /// Where in the file the content stands: its size before, unless others appended at the same time.
    pub offset: u64,
    /// Bytes that this call appended.
    pub bytes_written: u64,
    /// What the caller should know about this write.
    pub notes: Vec<String>,
}

impl From<AppendFileReply> for Reply {
    fn from(reply: AppendFileReply) -> Self {
        Self::text(reply.text)
    }
}

impl Workspace {
    /// Adds content to the end of a file, which is created where it is missing: what the tool `append_file` does.
    ///
    /// # Errors
    ///
    /// [`ToolError`] with its stable code; nothing was appended, unless it is `read_back_failed`, `read_back_mismatch` or
    /// `short_write`.
    ///
    /// # Examples
    ///
    /// ```
    /// use fs_tools::classic::AppendFileArgs;
    /// use fs_tools::{Call, Config, Options, Workspace};
    ///
    /// let dir = tempfile::tempdir()?;
    /// let workspace = Workspace::open(Options::new(dir.path(), Config::default()))?;
    /// let call = Call::plain();
    /// let first = workspace.append_file(&AppendFileArgs::new("log", "one\n"), &call)?;
    /// let second = workspace.append_file(&AppendFileArgs::new("log", "two\n"), &call)?;
    /// assert_eq!((first.offset, second.offset, second.bytes_written), (0, 4, 4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn append_file(&self, args: &AppendFileArgs, call: &Call<'_>) -> Result<AppendFileReply, ToolError> {
        self.typed(NAME, || append(self, args, call))
    }
}

/// The tool.
pub(super) struct AppendFile {
    spec: ToolSpec,
}

impl AppendFile {
    pub(super) fn new(warning: &str) -> Self {
        let spec = ToolSpec {
            name: NAME,
            title: "Append to file",
            description:
                "Append content to the end of a file; a missing file is created. No newline is added: start \
                          the content with \\n where one is needed. \
                          Example: {\"path\": \"CHANGES.md\", \"content\": \"- fixed the parser\\n\"}"
                    .to_owned()
                    + warning,
            input_schema: schema::portable::<AppendFileArgs>(),
            output_schema: None,
            annotations: Annotations {
                read_only: false,
                destructive: false,
                idempotent: false,
                open_world: false,
            },
            mistaken: &[("text", "use `content`")],
        };
        Self { spec }
    }
}

fn append(
    workspace: &Workspace,
    args: &AppendFileArgs,
    call: &Call<'_>,
) -> Result<AppendFileReply, ToolError> {
    let content = args.content.as_bytes();
    let by = By { tool: NAME, call };
    for _ in 0..limits::EDIT_RETRIES {
        call.check()?;
        let (written, from) = match workspace.gate().target(Op::Append, &args.path, call)? {
            Target::New(new) => match new.create(content, by) {
                Ok(written) => (written, 0),
                Err(WriteError::Lost) => continue,
                Err(WriteError::Failed(error)) => return Err(error),
            },
            Target::Existing(file) if content.is_empty() => {
                return Ok(AppendFileReply {
                    text: format!("Nothing to append: {} is unchanged", file.shown()),
                    offset: file.size(),
                    bytes_written: 0,
                    notes: Vec::new(),
                });
            }
            Target::Existing(file) => {
                match refuse_marker(&file, &args.content).map(|()| file.append(content, by))? {
                    Ok((written, from)) => (written, from),
                    Err(WriteError::Lost) => continue,
                    Err(WriteError::Failed(error)) => return Err(error),
                }
            }
        };
        // Other writers may append at the same time; what this call wrote stands at the place it was given.
        if let Err(failure) = written.verify(content, from) {
            return Err(ToolError::new(
                Class::Failure,
                failure.code(),
                format!("{} bytes were appended, but reading them back failed: {failure}", content.len()),
            )
            .at(&args.path)
            .hint("read the end of the file before trying again"));
        }
        let notes = written.notes();
        let mut text = format!("Appended {} bytes to {}", content.len(), echo(&args.path));
        for note in &notes {
            text.push('\n');
            text.push_str(note);
        }
        return Ok(AppendFileReply { text, offset: from, bytes_written: content.len() as u64, notes });
    }
    Err(ToolError::new(
        Class::Conflict,
        "busy",
        "other writers kept replacing the file; nothing was appended",
    )
    .at(&args.path)
    .hint("try again in a moment"))
}

/// Refuses to add the mask of a value to a file that does not have it: it was copied from a masked view.
fn refuse_marker(file: &OpenFile<'_>, content: &str) -> Result<(), ToolError> {
    if !contains_marker(content)
        || memchr::memmem::find(&file.read_all()?, redact::MARKER.as_bytes()).is_some()
    {
        return Ok(());
    }
    Err(masked_value(file.asked(), "content"))
}

impl Tool for AppendFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        args::typed(args)
            .and_then(|args| workspace.append_file(&args, call))
            .map_or_else(Reply::failure, Reply::from)
    }
}
