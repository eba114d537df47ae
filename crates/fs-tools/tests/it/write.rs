//! `write_file` and `append_file`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::fixture::Fixture;

#[track_caller]
fn check(files: &Fixture, args: Value, expected: Expect) {
    expected.assert_eq(&files.text("write_file", args));
}

#[test]
fn the_action_follows_from_what_is_there() {
    let files = Fixture::new("");
    check(
        &files,
        json!({"path": "a/b.txt", "content": "a\n"}),
        expect![[
            r#"{"success":true,"action":"created","resolved_path":"$WS/a/b.txt","bytes_written":2,"verified":true}"#
        ]],
    );
    check(
        &files,
        json!({"path": "a/b.txt", "content": "a\n"}),
        expect![[
            r#"{"success":true,"action":"unchanged","resolved_path":"$WS/a/b.txt","bytes_written":0,"verified":true}"#
        ]],
    );
    check(
        &files,
        json!({"path": "a/b.txt", "content": "a\nb\n"}),
        expect![[
            r#"{"success":true,"action":"appended","resolved_path":"$WS/a/b.txt","bytes_written":2,"verified":true}"#
        ]],
    );
    check(
        &files,
        json!({"path": "a/b.txt", "content": "new", "overwrite": true}),
        expect![[
            r#"{"success":true,"action":"overwritten","resolved_path":"$WS/a/b.txt","bytes_written":3,"verified":true}"#
        ]],
    );
    assert_eq!(files.read("a/b.txt"), "new");
    check(
        &files,
        json!({"path": "a/b.txt", "content": "new", "overwrite": true}),
        expect![[
            r#"{"success":true,"action":"unchanged","resolved_path":"$WS/a/b.txt","bytes_written":0,"verified":true}"#
        ]],
    );
}

