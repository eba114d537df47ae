//! Edits by old and new text: the one occurrence, or why there is not exactly one.

use v4a_patch::{Difference, TextCause, TextDiagnosis, explain_edit, explain_text, find_unique};

#[track_caller]
fn check(file: &str, old: &str, code: &str, lines: &[usize]) {
    let found = explain_text(file.as_bytes(), old.as_bytes());
    assert_eq!(found.code(), code, "{found:?}");
    assert_eq!(found.file_lines(), lines, "{found:?}");
    assert_eq!(find_unique(file.as_bytes(), old.as_bytes()).is_ok(), code == "unique");
    assert!(!found.to_string().is_empty());
}

#[test]
fn found_once() {
    check("one\ntwo\n", "two", "unique", &[]);
    check("one\ntwo\n", "one\ntwo\n", "unique", &[]);
    assert_eq!(find_unique(b"\xff\x00x", b"x"), Ok(2));
}

#[test]
fn empty() {
    check("one\n", "", "empty", &[]);
    check("", "x", "unknown", &[]);
}

#[test]
fn overlapping_occurrences_count() {
    let TextDiagnosis::Ambiguous { total, offsets, candidates, context } = explain_text(b"aaa\n", b"aa")
    else {
        panic!()
    };
    assert_eq!((total, offsets, context), (2, vec![0, 1], None));
    assert_eq!(candidates.iter().map(|one| one.line).collect::<Vec<_>>(), [1, 1]);
    let many = explain_text(&b"x\n".repeat(100), b"x");
    let TextDiagnosis::Ambiguous { total: 100, candidates, .. } = &many else { panic!("{many:?}") };
    assert_eq!(candidates.iter().map(|one| one.line).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
}

#[test]
fn what_tells_occurrences_apart() {
    let file = "fn a() {\n    x();\n}\nfn b() {\n    x();\n}\n";
    let found = explain_text(file.as_bytes(), b"    x();\n");
    let TextDiagnosis::Ambiguous { candidates, context, .. } = &found else { panic!() };
    let lines: Vec<_> = candidates.iter().map(|one| (one.line, one.distinct_line)).collect();
    assert_eq!((lines, *context), (vec![(2, Some(1)), (5, Some(4))], Some(1)));
    assert!(found.to_string().contains("occurs 2 times, at line 2, 5"), "{found}");
}

#[test]
fn blanks() {
    check("\tone\n\ttwo\n", "    one\n    two\n", "indentation", &[1]);
    check("if x:\n\tone\n", "if x:\n    one", "indentation", &[2]);
    check("a  \nb\n", "a\nb\n", "trailing_whitespace", &[1]);
    check("a\nb\n", "a \nb", "trailing_whitespace", &[1]);
    check("x = 1\n", "x  = 1", "inner_whitespace", &[1]);
    let found = explain_text(b"\tone\n", b"    one\n");
    assert!(found.to_string().contains("1 TAB in the file, 4 spaces expected"), "{found}");
}

#[test]
fn line_endings() {
    check("a\r\nb\r\nc\r\n", "a\nb\n", "line_ending", &[1]);
    check("a\nb\n", "a\r\nb\r\n", "line_ending", &[1]);
    check("a\nb", "b\n", "final_newline", &[2]);
    check("a\nb", "a\nb\n", "final_newline", &[2]);
    let TextDiagnosis::NotFound(TextCause::Near { mismatch, unique: true, line: 1 }) =
        explain_text(b"a\r\nb\r\n", b"a\nb")
    else {
        panic!()
    };
    assert_eq!(mismatch.difference, Difference::LineEnding { file_has_crlf: true });
}

#[test]
fn lookalikes() {
    check("x\nsay “hi” now\n", "say \"hi\"", "lookalike", &[2]);
    check("foo\u{a0}bar\n", "foo bar", "lookalike", &[1]);
    check("foo bar\n", "foo\u{a0}bar\n", "lookalike", &[1]);
    check("a – b\nc\n", "a - b\nc\n", "lookalike", &[1]);
    check("Hello World\n", "hello world", "case", &[1]);
    let found = explain_text("foo\u{a0}bar\n".as_bytes(), b"foo bar\n");
    assert!(found.to_string().contains("column 4 of the file has U+00A0 (no-break space)"), "{found}");
}

#[test]
fn copied_line_numbers() {
    check("alpha\nbeta\n", "1|alpha\n2|beta\n", "line_number_prefix", &[1]);
    check("x\nalpha\nbeta\n", "2\talpha\n3\tbeta", "line_number_prefix", &[2]);
    // A number that belongs to the file is no prefix.
    check("1|c\n", "1|c", "unique", &[]);
}

#[test]
fn escapes() {
    check("a\nb\n", "a\\nb", "escaped", &[1]);
    check("say \"x\"\n", "say \\\"x\\\"", "escaped", &[1]);
}

#[test]
fn already_replaced() {
    let found = explain_edit(b"let x = 2;\n", b"let x = 1;", b"let x = 2;");
    assert_eq!(found, TextDiagnosis::NotFound(TextCause::AlreadyApplied { line: 1 }));
}

#[test]
fn partly_there() {
    let file = "fn f() {\n    one();\n    two();\n    three();\n}\n";
    let found = explain_text(file.as_bytes(), b"    one();\n    too();\n    three();\n");
    let TextDiagnosis::NotFound(TextCause::Diverges { line: 2, matching: 2, of: 3, mismatch }) = found else {
        panic!("{found:?}")
    };
    assert_eq!((mismatch.text_line, mismatch.file_line), (2, 3));
}

#[test]
fn not_there() {
    check("alpha = 1\nbeta = 2\n", "alpha = 17", "absent", &[1]);
    check("alpha\n", "something else entirely", "absent", &[]);
}

#[test]
fn the_byte_order_mark_is_no_part_of_the_text() {
    check("\u{feff}one\ntwo\n", "\u{feff}one\r\ntwo", "line_ending", &[1]);
}

#[test]
fn descriptions_show_masked_lines() {
    let file = b"\tkey = 1\n";
    let found = explain_text(file, b"    key = 1\n");
    let text = found.describe(file, |line| String::from_utf8_lossy(line).replace('1', "*"));
    assert!(text.ends_with("file line 1: \tkey = *"), "{text}");
}
