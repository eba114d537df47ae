//! Mistakes in the patch text: place, expectation and advice.

use v4a_patch::{Options, ParseError, Profile, parse};

fn error(patch: &[u8]) -> ParseError {
    parse(patch, Profile::EditFile { path: "a.txt" }, &Options::default()).unwrap_err()
}

/// Checks the class, line, column in characters, and a word of the advice.
#[track_caller]
fn check(patch: &str, code: &str, line: usize, column: usize, hint: &str) {
    let error = error(patch.as_bytes());
    assert_eq!((error.code(), error.patch_line, error.patch_column.chars), (code, line, column), "{error}");
    assert!(error.hint.unwrap_or("").contains(hint), "{error}");
}

#[test]
fn advice() {
    check("```\n@@\n-a\n", "unexpected_text", 1, 1, "code fence");
    check("<<'EOF'\n@@\n", "unexpected_text", 1, 1, "here-document");
    check("{\"patch\": \"\"}", "unexpected_text", 1, 1, "not JSON");
    check("<<<<<<< SEARCH\na\n", "unexpected_text", 1, 1, "search/replace");
    check("--- a/a.txt\n+++ b/a.txt\n", "missing_hunk_header", 1, 1, "unified diff");
    check("*** Begin Patch\\n@@\\n-a", "unknown_directive", 1, 1, "escaped twice");
    check("*** Begin Patch ***\n", "unknown_directive", 1, 1, "stars");
    check("*** begin patch\n", "unknown_directive", 1, 1, "exactly so");
    check("*** Begin Patch\n@@\n-a\n+b\n *** End Patch\n", "unterminated_patch", 5, 1, "column 1");
    check("*** Begin Patch\n@@\n-a\n+b\n", "unterminated_patch", 4, 1, "cut off");
    check("@@\n-a\n\\ No newline at end of file\n", "invalid_line_prefix", 3, 1, "final newline");
    check("@@\n\ta\n", "invalid_line_prefix", 2, 1, "TAB");
    check("@@ here\n+a\n", "ambiguous_insertion", 1, 1, "context");
    check("@@\n a\n", "no_changes", 1, 1, "`-` and `+`");
}

#[test]
fn columns() {
    check("*** Update File:  é/b.txt\n@@\n-a\n", "path_mismatch", 1, 19, "same path");
    check("*** Update File:\n", "empty_path", 1, 17, "");
    let error = error(b"@@\n-caf\xc3\xa9 \xff\n");
    assert_eq!((error.code(), error.patch_line), ("not_utf8", 2));
    assert_eq!((error.patch_column.bytes, error.patch_column.chars), (8, 7));
}

#[test]
fn the_path_comes_before_the_hunks() {
    check("*** Begin Patch\n*** Update File: b.txt\n@@\nbad\n", "path_mismatch", 2, 18, "");
}

#[test]
fn aliases_name_the_same_file() {
    let options = Options { aliases: &["/work/a.txt"], ..Options::default() };
    let patch = b"*** Update File: /work//a.txt\n@@\n-a\n+b\n";
    assert!(parse(patch, Profile::EditFile { path: "a.txt" }, &options).is_ok());
}

#[test]
fn the_text_says_what_was_expected() {
    let text = error(b"@@\n-a\nb\n").to_string();
    assert_eq!(
        text,
        "patch line 3, column 1: the line starts with none of ` `, `-`, `+`: `b`; expected ` `, `-`, `+`, `@@` or \
         `***`; put a space before it for a context line; bare text is never taken for one"
    );
}
