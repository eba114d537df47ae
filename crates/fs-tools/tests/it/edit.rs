//! `edit_file` in both forms.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::fixture::Fixture;

#[track_caller]
fn check(files: &Fixture, args: Value, expected: Expect) {
    expected.assert_eq(&files.text("edit_file", args));
}

#[test]
fn an_exact_edit_returns_the_diff_to_model_and_user() {
    let files = Fixture::new("//- /src/a.txt\nHello World\nThis is a test\n");
    let args = json!({"path": "src/a.txt", "old_text": "World", "new_text": "Universe"});
    let reply = files.call("edit_file", args);
    expect![[r#"
        File edited: src/a.txt
        --- a/src/a.txt
        +++ b/src/a.txt
        @@ -1,2 +1,2 @@
        -Hello World
        +Hello Universe
         This is a test
    "#]]
    .assert_eq(&reply.for_model);
    assert!(reply.for_user.unwrap().contains("```diff\n--- a/src/a.txt\n"));
    assert_eq!(files.read("src/a.txt"), "Hello Universe\nThis is a test\n");
}

#[test]
fn text_that_is_not_there_is_explained() {
    let files = Fixture::new("//- /f\nfn main() {\n\treturn 1;\n}\n");
    check(
        &files,
        json!({"path": "f", "old_text": "fn main() {\n    return 1;", "new_text": "x"}),
        expect![[r#"
            error (text_not_found): old_text not found: the text is not in the file; the text at line 1 differs only slightly: line 2 against file line 2: indentation differs: 1 TAB in the file, 4 spaces expected; nothing was changed
            file line 2: 	return 1;
            path: f
            next step: copy old_text from the file as it is now; read_file shows it"#]],
    );
    let files = Fixture::new("");
    files.write("crlf", "a\r\nb\r\n");
    let text = files.text("edit_file", json!({"path": "crlf", "old_text": "a\nb", "new_text": "x"}));
    assert!(text.contains("not found") && text.contains("CR"), "{text}");
    assert_eq!(files.read("crlf"), "a\r\nb\r\n");
}

#[test]
fn text_that_is_there_several_times_names_the_lines() {
    let files = Fixture::new("//- /f\ntest\nx\ntest\n");
    let text = files.text("edit_file", json!({"path": "f", "old_text": "test", "new_text": "y"}));
    assert!(
        text.starts_with(
            "error (ambiguous): old_text must occur once: the text occurs 2 times, at line 1, 3"
        ),
        "{text}"
    );
    files.write("aaa", "aaa");
    assert_eq!(
        files.code("edit_file", json!({"path": "aaa", "old_text": "aa", "new_text": "b"})),
        "ambiguous"
    );
    assert_eq!(files.read("f"), "test\nx\ntest\n");
}

#[test]
fn an_edit_without_a_change_writes_nothing() {
    let files = Fixture::new("//- /f\nsame\n");
    let before = std::fs::metadata(files.path("f")).unwrap().modified().unwrap();
    check(
        &files,
        json!({"path": "f", "old_text": "same", "new_text": "same"}),
        expect![[r#"
            File edited: f
            (no content change)"#]],
    );
    assert_eq!(std::fs::metadata(files.path("f")).unwrap().modified().unwrap(), before);
}

#[test]
fn exactly_one_form_has_to_be_given() {
    let files = Fixture::new("//- /f\nx\n");
    for args in [
        json!({"path": "f"}),
        json!({"path": "f", "old_text": "x"}),
        json!({"path": "f", "new_text": "x"}),
        json!({"path": "f", "old_text": "x", "new_text": "y", "patch": "@@\n-x\n+y\n"}),
        json!({"path": "f", "old_text": "", "new_text": "y"}),
    ] {
        assert_eq!(files.code("edit_file", args.clone()), "invalid_arguments", "{args}");
    }
}

#[test]
fn a_patch_is_applied_with_a_report_per_hunk() {
    let files = Fixture::new(
        "//- /server.go\nfunc Start(cfg Config) error {\n\treturn oldServer(cfg)\n}\n\nvar a = 1\n",
    );
    let patch = "*** Begin Patch\n*** Update File: server.go\n@@ func Start(\n func Start(cfg Config) error {\n-\treturn \
                 oldServer(cfg)\n+\treturn newServer(cfg)\n }\n@@\n-var a = 1\n+var a = 2\n*** End Patch\n";
    let text = files.ok("edit_file", json!({"path": "server.go", "patch": patch}));
    assert!(text.contains("hunk 1 applied at line 1\nhunk 2 applied at line 5\n"), "{text}");
    assert_eq!(
        files.read("server.go"),
        "func Start(cfg Config) error {\n\treturn newServer(cfg)\n}\n\nvar a = 2\n"
    );
}

#[test]
fn bytes_that_an_edit_does_not_name_stay() {
    let files = Fixture::new("");
    let before = b"\xef\xbb\xbfa\r\nb\nc \xff\r\nlast".to_vec();
    files.write("f", &before);
    files.ok("edit_file", json!({"path": "f", "patch": "@@\n a\n-b\n+B1\n+B2\n"}));
    assert_eq!(std::fs::read(files.path("f")).unwrap(), b"\xef\xbb\xbfa\r\nB1\nB2\nc \xff\r\nlast");
    files.ok("edit_file", json!({"path": "f", "old_text": "last", "new_text": "end"}));
    assert_eq!(std::fs::read(files.path("f")).unwrap(), b"\xef\xbb\xbfa\r\nB1\nB2\nc \xff\r\nend");
}

#[test]
fn a_refused_patch_changes_nothing_and_says_where() {
    let files = Fixture::new("//- /f\na\nb\na\nb\n");
    for (patch, code) in [
        ("@@\n-a\n+x\n", "context_ambiguous"),
        ("@@\n-zzz\n+x\n", "context_not_found"),
        ("@@\n+x\n", "ambiguous_insertion"),
        ("*** Begin Patch\n*** Update File: other\n@@\n-a\n+x\n*** End Patch\n", "path_mismatch"),
        ("*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\n", "unsupported_section"),
        ("@@\n-b\n+y\n*** End of File\n@@\n-zz\n+x\n", "context_not_found"),
    ] {
        assert_eq!(files.code("edit_file", json!({"path": "f", "patch": patch})), code, "{patch}");
        assert_eq!(files.read("f"), "a\nb\na\nb\n");
    }
}

#[test]
fn a_file_that_breaks_is_said_to() {
    let files = Fixture::new("//- /a.json\n{\"a\": [1]}\n");
    let text = files.ok("edit_file", json!({"path": "a.json", "old_text": "[1]", "new_text": "[1"}));
    assert!(text.contains("syntax_error: "), "{text}");
}

#[test]
fn a_file_over_the_diff_limit_gets_a_note() {
    let files = Fixture::new("");
    files.write("big", format!("first\n{}", "line\n".repeat(3_000)));
    let text = files.ok("edit_file", json!({"path": "big", "old_text": "first", "new_text": "1st"}));
    assert!(text.contains("[no diff: ") && text.contains("read_file"), "{text}");
}
