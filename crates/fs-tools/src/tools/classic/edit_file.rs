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

/// Arguments of `edit_file`: either `old_text` and `new_text`, or `patch`.
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

/// The tool.
pub(super) struct EditFile {
    spec: ToolSpec,
}

impl EditFile {
    pub(super) fn new(warning: &str) -> Self {
        let spec = ToolSpec {
            name: "edit_file",
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
                ("content", "use `new_text`, or write_file for a whole file"),
            ],
        };
        Self { spec }
    }

    fn edit(&self, workspace: &Workspace, args: &EditFileArgs, call: &Call<'_>) -> Result<Reply, ToolError> {
        let request = Request::of(args)?;
        for _ in 0..limits::EDIT_RETRIES {
            call.check()?;
            let file = workspace.gate().open_file(Op::Edit, &args.path, call)?;
            let before = file.read_all()?;
            let Change { after, notes } = request.apply(workspace, &file, &before)?;
            request.refuse_marker(&args.path, &before, &after)?;
            if *after == *before {
                return Ok(Reply::text(format!("File edited: {}\n(no content change)", args.path)));
            }
            let resolved = file.resolved();
            let written = match file.replace(&before, &after, By { tool: self.spec.name, call }) {
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
            let mut notes = notes;
            notes.extend(written.notes());
            notes.extend(broken_syntax(&args.path, &before, &after));
            return Ok(self.reply(workspace, args, &before, &after, &notes));
        }
        Err(ToolError::new(
            Class::Conflict,
            "busy",
            "other writers kept changing the file; nothing was written",
        )
        .at(&args.path)
        .hint("try again in a moment"))
    }

    fn reply(
        &self,
        workspace: &Workspace,
        args: &EditFileArgs,
        before: &[u8],
        after: &[u8],
        notes: &[String],
    ) -> Reply {
        let mut head = format!("File edited: {}\n", echo(&args.path));
        for note in notes {
            head.push_str(note);
            head.push('\n');
        }
        let shown = crate::render::show_name(args.path.as_ref()).into_owned();
        match diff_views(&shown, before, after, workspace.redactor()) {
            Ok(views) => {
                let mut reply =
                    workspace.finish(self.spec.name, format!("{head}{}", views.for_model), Guard::Base64);
                reply.for_user = Some(format!("{head}```diff\n{}```", views.for_user));
                reply
            }
            Err(why) => {
                let text = format!("{head}[{why}]");
                Reply { for_user: Some(text.clone()), ..Reply::text(text) }
            }
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
