//! Parts of a file replaced, all of them located in the file as it is.

use std::borrow::Cow;

use document_text::{Editable, Encoding, Kind};
use redact::contains_marker;
use sandbox_policy::Op;
use v4a_patch::{Matched, Target, TargetError, TargetPlan, file_line, plan_targets};

use super::{BatchEditArgs, EditTarget, NAME, finish, fresh, invalid};
use crate::error::{Class, ToolError};
use crate::gate::{By, WriteError, Written};
use crate::ledger::Stamp;
use crate::limits;
use crate::render::{Guard, clean, diff_views, echo, show_name};
use crate::tool::{Call, Reply};
use crate::tools::syntax::{Syntax, check_syntax};
use crate::workspace::Workspace;

pub(super) fn patch(
    workspace: &Workspace,
    args: &BatchEditArgs,
    call: &Call<'_>,
) -> Result<Reply, ToolError> {
    let path = args.required_path()?;
    let Some(targets) = args.targets() else {
        return Err(invalid(
            "targets are required in mode patch",
            "give targets: [{\"old_string\": …, \"new_string\": …}]",
        ));
    };
    for _ in 0..limits::EDIT_RETRIES {
        call.check()?;
        let file = workspace.gate().open_file(Op::Edit, path, call).map_err(missing)?;
        let before = file.read_all()?;
        fresh::check(workspace, &file, &before, call)?;
        let edit = Edit::of(workspace, path, file.base_name(), &before, targets)?;
        refuse_marker(path, targets, &before, &edit.after)?;
        if edit.after == before {
            let text = format!("No change: every new_string in {} equals its old_string.", echo(path));
            return Ok(Reply::text(text));
        }
        let written = match file.replace(&before, &edit.after, By { tool: NAME, call }) {
            Ok(written) => written,
            // Judged again on what is there now.
            Err(WriteError::Lost) => continue,
            Err(WriteError::Failed(error)) => return Err(error),
        };
        verified(&written, &edit.after, path)?;
        let stamp = Stamp::of(written.meta(), &edit.after);
        workspace.ledger().saw(call.origin.run, written.path(), stamp, Some(&edit.after));
        let mut notes = edit.notes;
        notes.extend(written.notes());
        if let (Syntax::Problem(problem), Syntax::Ok) =
            (check_syntax(path, &edit.after), check_syntax(path, &before))
        {
            notes.push(format!("syntax_error: {problem}"));
        }
        return Ok(report(workspace, path, &before, &edit.after, edit.shown, &notes));
    }
    Err(ToolError::new(Class::Conflict, "busy", "other writers kept changing the file; nothing was written")
        .at(echo(path))
        .hint("read it again, then try again"))
}

/// A file that is not there can be written.
fn missing(error: ToolError) -> ToolError {
    if error.code() == "not_found" {
        return error.hint("content with mode write creates it; find_files shows what is there");
    }
    error
}

/// What an edit makes of a file.
struct Edit {
    after: Vec<u8>,
    /// The texts of a file that is not in UTF-8, for the diff.
    shown: Option<(String, String)>,
    notes: Vec<String>,
}

impl Edit {
    fn of(
        workspace: &Workspace,
        path: &str,
        name: &std::path::Path,
        before: &[u8],
        targets: &[EditTarget],
    ) -> Result<Self, ToolError> {
        if let Kind::Binary(format) = document_text::classify(name, before) {
            return Err(ToolError::new(
                Class::Usage,
                "binary_file",
                format!(
                    "the file is binary ({}, {} bytes); nothing was written",
                    format.name(),
                    before.len()
                ),
            )
            .at(echo(path))
            .hint("only text can be patched"));
        }
        let encoding = document_text::detect(before);
        let wanted: Vec<Target<'_>> = targets.iter().map(target).collect();
        if encoding.is_utf8() {
            let plan =
                plan_targets(before, &wanted).map_err(|error| refusal(workspace, path, before, &error))?;
            let notes = notes(&plan);
            return Ok(Self { after: plan.render(before), shown: None, notes });
        }
        let open = Editable::open(before, encoding).ok_or_else(|| not_text(path, encoding))?;
        let text = open.text().as_bytes();
        let plan = plan_targets(text, &wanted).map_err(|error| refusal(workspace, path, text, &error))?;
        let mut splices = Vec::new();
        for splice in plan.splices() {
            splices.push((
                splice.range.clone(),
                std::str::from_utf8(&splice.replacement).map_err(|_| not_text(path, encoding))?,
            ));
        }
        let after = open.splice(splices).ok_or_else(|| {
            ToolError::new(
                Class::Usage,
                "not_encodable",
                format!(
                    "new_string has a character that {} cannot write; nothing was written",
                    encoding.name()
                ),
            )
            .at(echo(path))
            .hint("use other characters, or write the whole file, which makes it UTF-8")
        })?;
        let mut notes = notes(&plan);
        notes.push(format!("edited as {}", encoding.name()));
        let after_text = String::from_utf8_lossy(&plan.render(text)).into_owned();
        Ok(Self { after, shown: Some((open.text().to_owned(), after_text)), notes })
    }
}

