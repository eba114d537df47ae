//! `fs-tools history`, and on whose behalf changes are recorded.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::client::{Session, fs_tools, run, text};

struct Place {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("f"), "old\n").unwrap();
    Place { _dir: dir, root }
}

impl Place {
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root.join(name)).unwrap()
    }

    /// Runs a command that has to end with this status.
    #[track_caller]
    fn run(&self, status: i32, args: &[&str]) -> Output {
        let output = run(&self.root, args);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(status), "{args:?}: {out}{err}");
        output
    }

    #[track_caller]
    fn text(&self, status: i32, args: &[&str]) -> String {
        String::from_utf8(self.run(status, args).stdout).unwrap()
    }

    #[track_caller]
    fn json(&self, status: i32, args: &[&str]) -> Value {
        let args: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
        serde_json::from_slice(&self.run(status, &args).stdout).unwrap()
    }

    #[track_caller]
    fn write(&self, task: &str, name: &str, content: &str) {
        let args = json!({"path": name, "content": content, "overwrite": true}).to_string();
        self.run(0, &["--task", task, "--goal", "make it so", "--run", "r1", "call", "write_file", &args]);
    }
}

#[test]
fn a_change_of_one_process_is_listed_compared_and_undone_by_others() {
    let place = place();
    assert_eq!(place.text(1, &["history", "list"]), "");
    place.write("t1", "f", "new\n");
    place.write("t1", "sub/g", "g\n");
    let listed = place.json(0, &["history", "list", "f"]);
    let row = &listed["versions"][0];
    assert_eq!(
        (&row["path"], &row["action"], &row["task"], &row["goal"], &row["run"], &row["tool"]),
        (
            &json!("f"),
            &json!("write"),
            &json!("t1"),
            &json!("make it so"),
            &json!("r1"),
            &json!("write_file")
        )
    );
    assert_eq!((&row["restorable"], &row["size"], &listed["more"]), (&json!(true), &json!(4), &json!(false)));
    let diff = place.text(0, &["history", "read", "f"]);
    assert!(diff.contains("-old\n+new\n") && !diff.contains('\x1b'), "{diff}");
    let version = row["version"].to_string();
    assert!(place.text(0, &["history", "read", "--change", &version]).contains("-old\n+new\n"));
    let plan = place.text(0, &["history", "undo", "t1", "--dry-run"]);
    assert_eq!(plan, "clean f, content of version 1\nclean sub/g\n");
    assert_eq!(place.read("f"), "new\n");
    let undone = place.json(0, &["--task", "t2", "history", "undo", "t1"]);
    assert_eq!(undone["status"], "done");
    assert_eq!(place.read("f"), "old\n");
    assert!(!place.root.join("sub").exists());
    assert_eq!(place.json(0, &["--task", "t2", "history", "list"])["versions"].as_array().unwrap().len(), 2);
    assert_eq!(place.json(0, &["history", "undo", "t1"])["status"], "nothing");
    let again = place.text(0, &["history", "restore", &version]);
    assert!(again.starts_with("restored f, content of version 2"), "{again}");
    assert_eq!(place.read("f"), "new\n");
}

#[test]
fn the_exit_status_tells_what_stood_in_the_way() {
    let place = place();
    place.run(4, &["history", "undo", "never"]);
    place.run(4, &["history", "restore", "7"]);
    place.write("t1", "f", "1");
    place.write("t2", "f", "2");
    place.run(6, &["history", "undo", "t1"]);
    place.run(6, &["history", "undo", "t1", "--dry-run"]);
    place.run(6, &["history", "undo", "t1", "--on-conflict", "skip"]);
    assert_eq!(place.read("f"), "2");
    place.run(0, &["history", "undo", "t1", "--on-conflict", "force"]);
    assert_eq!(place.read("f"), "old\n");
    place.run(2, &["history", "undo"]);
    place.run(2, &["history", "list", "--from", "yesterday"]);
    place.run(3, &["history", "list", "/etc/passwd"]);
    place.run(4, &["history", "undo", "--resume", "3"]);
    fs::remove_file(place.root.join("f")).unwrap();
    fs::create_dir(place.root.join("f")).unwrap();
    place.run(6, &["history", "restore", "2"]);
    let failure = run(&place.root, &["--json", "history", "restore", "99"]);
    let line: Value = serde_json::from_slice(&failure.stderr).unwrap();
    assert_eq!(line["error"]["code"], "unknown_version");
}

#[test]
fn a_run_later_file_is_restored_with_a_confirmation_only() {
    let place = place();
    let args = json!({"path": ".git/config", "content": "x\n"}).to_string();
    let words = ["--task", "t1", "call", "write_file", &args, "--confirm", ".git/config"];
    place.run(0, &words);
    place.run(7, &["history", "undo", "t1"]);
    assert!(place.root.join(".git/config").exists());
    let plan = place.json(0, &["history", "undo", "t1", "--dry-run"]);
    assert_eq!(plan["files"][0]["needs_confirmation"], true);
    place.run(0, &["history", "undo", "t1", "--confirm", ".git/config"]);
    assert!(!place.root.join(".git/config").exists());
}

