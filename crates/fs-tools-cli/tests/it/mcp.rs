//! The server as a client meets it.

use std::fs;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::client::{Session, text};

fn workspace() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    (dir, root)
}

#[test]
fn a_session_with_all_six_tools() {
    let (_dir, root) = workspace();
    let mut session = Session::open(&root);
    let tools = session.request("tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["read_file", "write_file", "edit_file", "append_file", "list_dir", "search_files"]);
    for tool in tools["result"]["tools"].as_array().unwrap() {
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{hint} of {}", tool["name"]);
        }
    }
    let written = session.call("write_file", json!({"path": "src/a.json", "content": "{\"needle\": 1}\n"}));
    assert_eq!(written["structuredContent"]["action"], "created");
    assert_eq!(serde_json::from_str::<Value>(text(&written)).unwrap(), written["structuredContent"]);
    let read = session.call("read_file", json!({"path": "src/a.json"}));
    assert!(text(&read).ends_with("{\"needle\": 1}\n") && read["structuredContent"].is_null());
    let edited = session.call("edit_file", json!({"path": "src/a.json", "old_text": "1", "new_text": "2"}));
    assert!(text(&edited).contains("+{\"needle\": 2}"));
    session.call("append_file", json!({"path": "src/b.txt", "content": "needle\n"}));
    assert_eq!(
        text(&session.call("list_dir", json!({"path": "src"}))),
        "FILE: a.json (14 bytes)\nFILE: b.txt (7 bytes)\n"
    );
    let found = session.call("search_files", json!({"pattern": "needle"}));
    assert_eq!(
        text(&found),
        "src/a.json:1: {\"needle\": 2}\nsrc/b.txt:1: needle\n\n2 result(s), 2 files scanned."
    );
    let (ok, log) = session.close();
    assert!(ok && log.starts_with("fs-tools: serving "), "{log}");
}

#[test]
fn the_stateless_protocol_needs_no_handshake() {
    let (_dir, root) = workspace();
    let mut session = Session::start(&root, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let found = session.request("server/discover", json!({"_meta": meta}));
    assert!(
        found["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{found}"
    );
    let params = json!({"_meta": meta, "name": "write_file", "arguments": {"path": "f", "content": "x"}});
    let answer = session.request("tools/call", params);
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["structuredContent"]["action"], "created");
    let list = session.request("tools/list", json!({"_meta": meta}));
    assert_eq!(list["result"]["cacheScope"], "public");
}

#[test]
fn wrong_calls_are_answers_and_wrong_lines_are_errors() {
    let (_dir, root) = workspace();
    let mut session = Session::open(&root);
    for (name, args) in [
        ("read_file", json!({})),
        ("read_file", json!({"path": "../x"})),
        ("no_such_tool", json!({})),
        ("edit_file", json!({"path": "f"})),
    ] {
        let result = session.call(name, args);
        assert!(result["isError"] == true && text(&result).contains("next step: "), "{result}");
    }
    let answer = session.request("tools/call", json!({"name": "read_file", "arguments": ["f"]}));
    assert!(answer["result"]["isError"] == true, "{answer}");
    session.send(r#"{"jsonrpc":"2.0","id":"odd","method":"tools/call","params":{"name":"read_file","arguments":{"path":"\ud800"}}}"#);
    let answer = session.receive();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("odd"), &json!(-32700)));
    session.send("garbage");
    assert_eq!(session.receive()["error"]["code"], -32700);
    assert!(!text(&session.call("list_dir", json!({"path": "."}))).is_empty());
}

#[test]
fn a_cancelled_search_ends_and_the_server_goes_on() {
    let (_dir, root) = workspace();
    let line = "x".repeat(1_000) + "\n";
    for n in 0..50 {
        fs::write(root.join(format!("f{n}")), line.repeat(1_000)).unwrap();
    }
    let mut session = Session::open(&root);
    let id =
        session.post("tools/call", json!({"name": "search_files", "arguments": {"pattern": "(x+x+)+y$"}}));
    session.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
            .to_string(),
    );
    let answer = session.call("list_dir", json!({"path": ".", "offset": 49}));
    assert!(text(&answer).contains("entries 50-50 of 50"), "{answer}");
    let (ok, _) = session.close();
    assert!(ok);
}

