//! `fs-tools patch`: applying and writing V4A patches.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::client::{feed, fs_tools, run};

fn workspace() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("f.txt"), "one\ntwo\nthree\n").unwrap();
    (dir, root)
}

const PATCH: &[u8] = b"@@\n one\n-two\n+TWO\n";

#[track_caller]
fn error(root: &Path, args: &[&str], patch: &[u8]) -> (Value, Option<i32>) {
    let args: Vec<&str> = ["--json"].into_iter().chain(args.iter().copied()).collect();
    let output = feed(root, &args, patch);
    assert!(output.stdout.is_empty(), "a refused patch prints nothing");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    let value: Value = serde_json::from_str(&text).unwrap();
    (value["error"].clone(), output.status.code())
}

#[test]
fn the_result_is_printed_and_the_file_stays() {
    let (_dir, root) = workspace();
    let output = feed(&root, &["patch", "apply", "f.txt"], PATCH);
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!(output.stdout, b"one\nTWO\nthree\n");
    assert_eq!(fs::read(root.join("f.txt")).unwrap(), b"one\ntwo\nthree\n");
    let output = feed(&root, &["--json", "patch", "apply", "f.txt"], PATCH);
    assert_eq!(output.stdout, b"one\nTWO\nthree\n");
    let report: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(report["report"]["changed"], true);
    assert_eq!(report["report"]["hunks"][0]["line"], 1);
    assert_eq!(report["report"]["hunks"][0]["tier"], "exact");
}

#[test]
fn bytes_that_are_no_text_and_line_ends_survive() {
    let (_dir, root) = workspace();
    fs::write(root.join("odd"), b"\xff\r\ntwo\r\n\0").unwrap();
    let output = feed(&root, &["patch", "apply", "odd"], b"@@\n-two\n+TWO\n");
    assert_eq!(output.stdout, b"\xff\r\nTWO\r\n\0");
}

#[test]
fn the_header_has_to_name_the_file() {
    let (_dir, root) = workspace();
    let patch = b"*** Begin Patch\n*** Update File: src/x.txt\n@@\n-two\n+TWO\n*** End Patch\n";
    let (refused, status) = error(&root, &["patch", "apply", "f.txt"], patch);
    assert_eq!((&refused["code"], status), (&json!("path_mismatch"), Some(2)));
    assert_eq!((&refused["patch_line"], &refused["hunk"]), (&json!(2), &json!(null)));
    let output = feed(&root, &["patch", "apply", "--path", "src/x.txt", "f.txt"], patch);
    assert_eq!(output.stdout, b"one\nTWO\nthree\n");
    // In place as well: the tool never sees the name.
    let output = feed(&root, &["patch", "apply", "--in-place", "--path", "src/x.txt", "f.txt"], patch);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read(root.join("f.txt")).unwrap(), b"one\nTWO\nthree\n");
}