#[test]
fn what_is_purged_is_gone_and_the_rest_is_sound() {
    let place = place();
    place.write("t1", "f", "1");
    place.write("t2", "g", "1");
    place.run(7, &["history", "purge", "all"]);
    let gone = place.json(0, &["history", "purge", "path", "f", "--yes"]);
    assert_eq!(gone["changes"], 2);
    assert_eq!(place.json(0, &["history", "list"])["versions"].as_array().unwrap().len(), 1);
    let sound = place.json(0, &["history", "verify"]);
    assert_eq!((&sound["sound"], &sound["changes"]), (&json!(true), &json!(1)));
    assert_eq!(place.json(0, &["history", "stats"])["changes"], 1);
    assert!(place.text(0, &["history", "stats"]).contains("stored bytes"));
    place.run(0, &["history", "purge", "task", "t2", "--yes"]);
    place.run(1, &["history", "purge", "all", "--yes"]);
    place.run(1, &["history", "list"]);
}

#[test]
fn times_are_those_of_the_local_zone() {
    let place = place();
    place.write("t1", "f", "1");
    let listed = |zone: &str, args: &[&str]| {
        let output =
            fs_tools(&place.root).env("TZ", zone).args(["--json", "history", "list"]).args(args).output();
        serde_json::from_slice::<Value>(&output.unwrap().stdout).unwrap()
    };
    let (east, west) = (listed("<+14>-14", &[]), listed("<-10>10", &[]));
    let times = [&east, &west].map(|listed| listed["versions"][0]["changed_at"].as_str().unwrap().to_owned());
    assert!(times[0] > times[1], "{times:?}");
    // A day of the one zone holds what happened on that day there, and not on the day of the other.
    let day = times[0].split(' ').next().unwrap();
    assert_eq!(listed("<+14>-14", &["--from", day, "--to", day])["versions"].as_array().unwrap().len(), 2);
    assert!(listed("<-10>10", &["--from", day, "--to", day])["versions"].as_array().unwrap().is_empty());
    let second = &times[1];
    assert_eq!(listed("<-10>10", &["--from", second])["versions"].as_array().unwrap().len(), 2);
}

#[test]
fn without_a_place_for_it_the_history_is_off_and_says_so() {
    let place = place();
    let args = json!({"path": "f", "content": "x", "overwrite": true}).to_string();
    let inside = place.root.join("state");
    let mut command = fs_tools(&place.root);
    command.env("XDG_STATE_HOME", &inside).args(["call", "write_file", &args]);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && told.contains("nothing is recorded") && told.contains("XDG_STATE_HOME"),
        "{told}"
    );
    assert!(!inside.exists());
    let homeless = fs_tools(&place.root).env_remove("HOME").args(["history", "list"]).output().unwrap();
    assert_eq!(homeless.status.code(), Some(5));
    let told = String::from_utf8_lossy(&homeless.stderr).into_owned();
    assert!(told.contains("nothing is recorded") && told.contains("history_off"), "{told}");
    fs::write(
        place.root.parent().unwrap().join("c.json"),
        r#"{"fs_tools": {"history": {"enabled": false}}}"#,
    )
    .unwrap();
    let config = place.root.parent().unwrap().join("c.json");
    let off = run(&place.root, &["--config", config.to_str().unwrap(), "call", "write_file", &args]);
    assert!(off.status.success() && off.stderr.is_empty());
}

