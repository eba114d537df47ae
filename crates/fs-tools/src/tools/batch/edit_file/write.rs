//! A new file, or the whole of one replaced.

use document_text::Kind;
use redact::contains_marker;
use sandbox_policy::Op;

use super::{BatchEditArgs, NAME, finish, fresh, invalid};
use crate::error::{Class, ToolError};
use crate::gate::{By, Target, WriteError};
use crate::ledger::Stamp;
use crate::limits;
use crate::render::echo;
use crate::tool::{Call, Reply};
use crate::tools::syntax::{Syntax, check_syntax};
use crate::workspace::Workspace;

/// Characters of a line that the answer repeats.
const EXCERPT_CHARS: usize = 128;

pub(super) fn write(
    workspace: &Workspace,
    args: &BatchEditArgs,
    call: &Call<'_>,
) -> Result<Reply, ToolError> {
    let path = args.required_path()?;
    let Some(content) = &args.content else {
        return Err(invalid(
            "content is required in mode write",
            "give the whole content; an empty string makes an empty file",
        ));
    };
    let bytes = content.as_bytes();
    let by = By { tool: NAME, call };
    for _ in 0..limits::EDIT_RETRIES {
        call.check()?;
        let mut notes = Vec::new();
        let (verb, written) = match workspace.gate().target(Op::Overwrite, path, call)? {
            Target::New(new) => match new.create(bytes, by) {
                Ok(written) => {
                    if contains_marker(content) {
                        notes.push(format!(
                            "the content has {}, which stands for a masked value",
                            redact::MARKER
                        ));
                    }
                    ("Created", written)
                }
                Err(WriteError::Lost) => continue,
                Err(WriteError::Failed(error)) => return Err(error),
            },
            Target::Existing(file) => {
                let before = file.read_all()?;
                if before == bytes {
                    workspace.ledger().saw(
                        call.origin.run,
                        file.path(),
                        Stamp::of(file.meta(), bytes),
                        Some(bytes),
                    );
                    return Ok(Reply::text(format!("Unchanged: {} has this content already.", echo(path))));
                }
                fresh::check(workspace, &file, &before, call)?;
                let marks = |text: &[u8]| memchr::memmem::find(text, redact::MARKER.as_bytes()).is_some();
                if contains_marker(content) && !marks(&before) {
                    return Err(crate::tools::masked_value(path, "content"));
                }
                notes.extend(other_encoding(file.base_name(), &before));
                match file.overwrite(bytes, by) {
                    Ok(written) => ("Updated", written),
                    // Judged again: it is another file now, or the same content under another time.
                    Err(WriteError::Lost) => continue,
                    Err(WriteError::Failed(error)) => return Err(error),
                }
            }
        };
        super::patch::verified(&written, bytes, path)?;
        workspace.ledger().saw(
            call.origin.run,
            written.path(),
            Stamp::of(written.meta(), bytes),
            Some(bytes),
        );
        notes.extend(written.notes());
        if let Syntax::Problem(problem) = check_syntax(path, bytes) {
            notes.push(format!("syntax_error: {problem}"));
        }
        return Ok(finish(workspace, report(workspace, verb, path, content, &notes)));
    }
    Err(ToolError::new(Class::Conflict, "busy", "other writers kept changing the file; nothing was written")
        .at(echo(path))
        .hint("read it again, then try again"))
}

/// Says that a file was in another encoding than the one that is written.
fn other_encoding(name: &std::path::Path, before: &[u8]) -> Option<String> {
    let Kind::Text(_) = document_text::classify(name, before) else { return None };
    let encoding = document_text::detect(before);
    let note = match encoding {
        document_text::Encoding::Utf8 => return None,
        document_text::Encoding::Utf8Bom => {
            "the file had a byte order mark; it is plain UTF-8 now".to_owned()
        }
        other => format!("the file was in {}; it is UTF-8 now", other.name()),
    };
    Some(note)
}

/// What was written, with enough of it that it need not be read again.
fn report(workspace: &Workspace, verb: &str, path: &str, content: &str, notes: &[String]) -> String {
    let count = content.lines().count();
    let mut text = format!("{verb} {} ({} bytes, {count} lines).", echo(path), content.len());
    let masked = workspace.redactor().redact_bytes(content.as_bytes());
    let masked = String::from_utf8_lossy(&masked);
    let excerpt = |line: &str| -> String {
        let mut shown: String = line.chars().take(EXCERPT_CHARS).collect();
        if shown.len() < line.len() {
            shown.push('…');
        }
        shown
    };
    if let Some(first) = masked.lines().next() {
        text.push_str(&format!("\n1\t{}", excerpt(first)));
    }
    if let Some(last) = masked.lines().last().filter(|_| count > 1) {
        if count > 2 {
            text.push_str("\n...");
        }
        text.push_str(&format!("\n{count}\t{}", excerpt(last)));
    }
    for note in notes {
        text.push_str(&format!("\n[{note}]"));
    }
    text
}