#[test]
fn an_existing_file_is_a_conflict_that_says_what_else_there_is() {
    let files = Fixture::new("//- /f\nold text\n");
    check(
        &files,
        json!({"path": "f", "content": "x"}),
        expect![[r#"
        error (file_exists): file already exists: f (9 bytes); nothing was written
        next step: append_file adds to its end; edit_file changes part of it; overwrite=true replaces all of it and discards what is there
        structured: {"error":"file_exists","path":"f","resolved_path":"$WS/f","recommended_action":"edit_file","available_actions":["append_file","edit_file","write_file(overwrite=true)"],"existing_bytes":9,"new_bytes":1,"overwrite_required":true}"#]],
    );
    assert_eq!(files.read("f"), "old text\n");
    let reply = files.call("write_file", json!({"path": "f", "content": "x", "overwrite": false}));
    assert_eq!(reply.structured.unwrap()["error"], "file_exists");
}

#[test]
fn advice_names_only_tools_that_are_on() {
    let off = r#"{"tools": {"edit_file": {"enabled": false}, "append_file": {"enabled": false}}}"#;
    let files = Fixture::with("//- /f\nold\n", off);
    let text = files.text("write_file", json!({"path": "f", "content": "x"}));
    assert!(!text.contains("edit_file") && !text.contains("append_file"), "{text}");
    let spec = files.tools.specs().find(|spec| spec.name == "write_file").unwrap();
    assert!(!spec.description.contains("edit_file") && !spec.description.contains("append_file"));
    let only = Fixture::with("//- /f\nold\n", r#"{"tools": {"edit_file": {"enabled": false}}}"#);
    let reply = only.call("write_file", json!({"path": "f", "content": "x"}));
    assert_eq!(reply.structured.unwrap()["recommended_action"], "append_file");
}

#[test]
fn content_is_written_byte_for_byte() {
    let files = Fixture::new("");
    for (name, content) in
        [("crlf", "a\r\nb\r\n"), ("slash", "aaa\\naaa"), ("bom", "\u{feff}x"), ("u", "\\u0041é")]
    {
        files.ok("write_file", json!({"path": name, "content": content}));
        assert_eq!(files.read(name), content);
    }
    files.ok("write_file", json!({"path": "empty", "content": ""}));
    assert_eq!(files.read("empty"), "");
    files.ok("write_file", json!({"path": "empty", "content": "now"}));
    assert_eq!(files.read("empty"), "now");
}

#[test]
fn the_syntax_check_covers_the_whole_content() {
    let files = Fixture::new("");
    let syntax = |name: &str, content: &str| {
        let reply = files.call("write_file", json!({"path": name, "content": content}));
        let value = reply.structured.unwrap();
        (value["syntax"].as_str().map(str::to_owned), value["syntax_error"].as_str().map(str::to_owned))
    };
    assert_eq!(syntax("ok.json", "{\"a\": 1}\n"), (Some("ok".into()), None));
    assert!(syntax("bad.json", "{\"a\": 1,}\n").1.is_some());
    assert_eq!(syntax("tsconfig.base.json", "{ // c\n}"), (None, None));
    assert_eq!(syntax("x.rs", "fn {{{"), (None, None));
    assert!(syntax("x.go", "package a\nfunc f() {\n").1.is_some());
    assert_eq!(syntax("x.go", "package a\nfunc f() {\n}\n"), (Some("ok".into()), None));
}

#[test]
fn a_replacement_keeps_mode_and_link() {
    let files = Fixture::new("//- /real.sh\nold\n");
    fs::set_permissions(files.path("real.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("real.sh", files.path("link.sh")).unwrap();
    files.ok("write_file", json!({"path": "link.sh", "content": "new", "overwrite": true}));
    assert_eq!(files.read("real.sh"), "new");
    assert!(files.path("link.sh").is_symlink());
    assert_eq!(fs::metadata(files.path("real.sh")).unwrap().permissions().mode() & 0o777, 0o755);
    let left: Vec<_> =
        fs::read_dir(files.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn what_cannot_be_written_is_refused_with_a_code() {
    let files = Fixture::new("//- /d/f\nx\n");
    for (args, code) in [
        (json!({"path": "d", "content": "x"}), "is_a_directory"),
        (json!({"path": "d/f/g", "content": "x"}), "not_a_directory"),
        (json!({"path": "new/", "content": "x"}), "is_a_directory"),
        (json!({"path": ".env", "content": "x"}), "sensitive"),
        (json!({"path": ".ssh/authorized_keys", "content": "x"}), "protected"),
        (json!({"path": "sessions/s.json", "content": "x"}), "write_denied"),
        (json!({"path": "/etc/shadow", "content": "x"}), "outside_workspace"),
        (json!({"path": ".git/hooks/pre-commit", "content": "x"}), "confirmation_needed"),
        (json!({"path": ".", "content": "x"}), "workspace_root"),
        (json!({"path": "a\u{0}b", "content": "x"}), "nul_in_path"),
    ] {
        assert_eq!(files.code("write_file", args.clone()), code, "{args}");
        let mut append = args.clone();
        append.as_object_mut().unwrap().remove("overwrite");
        assert_eq!(files.code("append_file", append), code, "append {args}");
    }
}

#[test]
fn append_adds_in_place_and_creates_what_is_missing() {
    let files = Fixture::new("//- /f\none\n");
    fs::set_permissions(files.path("f"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("f", files.path("link")).unwrap();
    assert_eq!(
        files.ok("append_file", json!({"path": "link", "content": "two\n"})),
        "Appended 4 bytes to link"
    );
    assert_eq!(files.read("f"), "one\ntwo\n");
    assert!(files.path("link").is_symlink());
    assert_eq!(fs::metadata(files.path("f")).unwrap().permissions().mode() & 0o777, 0o755);
    files.ok("append_file", json!({"path": "deep/er/new", "content": "x"}));
    assert_eq!(files.read("deep/er/new"), "x");
    let reply = files.call("append_file", json!({"path": "f", "content": ""}));
    assert!(!reply.is_error && reply.for_user.is_none());
}

#[test]
fn an_append_through_one_of_several_names_is_refused_unless_configured() {
    let files = Fixture::new("//- /f\none\n");
    fs::hard_link(files.path("f"), files.outside("other")).unwrap();
    assert_eq!(files.code("append_file", json!({"path": "f", "content": "two\n"})), "hard_link");
    assert_eq!(fs::read_to_string(files.outside("other")).unwrap(), "one\n");
    files.ok("write_file", json!({"path": "f", "content": "new\n", "overwrite": true}));
    assert_eq!(fs::read_to_string(files.outside("other")).unwrap(), "one\n");
}

#[test]
fn a_read_only_file_is_replaced_only_when_that_is_asked_for() {
    let files = Fixture::new("//- /f\none\n");
    fs::set_permissions(files.path("f"), fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(
        files.code("edit_file", json!({"path": "f", "old_text": "one", "new_text": "two"})),
        "read_only_file"
    );
    files.ok("write_file", json!({"path": "f", "content": "new\n", "overwrite": true}));
    assert_eq!(fs::metadata(files.path("f")).unwrap().permissions().mode() & 0o777, 0o444);
}
