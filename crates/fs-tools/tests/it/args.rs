//! Arguments: what is understood, and what a refusal says.

use expect_test::{Expect, expect};
use fs_tools::Call;
use serde_json::{Value, json};

use crate::fixture::Fixture;

#[track_caller]
fn check(tool: &str, args: Value, expected: Expect) {
    let files = Fixture::new("//- /f\nabc\n");
    expected.assert_eq(&files.text(tool, args));
}

#[test]
fn refusals_name_the_property_and_the_next_step() {
    check(
        "read_file",
        json!({}),
        expect![[r#"
        error (invalid_arguments): path is required
        next step: call read_file again with `path` (string)"#]],
    );
    check(
        "read_file",
        json!({"file_path": "f"}),
        expect![[r#"
        error (invalid_arguments): unexpected property "file_path"
        next step: use `path` instead of `file_path`"#]],
    );
    check(
        "read_file",
        json!({"path": 5}),
        expect![[r#"
        error (invalid_arguments): `path` must be a string, not the number 5
        next step: call read_file again with `path` as a string"#]],
    );
    check(
        "read_file",
        json!({"path": "f", "offset": -5}),
        expect![[r#"
        error (invalid_arguments): offset must be >= 0, not -5
        next step: call read_file again with `offset` of at least 0"#]],
    );
    check(
        "read_file",
        json!({"path": "f", "offset": 10.5}),
        expect![[r#"
        error (invalid_arguments): `offset` must be an integer, not the number 10.5
        next step: call read_file again with `offset` as an integer"#]],
    );
    check(
        "write_file",
        json!({"path": "g", "content": "x", "overwrite": "true"}),
        expect![[r#"
        error (invalid_arguments): `overwrite` must be a boolean, `true` or `false`, not the string "true"
        next step: call write_file again with `overwrite` as a boolean, `true` or `false`"#]],
    );
    check(
        "write_file",
        json!({"path": "g"}),
        expect![[r#"
        error (invalid_arguments): content is required
        next step: call write_file again with `content` (string)"#]],
    );
    check(
        "search_files",
        json!({"pattern": "x", "order": "newest"}),
        expect![[r#"
        error (invalid_arguments): `order` must be one of `discovery`, `modified`, not the string "newest"
        next step: call search_files again with `order` as one of `discovery`, `modified`"#]],
    );
    check(
        "list_dir",
        json!([1]),
        expect![[r#"
        error (invalid_arguments): the arguments must be a JSON object, not an array
        next step: call list_dir with an object, for example {"path": "README.md"}"#]],
    );
    check(
        "read_fil",
        json!({}),
        expect![[r#"
        error (unknown_tool): there is no tool "read_fil"
        next step: did you mean read_file? available are read_file, write_file, edit_file, append_file, list_dir, search_files"#]],
    );
}

#[test]
fn integers_may_come_as_strings_and_floats_and_null_is_absent() {
    let files = Fixture::new("//- /f\nabcdef");
    for offset in [json!(2), json!(2.0), json!("2"), json!("2.0")] {
        let text = files.ok("read_file", json!({"path": "f", "offset": offset, "length": null}));
        assert!(text.ends_with("\ncdef"), "{text}");
    }
    let whole = Value::String(json!({"path": "f"}).to_string());
    assert!(files.ok("read_file", whole).ends_with("abcdef"));
}

#[test]
fn what_is_echoed_is_bounded_and_on_one_line() {
    let files = Fixture::new("");
    let reply = files.call("read_file", json!({"path": format!("{}\u{1b}[31m\n", "a/".repeat(9_000))}));
    assert!(reply.for_model.len() < 2_000 && !reply.for_model.contains('\u{1b}'), "{}", reply.for_model);
    let reply = files.tools.call(&"t".repeat(100_000), &json!({}), &Call::plain());
    assert!(reply.for_model.len() < 1_000);
}

#[test]
fn a_cancelled_call_changes_nothing() {
    let files = Fixture::new("//- /f\nabc\n");
    let cancel = std::sync::atomic::AtomicBool::new(true);
    let call = Call { cancel: Some(&cancel), ..Call::plain() };
    for (tool, args) in [
        ("write_file", json!({"path": "f", "content": "x", "overwrite": true})),
        ("edit_file", json!({"path": "f", "old_text": "abc", "new_text": "x"})),
        ("append_file", json!({"path": "f", "content": "x"})),
        ("search_files", json!({"pattern": "abc"})),
    ] {
        let reply = files.tools.call(tool, &args, &call);
        assert_eq!(reply.error.unwrap().code(), "cancelled", "{tool}");
    }
    assert_eq!(files.read("f"), "abc\n");
}

#[test]
fn another_spelling_is_suggested() {
    let files = Fixture::new("//- /README.md\nx\n//- /src/toolset.rs\nx\n//- /src/.env\nx\n");
    for (asked, meant) in [
        ("readme.md", "README.md"),
        ("README.txt", "README.md"),
        ("src/tool_set.rs", "src/toolset.rs"),
        ("scr/toolset.rs", "src/toolset.rs"),
        ("./src/toolset", "src/toolset.rs"),
    ] {
        for (tool, args) in [
            ("read_file", json!({"path": asked})),
            ("edit_file", json!({"path": asked, "old_text": "x", "new_text": "y"})),
            ("list_dir", json!({"path": asked})),
            ("search_files", json!({"pattern": "x", "path": asked})),
        ] {
            let text = files.text(tool, args);
            let suggestion = format!("did you mean \"{meant}\"?");
            assert!(
                text.starts_with("error (not_found)") && text.contains(&suggestion),
                "{tool} {asked}: {text}"
            );
        }
    }
    // Nothing that is hidden is suggested.
    let text = files.text("read_file", json!({"path": "src/env"}));
    assert!(
        !text.contains(".env") && text.contains("list_dir with path \"src\" shows what is there"),
        "{text}"
    );
}
