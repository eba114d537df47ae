//! The unified diff of an edit, for the model and for the user.

use std::borrow::Cow;
use std::fmt::Write as _;

use redact::Redactor;
use similar::{ChangeTag, TextDiff};

use crate::limits;

/// The two views of one change.
pub(crate) struct DiffViews {
    /// Masked context lines, bounded by characters with a head and a tail.
    pub(crate) for_model: String,
    /// Verbatim, bounded by bytes.
    pub(crate) for_user: String,
}

/// Builds both views, or says in one sentence why there is none.
///
/// `path` heads the diff as `a/…` and `b/…`. A missing final newline is shown as `diff -u` does, so that `patch` and
/// `git apply` accept the text. Context lines of the model's view are masked as whole lines of the new content;
/// added and removed lines stay as they are. `reader` is the tool that shows what a diff leaves out.
///
/// # Errors
///
/// The reason, when a side is over the limit of bytes or lines.
pub(crate) fn diff_views(
    path: &str,
    before: &[u8],
    after: &[u8],
    redactor: &Redactor,
    reader: Option<&str>,
) -> Result<DiffViews, String> {
    let (old, new) = (lines(before), lines(after));
    if before.len().max(after.len()) > limits::DIFF_INPUT_BYTES
        || old.len().max(new.len()) > limits::DIFF_INPUT_LINES
    {
        return Err(format!(
            "no diff: the file is over {} bytes or {} lines{}",
            limits::DIFF_INPUT_BYTES,
            limits::DIFF_INPUT_LINES,
            shows(reader, "the changed part"),
        ));
    }
    let masked = redactor.redact_bytes(after);
    let masked_lines = lines(&masked);
    let diff = TextDiff::from_slices(&old, &new);
    let mut model = header(path);
    let mut user = model.clone();
    for hunk in diff.unified_diff().context_radius(limits::DIFF_CONTEXT).iter_hunks() {
        let _ = writeln!(model, "{}", hunk.header());
        let _ = writeln!(user, "{}", hunk.header());
        for change in hunk.iter_changes() {
            let (sign, shown) = match change.tag() {
                ChangeTag::Delete => ('-', change.value()),
                ChangeTag::Insert => ('+', change.value()),
                ChangeTag::Equal => {
                    let index = change.new_index().unwrap_or(usize::MAX);
                    (' ', *masked_lines.get(index).unwrap_or(&change.value()))
                }
            };
            push_line(&mut model, sign, shown);
            push_line(&mut user, sign, change.value());
        }
    }
    Ok(DiffViews { for_model: head_and_tail(model, reader), for_user: head_only(user) })
}

/// What shows the rest, where a model has a tool that does.
fn shows(reader: Option<&str>, what: &str) -> String {
    reader.map_or_else(String::new, |tool| format!("; {tool} shows {what}"))
}

/// Splits after each LF; a lone CR ends no line, as in git.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

fn header(path: &str) -> String {
    let path = path.trim_start_matches('/');
    let path = if path.is_empty() { "file" } else { path };
    format!("--- a/{path}\n+++ b/{path}\n")
}

fn push_line(out: &mut String, sign: char, line: &[u8]) {
    out.push(sign);
    let text: Cow<'_, str> = String::from_utf8_lossy(line);
    out.push_str(&text);
    if !text.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

/// Bounds a text to the model's share of characters: whole lines of its head and tail around a notice.
fn head_and_tail(text: String, reader: Option<&str>) -> String {
    let total = text.chars().count();
    if total <= limits::DIFF_MODEL_CHARS {
        return text;
    }
    // Two thirds for the head, the rest for the tail, and room for the notice between them.
    const NOTICE_CHARS: usize = 160;
    let head_chars = (limits::DIFF_MODEL_CHARS - NOTICE_CHARS) * 2 / 3;
    let tail_chars = limits::DIFF_MODEL_CHARS - NOTICE_CHARS - head_chars;
    let head_end = char_floor(&text, head_chars);
    let tail_start = char_floor(&text, total - tail_chars);
    let head = &text[..text[..head_end].rfind('\n').map_or(head_end, |at| at + 1)];
    let tail = &text[text[tail_start..].find('\n').map_or(tail_start, |at| tail_start + at + 1)..];
    let omitted = total - head.chars().count() - tail.chars().count();
    let gap = if head.ends_with('\n') { "" } else { "\n" };
    let how = shows(reader, "the full content");
    format!("{head}{gap}[diff truncated: {omitted} characters omitted here{how}]\n{tail}")
}

/// Bounds a text to the user's share of bytes, at a line boundary.
fn head_only(text: String) -> String {
    const NOTICE: &str = "[diff truncated: the rest is not shown]\n";
    if text.len() <= limits::DIFF_USER_BYTES {
        return text;
    }
    let mut end = limits::DIFF_USER_BYTES - NOTICE.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').map_or(end, |at| at + 1);
    let gap = if text[..end].ends_with('\n') { "" } else { "\n" };
    format!("{}{gap}{NOTICE}", &text[..end])
}

/// Byte offset of the character with number `chars`.
fn char_floor(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use redact::Redactor;

    use super::diff_views;
    use crate::limits;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let views =
            diff_views("d/f.txt", before.as_bytes(), after.as_bytes(), &Redactor::new(), Some("read_file"))
                .unwrap();
        assert_eq!(views.for_model, format!("--- a/d/f.txt\n+++ b/d/f.txt\n{expected}"));
        assert_eq!(views.for_user, views.for_model);
    }

    #[test]
    fn hunks_have_three_lines_of_context_and_standard_headers() {
        check(
            "alpha\nbeta\ngamma\n",
            "alpha\nbeta 2\ngamma\n",
            "@@ -1,3 +1,3 @@\n alpha\n-beta\n+beta 2\n gamma\n",
        );
        check("", "zz", "@@ -0,0 +1 @@\n+zz\n\\ No newline at end of file\n");
        check("a\nb\n", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n");
        check("a\rb\n", "a\rc\n", "@@ -1 +1 @@\n-a\rb\n+a\rc\n");
    }

    #[test]
    fn both_views_are_bounded_and_say_so() {
        let before: String = (0..1500).map(|n| format!("line number {n}\n")).collect();
        let after = before.replace("line", "row");
        let views = diff_views("f", before.as_bytes(), after.as_bytes(), &Redactor::new(), Some("read_file"))
            .unwrap();
        assert!(views.for_model.chars().count() <= limits::DIFF_MODEL_CHARS);
        assert!(views.for_model.contains("[diff truncated: "));
        assert!(views.for_model.ends_with("+row number 1499\n"));
        assert!(views.for_user.len() <= limits::DIFF_USER_BYTES);
        assert!(views.for_user.ends_with("not shown]\n"));
    }

    #[test]
    fn large_files_have_no_diff() {
        let text = "x\n".repeat(limits::DIFF_INPUT_LINES + 1);
        assert!(diff_views("f", text.as_bytes(), b"", &Redactor::new(), Some("read_file")).is_err());
    }
}
