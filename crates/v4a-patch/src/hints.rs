//! Advice for mistakes in the patch text whose likely cause is known.

use crate::grammar::{self, trim_str};

pub(crate) const NOT_UTF8: &str = "write the patch as UTF-8";
pub(crate) const CUT_OFF: &str = "the patch was probably cut off; send it again in full, or in smaller parts";
pub(crate) const INDENTED_END: &str =
    "` *** End Patch` with a blank before it is a context line; start the directive in column 1";
pub(crate) const NO_CHANGES: &str = "mark the lines to change with `-` and `+`";
pub(crate) const ADD_PREFIX: &str = "every line of an added file starts with `+`";
pub(crate) const ADD_BLANK: &str = "write an empty line of an added file as `+`";
pub(crate) const AFTER_EOF: &str =
    "`*** End of File` closes the hunk; put its lines before it, or start another with `@@`";
pub(crate) const INDENTED: &str = "start the directive in column 1";
pub(crate) const DELETE_BODY: &str = "a Delete section has no lines";
pub(crate) const HEADER_WITHOUT_FILE: &str = "name the file first";
pub(crate) const EMPTY_HUNK: &str = "put the lines of the hunk after `@@`, or drop the `@@`";
pub(crate) const AMBIGUOUS_INSERTION: &str = "add an unchanged line of the file as context before or after the new lines, \
or close the hunk with `*** End of File` to append; the text after `@@` does not place it";
pub(crate) const STRAY_EOF: &str = "`*** End of File` closes a hunk; there is none open here";
pub(crate) const SECOND_BEGIN: &str = "`*** Begin Patch` is the first line of a patch, once";
pub(crate) const END_WITHOUT_BEGIN: &str = "add `*** Begin Patch` as the first line, or drop `*** End Patch`";
pub(crate) const UNSUPPORTED: &str =
    "this call edits exactly one existing file; create, remove or rename files by other means";
pub(crate) const LATE_UPDATE: &str = "`*** Update File:` goes before the first hunk";
pub(crate) const MULTIPLE: &str =
    "put all hunks for the file under one header; edit other files in calls of their own";
pub(crate) const PATH_MISMATCH: &str = "write the same path as in the argument, or drop the header";
pub(crate) const STRAY_MOVE: &str = "`*** Move to:` follows `*** Update File:` directly, once";
pub(crate) const MOVE_TO_SELF: &str = "drop the `*** Move to:` line to edit the file where it is";

/// Advice for text before the patch.
pub(crate) fn before_patch(line: &str) -> Option<&'static str> {
    let text = trim_str(line);
    if grammar::is_indented_directive(line) {
        return Some(INDENTED);
    }
    if let Some(hint) = escaped(text) {
        return Some(hint);
    }
    match grammar::wrapper(line) {
        Some(grammar::Wrapper::Fence(..)) => return Some("drop the code fence around the patch"),
        Some(grammar::Wrapper::Tag(_)) => return Some("drop the here-document around the patch"),
        None => {}
    }
    if text.starts_with("<<<<<<<") {
        return Some("this is a search/replace block; write hunks of ` `, `-` and `+` lines after `@@`");
    }
    if text.starts_with('{') || text.starts_with('"') {
        return Some("send the patch itself, not JSON around it");
    }
    if text.starts_with("diff --git") || text.starts_with("--- ") {
        return Some("this is a unified diff; drop its file headers and start each hunk with `@@`");
    }
    if trim_str(line).eq_ignore_ascii_case("*** begin patch") {
        return Some("write `*** Begin Patch` exactly so");
    }
    None
}

fn escaped(text: &str) -> Option<&'static str> {
    if text.contains("\\n") {
        Some("the line holds a literal `\\n`; the patch was escaped twice, send real line breaks")
    } else if text.contains("`n") {
        Some("the line holds a literal `` `n ``; send real line breaks")
    } else {
        None
    }
}

/// Advice for a line with `***` that is no directive.
pub(crate) fn unknown_directive(line: &str, edit: bool) -> Option<&'static str> {
    let text = trim_str(line);
    if let Some(hint) = escaped(text) {
        return Some(hint);
    }
    if edit && text.starts_with("*** Environment ID:") {
        return Some("drop the line; it means nothing for a single file");
    }
    let bare = text.trim_end_matches(['*', ' ']);
    if bare.len() < text.len() && grammar::directive(bare).is_some() {
        return Some("write the directive without stars at its end");
    }
    for (word, hint) in [
        ("begin patch", "write `*** Begin Patch` exactly so"),
        ("end patch", "write `*** End Patch` exactly so"),
        ("end of file", "write `*** End of File` exactly so"),
        ("update file", "write `*** Update File: <path>` exactly so"),
    ] {
        if text.trim_matches(['*', ' ', ':']).to_ascii_lowercase().starts_with(word) {
            return Some(hint);
        }
    }
    Some("if it is a line of the file, put ` `, `-` or `+` before it")
}

/// Advice for hunk lines without `@@`.
pub(crate) fn missing_header(line: &str) -> Option<&'static str> {
    if line.starts_with("--- ") || line.starts_with("+++ ") {
        Some("this is a unified diff; drop the `---` and `+++` lines")
    } else {
        Some("put a line `@@` before the first line of each hunk")
    }
}

/// Advice for a hunk line without prefix.
pub(crate) fn prefix(line: &str) -> Option<&'static str> {
    if line.starts_with("\\ No newline") {
        return Some("drop the line; the final newline of the file is kept as it is");
    }
    if line.starts_with('\t') {
        return Some("a TAB is not a prefix; put a space before it for a context line");
    }
    if grammar::wrapper(line).is_some() {
        return Some("drop the code fence around the patch");
    }
    Some("put a space before it for a context line; bare text is never taken for one")
}

/// Advice for text behind the patch.
pub(crate) fn trailing(line: &str) -> &'static str {
    if grammar::directive(line) == Some(grammar::Directive::Begin) {
        "send one patch per call; put all hunks into one"
    } else {
        "end the text with `*** End Patch`"
    }
}
