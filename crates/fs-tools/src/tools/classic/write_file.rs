//! `write_file`: a new file, or a rewrite that is safe by its shape or asked for by name.

use redact::contains_marker;
use sandbox_policy::Op;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::args;
use crate::config::{Config, Switches};
use crate::error::{Class, ToolError};
use crate::gate::{By, OpenFile, Target, WriteError};
use crate::limits;
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::tools::syntax::{Syntax, check_syntax};
use crate::workspace::Workspace;

const NAME: &str = "write_file";

/// Arguments of [`Workspace::write_file`] and of the tool.
///
/// # Examples
///
/// ```
/// use fs_tools::classic::WriteFileArgs;
///
/// let new = WriteFileArgs::new("notes/todo.md", "# To do\n");
/// let instead = WriteFileArgs { overwrite: true, ..new.clone() };
/// # assert!(!new.overwrite && instead.overwrite);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct WriteFileArgs {
    /// Path of the file; missing directories are created
    pub path: String,
    /// The full content, written byte for byte
    pub content: String,
    /// Replace an existing file in full (default false)
    #[serde(default)]
    pub overwrite: bool,
}

impl WriteFileArgs {
    /// A file that does not exist yet, or that the content is equal to or continues.
    pub fn new(path: impl Into<String>, content: impl Into<String>) -> Self {
        Self { path: path.into(), content: content.into(), overwrite: false }
    }
}