#[test]
fn a_server_records_for_the_task_of_the_request() {
    let place = place();
    let mut session = Session::start(&place.root, &["--task", "server", "--goal", "serve"]).shake_hands();
    let call = |session: &mut Session, content: &str, meta: Value| {
        let args = json!({"path": "f", "content": content, "overwrite": true});
        let answer =
            session.request("tools/call", json!({"name": "write_file", "arguments": args, "_meta": meta}));
        assert_eq!(answer["result"]["isError"], false, "{}", text(&answer["result"]));
    };
    call(&mut session, "1", json!({}));
    call(&mut session, "2", json!({"fs-tools/task": "t7", "fs-tools/goal": "seven"}));
    assert!(session.close().0);
    let listed = place.json(0, &["history", "list"]);
    let whose: Vec<(&str, &str)> = listed["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["task"].as_str().unwrap(), row["goal"].as_str().unwrap()))
        .collect();
    assert_eq!(whose, [("t7", "seven"), ("server", "serve"), ("", "")]);
    let runs: Vec<&str> =
        listed["versions"].as_array().unwrap().iter().map(|row| row["run"].as_str().unwrap()).collect();
    assert!(runs[0] == runs[1] && runs[0].starts_with("run-"), "{runs:?}");
}

#[test]
fn a_locked_server_still_records() {
    let place = place();
    let mut session = Session::start_locked(&place.root);
    let written = session.call("write_file", json!({"path": "f", "content": "x", "overwrite": true}));
    assert_eq!(written["isError"], false, "{}", text(&written));
    session.close();
    assert_eq!(place.json(0, &["history", "list"])["versions"].as_array().unwrap().len(), 2);
}

#[test]
fn the_history_itself_is_out_of_reach_of_the_tools() {
    let place = place();
    place.write("t1", "f", "1");
    let state = place.root.parent().unwrap().join(".local/state/fs-tools");
    assert!(state.exists());
    let config = place.root.parent().unwrap().join("wide.json");
    fs::write(&config, r#"{"agents": {"defaults": {"restrict_to_workspace": false}}}"#).unwrap();
    for (tool, args) in [
        ("list_dir", json!({"path": state})),
        ("write_file", json!({"path": state.join("history/v1/x"), "content": "x"})),
        ("read_file", json!({"path": state.join("history/v1")})),
    ] {
        let args = args.to_string();
        let output = run(&place.root, &["--config", config.to_str().unwrap(), "call", tool, &args]);
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_process_that_is_killed_loses_nothing_that_was_acknowledged() {
    let place = place();
    for round in 0..3 {
        let mut child = fs_tools(&place.root)
            .args(["--task", "hammered", "mcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut send = |value: Value| writeln!(stdin, "{value}").unwrap();
        send(
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
            "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}),
        );
        send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        for n in 1..40 {
            let args =
                json!({"path": format!("k{n}"), "content": format!("{round} {n}\n"), "overwrite": true});
            send(json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "write_file",
                "arguments": args}}));
        }
        let mut answers = 0;
        let mut lines = 0;
        for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
            answers += usize::from(line.contains("isError\":false"));
            lines += 1;
            if answers == 3 + round || lines == 40 {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(answers, 3 + round);
    }
    assert_eq!(place.json(0, &["history", "verify"])["sound"], true);
    let listed = place.json(0, &["--task", "hammered", "history", "list", "--limit", "1000"]);
    assert!(listed["versions"].as_array().unwrap().len() >= 3 + 4 + 5);
    // Whatever it is asked to do, the next process takes away what was left.
    place.run(4, &["history", "undo", "never"]);
    let left: Vec<_> = fs::read_dir(&place.root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".rooted-fs"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn sensitive_files_are_sealed_with_the_key_file_of_the_configuration() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = place();
    let beside = |name: &str| place.root.with_file_name(name);
    let write = |name: &str, text: &str, mode: u32| {
        fs::write(beside(name), text).unwrap();
        fs::set_permissions(beside(name), fs::Permissions::from_mode(mode)).unwrap();
        beside(name).into_os_string().into_string().unwrap()
    };
    let key = write("key", &"0b".repeat(32), 0o600);
    let document =
        |history: Value| json!({"fs_tools": {"policy": {"open": [".env"]}, "history": history}}).to_string();
    let sealed = write("sealed.json", &document(json!({"key_file": key})), 0o600);
    let none = write("none.json", &document(json!({})), 0o600);
    fs::write(place.root.join(".env"), "NAME=before\n").unwrap();
    let args = json!({"path": ".env", "content": "NAME=after\n", "overwrite": true}).to_string();
    place.run(0, &["--config", &sealed, "--task", "t1", "call", "write_file", &args]);
    assert!(place.text(0, &["--config", &sealed, "doctor"]).contains("content of sensitive files is sealed"));
    let shown = place.text(0, &["--config", &sealed, "history", "read", ".env"]);
    assert!(!shown.contains("before") && !shown.contains("after"), "{shown}");

    // Without the key nothing is restored, and `verify` says what it could not look at.
    assert!(place.text(0, &["--config", &none, "doctor"]).contains("content of sensitive files is not kept"));
    let refused = place.run(5, &["--config", &none, "history", "restore", "1"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("fs_tools.history.key_file"), "{refused:?}");
    assert_eq!(place.read(".env"), "NAME=after\n");
    assert_eq!(place.json(0, &["--config", &none, "history", "verify"])["locked"], 2);
    assert_eq!(place.json(0, &["--config", &sealed, "history", "verify"])["locked"], 0);
    place.run(0, &["--config", &sealed, "history", "undo", "t1"]);
    assert_eq!(place.read(".env"), "NAME=before\n");

    // A key that others can read stops the tools, and says what to do.
    write("key", &"0b".repeat(32), 0o644);
    let stopped = run(&place.root, &["--config", &sealed, "history", "list"]);
    let told = String::from_utf8_lossy(&stopped.stderr);
    assert!(!stopped.status.success() && told.contains("chmod 600"), "{told}");
}