#[test]
fn a_long_search_reports_its_progress() {
    let (_dir, root) = workspace();
    let line = "x".repeat(1_000) + "\n";
    for n in 0..40 {
        fs::write(root.join(format!("f{n}")), line.repeat(1_000)).unwrap();
    }
    let mut session = Session::open(&root);
    let params = json!({"name": "search_files", "arguments": {"pattern": "(x+x+)+y$"}, "_meta": {"progressToken": "p"}});
    let id = session.post("tools/call", params);
    let mut seen: Vec<f64> = Vec::new();
    loop {
        let message = session.receive();
        if message["id"] == id {
            break;
        }
        assert_eq!(
            (&message["method"], &message["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!("p"))
        );
        seen.push(message["params"]["progress"].as_f64().unwrap());
    }
    assert!(!seen.is_empty() && seen.is_sorted_by(|a, b| a < b), "{seen:?}");
}

#[test]
fn calls_in_flight_do_not_wait_for_one_another() {
    let (_dir, root) = workspace();
    fs::write(root.join("f"), "needle\n").unwrap();
    let mut session = Session::open(&root);
    let ids: Vec<u64> = (0..100)
        .map(|n| {
            let (tool, args) = match n % 3 {
                0 => ("read_file", json!({"path": "f"})),
                1 => ("search_files", json!({"pattern": "needle"})),
                _ => ("append_file", json!({"path": "log", "content": "entry\n"})),
            };
            session.post("tools/call", json!({"name": tool, "arguments": args}))
        })
        .collect();
    let mut answered: Vec<u64> = ids.iter().map(|_| session.receive()["id"].as_u64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
    assert_eq!(fs::read_to_string(root.join("log")).unwrap().lines().count(), 33);
}

#[test]
fn hostile_files_cost_neither_memory_nor_descriptors() {
    let (_dir, root) = workspace();
    mknodat(CWD, root.join("fifo"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    fs::write(root.join("line"), "x".repeat(5_000_000)).unwrap();
    fs::write(root.join("binary"), vec![0u8; 5_000_000]).unwrap();
    let sparse = fs::File::create(root.join("sparse")).unwrap();
    sparse.set_len(4 << 30).unwrap();
    std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", root.join("out")).unwrap();
    let mut session = Session::open(&root);
    let round = |session: &mut Session| {
        for name in ["fifo", "line", "binary", "sparse", "loop", "out", "missing"] {
            session.call("read_file", json!({"path": name, "offset": 1_000_000}));
            session.call("search_files", json!({"pattern": "y", "path": name}));
            session.call("append_file", json!({"path": name, "content": ""}));
        }
    };
    round(&mut session);
    let (peak, descriptors) = (session.peak_kib(), session.descriptors());
    for _ in 0..5 {
        round(&mut session);
    }
    assert!(peak < 120 * 1024, "{peak} KiB");
    assert!(session.peak_kib() < peak + 8 * 1024, "{peak} KiB grew to {} KiB", session.peak_kib());
    assert_eq!(session.descriptors(), descriptors);
    assert!(session.close().0);
}

#[test]
fn a_locked_server_works_inside() {
    let (_dir, root) = workspace();
    fs::write(root.join("f"), "needle\n").unwrap();
    let mut session = Session::start_locked(&root);
    session.call("write_file", json!({"path": "a/b", "content": "needle\n"}));
    session.call("edit_file", json!({"path": "a/b", "old_text": "needle", "new_text": "thread"}));
    session.call("append_file", json!({"path": "f", "content": "thread\n"}));
    let found = session.call("search_files", json!({"pattern": "thread"}));
    assert_eq!(text(&found), "a/b:1: thread\nf:2: thread\n\n2 result(s), 2 files scanned.");
    let (ok, log) = session.close();
    assert!(ok && log.contains("kernel lock: "), "{log}");
}
