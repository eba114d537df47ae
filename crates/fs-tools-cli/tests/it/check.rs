//! `fs-tools check`: one line a file, and the exit status.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::run;

fn files() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    for (name, text) in [
        ("good.json", "{\"a\": [1]}\n"),
        ("bad.json", "{\n  \"a\": [1,]\n}\n"),
        ("bad.c", "int main(void) {\n  f(1;\n}\n"),
        ("deep.json", &deep),
        ("main.rs", "fn main( {"),
        ("tsconfig.json", "// comments\n{}"),
    ] {
        fs::write(root.join(name), text).unwrap();
    }
    (dir, root)
}

#[track_caller]
fn check(names: &[&str], expected: &str, status: i32) {
    let (_dir, root) = files();
    let args: Vec<&str> = ["check"].into_iter().chain(names.iter().copied()).collect();
    let output = run(&root, &args);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert_eq!(output.status.code(), Some(status));
}

#[test]
fn each_file_has_one_line() {
    check(&["good.json"], "good.json: ok\n", 0);
    check(&["bad.json"], "bad.json:2:11: trailing comma before `]` at 2:11\n", 1);
    check(&["bad.c"], "bad.c:3:1: unexpected `}` at 3:1; `(` from 2:4 is still open\n", 1);
    check(&["deep.json"], "deep.json: skipped (more than 256 delimiters are open at once)\n", 0);
    check(&["main.rs", "tsconfig.json"], "main.rs: not checked\ntsconfig.json: not checked\n", 0);
    check(
        &["good.json", "bad.json", "main.rs"],
        "good.json: ok\nbad.json:2:11: trailing comma before `]` at 2:11\nmain.rs: not checked\n",
        1,
    );
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others() {
    let (_dir, root) = files();
    let output = run(&root, &["check", "missing.json", "good.json"]);
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(output.stdout, b"good.json: ok\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("missing.json"));
    assert_eq!(run(&root, &["check", "."]).status.code(), Some(5));
    assert_eq!(run(&root, &["check"]).status.code(), Some(2));
}

#[test]
fn json_has_every_fact() {
    let (_dir, root) = files();
    let output = run(&root, &["--json", "check", "good.json", "bad.json", "deep.json", "main.rs"]);
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0], json!({"file": "good.json", "outcome": "ok", "language": "json"}));
    assert_eq!((&lines[1]["outcome"], &lines[1]["code"]), (&json!("problem"), &json!("trailing_comma")));
    assert_eq!(
        (&lines[1]["line"], &lines[1]["column"], &lines[1]["offset"]),
        (&json!(2), &json!(11), &json!(12))
    );
    assert!(lines[1]["opened_at"].is_object() || lines[1]["opened_at"].is_null());
    assert_eq!((&lines[2]["outcome"], &lines[2]["code"]), (&json!("skipped"), &json!("too_deep")));
    assert_eq!(lines[3], json!({"file": "main.rs", "outcome": "not_checked"}));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_large_file_is_checked_in_pieces() {
    let (_dir, root) = files();
    let mut text = format!("[{}", "\"a string of some length\",\n".repeat(20_000));
    text.push_str("1]");
    fs::write(root.join("big.json"), &text).unwrap();
    assert_eq!(run(&root, &["check", "big.json"]).stdout, b"big.json: ok\n");
    text.pop();
    fs::write(root.join("big.json"), &text).unwrap();
    assert!(run(&root, &["check", "big.json"]).stdout.starts_with(b"big.json:"));
}