#[test]
fn errors_have_code_place_and_candidates() {
    let (_dir, root) = workspace();
    fs::write(root.join("f.txt"), "a\nx\nb\nx\n").unwrap();
    let (refused, status) = error(&root, &["patch", "apply", "f.txt"], b"@@\n-x\n+y\n");
    assert_eq!((&refused["code"], status), (&json!("context_ambiguous"), Some(6)));
    assert_eq!(
        (&refused["candidates"], &refused["hunk"], &refused["patch_line"]),
        (&json!([2, 4]), &json!(1), &json!(1))
    );
    assert_eq!((&refused["path"], &refused["failures"][0]["cause"]), (&json!("f.txt"), &json!("ambiguous")));
    let (refused, status) = error(&root, &["patch", "apply", "f.txt"], b"@@\n-absent\n+y\n");
    assert_eq!((&refused["code"], status), (&json!("context_not_found"), Some(6)));
    let (refused, status) = error(&root, &["patch", "apply", "f.txt"], b"@@\nx\n");
    assert_eq!((&refused["code"], status), (&json!("invalid_line_prefix"), Some(2)));
    assert_eq!((&refused["patch_line"], &refused["patch_column"]), (&json!(2), &json!(1)));
    let (refused, status) = error(&root, &["patch", "apply", "missing"], PATCH);
    assert_eq!((&refused["code"], status), (&json!("not_found"), Some(4)));
    let (refused, status) = error(&root, &["patch", "apply", "f.txt"], &b"x".repeat((8 << 20) + 1));
    assert_eq!((&refused["code"], status), (&json!("limit_exceeded"), Some(8)));
    let (refused, status) = error(&root, &["patch", "apply", "--dir", ".", "f.txt"], PATCH);
    assert_eq!((&refused["code"], status), (&json!("invalid_arguments"), Some(2)));
    for args in [
        &["patch", "apply"][..],
        &["patch", "apply", "--dir", ".", "f.txt"],
        &["patch", "apply", "--profile", "multi", "f.txt"],
        &["--task", "t", "patch", "apply", "--profile", "multi", "--in-place"],
        &["patch", "apply", "--profile", "other", "f.txt"],
    ] {
        assert_eq!(feed(&root, args, PATCH).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn the_lines_that_explain_a_failure_are_masked() {
    let (_dir, root) = workspace();
    fs::write(root.join("f.txt"), "\tpassword: Tr0ub4dor&3x\n").unwrap();
    let output = feed(&root, &["patch", "apply", "f.txt"], b"@@\n-    password: Tr0ub4dor&3x\n+x\n");
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("error (context_not_found)") && text.contains("password: [FILTERED]"), "{text}");
    assert!(!text.contains("file line 1: \tpassword: Tr0ub4dor"), "{text}");
}

#[test]
fn headers_may_choose_and_wrapping_may_be_accepted() {
    let (_dir, root) = workspace();
    fs::write(root.join("f.py"), "def a():\n    return 1\ndef b():\n    return 1\n").unwrap();
    let patch = b"@@ def b():\n-    return 1\n+    return 2\n";
    let (refused, _) = error(&root, &["patch", "apply", "f.py"], patch);
    assert_eq!(refused["code"], "context_ambiguous");
    let expected = b"def a():\n    return 1\ndef b():\n    return 2\n";
    assert_eq!(feed(&root, &["patch", "apply", "--headers", "disambiguate", "f.py"], patch).stdout, expected);
    let fenced = [b"```\n", &patch[..], b"```\n"].concat();
    assert!(!feed(&root, &["patch", "apply", "--headers", "disambiguate", "f.py"], &fenced).status.success());
    let both = ["patch", "apply", "--headers", "disambiguate", "--lenient", "f.py"];
    assert_eq!(feed(&root, &both, &fenced).stdout, expected);
    let in_place = feed(&root, &[&both[..2], &["--in-place"], &both[2..]].concat(), &fenced);
    assert!(in_place.status.success(), "{}", String::from_utf8_lossy(&in_place.stderr));
    assert_eq!(fs::read(root.join("f.py")).unwrap(), expected);
}

#[test]
fn in_place_goes_through_the_gate() {
    let (dir, root) = workspace();
    let output = feed(&root, &["patch", "apply", "--in-place", "f.txt"], PATCH);
    assert!(String::from_utf8_lossy(&output.stdout).contains("+TWO"), "{output:?}");
    assert_eq!(fs::read(root.join("f.txt")).unwrap(), b"one\nTWO\nthree\n");
    let again = feed(&root, &["patch", "apply", "--in-place", "f.txt"], PATCH);
    assert_eq!(again.status.code(), Some(6));
    // A name is that of the working directory, wherever the workspace starts.
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/g.txt"), "one\ntwo\n").unwrap();
    let mut command = fs_tools(&root);
    command.current_dir(root.join("sub")).args(["patch", "apply", "--in-place", "g.txt"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(PATCH).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read(root.join("sub/g.txt")).unwrap(), b"one\nTWO\n");
    // What the workspace or the policy refuses stays as it is.
    let outside = dir.path().canonicalize().unwrap().join("outside.txt");
    for path in [outside, root.join(".env")] {
        fs::write(&path, "one\ntwo\n").unwrap();
        let output = feed(&root, &["patch", "apply", "--in-place", path.to_str().unwrap()], PATCH);
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(fs::read(&path).unwrap(), b"one\ntwo\n");
    }
}

#[test]
fn several_files_are_printed_all_or_none() {
    let (_dir, root) = workspace();
    fs::create_dir(root.join("d")).unwrap();
    fs::write(root.join("d/a"), "one\n").unwrap();
    fs::write(root.join("d/odd"), b"\xff\none\n").unwrap();
    fs::write(root.join("d/old"), "x\n").unwrap();
    let patch =
        b"*** Begin Patch\n*** Add File: new/b\n+new\n*** Update File: a\n*** Move to: c\n@@\n-one\n+two\n\
        *** Update File: odd\n@@\n-one\n+two\n*** Delete File: old\n*** End Patch\n";
    let args = ["--json", "patch", "apply", "--profile", "multi", "--dir", "d"];
    let output = feed(&root, &args, patch);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        lines,
        [
            json!({"path": "new/b", "existed": false, "moved_from": null, "content": "new\n"}),
            json!({"path": "a", "existed": true, "moved_from": null, "content": null}),
            json!({"path": "c", "existed": false, "moved_from": "a", "content": "two\n"}),
            json!({"path": "odd", "existed": true, "moved_from": null, "content_base64": "/wp0d28K"}),
            json!({"path": "old", "existed": true, "moved_from": null, "content": null}),
        ]
    );
    let report: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(report["reports"][1]["report"]["hunks"][0]["line"], 1);
    assert_eq!(fs::read(root.join("d/a")).unwrap(), b"one\n");
    let broken =
        String::from_utf8(patch.to_vec()).unwrap().replace("*** Delete File: old", "*** Delete File: gone");
    let (refused, status) = error(&root, &args[1..], broken.as_bytes());
    assert_eq!((&refused["code"], status), (&json!("file_missing"), Some(4)));
}

/// Updates `d/a`, creates `d/new/b`, moves `d/old` to `d/c`, deletes `d/gone`, and creates `last`.
fn several(last: &str) -> (tempfile::TempDir, PathBuf, String) {
    let (dir, root) = workspace();
    fs::create_dir(root.join("d")).unwrap();
    for (name, text) in [("a", "one\n"), ("old", "x\ny\n"), ("gone", "bye\n")] {
        fs::write(root.join("d").join(name), text).unwrap();
    }
    let patch = format!(
        "*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** Add File: new/b\n+new\n*** Update File: old\n\
         *** Move to: c\n@@\n-x\n+z\n*** Delete File: gone\n*** Add File: {last}\n+last\n*** End Patch\n"
    );
    (dir, root, patch)
}

/// Every file below `d`, with its content.
fn listing(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut left = vec![root.join("d")];
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
            } else {
                let name = entry.path().strip_prefix(root.join("d")).unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read_to_string(entry.path()).unwrap()));
            }
        }
    }
    found.sort();
    found
}

