//! The exit status and the streams of every command, as a script sees them.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::client::{feed, fs_tools, run, run_inside};

struct Place {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("f"), "abc\nabc\n").unwrap();
    fs::write(root.join("g"), "abd\nabc\n").unwrap();
    fs::write(root.join("good.json"), "{}\n").unwrap();
    fs::write(root.join("bad.json"), "{,}\n").unwrap();
    fs::write(root.join("broken.pdf"), "%PDF-1.7\nno more").unwrap();
    File::create(root.join("huge")).unwrap().set_len(1 << 40).unwrap();
    let make = r#"{"path": "made", "content": "x\n"}"#;
    assert!(run(&root, &["--task", "t", "call", "write_file", make]).status.success());
    Place { _dir: dir, root }
}

/// The status of each command in each of its cases. Every command has to be here, see the test below.
const TABLE: &[(&[&str], i32)] = &[
    (&["call", "read_file", r#"{"path": "f"}"#], 0),
    (&["call", "search_files", r#"{"pattern": "zz"}"#], 1),
    (&["call", "read_file", r#"{"paths": "f"}"#], 2),
    (&["call", "read_file", "not json"], 2),
    (&["call", "nothing"], 2),
    (&["call", "read_file", r#"{"path": "/etc/passwd"}"#], 3),
    (&["call", "read_file", r#"{"path": "missing"}"#], 4),
    (&["call", "write_file", r#"{"path": "f", "content": "x"}"#], 6),
    (&["call", "edit_file", r#"{"path": "f", "old_text": "abc", "new_text": "x"}"#], 6),
    (&["call", "write_file", r#"{"path": ".git/config", "content": "x"}"#], 7),
    (&["call", "edit_file", r#"{"path": "huge", "old_text": "a", "new_text": "b"}"#], 8),
    (&["tools"], 0),
    (&["tools", "extra"], 2),
    (&["mcp", "--lock=no-such-mode"], 2),
    (&["search", "abc"], 0),
    (&["search", "zz"], 1),
    (&["search", "("], 2),
    (&["search", "abc", "missing"], 2),
    (&["files", "*.json"], 0),
    (&["files", "*.zz"], 1),
    (&["files", "--limit", "0"], 2),
    (&["redact", "f"], 0),
    (&["redact", "--jsonl", "x"], 2),
    (&["redact", "missing"], 4),
    (&["redact", "."], 5),
    (&["check", "good.json"], 0),
    (&["check", "bad.json"], 1),
    (&["check"], 2),
    (&["check", "missing.json"], 4),
    (&["patch", "diff", "f", "f"], 0),
    (&["patch", "diff", "f", "g"], 1),
    (&["patch", "diff", "f"], 2),
    (&["patch", "diff", "f", "missing"], 4),
    (&["patch", "diff", "f", "huge"], 8),
    (&["patch", "apply"], 2),
    (&["patch", "apply", "missing"], 4),
    (&["document", "f"], 0),
    (&["document"], 2),
    (&["document", "missing"], 4),
    (&["document", "broken.pdf"], 5),
    (&["history", "list"], 0),
    (&["history", "list", "f"], 1),
    (&["history", "list", "--from", "yesterday"], 2),
    (&["history", "read", "made"], 0),
    (&["history", "read", "/etc/passwd"], 3),
    (&["history", "restore", "no-number"], 2),
    (&["history", "restore", "99"], 4),
    (&["history", "restore", "1", "--dry-run"], 0),
    (&["history", "undo", "t", "--dry-run"], 0),
    (&["history", "undo", "no-such-task"], 4),
    (&["history", "verify"], 0),
    (&["history", "stats"], 0),
    (&["history", "purge", "task", "t"], 7),
    (&["history", "purge", "path", "no-such-path", "--yes"], 1),
    (&["history", "purge", "change", "99", "--yes"], 4),
    (&["history", "purge", "all"], 7),
    (&["config", "check"], 0),
    (&["config", "check", "--config", "bad.json"], 1),
    (&["config", "check", "--config", "missing.json"], 2),
    (&["config", "show"], 0),
    (&["config", "show", "--config", "bad.json"], 2),
    (&["config", "init"], 0),
    (&["config", "init", "--client", "zed"], 0),
    (&["config", "init", "--client", "no-such-client"], 2),
    (&["doctor"], 0),
    (&["completions", "bash"], 0),
    (&["completions", "no-such-shell"], 2),
    (&["man"], 0),
    (&["man", "--dir", "f/below-a-file"], 5),
];

#[test]
fn the_exit_status_tells_what_happened() {
    let place = place();
    let mut problems = Vec::new();
    for (args, expected) in TABLE {
        let output = run(&place.root, args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(*expected) {
            problems.push(format!("{args:?}: {} instead of {expected}: {stderr}", output.status));
        }
        if *expected > 1 && (!output.stdout.is_empty() || stderr.is_empty()) {
            problems.push(format!("{args:?}: a failure belongs to standard error alone"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn with_json_a_failure_is_one_line_wherever_the_flag_stands() {
    let place = place();
    let mut problems = Vec::new();
    for (args, expected) in TABLE.iter().filter(|(_, status)| *status > 1) {
        for words in [[&["--json"], *args].concat(), [*args, &["--json"]].concat()] {
            let output = run(&place.root, &words);
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            let error = serde_json::from_str::<Value>(&stderr).unwrap_or_default()["error"].clone();
            let has_texts = ["code", "message", "hint"].iter().all(|key| error[key].is_string());
            // `completions` and `man` have no JSON form: then that is the complaint.
            let is_right = output.status.code() == Some(*expected) || output.status.code() == Some(2);
            if !is_right || !has_texts || stderr.lines().count() != 1 || error.get("path").is_none() {
                problems.push(format!("{words:?}: {}: {stderr}", output.status));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Every command that does something, as the help lists it.
fn commands(place: &Place, above: &[String]) -> Vec<Vec<String>> {
    let output = fs_tools(&place.root).args(above).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return vec![above.to_vec()] };
    let names = list.lines().take_while(|line| line.starts_with("  ")).filter_map(|line| {
        let name = line.strip_prefix("  ")?;
        (!name.starts_with(' ')).then(|| name.split_whitespace().next().unwrap().to_owned())
    });
    names.filter(|name| name != "help").flat_map(|name| commands(place, &[above, &[name]].concat())).collect()
}

#[test]
fn every_command_is_in_the_table_and_refuses_what_it_does_not_know() {
    let place = place();
    let commands = commands(&place, &[]);
    assert!(
        commands.len() >= 20 && commands.contains(&vec!["patch".to_owned(), "apply".to_owned()]),
        "{commands:?}"
    );
    for command in commands {
        assert!(
            TABLE.iter().any(|(args, _)| args.starts_with(&words(&command))),
            "{command:?} is not in the table"
        );
        let words = [&words(&command)[..], &["--no-such-flag"]].concat();
        let output = run(&place.root, &words);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(stderr.contains("--no-such-flag") && stderr.contains("Usage: "), "{words:?}: {stderr}");
    }
}

fn words(command: &[String]) -> Vec<&str> {
    command.iter().map(String::as_str).collect()
}

#[test]
fn what_excludes_one_another_does_so_in_any_order() {
    let place = place();
    for words in [
        &["--json", "tools", "--markdown"][..],
        &["tools", "--json", "--markdown"],
        &["tools", "--markdown", "--json"],
        &["--json", "search", "--null", "abc"],
        &["search", "--null", "--json", "abc"],
        &["--json", "files", "-0"],
        &["--json", "completions", "bash"],
        &["--json", "man", "--dir", "pages"],
        &["--json", "config", "init", "--markdown"],
        &["--workspace", ".", "config", "init", "--markdown"],
        &["search", "-l", "-c", "abc"],
    ] {
        let output = run_inside(&place.root, words);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(stderr.contains("cannot be used with") && output.stdout.is_empty(), "{words:?}: {stderr}");
    }
    assert!(!place.root.join("pages").exists());
}

#[test]
fn a_word_behind_two_dashes_is_no_flag() {
    let place = place();
    let output = run(&place.root, &["search", "--no-such-flag", "--", "--json"]);
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "), "{output:?}");
    assert_eq!(run(&place.root, &["search", "--", "--json"]).status.code(), Some(1));
}

#[test]
fn help_and_version_are_no_failure_even_for_a_reader_that_left() {
    let place = place();
    for words in
        [&["--help"][..], &["--version"], &["history", "purge", "--help"], &["man"], &["completions", "zsh"]]
    {
        assert!(run(&place.root, words).status.success(), "{words:?}");
        let mut child = fs_tools(&place.root)
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{words:?}: {output:?}");
    }
}

#[test]
fn a_disk_that_is_full_is_a_failure() {
    let place = place();
    for words in
        [&["tools"][..], &["search", "abc"], &["redact", "f"], &["patch", "diff", "f", "g"], &["man"]]
    {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = fs_tools(&place.root).args(words).stdin(Stdio::null()).stdout(full).output().unwrap();
        let code = output.status.code();
        assert!(code == Some(5) || (code == Some(2) && words[0] == "search"), "{words:?}: {output:?}");
        assert!(!output.stderr.is_empty(), "{words:?}");
    }
}

#[test]
fn an_interrupt_ends_it_by_the_signal_which_shells_report_as_130() {
    let place = place();
    // Whoever runs the tests in the background may have the signal ignored, which programs inherit.
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(env!("CARGO_BIN_EXE_fs-tools")).arg("redact");
    command.current_dir(&place.root).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let (sender, held) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        // More than is ever held back, and more than a pipe takes: the write may fail when the program is gone.
        let _ = stdin.write_all("some words of no interest\n".repeat(200_000).as_bytes());
        // The input stays open.
        let _ = sender.send(stdin);
    });
    let mut line = String::new();
    // Kept open to the end: a program whose output is closed ends by itself, before any signal.
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "some words of no interest\n");
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    drop((held, output));
}

#[test]
fn colour_is_for_terminals_unless_it_is_asked_for() {
    let place = place();
    let change = r#"{"path": "f", "content": "new\n", "overwrite": true}"#;
    assert!(run(&place.root, &["call", "write_file", change]).status.success());
    for command in [&["search", "new"][..], &["files"], &["history", "read", "f"]] {
        let has_escapes = |words: &[&str], variables: &[(&str, &str)]| {
            let mut run = fs_tools(&place.root);
            let output =
                run.args(words).envs(variables.iter().copied()).stdin(Stdio::null()).output().unwrap();
            assert!(output.status.success(), "{words:?}: {output:?}");
            output.stdout.contains(&0x1b)
        };
        assert!(!has_escapes(command, &[("TERM", "xterm")]));
        assert!(has_escapes(&[command, &["--color", "always"]].concat(), &[("NO_COLOR", "1")]));
        assert!(has_escapes(&[&["--color=always"], command].concat(), &[]));
        assert!(!has_escapes(&[command, &["--color=always", "--json"]].concat(), &[]));
    }
    let complaint = |words: &[&str]| run(&place.root, words).stderr.contains(&0x1b);
    assert!(complaint(&["--color", "always", "nothing"]) && !complaint(&["nothing"]));
}

#[test]
fn the_place_of_a_problem_and_a_way_out_are_named() {
    let place = place();
    let outside = place.root.parent().unwrap();
    fs::write(outside.join("bad.json"), "{\"tools\": {\"allow_read_paths\": 3}}").unwrap();
    let bad = outside.join("bad.json");
    for (words, code, parts) in [
        (&["--config", bad.to_str().unwrap(), "tools"][..], "config_wrong_type", "tools.allow_read_paths"),
        (&["--config", "/no/such/file", "tools"], "config_unreadable", "/no/such/file"),
        (&["--workspace", "/no/such/dir", "tools"], "workspace_unavailable", "/no/such/dir"),
        (&["--workspace", "/no/such/dir", "config", "init", "--client", "zed"], "not_found", "/no/such/dir"),
        (&["call", "read_file", "{"], "arguments_not_json", "line 1"),
        (&["serach", "x"], "invalid_arguments", "serach"),
    ] {
        let output = run_inside(&place.root, &[&["--json"], words].concat());
        let error: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(error["error"]["code"], code, "{words:?}: {error}");
        assert!(error.to_string().contains(parts) && error["error"]["hint"].is_string(), "{error}");
        let human = run_inside(&place.root, words);
        let text = String::from_utf8_lossy(&human.stderr).into_owned();
        assert!(text.contains(parts) && human.status.code() == output.status.code(), "{text}");
    }
    let output = feed(&place.root, &["call", "read_file", "-"], b"{\"path\": 1}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("next step: "), "{output:?}");
}
