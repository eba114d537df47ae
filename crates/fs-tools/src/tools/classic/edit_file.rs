//! `edit_file`: one exact replacement, or the hunks of a V4A patch, in one file.

use redact::contains_marker;
use sandbox_policy::Op;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::args;
use crate::error::{Class, ToolError};
use crate::gate::{By, OpenFile, WriteError};
use crate::limits;
use crate::render::{Guard, diff_views, echo};
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::tools::change::{self, Change};
use crate::tools::masked_value;
use crate::tools::syntax::{Syntax, check_syntax};
use crate::workspace::Workspace;

const NAME: &str = "edit_file";

/// Arguments of [`Workspace::edit_file`] and of the tool: either `old_text` and `new_text`, or `patch`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct EditFileArgs {
    /// Path of the file
    pub path: String,
    /// Exact text to replace; it must occur once
    pub old_text: Option<String>,
    /// Replacement
    pub new_text: Option<String>,
    /// V4A patch of this file, instead of old_text and new_text
    pub patch: Option<String>,
}

impl EditFileArgs {
    /// Replaces the one occurrence of a text.
    pub fn exact(path: impl Into<String>, old_text: impl Into<String>, new_text: impl Into<String>) -> Self {
        let (old_text, new_text) = (Some(old_text.into()), Some(new_text.into()));
        Self { path: path.into(), old_text, new_text, patch: None }
    }

    /// Applies the hunks of a V4A patch.
    pub fn patch(path: impl Into<String>, patch: impl Into<String>) -> Self {
        Self { path: path.into(), old_text: None, new_text: None, patch: Some(patch.into()) }
    }
}

/// Answer of [`Workspace::edit_file`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct EditFileReply {
    /// What a model reads: the notes and the diff, with context lines masked; bounded.
    pub text: String,
    /// What the user is shown: the same with every line as it is; `None` when nothing changed.
    pub for_user: Option<String>,
    /// Whether the content of the file is another one now.
    pub changed: bool,
    /// Where the hunks of a patch were applied, and what else the caller should know.
    pub notes: Vec<String>,
    /// Artifacts that hold the whole of a `text` that was too long, relative to the workspace.
    pub attachments: Vec<String>,
}

impl From<EditFileReply> for Reply {
    fn from(reply: EditFileReply) -> Self {
        Self { for_user: reply.for_user, attachments: reply.attachments, ..Self::text(reply.text) }
    }
}

impl Workspace {
    /// Changes a part of one file: what the tool `edit_file` does.
    ///
    /// # Errors
    ///
    /// [`ToolError`] with its stable code, among them `text_not_found`, `ambiguous` and the codes of the patch format. The
    /// file is as it was, unless the code is `read_back_failed` or `read_back_mismatch`.
    ///
    /// # Examples
    ///
    /// ```
    /// use fs_tools::classic::EditFileArgs;
    /// use fs_tools::{Call, Config, Options, Workspace};
    ///
    /// let dir = tempfile::tempdir()?;
    /// std::fs::write(dir.path().join("f"), "one\ntwo\n")?;
    /// let workspace = Workspace::open(Options::new(dir.path(), Config::default()))?;
    /// let call = Call::plain();
    /// let edited = workspace.edit_file(&EditFileArgs::exact("f", "two", "three"), &call)?;
    /// assert!(edited.changed && edited.text.contains("-two\n+three\n"));
    /// let patched = workspace.edit_file(&EditFileArgs::patch("f", "@@\n-one\n+1\n"), &call)?;
    /// assert_eq!(patched.notes, ["hunk 1 applied at line 1"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edit_file(&self, args: &EditFileArgs, call: &Call<'_>) -> Result<EditFileReply, ToolError> {
        self.typed(NAME, || edit(self, args, call))
    }
}

/// The tool.
pub(super) struct EditFile {
    spec: ToolSpec,
}

impl EditFile {
    pub(super) fn new(warning: &str) -> Self {
        let spec = ToolSpec {
            name: NAME,
            title: "Edit file",
            description: "Change part of an existing file: give old_text (it must occur exactly once; add lines around \
                          it to make it unique) and new_text, or a V4A patch: hunks that start with @@, their lines \
                          prefixed by space, - or +. All other bytes stay as they are. Returns the diff. \
                          Example: {\"path\": \"a.py\", \"patch\": \"@@\\n def f():\\n-    return 1\\n+    return 2\\n\"}"
                    .to_owned()
                    + warning,
            input_schema: schema::portable::<EditFileArgs>(),
            output_schema: None,
            annotations: Annotations {
                read_only: false,
                destructive: true,
                idempotent: false,
                open_world: false,
            },
            mistaken: &[
                ("old_string", "use `old_text`"),
                ("new_string", "use `new_text`"),
                ("replace_all", "one occurrence is replaced per call; several go into one `patch`"),
                ("content", "use `new_text`; write_file takes a whole file"),
            ],
        };
        Self { spec }
    }
}