const IN_PLACE: [&str; 6] = ["patch", "apply", "--profile", "multi", "--in-place", "--dir"];

#[test]
fn several_files_are_written_as_one_task() {
    let (_dir, root, patch) = several("last");
    let before = listing(&root);
    let output = feed(&root, &[&["--json"], &IN_PLACE[..], &["d"]].concat(), patch.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let actions: Vec<(&str, &str)> = told["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["action"].as_str().unwrap(), file["path"].as_str().unwrap()))
        .collect();
    assert_eq!(
        actions,
        [
            ("updated", "a"),
            ("created", "new/b"),
            ("created", "c"),
            ("created", "last"),
            ("removed", "old"),
            ("removed", "gone")
        ]
    );
    assert_eq!(told["files"][2]["moved_from"], "old");
    let texts = [("a", "two\n"), ("c", "z\ny\n"), ("last", "last\n"), ("new/b", "new\n")];
    assert_eq!(listing(&root), texts.map(|(name, text)| (name.to_owned(), text.to_owned())));
    let undo = run(&root, &["history", "undo", told["task"].as_str().unwrap()]);
    assert!(undo.status.success(), "{}", String::from_utf8_lossy(&undo.stderr));
    assert_eq!(listing(&root), before);
    let output = feed(&root, &[&IN_PLACE[..], &["d"]].concat(), patch.as_bytes());
    assert!(
        String::from_utf8_lossy(&output.stdout).starts_with("updated a\ncreated new/b\ncreated c\n"),
        "{output:?}"
    );
}

#[test]
fn a_write_that_fails_takes_the_others_back() {
    // Hooks are run later by somebody: a person has to confirm them, and there is none.
    let (_dir, root, patch) = several(".git/hooks/pre-commit");
    let before = listing(&root);
    let (refused, status) = error(&root, &[&IN_PLACE[..], &["d"]].concat(), patch.as_bytes());
    assert_eq!(status, Some(7), "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("were put back"), "{refused}");
    assert_eq!(listing(&root), before);
    // Without a history nothing could be taken back, so nothing is begun.
    let (dir, root, patch) = several("last");
    let config = dir.path().join("c.json");
    fs::write(&config, r#"{"fs_tools": {"history": {"enabled": false}}}"#).unwrap();
    let args = [&["--config", config.to_str().unwrap()], &IN_PLACE[..], &["d"]].concat();
    let (refused, status) = error(&root, &args, patch.as_bytes());
    assert_eq!((&refused["code"], status), (&json!("history_off"), Some(5)));
    assert_eq!(listing(&root), before);
    // What cannot be written is known before anything is.
    fs::write(root.join("d/old"), b"x\n\xff\n").unwrap();
    let (refused, _) = error(&root, &[&IN_PLACE[..], &["d"]].concat(), patch.as_bytes());
    assert_eq!(refused["code"], "not_utf8");
    assert_eq!(fs::read(root.join("d/a")).unwrap(), b"one\n");
}

#[test]
fn a_patch_of_several_files_reads_nothing_outside_its_directory() {
    let (_dir, root) = workspace();
    fs::create_dir(root.join("d")).unwrap();
    symlink(root.join("f.txt"), root.join("d/link")).unwrap();
    symlink(&root, root.join("d/up")).unwrap();
    for path in ["../f.txt", "/etc/passwd", "link", "up/f.txt", "."] {
        let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-two\n+2\n*** End Patch\n");
        let args = ["patch", "apply", "--profile", "multi", "--dir", "d"];
        let (refused, status) = error(&root, &args, patch.as_bytes());
        assert_eq!((&refused["code"], status), (&json!("file_unreadable"), Some(5)), "{path}");
    }
}

#[test]
fn a_patch_is_written_from_two_files() {
    let (_dir, root) = workspace();
    fs::write(root.join("g.txt"), "one\nTWO\nthree\n").unwrap();
    let output = run(&root, &["patch", "diff", "f.txt", "g.txt"]);
    assert_eq!(output.status.code(), Some(1));
    let applied = feed(&root, &["patch", "apply", "f.txt"], &output.stdout);
    assert_eq!(applied.stdout, b"one\nTWO\nthree\n");
    let same = run(&root, &["patch", "diff", "f.txt", "f.txt"]);
    assert_eq!((same.status.code(), &same.stdout[..]), (Some(0), &b""[..]));
    let bare = run(&root, &["patch", "diff", "-C", "0", "f.txt", "g.txt"]);
    assert_eq!(bare.stdout, b"@@\n-two\n+TWO\n");
    let named = run(&root, &["patch", "diff", "--path", "src/f.txt", "f.txt", "g.txt"]);
    assert!(named.stdout.starts_with(b"*** Begin Patch\n*** Update File: src/f.txt\n"));
    let json: Value =
        serde_json::from_slice(&run(&root, &["--json", "patch", "diff", "-C", "0", "f.txt", "g.txt"]).stdout)
            .unwrap();
    assert_eq!(json, json!({"equal": false, "patch": "@@\n-two\n+TWO\n"}));
    let piped = feed(&root, &["patch", "diff", "-", "g.txt"], b"one\ntwo\nthree\n");
    assert_eq!(piped.status.code(), Some(1));
    assert_eq!(run(&root, &["patch", "diff", "-", "-"]).status.code(), Some(2));
}

#[test]
fn what_a_patch_cannot_say_is_refused() {
    let (_dir, root) = workspace();
    fs::write(root.join("g.txt"), "one\ntwo\nthree").unwrap();
    let (refused, status) = error(&root, &["patch", "diff", "f.txt", "g.txt"], b"");
    assert_eq!(
        (&refused["code"], &refused["reason"], status),
        (&json!("unrepresentable"), &json!("final_newline"), Some(5))
    );
    let (refused, status) = error(&root, &["patch", "diff", "--path", " ", "f.txt", "f.txt"], b"");
    assert_eq!((&refused["code"], status), (&json!("invalid_path"), Some(2)));
    let (refused, status) = error(&root, &["patch", "diff", "f.txt", "missing"], b"");
    assert_eq!((&refused["code"], status), (&json!("not_found"), Some(4)));
}
