//! The new content of an edit, or the diagnosis of why there is none.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use v4a_patch::{Error, Options, TextDiagnosis, Tier};

use crate::error::{Class, ToolError};
use crate::render::{echo, mask_window};
use crate::workspace::Workspace;

/// Lines of the file that an explanation quotes at most, and characters of each.
const QUOTED_LINES: usize = 5;
const QUOTED_CHARS: usize = 160;

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
            let quotes = quote(workspace, before, &diagnosis.file_lines());
            let (class, code, message) = match &diagnosis {
                TextDiagnosis::Ambiguous { .. } => {
                    (Class::Conflict, "ambiguous", format!("old_text must occur once: {diagnosis}"))
                }
                _ => (Class::Conflict, "text_not_found", format!("old_text not found: {diagnosis}")),
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
            Err(ToolError::new(class, code, format!("{message}; nothing was changed{quotes}"))
                .at(echo(asked))
                .hint(hint))
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
    let mut message = format!("patch refused: {error}; nothing was changed");
    let mut lines: Vec<usize> =
        error.failures().iter().flat_map(|failure| failure.diagnosis.file_lines()).collect();
    lines.sort_unstable();
    lines.dedup();
    message.push_str(&quote(workspace, before, &lines));
    let suggestion = error.failures().first().and_then(|failure| failure.diagnosis.suggestion.as_ref());
    if let Some(suggestion) = suggestion {
        let show = |line: &[u8]| {
            let masked = workspace.redactor().redact_bytes(line);
            String::from_utf8_lossy(&masked).into_owned()
        };
        let hunk = suggestion.render(before, patch.as_bytes(), show);
        let _ =
            write!(message, "\nthe hunk with the lines that the file has, not applied:\n{}", hunk.trim_end());
    }
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
    ToolError::new(class, error.code().to_owned(), message).at(echo(asked)).hint(hint)
}

/// Quotes lines of the file, masked with what surrounds them, blanks that matter made visible.
fn quote(workspace: &Workspace, file: &[u8], lines: &[usize]) -> String {
    let mut out = String::new();
    for &line in lines.iter().take(QUOTED_LINES) {
        let Some(range) = line_range(file, line) else { continue };
        let masked = mask_window(workspace.redactor(), file, range);
        let text = String::from_utf8_lossy(&masked.text);
        let mut shown = String::new();
        for c in text.chars().take(QUOTED_CHARS) {
            match c {
                '\t' => shown.push_str("\\t"),
                '\r' => shown.push_str("\\r"),
                c if c.is_control() || (c.is_whitespace() && c != ' ') => {
                    let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
                }
                c => shown.push(c),
            }
        }
        if text.chars().nth(QUOTED_CHARS).is_some() {
            shown.push('…');
        }
        let _ = write!(out, "\n  line {line}: {shown}");
    }
    out
}

/// Byte range of a line without its terminator; lines count from 1.
fn line_range(file: &[u8], line: usize) -> Option<Range<usize>> {
    let start = match line.checked_sub(2) {
        None => 0,
        Some(skip) => memchr::memchr_iter(b'\n', file).nth(skip)? + 1,
    };
    let end = memchr::memchr(b'\n', file.get(start..)?).map_or(file.len(), |at| start + at);
    Some(start..end)
}
