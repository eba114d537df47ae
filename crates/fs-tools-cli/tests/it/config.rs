//! `fs-tools config`: what is wrong with a document, and what holds.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::client::{fs_tools, run};

struct Place {
    _dir: tempfile::TempDir,
    root: PathBuf,
    file: PathBuf,
}

fn place(document: &str) -> Place {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let (root, file) = (base.join("ws"), base.join("config.json"));
    fs::create_dir(&root).unwrap();
    fs::write(&file, document).unwrap();
    Place { _dir: dir, root, file }
}

impl Place {
    fn config(&self, args: &[&str]) -> (i32, String) {
        let file = self.file.to_str().unwrap();
        let all: Vec<&str> = ["--config", file, "config"].iter().chain(args).copied().collect();
        let output = run(&self.root, &all);
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap(), text.replace(file, "FILE").replace(self.root.to_str().unwrap(), "WS"))
    }

    fn json(&self, args: &[&str]) -> Value {
        let all: Vec<&str> = args.iter().chain(&["--json"]).copied().collect();
        serde_json::from_str(&self.config(&all).1).unwrap()
    }
}

#[track_caller]
fn check(document: &str, status: i32, expected: &str) {
    assert_eq!(place(document).config(&["check"]), (status, expected.to_owned()));
}

#[test]
fn problems_have_a_place_and_the_nearest_key() {
    check("{}", 0, "FILE: ok\n");
    check("", 0, "FILE: ok\n");
    check(
        "{\n  \"tools\": {\"read_file\": {\n    \"max_lines\": \"many\"}}}",
        1,
        "FILE:3:5: error: the configuration key `tools.read_file.max_lines` at line 3, column 5 must be a whole number, \
         not a string\n",
    );
    check(
        "{\"tools\": nope}",
        1,
        "FILE:1:12: error: the configuration is not valid JSON at line 1, column 12: expected ident\n",
    );
    check(
        "{\"tools\": {\"write_file\": {\"enable\": false}}}",
        1,
        "FILE: warning: the configuration key `tools.write_file.enable` at line 1, column 27 is not known and has no \
         effect; did you mean `tools.write_file.enabled`?\n",
    );
}

#[test]
fn patterns_and_places_are_checked_too() {
    let (status, text) = place("{\"tools\": {\"allow_read_paths\": [\"(\"]}}").config(&["check"]);
    assert!(status == 1 && text.starts_with("FILE: error: ") && text.contains("allow_read_paths"), "{text}");
    let (status, text) = place("{\"tools\": {\"allow_read_paths\": [\"projects\"]}}").config(&["check"]);
    assert!(status == 1 && text.starts_with("FILE: warning: ") && text.contains("projects"), "{text}");
    let place = place("{}");
    let inside = place.root.join("config.json");
    fs::write(&inside, "{}").unwrap();
    let output = run(&place.root, &["--config", inside.to_str().unwrap(), "config", "check"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("lies inside the workspace"));
    let missing = run(&place.root, &["--config", "missing.json", "config", "check"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn problems_are_objects_for_programs() {
    let place = place("{\"fs_tools\": {\"durability\": 5}}");
    assert_eq!(
        place.json(&["check"]),
        json!({"file": "FILE", "ok": false, "problems": [{
            "severity": "error", "code": "config_wrong_type", "key": "fs_tools.durability", "line": 1, "column": 15,
            "message": "the configuration key `fs_tools.durability` at line 1, column 15 must be a string, not 5",
        }]})
    );
}

#[test]
fn effective_values_say_where_they_come_from() {
    let place = place(
        "{\"tools\": {\"max_inline_result_chars\": 900,\n \"edit_file\": {\"enabled\": false}},\n \"models\": [{\"api_key\": \"a value of ours\"}]}",
    );
    let file = place.file.to_str().unwrap();
    let output = fs_tools(&place.root)
        .args(["--json", "--config", file, "config", "show"])
        .env("FS_TOOLS_LIST_DIR_ENABLED", "0")
        .output()
        .unwrap();
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&shown["file"], &shown["file_from"]), (&json!(file), &json!("flag")));
    let of = |key: &str| {
        let list = shown["settings"].as_array().unwrap();
        let row = list.iter().find(|row| row["key"] == key).unwrap();
        (row["value"].clone(), row["source"].clone())
    };
    assert_eq!(
        of("tools.max_inline_result_chars"),
        (json!(900), json!({"from": "file", "line": 1, "column": 12}))
    );
    assert_eq!(
        of("tools.edit_file.enabled"),
        (json!(false), json!({"from": "file", "line": 2, "column": 16}))
    );
    assert_eq!(
        of("tools.list_dir.enabled"),
        (json!(false), json!({"from": "environment", "name": "FS_TOOLS_LIST_DIR_ENABLED"}))
    );
    assert_eq!(of("tools.read_file.mode"), (json!("bytes"), json!({"from": "default"})));
    assert_eq!(of("agents.defaults.workspace"), (json!(place.root), json!({"from": "flag"})));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("ours"));
    let (status, text) = place.config(&["show"]);
    assert_eq!(status, 0);
    assert!(text.starts_with("# FILE (flag)\nagents.defaults.workspace "), "{text}");
    let row = text.lines().find(|line| line.starts_with("tools.edit_file.enabled")).unwrap();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        ["tools.edit_file.enabled", "false", "file,", "line", "2"]
    );
}

#[test]
fn a_disabled_tool_is_gone_from_the_list() {
    let place = place("{\"tools\": {\"edit_file\": {\"enabled\": false}}}");
    let file = place.file.to_str().unwrap();
    let output = run(&place.root, &["--config", file, "tools"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("write_file\n") && !text.contains("edit_file"), "{text}");
    let called = run(&place.root, &["--config", file, "call", "edit_file", "{\"path\": \"f\"}"]);
    assert_eq!(called.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&called.stderr)
            .contains("do not try again; available are read_file, write_file,")
    );
}

#[test]
fn an_empty_workspace_is_none() {
    let place = place("{}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fs-tools"));
    let output =
        command.env_clear().current_dir(&place.root).args(["--workspace", "", "tools"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--workspace <DIR>"));
}

#[test]
fn a_document_that_cannot_be_used_is_one_line_for_programs() {
    let place = place("{\"tools\": {\"read_file\": 5}}");
    let file = place.file.to_str().unwrap();
    for command in [&["config", "show"][..], &["tools"], &["call", "list_dir", "{}"]] {
        let output = fs_tools(&place.root).args(["--json", "--config", file]).args(command).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let line: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(line["error"]["code"], "config_wrong_type", "{line}");
        assert!(
            line["error"]["message"].as_str().unwrap().contains("`tools.read_file` at line 1, column 12"),
            "{line}"
        );
    }
}
