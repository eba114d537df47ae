//! `fs-tools redact`: the filter, the spans, the scores of labelled lines.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use fs_tools::redact::Redactor;
use serde_json::{Value, json};

use crate::client::{feed, fs_tools, run};

fn workspace() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    (dir, root)
}

/// A token of a published format, assembled so that none stands in the sources.
fn token() -> String {
    format!("gh{}_{}", "p", "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW1xY2")
}

/// A private key of 24 lines.
fn key() -> String {
    let line: String = (0..64u8).map(|at| char::from(b'A' + (at * 3 + at / 5) % 26)).collect();
    let label = format!("{} PRIVATE KEY", "RSA");
    format!("-----BEGIN {label}-----\n{}-----END {label}-----\n", format!("{line}\n").repeat(24))
}

fn lines(output: &[u8]) -> Vec<Value> {
    String::from_utf8(output.to_vec())
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[track_caller]
fn check_filter(input: &[u8], expected: &[u8]) {
    let (_dir, root) = workspace();
    let output = feed(&root, &["redact"], input);
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!(String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(expected));
}

#[test]
fn standard_input_is_filtered_byte_for_byte() {
    check_filter(b"", b"");
    check_filter(b"no newline at the end", b"no newline at the end");
    check_filter(b"\xff\xfe\0\r\n\x80", b"\xff\xfe\0\r\n\x80");
    check_filter(format!("token: {}\r\nx", token()).as_bytes(), b"token: [FILTERED]\r\nx");
}

#[test]
fn files_follow_one_another_and_a_missing_one_is_reported() {
    let (_dir, root) = workspace();
    fs::write(root.join("a"), format!("a {}\n", token())).unwrap();
    fs::write(root.join("b"), "b\n").unwrap();
    let output = run(&root, &["redact", "a", "missing", "b"]);
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(output.stdout, b"a [FILTERED]\nb\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("missing"));
    let output = run(&root, &["--json", "redact", "."]);
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!((&error["error"]["code"], output.status.code()), (&json!("is_a_directory"), Some(5)));
}

#[test]
fn values_of_the_configuration_are_masked() {
    let (dir, root) = workspace();
    let config = dir.path().join("c.json");
    fs::write(&config, r#"{"fs_tools": {"secrets": ["correct horse battery"]}}"#).unwrap();
    let config = config.to_str().unwrap();
    let output = feed(&root, &["--config", config, "redact"], b"say correct horse battery\n");
    assert_eq!(output.stdout, b"say [FILTERED]\n");
    let output = feed(&root, &["--config", config, "redact", "--spans"], b"say correct horse battery\n");
    let [span] = &lines(&output.stdout)[..] else { panic!("{output:?}") };
    assert_eq!((&span["start"], &span["end"], &span["class"]), (&json!(4), &json!(25), &json!("known")));
}

#[test]
fn no_workspace_is_needed() {
    for directory in ["/", "home"] {
        let (dir, _) = workspace();
        let home = dir.path();
        let mut child = Command::new(env!("CARGO_BIN_EXE_fs-tools"))
            .env_clear()
            .env("HOME", home)
            .current_dir(if directory == "home" { home } else { directory.as_ref() })
            .arg("redact")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"x\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stdout == b"x\n", "{directory}");
    }
}

#[test]
fn spans_are_byte_offsets_of_the_input() {
    let (_dir, root) = workspace();
    let text = format!("é {}\nplain\npassword: Tr0ub4dor&3x\n", token());
    let output = feed(&root, &["redact", "--spans"], text.as_bytes());
    let spans = lines(&output.stdout);
    let values: Vec<&str> = spans
        .iter()
        .map(|span| &text[span["start"].as_u64().unwrap() as usize..span["end"].as_u64().unwrap() as usize])
        .collect();
    assert_eq!(values, [&token()[..], "Tr0ub4dor&3x"]);
    assert_eq!(
        (&spans[0]["file"], &spans[0]["class"], &spans[1]["class"]),
        (&json!("-"), &json!("format"), &json!("keyed"))
    );
    fs::write(root.join("f"), &text).unwrap();
    assert_eq!(lines(&run(&root, &["redact", "--spans", "f"]).stdout)[0]["file"], "f");
    assert!(feed(&root, &["redact", "--spans"], b"nothing\n").stdout.is_empty());
}

#[test]
fn spans_of_a_long_input_are_those_of_the_whole() {
    let (_dir, root) = workspace();
    let mut text = String::new();
    // A key across each border of the windows, and tokens everywhere.
    for megabyte in 1..=3usize {
        while text.len() < megabyte * (1 << 20) - 700 {
            text.push_str("int main(void) { return do_nothing(argc, argv); }\n");
            if text.len().is_multiple_of(13) {
                text.push_str(&format!("token = \"{}\"\n", token()));
            }
        }
        text.push_str(&key());
    }
    fs::write(root.join("f"), &text).unwrap();
    let found: Vec<(u64, u64, String)> = lines(&run(&root, &["redact", "--spans", "f"]).stdout)
        .iter()
        .map(|span| {
            let at = |name: &str| span[name].as_u64().unwrap();
            (at("start"), at("end"), span["kind"].as_str().unwrap().to_owned())
        })
        .collect();
    let expected: Vec<(u64, u64, String)> = Redactor::new()
        .spans(text.as_bytes())
        .iter()
        .map(|span| (span.start as u64, span.end as u64, span.kind.to_owned()))
        .collect();
    assert!(expected.len() > 1_000);
    assert_eq!(found, expected);
}

#[test]
fn the_memory_of_the_filter_is_bounded() {
    let (_dir, root) = workspace();
    for arguments in [&["redact"][..], &["redact", "--spans"]] {
        let mut child =
            fs_tools(&root).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()).unwrap());
        // One line without an end, then many short ones.
        for block in [vec![b'x'; 1 << 20], b"a line like any other\n".repeat(50_000)] {
            for _ in 0..8 {
                stdin.write_all(&block).unwrap();
            }
        }
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap().to_owned();
        drop(stdin);
        assert!(child.wait().unwrap().success());
        reader.join().unwrap();
        let peak: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(peak < 48 * 1024, "{arguments:?}: {peak} KiB");
    }
}

#[test]
fn what_is_certain_is_passed_on_while_the_input_goes_on() {
    let (_dir, root) = workspace();
    let mut child =
        fs_tools(&root).arg("redact").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all("a line of a log\n".repeat(20).as_bytes()).unwrap();
    let mut first = [0; 16];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"a line of a log\n");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn json_lines_are_scored_one_by_one() {
    let (_dir, root) = workspace();
    let text = format!("key {}", token());
    let input =
        format!("{}\n\n{}\n{}", json!({"id": 7, "t": text}), json!({"id": "b", "t": ""}), json!({"t": "é"}));
    let output = feed(&root, &["redact", "--spans", "--jsonl", "t"], input.as_bytes());
    assert!(output.status.success());
    let lines = lines(&output.stdout);
    assert_eq!(
        (&lines[0]["id"], &lines[0]["spans"][0][0], &lines[0]["spans"][0][1]),
        (&json!(7), &json!(4), &json!(text.len()))
    );
    assert!(lines[0]["spans"][0][2].is_string());
    assert_eq!(lines[1..], [json!({"id": "b", "spans": []}), json!({"id": null, "spans": []})]);
    for (input, code) in [("{\"t\": 1}", "field_missing"), ("[", "not_json"), ("{}", "field_missing")] {
        let output = feed(&root, &["--json", "redact", "--spans", "--jsonl", "t"], input.as_bytes());
        let error: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!((&error["error"]["code"], output.status.code()), (&json!(code), Some(2)));
    }
    assert_eq!(feed(&root, &["redact", "--jsonl", "t"], b"").status.code(), Some(2));
}

#[test]
fn a_reader_that_stops_reading_is_no_failure() {
    let (_dir, root) = workspace();
    fs::write(root.join("big"), "a line like any other\n".repeat(100_000)).unwrap();
    let mut child = fs_tools(&root).args(["redact", "big"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}