fn target(target: &EditTarget) -> Target<'_> {
    Target {
        old: target.old_string.as_bytes(),
        new: target.new_string.as_bytes(),
        replace_all: target.replace_all.unwrap_or(false),
    }
}

fn not_text(path: &str, encoding: Encoding) -> ToolError {
    ToolError::new(
        Class::Usage,
        "not_editable",
        format!("the file is not well-formed {}; nothing was written", encoding.name()),
    )
    .at(echo(path))
    .hint("write the whole file instead")
}

/// Sentences about how the targets were placed.
fn notes(plan: &TargetPlan<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if !plan.skipped().is_empty() {
        let list: Vec<String> = plan.skipped().iter().map(|index| format!("targets[{index}]")).collect();
        notes.push(format!("skipped, old_string equals new_string: {}", list.join(", ")));
    }
    let mut loose: Vec<(usize, Matched)> = plan
        .splices()
        .iter()
        .filter(|splice| splice.matched != Matched::Exact)
        .map(|splice| (splice.target, splice.matched))
        .collect();
    loose.sort_by_key(|(target, _)| *target);
    loose.dedup();
    for (target, matched) in loose {
        let what = match matched {
            Matched::Quotes => "curly and straight quotes taken for equal, the style of the file kept",
            Matched::LineEnds => "line feed taken for CRLF, the line ends of the file kept",
            _ => "quotes and line ends taken for equal, those of the file kept",
        };
        notes.push(format!("targets[{target}]: {what}"));
    }
    notes
}

/// The refusal of a plan, with the lines of the file that it speaks of, masked.
fn refusal(workspace: &Workspace, path: &str, file: &[u8], error: &TargetError) -> ToolError {
    let class = match error {
        TargetError::TextNotFound { .. } | TargetError::Ambiguous { .. } => Class::Conflict,
        TargetError::TooManyTargets { .. }
        | TargetError::TooManyPlaces { .. }
        | TargetError::ResultTooLong { .. } => Class::Limit,
        _ => Class::Usage,
    };
    let hint = match error {
        TargetError::TextNotFound { .. } => {
            "copy old_string from read_files, without row number and TAB; nothing of the call was applied"
        }
        TargetError::Ambiguous { .. } => "add the lines above or below to old_string, or set replace_all",
        _ => "correct the targets and repeat the whole call; nothing of it was applied",
    };
    let mut message = format!("{error}; nothing was written");
    let lines = error.file_lines();
    if !lines.is_empty() {
        let masked = workspace.redactor().redact_bytes(file);
        for line in lines {
            if let Some(text) = file_line(&masked, line) {
                let shown: String = String::from_utf8_lossy(text).chars().take(limits::ECHO_CHARS).collect();
                message.push_str(&format!("\n{line}\t{}", shown.trim_end_matches(['\r', '\n'])));
            }
        }
    }
    let message = clean(&message, Guard::None).into_owned();
    ToolError::new(class, error.code(), message).at(echo(path)).hint(hint)
}

/// Refuses an edit that brings the mask of a value into a file in place of the value.
fn refuse_marker(path: &str, targets: &[EditTarget], before: &[u8], after: &[u8]) -> Result<(), ToolError> {
    let count = |text: &[u8]| memchr::memmem::find_iter(text, redact::MARKER.as_bytes()).count();
    if targets.iter().any(|target| contains_marker(&target.new_string)) && count(after) > count(before) {
        return Err(crate::tools::masked_value(path, "new_string"));
    }
    Ok(())
}

/// Fails when what was written cannot be read back.
pub(super) fn verified(written: &Written<'_>, bytes: &[u8], path: &str) -> Result<(), ToolError> {
    written.verify(bytes, 0).map_err(|failure| {
        ToolError::new(
            Class::Failure,
            failure.code(),
            format!("the file was written, but reading it back failed: {failure}"),
        )
        .at(echo(path))
        .hint("read it before trying again")
    })
}

fn report(
    workspace: &Workspace,
    path: &str,
    before: &[u8],
    after: &[u8],
    shown: Option<(String, String)>,
    notes: &[String],
) -> Reply {
    let mut head = format!("Updated {}\n", echo(path));
    for note in notes {
        head.push_str(&format!("[{note}]\n"));
    }
    let (before, after) = match &shown {
        Some((before, after)) => (Cow::Borrowed(before.as_bytes()), Cow::Borrowed(after.as_bytes())),
        None => (Cow::Borrowed(before), Cow::Borrowed(after)),
    };
    match diff_views(&show_name(path.as_ref()), &before, &after, workspace.redactor(), workspace.reader()) {
        Ok(views) => {
            let mut reply = finish(workspace, format!("{head}{}", views.for_model));
            reply.for_user = Some(format!("{head}```diff\n{}```", views.for_user));
            reply
        }
        Err(why) => {
            let text = format!("{head}[{why}]");
            Reply { for_user: Some(text.clone()), ..Reply::text(text) }
        }
    }
}
