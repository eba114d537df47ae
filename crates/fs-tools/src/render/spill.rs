//! Results that are too long for a model: kept whole in an artifact, shown by head and tail.

use std::path::Path;

use crate::tool::Reply;
use crate::workspace::{ARTIFACT_DIR, Workspace};

/// Characters of the head and of the tail that stay in the answer, of the configured maximum, in tenths.
const HEAD_TENTHS: usize = 6;
const TAIL_TENTHS: usize = 2;

/// Writes `text`, which is masked and clean, to an artifact and returns a preview that tells how to read the rest.
///
/// The artifact's name is a function of the content, so the same result is stored once. When it cannot be written the
/// rest is withheld all the same, and the answer says so.
pub(crate) fn spill(workspace: &Workspace, tool: &str, text: &str) -> Reply {
    let max = workspace.config().max_inline_result_chars;
    let chars = text.chars().count();
    let head = cut_head(text, max * HEAD_TENTHS / 10);
    let tail = cut_tail(text, chars, max * TAIL_TENTHS / 10);
    let name = format!("{ARTIFACT_DIR}/{tool}-{}.txt", &blake3::hash(text.as_bytes()).to_hex()[..16]);
    let stored = workspace.gate().store_artifact(Path::new(&name), text.as_bytes());
    let omitted = chars - head.chars().count() - tail.chars().count();
    let gap = if head.ends_with('\n') { "" } else { "\n" };
    let how = workspace.reader().map_or_else(String::new, |reader| format!(": {reader} shows it in parts"));
    let (notice, attachments) = match stored {
        Ok(()) => (
            format!(
                "[result of {chars} characters is over the limit of {max}: {omitted} characters omitted here. \
                 The whole result is in \"{name}\"{how}.]"
            ),
            vec![name],
        ),
        Err(error) => (
            format!(
                "[result of {chars} characters is over the limit of {max}: {omitted} characters omitted here, and the \
                 whole result could not be stored: {error}. Ask for a smaller part.]"
            ),
            Vec::new(),
        ),
    };
    Reply { attachments, ..Reply::text(format!("{head}{gap}{notice}\n{tail}")) }
}

/// The first `max` characters, up to a line end where there is one in their second half.
fn cut_head(text: &str, max: usize) -> &str {
    let end = text.char_indices().nth(max).map_or(text.len(), |(at, _)| at);
    match text[..end].rfind('\n') {
        Some(at) if at >= end / 2 => &text[..=at],
        _ => &text[..end],
    }
}

/// The last `max` characters, from a line start where there is one in their first half.
fn cut_tail(text: &str, chars: usize, max: usize) -> &str {
    let start = text.char_indices().nth(chars.saturating_sub(max)).map_or(text.len(), |(at, _)| at);
    match text[start..].find('\n') {
        Some(at) if at <= (text.len() - start) / 2 => &text[start + at + 1..],
        _ => &text[start..],
    }
}
