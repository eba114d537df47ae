//! `fs-tools search` and `fs-tools files`: rows, options, streams, exit status.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::client::{fs_tools, run};
use crate::terminal::on_a_terminal;

fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (dir, root)
}

const TREE: [(&str, &str); 5] = [
    ("a.txt", "needle one\nplain\nNeedle two\nneedle three\n"),
    ("src/b.rs", "1\n2\nfn needle() {}\n4\n5\n6\n7\nneedle\n"),
    ("src/c.rs", "nothing here\n"),
    ("target/d.rs", "needle\n"),
    (".gitignore", "target/\n"),
];

/// Rows, notes and the exit status of one command.
#[track_caller]
fn check(args: &[&str], expected: &str, status: i32) -> String {
    let (_dir, root) = tree(&TREE);
    let output = run(&root, args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{stderr}");
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    stderr
}

fn lines(output: &[u8]) -> Vec<Value> {
    String::from_utf8(output.to_vec())
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn rows_have_path_line_and_text() {
    check(
        &["search", "needle"],
        "a.txt:1:needle one\na.txt:4:needle three\nsrc/b.rs:3:fn needle() {}\nsrc/b.rs:8:needle\n",
        0,
    );
    check(&["search", "needle", "src"], "src/b.rs:3:fn needle() {}\nsrc/b.rs:8:needle\n", 0);
    check(
        &["search", "needle", "a.txt", "./src"],
        "a.txt:1:needle one\na.txt:4:needle three\nsrc/b.rs:3:fn needle() {}\nsrc/b.rs:8:needle\n",
        0,
    );
    check(&["search", "needle", "target/d.rs"], "target/d.rs:1:needle\n", 0);
    check(&["search", "--", "-x"], "", 1);
    check(&["search", "absent"], "", 1);
}

#[test]
fn options_of_the_match() {
    check(&["search", "-i", "NEEDLE t"], "a.txt:3:Needle two\na.txt:4:needle three\n", 0);
    check(&["search", "--glob", "*.rs", "needle$"], "src/b.rs:8:needle\n", 0);
    check(&["search", "-U", "one.plain"], "a.txt:1:needle one\na.txt:2:plain\n", 0);
    let note = check(&["search", "one\\nplain"], "", 2);
    assert!(note.contains("needs_multiline"), "{note}");
    check(&["search", "--no-ignore", "^needle$"], "src/b.rs:8:needle\ntarget/d.rs:1:needle\n", 0);
}

#[test]
fn options_of_the_output() {
    check(&["search", "-l", "needle"], "a.txt\nsrc/b.rs\n", 0);
    check(&["search", "-c", "needle"], "a.txt:2\nsrc/b.rs:2\n", 0);
    check(&["search", "-c", "-m", "1", "needle"], "a.txt:1\nsrc/b.rs:1\n", 0);
    check(
        &["search", "-C", "1", "needle"],
        "a.txt:1:needle one\na.txt-2-plain\na.txt-3-Needle two\na.txt:4:needle three\n--\nsrc/b.rs-2-2\nsrc/b.rs:3:fn needle() {}\n\
         src/b.rs-4-4\n--\nsrc/b.rs-7-7\nsrc/b.rs:8:needle\n",
        0,
    );
    check(&["search", "--null", "needle", "src"], "src/b.rs\x003:fn needle() {}\nsrc/b.rs\08:needle\n", 0);
    check(&["search", "-0l", "needle"], "a.txt\0src/b.rs\0", 0);
    check(&["search", "-0c", "needle"], "a.txt\x002\nsrc/b.rs\x002\n", 0);
    check(
        &["search", "--color", "always", "needle", "src"],
        "\x1b[35msrc/b.rs\x1b[0m\x1b[36m:\x1b[0m\x1b[32m3\x1b[0m\x1b[36m:\x1b[0mfn \x1b[1;31mneedle\x1b[0m() {}\n\
         \x1b[35msrc/b.rs\x1b[0m\x1b[36m:\x1b[0m\x1b[32m8\x1b[0m\x1b[36m:\x1b[0m\x1b[1;31mneedle\x1b[0m\n",
        0,
    );
}

#[test]
fn bounds_say_that_there_is_more() {
    check(&["search", "-m", "1", "needle"], "a.txt:1:needle one\nsrc/b.rs:3:fn needle() {}\n", 0);
    check(
        &["search", "-m", "1", "-C", "1", "needle", "src"],
        "src/b.rs-2-2\nsrc/b.rs:3:fn needle() {}\nsrc/b.rs-4-4\n",
        0,
    );
    for args in [
        &["search", "--limit", "1", "needle"][..],
        &["search", "--limit", "1", "-m", "5", "needle"],
        &["search", "--limit", "1", "needle", "a.txt", "src"],
        &["search", "--limit", "1", "-m", "1", "needle", "a.txt", "src"],
    ] {
        let note = check(args, "a.txt:1:needle one\n", 0);
        assert_eq!(note, "fs-tools: note: there is more: raise --limit to see it\n", "{args:?}");
    }
    assert_eq!(
        check(
            &["search", "--limit", "4", "needle"],
            "a.txt:1:needle one\na.txt:4:needle three\nsrc/b.rs:3:fn needle() {}\nsrc/b.rs:8:needle\n",
            0
        ),
        ""
    );
    check(&["search", "-m", "1", "Needle", "a.txt", "a.txt"], "a.txt:3:Needle two\na.txt:3:Needle two\n", 0);
    check(&["search", "-l", "--limit", "1", "needle"], "a.txt\n", 0);
    check(&["search", "-c", "--limit", "1", "-m", "1", "needle"], "a.txt:1\n", 0);
    check(&["search", "--limit", "0", "needle"], "", 2);
}

#[test]
fn errors_have_the_exit_status_of_grep() {
    for (args, code) in [
        (&["search", "("][..], "invalid_regex"),
        (&["search", "--glob", "[", "x"], "invalid_glob"),
        (&["files", "["], "invalid_glob"),
        (&["search", "x", "missing"], "not_found"),
        (&["search", "x", "../outside"], "outside_workspace"),
    ] {
        let note = check(args, "", 2);
        assert!(note.contains(code), "{args:?}: {note}");
    }
    let note = check(&["search", "needle", "missing", "target/d.rs"], "target/d.rs:1:needle\n", 2);
    assert!(note.contains("missing"), "{note}");
    let (_dir, root) = tree(&TREE);
    let output = run(&root, &["--json", "search", "("]);
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["error"]["code"], "invalid_regex");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fs-tools"));
    let output =
        command.env_clear().env("HOME", &root).current_dir(&root).args(["search", "x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn json_rows_end_with_a_summary() {
    let (_dir, root) = tree(&TREE);
    fs::write(root.join("bin"), b"needle\0").unwrap();
    fs::write(root.join("latin"), b"caf\xe9 needle\n").unwrap();
    let rows = lines(&run(&root, &["--json", "search", "-C", "1", "needle", "latin", "src", "bin"]).stdout);
    assert_eq!(
        rows[0],
        json!({"type": "match", "path": "latin", "line": 1, "text_base64": "Y2Fm6SBuZWVkbGU=", "matches": [[5, 11]], "cut": false})
    );
    assert_eq!(rows[1], json!({"type": "context", "path": "src/b.rs", "line": 2, "text": "2", "cut": false}));
    assert_eq!(rows[2]["matches"], json!([[3, 9]]));
    let summary = rows.last().unwrap();
    assert_eq!(
        (&summary["type"], &summary["rows"], &summary["end"]),
        (&json!("summary"), &json!(3), &json!("complete"))
    );
    assert_eq!((&summary["coverage"]["binary"], &summary["exhaustive"]), (&json!(1), &json!(true)));
    let rows = lines(&run(&root, &["--json", "search", "-c", "needle", "src"]).stdout);
    assert_eq!(rows[0], json!({"type": "file", "path": "src/b.rs", "count": 2}));
    let rows = lines(&run(&root, &["--json", "search", "-l", "needle", "src"]).stdout);
    assert_eq!(rows[0], json!({"type": "file", "path": "src/b.rs"}));
    let rows = lines(&run(&root, &["--json", "search", "--limit", "1", "needle"]).stdout);
    assert_eq!((&rows[1]["end"], &rows[1]["exhaustive"]), (&json!("limit"), &json!(false)));
    let rows = lines(&run(&root, &["--json", "files", "*.rs"]).stdout);
    assert_eq!(rows[0], json!({"type": "name", "path": "src/b.rs"}));
    let nothing = run(&root, &["--json", "search", "absent"]);
    assert_eq!((nothing.status.code(), lines(&nothing.stdout).len()), (Some(1), 1));
    assert_eq!(run(&root, &["--json", "search", "-0", "x"]).status.code(), Some(2));
}

#[test]
fn files_are_listed_by_name() {
    check(&["files"], ".gitignore\na.txt\nsrc/b.rs\nsrc/c.rs\n", 0);
    check(&["files", "*.rs"], "src/b.rs\nsrc/c.rs\n", 0);
    check(&["files", "*.rs", "src", "a.txt"], "src/b.rs\nsrc/c.rs\n", 0);
    check(&["files", "--no-ignore", "d.rs"], "target/d.rs\n", 0);
    check(&["files", "--null", "b.rs"], "src/b.rs\0", 0);
    check(&["files", "--color", "always", "b.rs"], "\x1b[35msrc/b.rs\x1b[0m\n", 0);
    check(&["files", "absent"], "", 1);
    assert!(check(&["files", "--limit", "1"], ".gitignore\n", 0).contains("there is more"));
}

#[test]
fn the_newest_file_may_come_first() {
    let (_dir, root) = tree(&TREE);
    for (age, name) in ["src/c.rs", "a.txt", "src/b.rs", ".gitignore"].into_iter().enumerate() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age as u64);
        File::options().write(true).open(root.join(name)).unwrap().set_modified(time).unwrap();
    }
    assert_eq!(
        run(&root, &["files", "--sort", "modified"]).stdout,
        b"src/c.rs\na.txt\nsrc/b.rs\n.gitignore\n"
    );
    assert_eq!(run(&root, &["search", "-l", "--sort", "modified", "needle"]).stdout, b"a.txt\nsrc/b.rs\n");
    let rows = lines(&run(&root, &["--json", "files", "--sort", "modified", "--limit", "1"]).stdout);
    assert_eq!(rows[0]["modified_ns"], 1_000_000_000_000_000u64);
}

#[test]
fn names_that_are_no_text_are_shown_escaped_or_raw() {
    let (_dir, root) = tree(&[]);
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join(OsStr::from_bytes(b"odd\xff\nname")), "needle\n").unwrap();
    assert_eq!(run(&root, &["search", "needle"]).stdout, b"odd\\x{FF}\\x{0A}name:1:needle\n");
    assert_eq!(run(&root, &["files", "-0"]).stdout, b"odd\xff\nname\0");
    // Both forms name the file again.
    assert_eq!(run(&root, &["search", "-c", "needle", "odd\\x{FF}\\x{0A}name"]).status.code(), Some(0));
    let raw = fs_tools(&root)
        .args(["search", "-c", "needle"])
        .arg(OsStr::from_bytes(b"odd\xff\nname"))
        .output()
        .unwrap();
    assert_eq!(raw.stdout, b"odd\\x{FF}\\x{0A}name:1\n");
}