fn edit(workspace: &Workspace, args: &EditFileArgs, call: &Call<'_>) -> Result<EditFileReply, ToolError> {
    let request = Request::of(args)?;
    for _ in 0..limits::EDIT_RETRIES {
        call.check()?;
        let file = workspace.gate().open_file(Op::Edit, &args.path, call)?;
        let before = file.read_all()?;
        let Change { after, mut notes } = request.apply(workspace, &file, &before)?;
        request.refuse_marker(&args.path, &before, &after)?;
        if *after == *before {
            let text = format!("File edited: {}\n(no content change)", echo(&args.path));
            return Ok(EditFileReply {
                text,
                for_user: None,
                changed: false,
                notes,
                attachments: Vec::new(),
            });
        }
        let resolved = file.resolved();
        let written = match file.replace(&before, &after, By { tool: NAME, call }) {
            Ok(written) => written,
            // Somebody else wrote in between: the edit is made again on what is there now.
            Err(WriteError::Lost) => continue,
            Err(WriteError::Failed(error)) => return Err(error),
        };
        if let Err(failure) = written.verify(&after, 0) {
            return Err(ToolError::new(
                Class::Failure,
                failure.code(),
                format!("the file was written, but reading it back failed: {failure}"),
            )
            .at(&args.path)
            .hint(format!("read {} before trying again", echo(&resolved))));
        }
        notes.extend(written.notes());
        notes.extend(broken_syntax(&args.path, &before, &after));
        return Ok(reply(workspace, args, &before, &after, notes));
    }
    Err(ToolError::new(Class::Conflict, "busy", "other writers kept changing the file; nothing was written")
        .at(&args.path)
        .hint("try again in a moment"))
}

fn reply(
    workspace: &Workspace,
    args: &EditFileArgs,
    before: &[u8],
    after: &[u8],
    notes: Vec<String>,
) -> EditFileReply {
    let mut head = format!("File edited: {}\n", echo(&args.path));
    for note in &notes {
        head.push_str(note);
        head.push('\n');
    }
    let shown = crate::render::show_name(args.path.as_ref()).into_owned();
    let (reply, for_user) = match diff_views(&shown, before, after, workspace.redactor(), workspace.reader())
    {
        Ok(views) => (
            workspace.finish(NAME, format!("{head}{}", views.for_model), Guard::Base64),
            format!("{head}```diff\n{}```", views.for_user),
        ),
        Err(why) => {
            let text = format!("{head}[{why}]");
            (Reply::text(text.clone()), text)
        }
    };
    EditFileReply {
        text: reply.for_model,
        for_user: Some(for_user),
        changed: true,
        notes,
        attachments: reply.attachments,
    }
}

impl Tool for EditFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        args::typed(args)
            .and_then(|args| workspace.edit_file(&args, call))
            .map_or_else(Reply::failure, Reply::from)
    }
}

/// What the arguments ask for: one of the two forms.
enum Request<'a> {
    Exact { old: &'a str, new: &'a str },
    Patch(&'a str),
}

impl<'a> Request<'a> {
    fn of(args: &'a EditFileArgs) -> Result<Self, ToolError> {
        let invalid = |message: &str, hint: &str| {
            Err(ToolError::new(Class::Usage, "invalid_arguments", message).at(echo(&args.path)).hint(hint))
        };
        match (&args.old_text, &args.new_text, &args.patch) {
            (None, None, Some(patch)) => Ok(Self::Patch(patch)),
            (Some(old), Some(_), None) if old.is_empty() => invalid(
                "old_text is empty: it would match everywhere",
                "append_file adds to the end; write_file creates a file; otherwise copy the text to replace",
            ),
            (Some(old), Some(new), None) => Ok(Self::Exact { old, new }),
            (_, _, Some(_)) => invalid(
                "give either old_text and new_text, or patch, not both",
                "call edit_file again with one of the two forms",
            ),
            (None, None, None) => invalid(
                "old_text and new_text are required, or patch",
                "call edit_file again with old_text and new_text, or with patch",
            ),
            (None, Some(_), None) => invalid("old_text is required", "add the exact text to replace"),
            (Some(_), None, None) => {
                invalid("new_text is required", "add the replacement; an empty string deletes old_text")
            }
        }
    }

    fn apply<'b>(
        &self,
        workspace: &Workspace,
        file: &OpenFile<'_>,
        before: &'b [u8],
    ) -> Result<Change<'b>, ToolError> {
        match self {
            Self::Exact { old, new } => change::replace_once(workspace, file.asked(), before, old, new),
            Self::Patch(patch) => {
                let resolved = file.resolved();
                let shown = file.shown();
                change::apply_patch(workspace, file.asked(), &[&resolved, &shown], before, patch)
            }
        }
    }

    /// Refuses an edit that brings the mask of a value into a file in place of the value.
    fn refuse_marker(&self, path: &str, before: &[u8], after: &[u8]) -> Result<(), ToolError> {
        let (text, argument) = match self {
            Self::Exact { new, .. } => (*new, "new_text"),
            Self::Patch(patch) => (*patch, "patch"),
        };
        let count = |text: &[u8]| memchr::memmem::find_iter(text, redact::MARKER.as_bytes()).count();
        if contains_marker(text) && count(after) > count(before) {
            return Err(masked_value(path, argument));
        }
        Ok(())
    }
}

/// Says that a file which was fine is not fine any more.
fn broken_syntax(path: &str, before: &[u8], after: &[u8]) -> Option<String> {
    let Syntax::Problem(problem) = check_syntax(path, after) else { return None };
    matches!(check_syntax(path, before), Syntax::Ok).then(|| format!("syntax_error: {problem}"))
}
