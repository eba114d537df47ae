//! The new content of an edit, or the diagnosis of why there is none.

use std::borrow::Cow;

use v4a_patch::{Error, Options, TextDiagnosis, Tier};

use crate::error::{Class, ToolError};
use crate::render::{Guard, clean, echo};
use crate::workspace::Workspace;

/// What an edit makes of a file.
pub(crate) struct Change<'b> {
    /// The whole new content.
    pub(crate) after: Cow<'b, [u8]>,
    /// Sentences about how the edit was placed.
    pub(crate) notes: Vec<String>,
}

/// Replaces the one occurrence of `old`.
///
/// # Errors
///
/// `not_found` and `ambiguous` with a diagnosis: where the text almost is and what differs, or at which lines it
/// occurs and how to tell them apart. Occurrences may overlap: `aa` occurs twice in `aaa`.
pub(crate) fn replace_once<'b>(
    workspace: &Workspace,
    asked: &str,
    before: &'b [u8],
    old: &str,
    new: &str,
) -> Result<Change<'b>, ToolError> {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    match v4a_patch::explain_edit(before, old, new) {
        TextDiagnosis::Unique { offset } => {
            if old == new {
                return Ok(Change { after: Cow::Borrowed(before), notes: Vec::new() });
            }
            let mut after = Vec::with_capacity(before.len() - old.len() + new.len());
            after.extend_from_slice(&before[..offset]);
            after.extend_from_slice(new);
            after.extend_from_slice(&before[offset + old.len()..]);
            Ok(Change { after: Cow::Owned(after), notes: Vec::new() })
        }
        diagnosis => {
            let description = describe(workspace, before, |masked| diagnosis.describe(masked, lossy));
            let (code, message) = match &diagnosis {
                TextDiagnosis::Ambiguous { .. } => {
                    ("ambiguous", format!("old_text must occur once: {description}"))
                }
                _ => ("text_not_found", format!("old_text not found: {description}")),
            };
            let hint = match &diagnosis {
                TextDiagnosis::Ambiguous { .. } => {
                    "add the lines above or below to old_text until it is unique"
                }
                TextDiagnosis::NotFound(v4a_patch::TextCause::AlreadyApplied { .. }) => {
                    "nothing is left to do, if that is the intended place"
                }
                _ => "copy old_text from the file as it is now; read_file shows it",
            };
            Err(ToolError::new(Class::Conflict, code, unchanged(&message)).at(echo(asked)).hint(hint))
        }
    }
}

/// Applies a V4A patch of this one file. `aliases` are other spellings of its path that a header may use.
///
/// # Errors
///
/// The error classes of the patch format, with line, hunk and diagnosis.
pub(crate) fn apply_patch<'b>(
    workspace: &Workspace,
    asked: &str,
    aliases: &[&str],
    before: &'b [u8],
    patch: &str,
) -> Result<Change<'b>, ToolError> {
    let options = Options { aliases, ..Options::default() };
    let plan = v4a_patch::plan(before, patch.as_bytes(), asked, &options)
        .map_err(|error| patch_error(workspace, asked, before, patch, &error))?;
    let notes = plan.report().hunks.iter().map(|hunk| {
        let mut note = format!("hunk {} applied at line {}", hunk.hunk, hunk.line);
        if hunk.tier != Tier::Exact {
            note.push_str(", trailing blanks ignored");
        }
        if hunk.fallback {
            note.push_str(", before the previous hunk");
        }
        note
    });
    let notes = notes.collect();
    let after = if plan.changed() { Cow::Owned(plan.render()) } else { Cow::Borrowed(before) };
    Ok(Change { after, notes })
}

fn patch_error(workspace: &Workspace, asked: &str, before: &[u8], patch: &str, error: &Error) -> ToolError {
    let class = match error {
        Error::Locate(_) => Class::Conflict,
        Error::LimitExceeded { .. } => Class::Limit,
        _ => Class::Usage,
    };
    let message = match error.failures() {
        [] => error.to_string(),
        failures => describe(workspace, before, |masked| {
            let texts: Vec<String> =
                failures.iter().map(|failure| failure.describe(masked, patch.as_bytes(), lossy)).collect();
            texts.join("\n")
        }),
    };
    let hint = match error {
        Error::Locate(_) => {
            "correct the context and removed lines from the file as it is now; read_file shows it"
        }
        _ => "correct the patch: hunks start with @@, their lines with a space, - or +",
    };
    let hint = match error {
        Error::Parse(parse) => parse.hint.map_or_else(|| hint.to_owned(), |hint| hint.to_string()),
        _ => hint.to_owned(),
    };
    ToolError::new(class, error.code().to_owned(), unchanged(&format!("patch refused: {message}")))
        .at(echo(asked))
        .hint(hint)
}

/// Writes a diagnosis that quotes the file, with the whole file masked before a line is taken out of it.
fn describe(workspace: &Workspace, file: &[u8], write: impl FnOnce(&[u8]) -> String) -> String {
    let masked = workspace.redactor().redact_bytes(file);
    clean(&write(&masked), Guard::None).into_owned()
}

fn lossy(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}

/// Says behind the first line that nothing was changed; quotes of the file follow on lines of their own.
fn unchanged(message: &str) -> String {
    match message.split_once('\n') {
        Some((first, rest)) => format!("{first}; nothing was changed\n{rest}"),
        None => format!("{message}; nothing was changed"),
    }
}