#[test]
fn credentials_are_masked_and_matches_move_with_them() {
    let token = format!("gh{}_{}", "p", "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW1xY2");
    let (_dir, root) = tree(&[("f", &format!("é {token} needle\n"))]);
    let output = run(&root, &["search", "needle"]);
    assert_eq!(output.stdout, "f:1:é [FILTERED] needle\n".as_bytes());
    assert_eq!(
        output.stderr,
        b"fs-tools: note: values masked in 1 line(s); the files on disk are unchanged\n"
    );
    let rows = lines(&run(&root, &["--json", "search", "needle|aB3dE5|4pQ6"]).stdout);
    assert_eq!(
        (&rows[0]["text"], &rows[0]["matches"]),
        (&json!("é [FILTERED] needle"), &json!([[3, 13], [14, 20]]))
    );
    let line: String = (0..64u8).map(|at| char::from(b'A' + (at * 3 + at / 5) % 26)).collect();
    let label = format!("{} PRIVATE KEY", "RSA");
    let above = "a line like any other\n".repeat(20_000);
    let key = format!("{above}-----BEGIN {label}-----\n{line}\n{line}\n-----END {label}-----\n{}\n", "WORD");
    fs::write(root.join("f"), key).unwrap();
    let output = run(&root, &["search", "^[A-Z]+$"]).stdout;
    assert_eq!(String::from_utf8(output).unwrap(), "f:20002:[FILTERED]\nf:20003:[FILTERED]\nf:20005:WORD\n");
}