/// Answer of [`Workspace::write_file`]: what a successful write did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
#[must_use]
pub struct WriteFileReply {
    /// Always true
    success: bool,
    /// created, overwritten, appended or unchanged
    pub action: WriteAction,
    /// Absolute path of the file
    pub resolved_path: String,
    /// Bytes that this call wrote
    pub bytes_written: u64,
    /// The content was read back, or compared, and is equal
    pub verified: bool,
    /// ok, when the quick check ran and passed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syntax: Option<&'static str>,
    /// A problem that the quick check found; the file is written all the same
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syntax_error: Option<String>,
    /// What the caller should know about this write
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl WriteFileReply {
    /// What a model reads: all fields as one compact object of JSON.
    pub fn text(&self) -> String {
        self.to_json().to_string()
    }

    fn to_json(&self) -> Value {
        // A struct of strings, numbers and switches always has a value.
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl From<WriteFileReply> for Reply {
    fn from(reply: WriteFileReply) -> Self {
        Self::object(reply.to_json())
    }
}

/// What a write did to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum WriteAction {
    /// The file is new.
    Created,
    /// Its whole content was replaced.
    Overwritten,
    /// The content went on where the file ended.
    Appended,
    /// It had this content already; nothing was written.
    Unchanged,
}

impl Workspace {
    /// Writes a file with its full content: what the tool `write_file` does.
    ///
    /// # Errors
    ///
    /// [`ToolError`] with its stable code, among them `file_exists` for a file with other content where
    /// [`overwrite`](WriteFileArgs::overwrite) is not set, and `read_back_failed` and `read_back_mismatch` when the write
    /// could not be confirmed.
    ///
    /// # Examples
    ///
    /// ```
    /// use fs_tools::classic::{WriteAction, WriteFileArgs};
    /// use fs_tools::{Call, Config, Options, Workspace};
    ///
    /// let dir = tempfile::tempdir()?;
    /// let workspace = Workspace::open(Options::new(dir.path(), Config::default()))?;
    /// let wrote = workspace.write_file(&WriteFileArgs::new("a/b.txt", "text\n"), &Call::plain())?;
    /// assert_eq!((wrote.action, wrote.bytes_written), (WriteAction::Created, 5));
    /// let refused = workspace.write_file(&WriteFileArgs::new("a/b.txt", "other\n"), &Call::plain());
    /// assert_eq!(refused.unwrap_err().code(), "file_exists");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_file(&self, args: &WriteFileArgs, call: &Call<'_>) -> Result<WriteFileReply, ToolError> {
        self.typed(NAME, || write(self, args, call))
    }
}

/// The tool.
pub(super) struct WriteFile {
    spec: ToolSpec,
}

impl WriteFile {
    pub(super) fn new(config: &Config, warning: &str) -> Self {
        let others = match (config.enabled.append_file, config.enabled.edit_file) {
            (true, true) => " To change or extend an existing file, use edit_file or append_file.",
            (false, true) => " To change an existing file, use edit_file.",
            (true, false) => " To extend an existing file, use append_file.",
            (false, false) => "",
        };
        let mut output_schema = schema::portable::<WriteFileReply>();
        // Refusals carry another object; a client that validates must not reject them.
        if let Some(map) = output_schema.as_object_mut() {
            map.remove("required");
        }
        let spec = ToolSpec {
            name: NAME,
            title: "Write file",
            description: format!(
                "Create a file with its full content. An existing file is left alone unless the content is identical, \
                 or starts with all that is there (then the rest is appended), or overwrite is true.{others} \
                 Example: {{\"path\": \"notes/todo.md\", \"content\": \"# To do\\n\"}}{warning}"
            ),
            input_schema: schema::portable::<WriteFileArgs>(),
            output_schema: Some(output_schema),
            annotations: Annotations {
                read_only: false,
                destructive: true,
                idempotent: true,
                open_world: false,
            },
            mistaken: &[
                ("append", "append_file adds to a file; the content of write_file is the whole file"),
                ("text", "use `content`"),
            ],
        };
        Self { spec }
    }
}

fn write(workspace: &Workspace, args: &WriteFileArgs, call: &Call<'_>) -> Result<WriteFileReply, ToolError> {
    let content = args.content.as_bytes();
    let overwrite = args.overwrite;
    let by = By { tool: NAME, call };
    for _ in 0..limits::EDIT_RETRIES {
        call.check()?;
        let (action, written, bytes_written) =
            match workspace.gate().target(Op::Overwrite, &args.path, call)? {
                Target::New(new) => match new.create(content, by) {
                    Ok(written) => (WriteAction::Created, Some((written, 0)), content.len()),
                    // Somebody else created it first: judge what is there now.
                    Err(WriteError::Lost) => continue,
                    Err(WriteError::Failed(error)) => return Err(error),
                },
                Target::Existing(file) => match compare(&file, content, call)? {
                    Shape::Equal => {
                        return Ok(done(&file.resolved(), args, WriteAction::Unchanged, 0, Vec::new()));
                    }
                    Shape::Longer(old_len) if !overwrite => {
                        let suffix = &content[old_len as usize..];
                        match file.append(suffix, by) {
                            // Bytes of another writer before the suffix are found by the read-back.
                            Ok((written, _)) => {
                                (WriteAction::Appended, Some((written, old_len)), suffix.len())
                            }
                            Err(WriteError::Lost) => continue,
                            Err(WriteError::Failed(error)) => return Err(error),
                        }
                    }
                    _ if !overwrite => return Err(conflict(workspace.config().enabled, &file, args)),
                    _ => {
                        refuse_marker(&file, args)?;
                        match file.overwrite(content, by) {
                            Ok(written) => (WriteAction::Overwritten, Some((written, 0)), content.len()),
                            Err(WriteError::Lost) => return Err(changed(&args.path)),
                            Err(WriteError::Failed(error)) => return Err(error),
                        }
                    }
                },
            };
        let Some((written, from)) = written else { continue };
        if let Err(failure) = written.verify(&content[from as usize..], from) {
            return Err(read_back(failure, action, &written.resolved(), bytes_written, &args.path));
        }
        let mut notes = written.notes();
        if action == WriteAction::Created && contains_marker(&args.content) {
            notes.push(format!("the content has {}, which stands for a masked value", redact::MARKER));
        }
        return Ok(done(&written.resolved(), args, action, bytes_written, notes));
    }
    Err(changed(&args.path))
}

fn done(
    resolved: &str,
    args: &WriteFileArgs,
    action: WriteAction,
    bytes_written: usize,
    notes: Vec<String>,
) -> WriteFileReply {
    let (syntax, syntax_error) = match check_syntax(&args.path, args.content.as_bytes()) {
        Syntax::Ok => (Some("ok"), None),
        Syntax::Problem(problem) => (None, Some(problem)),
        Syntax::Unchecked => (None, None),
    };
    WriteFileReply {
        success: true,
        action,
        resolved_path: resolved.to_owned(),
        bytes_written: bytes_written as u64,
        verified: true,
        syntax,
        syntax_error,
        notes,
    }
}

fn conflict(on: Switches, file: &OpenFile, args: &WriteFileArgs) -> ToolError {
    const REPLACE: &str = "write_file(overwrite=true)";
    let mut actions = Vec::new();
    let mut advice = Vec::new();
    if on.append_file {
        actions.push("append_file");
        advice.push("append_file adds to its end");
    }
    if on.edit_file {
        actions.push("edit_file");
        advice.push("edit_file changes part of it");
    }
    actions.push(REPLACE);
    advice.push("overwrite=true replaces all of it and discards what is there");
    let recommended = if on.edit_file {
        "edit_file"
    } else if on.append_file {
        "append_file"
    } else {
        REPLACE
    };
    ToolError::new(
        Class::Conflict,
        "file_exists",
        format!("file already exists: {} ({} bytes); nothing was written", args.path, file.size()),
    )
    .at(&args.path)
    .hint(advice.join("; "))
    .with_structured(json!({
        "error": "file_exists",
        "path": args.path,
        "resolved_path": file.resolved(),
        "recommended_action": recommended,
        "available_actions": actions,
        "existing_bytes": file.size(),
        "new_bytes": args.content.len(),
        "overwrite_required": true,
    }))
}

impl Tool for WriteFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        args::typed(args)
            .and_then(|args| workspace.write_file(&args, call))
            .map_or_else(Reply::failure, Reply::from)
    }
}

