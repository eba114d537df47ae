//! Why a hunk has no place: the cause, the lines it names, and the corrected hunk.

use v4a_patch::{Cause, Difference, Error, HunkError, Options, apply};

fn failure(file: &str, patch: &str) -> HunkError {
    match apply(file.as_bytes(), patch.as_bytes(), "a.txt", &Options::default()) {
        Err(Error::Locate(error)) => error.failures[0].clone(),
        other => panic!("{other:?}"),
    }
}

/// Checks the cause, the file lines it names, and the corrected hunk (empty: none).
#[track_caller]
fn check(file: &str, patch: &str, code: &str, lines: &[usize], hunk: &str) {
    let found = failure(file, patch);
    assert_eq!(found.diagnosis.cause.code(), code, "{:?}", found.diagnosis);
    assert_eq!(found.diagnosis.file_lines(), lines, "{:?}", found.diagnosis);
    let show = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    let suggestion = found.diagnosis.suggestion.clone();
    let rendered = suggestion.map_or(String::new(), |it| it.render(file.as_bytes(), patch.as_bytes(), show));
    assert_eq!(rendered, hunk);
    if !rendered.is_empty() {
        let _ = apply(file.as_bytes(), rendered.as_bytes(), "a.txt", &Options::default())
            .expect("a corrected hunk applies");
    }
    assert!(
        found.describe(file.as_bytes(), patch.as_bytes(), show).len() <= v4a_patch::MAX_DESCRIPTION_BYTES
    );
}

#[test]
fn the_change_is_there_already() {
    check("pub struct S {\n}\n", "@@\n-struct S {\n+pub struct S {\n", "already_applied", &[1], "");
    check("a\nb\nnew\nc\n", "@@\n b\n-old\n+new\n c\n", "already_applied", &[2], "");
}

#[test]
fn a_hunk_expects_text_that_an_earlier_one_adds() {
    let found = failure("p\nq\n", "@@\n-p\n+P1\n+P2\n@@\n P2\n-q\n+Q\n");
    assert_eq!(found.diagnosis.cause, Cause::UsesAddedText { hunk: 1, patch_line: 6 });
    assert_eq!(found.hunk, 2);
}

#[test]
fn copied_line_numbers() {
    check("alpha\nbeta\n", "@@\n-1|alpha\n+ALPHA\n", "line_number_prefix", &[1], "@@\n-alpha\n+ALPHA\n");
    check(
        "alpha\nbeta\n",
        "@@\n 1\talpha\n-2\tbeta\n+x\n",
        "line_number_prefix",
        &[1],
        "@@\n alpha\n-beta\n+x\n",
    );
    check("  alpha\n", "@@\n-   12:   alpha\n+x\n", "line_number_prefix", &[1], "@@\n-  alpha\n+x\n");
}

#[test]
fn a_forgotten_prefix() {
    let file = "fn f() {\n    a();\n    b();\n    c();\n}\n";
    let patch = "@@\n    a();\n-    b();\n+    d();\n    c();\n";
    check(file, patch, "missing_prefix_column", &[2], "@@\n     a();\n-    b();\n+    d();\n     c();\n");
}

#[test]
fn indentation() {
    check("\tpass\n", "@@\n-    pass\n+    return\n", "indentation", &[1], "@@\n-\tpass\n+    return\n");
    let found = failure("if x:\n\t\tpass\n", "@@\n if x:\n-  pass\n+  y\n");
    let Cause::Near { mismatch, line: 1, unique: true } = found.diagnosis.cause else { panic!("{found:?}") };
    assert_eq!((mismatch.file_line, mismatch.text_line), (2, 3));
    let Difference::Indentation { expected, found } = mismatch.difference else { panic!() };
    assert_eq!(((expected.tabs, expected.spaces), (found.tabs, found.spaces)), ((0, 2), (2, 0)));
}

#[test]
fn a_place_that_is_not_unique_has_no_correction() {
    check("\tx\ny\n\tx\n", "@@\n-  x\n+z\n", "indentation", &[1], "");
}

#[test]
fn lookalikes_and_inner_blanks() {
    let quote = "@@\n-say \"hi\"\n+say\n";
    check("say “hi”\n", quote, "lookalike", &[1], "@@\n-say “hi”\n+say\n");
    let found = failure("say “hi”\n", quote);
    assert!(found.diagnosis.to_string().contains("column 5 of the file has U+201C"), "{}", found.diagnosis);
    check("1–2\n", "@@\n-1-2\n+1-3\n", "lookalike", &[1], "@@\n-1–2\n+1-3\n");
    check("foo bar\n", "@@\n-foo\u{a0}bar\n+x\n", "lookalike", &[1], "@@\n-foo bar\n+x\n");
    check("cafe\u{301}\n", "@@\n-caf\u{e9}\n+tea\n", "lookalike", &[1], "@@\n-cafe\u{301}\n+tea\n");
    check("caf\u{e9}\n", "@@\n-cafe\u{301}\n+tea\n", "lookalike", &[1], "@@\n-caf\u{e9}\n+tea\n");
    check("wait…\n", "@@\n-wait...\n+go\n", "lookalike", &[1], "@@\n-wait…\n+go\n");
    check("va\u{200b}lue\n", "@@\n-value\n+x\n", "lookalike", &[1], "@@\n-va\u{200b}lue\n+x\n");
    check("a  =  1\n", "@@\n-a = 1\n+a = 2\n", "inner_whitespace", &[1], "@@\n-a  =  1\n+a = 2\n");
    check("Alpha\n", "@@\n-alpha\n+beta\n", "case", &[1], "@@\n-Alpha\n+beta\n");
}