#[test]
fn what_the_policy_hides_is_not_there() {
    let (_dir, root) = tree(&[(".env", "needle\n"), ("f", "x\n"), (".git/config", "needle\n")]);
    let output = run(&root, &["search", "needle"]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b""[..]));
    assert_eq!(run(&root, &["files"]).stdout, b"f\n");
    assert_eq!(run(&root, &["search", "needle", ".env"]).status.code(), Some(2));
}

#[test]
fn gaps_are_said_on_standard_error() {
    let (_dir, root) = tree(&[]);
    fs::create_dir_all(root.join("x")).unwrap();
    fs::write(root.join("x/a"), "needle\n").unwrap();
    fs::write(root.join(".gitignore"), "*\n").unwrap();
    let output = run(&root, &["search", "needle"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("--no-ignore"), "{output:?}");
    fs::write(root.join(".gitignore"), "").unwrap();
    fs::write(root.join("x/bin"), "needle\0").unwrap();
    let note = |args: &[&str]| String::from_utf8(run(&root, args).stderr).unwrap();
    assert_eq!(note(&["search", "needle"]), "");
    assert_eq!(note(&["search", "absent"]), "fs-tools: note: not searched, binary: 1 (x/bin)\n");
}

#[test]
fn an_agents_budget_can_be_asked_for() {
    let (_dir, root) = tree(&[]);
    fs::create_dir_all(&root).unwrap();
    for n in 0..5_010 {
        fs::write(root.join(format!("f{n:04}")), "needle\n").unwrap();
    }
    let count = |args: &[&str]| {
        let output = run(&root, args);
        let rows = output.stdout.iter().filter(|byte| **byte == b'\n').count();
        (rows, String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(count(&["search", "needle"]), (5_010, String::new()));
    let (rows, note) = count(&["search", "--agent-limits", "needle"]);
    assert!(rows == 5_000 && note.contains("the budget of files is used up"), "{rows} {note}");
}

#[test]
fn a_reader_that_stops_reading_is_no_failure() {
    let (_dir, root) = tree(&[("f", &"needle\n".repeat(200_000))]);
    let mut child = fs_tools(&root)
        .args(["search", "needle"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_terminal_gets_headings_and_colour_and_no_control_characters() {
    let (_dir, root) = tree(&[("a", "needle\x1b[2J\tx\n"), ("b", "needle\n")]);
    let (shown, status) = on_a_terminal(&root, &["search", "needle"], &[("NO_COLOR", "1")]);
    assert_eq!((&shown[..], status), ("a\n1:needle\\x{1B}[2J\tx\n\nb\n1:needle\n", Some(0)));
    let (shown, _) = on_a_terminal(&root, &["search", "needle", "b"], &[]);
    assert_eq!(shown, "\x1b[35mb\x1b[0m\n\x1b[32m1\x1b[0m\x1b[36m:\x1b[0m\x1b[1;31mneedle\x1b[0m\n");
    let (shown, _) = on_a_terminal(&root, &["search", "needle", "b"], &[("TERM", "dumb")]);
    assert_eq!(shown, "b\n1:needle\n");
    let (shown, _) = on_a_terminal(&root, &["search", "--color", "never", "needle", "b"], &[]);
    assert_eq!(shown, "b\n1:needle\n");
}

#[test]
fn only_a_person_at_a_terminal_sees_credentials() {
    let (_dir, root) = tree(&[("f", "password: Tr0ub4dor&3x\n")]);
    let args = ["search", "--no-mask", "--color", "never", "pass"];
    let output = run(&root, &args);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]));
    assert_eq!(on_a_terminal(&root, &args, &[]), ("f\n1:password: Tr0ub4dor&3x\n".to_owned(), Some(0)));
    let (shown, status) = on_a_terminal(&root, &args, &[("AI_AGENT", "1")]);
    assert!(status == Some(2) && !shown.contains("Tr0ub"), "{shown}");
    let (shown, _) = on_a_terminal(&root, &["search", "--color", "never", "pass"], &[]);
    assert!(
        shown.starts_with("f\n1:password: [FILTERED]\nfs-tools: note: values masked in 1 line(s)"),
        "{shown}"
    );
}

#[test]
fn every_command_for_people_has_an_example() {
    let (_dir, root) = tree(&TREE);
    for command in [
        &["search"][..],
        &["files"],
        &["redact"],
        &["check"],
        &["patch"],
        &["patch", "apply"],
        &["patch", "diff"],
        &["call"],
        &["tools"],
        &["mcp"],
        &["history"],
        &["history", "list"],
        &["config"],
        &["config", "init"],
        &["doctor"],
        &["completions"],
        &["man"],
    ] {
        let output = run(&root, &[command, &["--help"]].concat());
        let help = String::from_utf8(output.stdout).unwrap();
        assert_eq!(help.matches("Example: ").count(), 1, "{command:?}: {help}");
    }
}