/// How the new content relates to the old.
enum Shape {
    Equal,
    /// It starts with the whole old content, of this many bytes.
    Longer(u64),
    Other,
}

/// Compares in one pass, in memory that does not depend on the file's size.
fn compare(file: &OpenFile, content: &[u8], call: &Call<'_>) -> Result<Shape, ToolError> {
    if file.size() > content.len() as u64 {
        return Ok(Shape::Other);
    }
    let mut chunk = Vec::new();
    let mut offset = 0usize;
    loop {
        call.check()?;
        file.read_into(offset as u64, 256 * 1024, &mut chunk)?;
        if chunk.is_empty() {
            break;
        }
        if content.get(offset..offset + chunk.len()) != Some(&chunk[..]) {
            return Ok(Shape::Other);
        }
        offset += chunk.len();
    }
    Ok(if offset == content.len() { Shape::Equal } else { Shape::Longer(offset as u64) })
}

/// Refuses to put the mask of a value where the file has the value itself.
fn refuse_marker(file: &OpenFile, args: &WriteFileArgs) -> Result<(), ToolError> {
    if !contains_marker(&args.content) {
        return Ok(());
    }
    let old = file.read_all()?;
    if memchr::memmem::find(&old, redact::MARKER.as_bytes()).is_some() {
        return Ok(());
    }
    Err(crate::tools::masked_value(&args.path, "content"))
}

fn changed(path: &str) -> ToolError {
    ToolError::new(
        Class::Conflict,
        "changed",
        "another writer changed the file meanwhile; nothing was written",
    )
    .at(path)
    .hint("read the file again, then repeat the call if it is still wanted")
}

fn read_back(
    failure: crate::gate::ReadBack,
    action: WriteAction,
    resolved: &str,
    bytes_written: usize,
    path: &str,
) -> ToolError {
    let (code, message) = match failure {
        crate::gate::ReadBack::Unreadable(_) => {
            ("read_back_failed", "the file was written, but could not be read back".to_owned())
        }
        crate::gate::ReadBack::Mismatch(at) => {
            ("read_back_mismatch", format!("the file was written, but differs from the content at byte {at}"))
        }
    };
    let mut value = json!({
        "success": false,
        "action": action,
        "resolved_path": resolved,
        "bytes_written": bytes_written,
        "verified": false,
        "error": code,
        "message": message,
    });
    if let crate::gate::ReadBack::Unreadable(detail) = failure {
        value["detail"] = Value::String(detail);
    }
    ToolError::new(Class::Failure, code, message)
        .at(path)
        .hint("the file may be on disk: read it before trying again")
        .with_structured(value)
}
