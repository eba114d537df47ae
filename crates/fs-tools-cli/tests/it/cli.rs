//! The command line: exit status, streams, configuration.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::client::{fs_tools, run};

struct Place {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("f"), "abc\nabc\n").unwrap();
    Place { _dir: dir, root }
}

#[track_caller]
fn check_status(args: &[&str], expected: i32) {
    let output = run(&place().root, args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(expected), "{args:?}: {stderr}");
    if expected > 1 {
        assert!(output.stdout.is_empty() && !stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn the_exit_status_tells_what_happened() {
    check_status(&["call", "read_file", r#"{"path": "f"}"#], 0);
    check_status(&["call", "search_files", r#"{"pattern": "zz"}"#], 1);
    check_status(&["call", "read_file", r#"{"paths": "f"}"#], 2);
    check_status(&["call", "read_file", "not json"], 2);
    check_status(&["call", "nothing"], 2);
    check_status(&["no-such-command"], 2);
    check_status(&["call", "read_file", r#"{"path": "/etc/passwd"}"#], 3);
    check_status(&["call", "read_file", r#"{"path": "missing"}"#], 4);
    check_status(&["call", "write_file", r#"{"path": "f", "content": "x"}"#], 6);
    check_status(&["call", "edit_file", r#"{"path": "f", "old_text": "abc", "new_text": "x"}"#], 6);
    check_status(&["call", "write_file", r#"{"path": ".git/config", "content": "x"}"#], 7);
}

#[test]
fn a_failure_with_json_is_one_line_on_standard_error() {
    let place = place();
    let output = run(&place.root, &["--json", "call", "read_file", r#"{"path": "missing"}"#]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr.lines().count(), 1);
    let line: Value = serde_json::from_str(&stderr).unwrap();
    assert_eq!(line["error"]["code"], "not_found");
    assert_eq!(line["error"]["path"], "missing");
    assert!(line["error"]["hint"].is_string() && line["error"]["message"].is_string());
    let whole: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(whole["is_error"], true);
}

#[test]
fn arguments_come_from_a_file_or_standard_input() {
    let place = place();
    let file = place.root.parent().unwrap().join("args.json");
    fs::write(&file, r#"{"path": "f"}"#).unwrap();
    let from_file = run(&place.root, &["call", "read_file", &format!("@{}", file.display())]);
    let mut child = fs_tools(&place.root)
        .args(["call", "read_file", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"path": "f"}"#).unwrap();
    let from_stdin = child.wait_with_output().unwrap();
    assert!(from_file.status.success());
    assert_eq!(from_file.stdout, from_stdin.stdout);
}

#[test]
fn a_confirmation_can_be_given_in_advance() {
    let place = place();
    let args = r#"{"path": ".git/info/exclude", "content": "x\n"}"#;
    let output = run(&place.root, &["call", "write_file", args, "--confirm", ".git/info/exclude"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(place.root.join(".git/info/exclude")).unwrap(), "x\n");
}

#[test]
fn the_configuration_is_found_and_never_inside_the_workspace() {
    let place = place();
    let outside = place.root.parent().unwrap();
    let off = r#"{"tools": {"list_dir": {"enabled": false}}}"#;
    fs::write(outside.join("c.json"), off).unwrap();
    fs::create_dir_all(outside.join(".config/fs-tools")).unwrap();
    let list = ["call", "list_dir", r#"{"path": "."}"#];
    assert!(run(&place.root, &list).status.success());
    let with = |name: &str, value: &str| {
        fs_tools(&place.root).env(name, value).args(list).output().unwrap().status.code()
    };
    let file = outside.join("c.json").to_str().unwrap().to_owned();
    assert_eq!(with("FS_TOOLS_CONFIG", &file), Some(2));
    assert_eq!(with("FS_TOOLS_LIST_DIR_ENABLED", "false"), Some(2));
    assert_eq!(with("PICOCLAW_TOOLS_LIST_DIR_ENABLED", "0"), Some(2));
    fs::write(outside.join(".config/fs-tools/config.json"), off).unwrap();
    assert_eq!(run(&place.root, &list).status.code(), Some(2));
    fs::write(place.root.join("inside.json"), "{}").unwrap();
    let inside = run(&place.root, &["--config", "inside.json", "call", "list_dir", r#"{"path": "."}"#]);
    assert_eq!(inside.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&inside.stderr).contains("lies inside the workspace"));
    fs::write(outside.join("bad.json"), "{\n \"tools\": {\"read_file\": {\"max_lines\": \"x\"}}}").unwrap();
    let bad = run(&place.root, &["--config", outside.join("bad.json").to_str().unwrap(), "tools"]);
    assert!(String::from_utf8_lossy(&bad.stderr).contains("tools.read_file.max_lines"));
    assert_eq!(bad.status.code(), Some(2));
}

#[test]
fn a_whole_disk_is_a_workspace_only_when_it_is_named() {
    let place = place();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fs-tools"));
    let output =
        command.env_clear().env("HOME", &place.root).current_dir(&place.root).arg("tools").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--workspace"));
}

#[test]
fn a_reader_that_stops_reading_is_no_failure() {
    let place = place();
    fs::write(place.root.join("big"), "x\n".repeat(8_000)).unwrap();
    let mut child = fs_tools(&place.root)
        .args(["call", "read_file", r#"{"path": "big"}"#])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}