#[test]
fn a_part_of_a_line() {
    check("<a for=\"k-1\" id=\"z\">\n", "@@\n-for=\"k-1\"\n+for=\"k-2\"\n", "part_of_line", &[1], "");
}

#[test]
fn the_first_line_that_differs() {
    let file: String = (0..60).map(|row| format!("row {row}\n")).collect();
    let mut patch = String::from("@@\n");
    for row in 0..50 {
        patch.push_str(&if row == 20 { " row 99\n".to_owned() } else { format!(" row {row}\n") });
    }
    patch.push_str("-row 50\n+ROW 50\n");
    let found = failure(&file, &patch);
    let Cause::Diverges { line: 1, matching: 50, of: 51, mismatch } = found.diagnosis.cause else {
        panic!("{:?}", found.diagnosis)
    };
    assert_eq!((mismatch.block_line, mismatch.text_line, mismatch.file_line), (21, 22, 21));
    assert_eq!(mismatch.difference, Difference::Text { column: 5 });
    assert!(found.diagnosis.suggestion.is_some());
}

#[test]
fn lines_that_are_not_there() {
    check("alpha = 1\nbeta = 2\n", "@@\n-alpha = 17\n+x\n", "absent", &[1], "");
    check("alpha\nbeta\n", "@@\n-gamma ray\n+delta\n", "absent", &[], "");
    check("", "@@\n-x\n+y\n", "unknown", &[], "");
}

#[test]
fn what_tells_places_apart() {
    let found = failure("class A\n  f\n    x\nclass B\n  f\n    x\n", "@@\n   f\n-    x\n+    y\n");
    assert_eq!(found.candidates(), [2, 5]);
    let Cause::Ambiguous { candidates, context } = &found.diagnosis.cause else { panic!() };
    let lines: Vec<_> = candidates.iter().map(|one| (one.line, one.distinct_line)).collect();
    assert_eq!((lines, *context), (vec![(2, Some(1)), (5, Some(4))], Some(1)));
    check("x\nx\nx\n", "@@\n-x\n+y\n", "ambiguous", &[1, 2, 3], "");
}

#[test]
fn the_real_end_of_the_file() {
    let found = failure("a\nb\n\n", "@@\n b\n+c\n*** End of File\n");
    assert_eq!(found.code(), "eof_mismatch");
    assert_eq!(found.candidates(), [2]);
    assert_eq!(found.diagnosis.file_lines(), [3]);
}

#[test]
fn five_failures_at_most() {
    let patch: String = (0..9).map(|at| format!("@@\n-missing {at}\n+x\n")).collect();
    let error = apply(b"a\n", patch.as_bytes(), "a.txt", &Options::default()).unwrap_err();
    assert_eq!(error.failures().iter().map(|failure| failure.hunk).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(error.patch_line(), Some(1));
}

#[test]
fn messages_hold_no_content_of_the_file() {
    let secret = "token-of-the-file";
    let file = format!("key = {secret}\n\tvalue = {secret}\n");
    for patch in [
        "@@\n-key = other-token\n+x\n",
        "@@\n-key =\n+x\n",
        "@@\n-\tkey\n-value\n+x\n",
        "@@\n key\n+x\n*** End of File\n",
    ] {
        let error = apply(file.as_bytes(), patch.as_bytes(), "a.txt", &Options::default()).unwrap_err();
        let text = format!("{error} {error:?} {:?}", error.hint());
        assert!(!text.contains(secret), "{text}");
        let shown =
            error.failures()[0].describe(file.as_bytes(), patch.as_bytes(), |_| "[masked]".to_owned());
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn a_long_line_is_cut_around_the_difference() {
    let file = format!("{}\u{a0}{}\n", "x".repeat(400), "y".repeat(400));
    let patch = format!("@@\n-{} {}\n+z\n", "x".repeat(400), "y".repeat(400));
    let found = failure(&file, &patch);
    let text =
        found.describe(file.as_bytes(), patch.as_bytes(), |line| String::from_utf8_lossy(line).into_owned());
    let quoted = text.lines().find(|line| line.starts_with("file line 1: ")).unwrap();
    assert!(quoted.contains("xx\u{a0}yy") && quoted.chars().count() < 180, "{quoted}");
}
