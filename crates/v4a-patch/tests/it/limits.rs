//! Bounds on input and work.

use v4a_patch::{DiffOptions, Limits, Options, apply, diff};

#[track_caller]
fn check(limits: Limits, expected: &str) {
    let file = b"a\nb\na\nb\na\n";
    let options = Options { limits, ..Options::default() };
    let error = apply(file, b"@@\n a\n-b\n+c\n@@\n-a\n+d\n", "a.txt", &options).unwrap_err();
    assert_eq!(error.code(), "limit_exceeded");
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn each_bound_is_kept() {
    check(Limits { max_patch_bytes: 10, ..Limits::default() }, "patch_bytes is limited to 10");
    check(Limits { max_hunks: 1, ..Limits::default() }, "hunks is limited to 1");
    check(Limits { max_file_bytes: 9, ..Limits::default() }, "file_bytes is 10, the limit is 9");
    check(Limits { max_lines: 4, ..Limits::default() }, "file_lines is 5, the limit is 4");
    check(Limits { max_steps: 2, ..Limits::default() }, "search_steps is 8, the limit is 2");
}

#[test]
fn the_writer_keeps_them_as_well() {
    let limits = Limits { max_hunks: 1, ..Limits::default() };
    let (old, new) = ("a\nb\nc\nd\n", "A\nb\nc\nD\n");
    let options = DiffOptions { context_lines: 0, limits, ..DiffOptions::default() };
    assert_eq!(diff(old.as_bytes(), new.as_bytes(), &options).unwrap_err().code(), "limit_exceeded");
}
