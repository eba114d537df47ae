//! The server beyond single calls: resources, logging, roots, cancelling, and when it ends.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{Session, fs_tools, text};

fn workspace() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    (dir, root)
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

#[test]
fn annotations_are_true_to_fact() {
    let (_dir, root) = workspace();
    fs::write(root.parent().unwrap().join("c.json"), r#"{"tools": {"file_history": {"enabled": true}}}"#)
        .unwrap();
    let config = root.parent().unwrap().join("c.json");
    let mut session = Session::start(&root, &["--config", config.to_str().unwrap()]).shake_hands();
    let list = session.request("tools/list", json!({}))["result"]["tools"].clone();
    let mut seen = Vec::new();
    for tool in list.as_array().unwrap() {
        let hint = |name: &str| tool["annotations"][name].as_bool().unwrap();
        let row =
            [hint("readOnlyHint"), hint("destructiveHint"), hint("idempotentHint"), hint("openWorldHint")];
        let expected = match tool["name"].as_str().unwrap() {
            "read_file" | "list_dir" | "search_files" | "file_history" => [true, false, true, false],
            "append_file" => [false, false, false, false],
            "write_file" => [false, true, true, false],
            "edit_file" => [false, true, false, false],
            other => panic!("a tool without a row here: {other}"),
        };
        assert_eq!(row, expected, "{}", tool["name"]);
        seen.push(tool["name"].clone());
    }
    assert_eq!(seen.len(), 7);
    // What the hints say, done: the same call twice is one for what is idempotent, and two for what is not.
    let state = |root: &Path| fs::read_to_string(root.join("f")).unwrap();
    for (tool, args, same) in [
        ("write_file", json!({"path": "f", "content": "a\na\n", "overwrite": true}), true),
        ("append_file", json!({"path": "f", "content": "a\n"}), false),
        ("edit_file", json!({"path": "f", "old_text": "a\na\na\na\n", "new_text": "b\na\na\na\na\n"}), false),
    ] {
        session.call(tool, args.clone());
        let once = state(&root);
        session.call(tool, args);
        assert_eq!(once == state(&root), same, "{tool}");
    }
}

#[test]
fn structured_results_fit_their_schema_and_nothing_else_is_structured() {
    let (_dir, root) = workspace();
    let mut session = Session::open(&root);
    let list = session.request("tools/list", json!({}))["result"]["tools"].clone();
    for tool in list.as_array().unwrap() {
        assert_eq!(tool["outputSchema"].is_object(), tool["name"] == "write_file", "{tool}");
    }
    let schema =
        list.as_array().unwrap().iter().find(|it| it["name"] == "write_file").unwrap()["outputSchema"]
            .clone();
    for args in [
        json!({"path": "f", "content": "a\n"}),
        json!({"path": "f", "content": "a\nb\n"}),
        json!({"path": "f", "content": "c\n", "overwrite": true}),
    ] {
        let done = session.call("write_file", args);
        let object = done["structuredContent"].as_object().unwrap_or_else(|| panic!("{done}"));
        // Refusals are structured too, and are other objects: the schema requires nothing.
        for name in ["success", "action", "resolved_path", "bytes_written", "verified"] {
            assert!(object.contains_key(name), "{name} is missing in {done}");
        }
        for (key, value) in object {
            let kind = schema["properties"][key]["type"]
                .as_str()
                .unwrap_or_else(|| panic!("{key} is not in the schema"));
            let is_of_kind = match kind {
                "string" => value.is_string(),
                "integer" => value.is_u64(),
                "boolean" => value.is_boolean(),
                "array" => value.is_array(),
                _ => value.is_object(),
            };
            assert!(is_of_kind, "{key}: {value} is no {kind}");
        }
    }
    for (tool, args) in [
        ("read_file", json!({"path": "f"})),
        ("list_dir", json!({"path": "."})),
        ("search_files", json!({"pattern": "c"})),
        ("edit_file", json!({"path": "f", "old_text": "c", "new_text": "d"})),
        ("append_file", json!({"path": "f", "content": "e\n"})),
    ] {
        assert!(session.call(tool, args)["structuredContent"].is_null(), "{tool}");
    }
}

#[test]
fn a_spilled_result_is_linked_and_can_be_read_as_a_resource() {
    let (_dir, root) = workspace();
    let line = "needle abcdefghijklmnopqrstuvwxyz\n";
    fs::write(root.join("f"), line.repeat(2_000)).unwrap();
    let mut session = Session::open(&root);
    let read = session.call("read_file", json!({"path": "f"}));
    let blocks = read["content"].as_array().unwrap();
    assert_eq!(blocks.len(), 2, "{read}");
    assert_eq!((&blocks[1]["type"], &blocks[1]["mimeType"]), (&json!("resource_link"), &json!("text/plain")));
    let name = blocks[1]["name"].as_str().unwrap();
    assert!(blocks[0]["text"].as_str().unwrap().contains(name), "the text alone leads to the artifact too");
    let whole = session.request("resources/read", json!({"uri": blocks[1]["uri"]}));
    let content = &whole["result"]["contents"][0];
    assert_eq!((&content["uri"], &content["mimeType"]), (&blocks[1]["uri"], &json!("text/plain")));
    assert!(content["text"].as_str().unwrap().matches(line).count() > 1_000);
}

#[test]
fn resources_are_files_under_the_same_rules() {
    let (_dir, root) = workspace();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    fs::write(root.join("notes é.txt"), format!("token = {token}\nplain\n")).unwrap();
    fs::write(root.join("p.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    fs::write(root.join("large"), "x\n".repeat(600_000)).unwrap();
    fs::write(root.join("blob"), [0u8; 64]).unwrap();
    fs::write(root.join(".env"), "SECRET=1\n").unwrap();
    let outside = root.parent().unwrap().join("outside");
    fs::write(&outside, "x").unwrap();
    let mut session = Session::open(&root);
    let templates = session.request("resources/templates/list", json!({}))["result"].clone();
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "file:///{+path}");
    // The tree is never listed.
    assert_eq!(session.request("resources/list", json!({}))["result"]["resources"], json!([]));
    let masked = session.request("resources/read", json!({"uri": uri(&root.join("notes%20%C3%A9.txt"))}));
    let shown = masked["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{masked}"));
    assert!(shown.contains("plain") && shown.contains("[FILTERED]") && !shown.contains(&token), "{shown}");
    let picture = session.request("resources/read", json!({"uri": uri(&root.join("p.png"))}));
    let content = &picture["result"]["contents"][0];
    assert_eq!((&content["mimeType"], content["blob"].is_string()), (&json!("image/png"), true), "{picture}");
    for (path, code) in [
        (uri(&root.join(".env")), "access denied"),
        (uri(&root.join("large")), "file_too_large"),
        (uri(&root.join("blob")), "binary_file"),
        (uri(&outside), "error ("),
        (uri(&root.join("absent")), "not found"),
        (uri(&root), "directory"),
        ("https://example.org/x".into(), "URI"),
        ("file:///%zz".into(), "URI"),
    ] {
        let answer = session.request("resources/read", json!({"uri": path}));
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{path}: {answer}"));
        assert!(message.contains(code), "{path}: {message}");
    }
    // What is outside is refused alike, whether it is there or not.
    let refusal = |session: &mut Session, path: &Path| {
        session.request("resources/read", json!({"uri": uri(path)}))["error"]["data"]["code"].clone()
    };
    assert_eq!(refusal(&mut session, &outside), refusal(&mut session, &outside.with_file_name("nothing")));
}

#[test]
fn the_client_is_told_what_happened_without_any_content() {
    let (_dir, root) = workspace();
    fs::write(root.join("private-name"), "private words\n").unwrap();
    let mut session = Session::open(&root);
    // At first only warnings: calls that went well are no news.
    let id = session.post("tools/call", json!({"name": "read_file", "arguments": {"path": "private-name"}}));
    assert_eq!(session.receive()["id"], id);
    assert!(session.request("logging/setLevel", json!({"level": "info"}))["result"].is_object());
    for (args, outcome) in [
        (json!({"name": "read_file", "arguments": {"path": "private-name"}}), "ok"),
        (json!({"name": "read_file", "arguments": {"path": "../private-name"}}), "outside_workspace"),
        (json!({"name": "private-name", "arguments": {}}), "unknown_tool"),
    ] {
        let id = session.post("tools/call", args);
        let log = session.receive();
        assert_eq!(log["method"], "notifications/message", "{log}");
        assert_eq!(log["params"]["level"], "info");
        assert_eq!(log["params"]["data"]["outcome"], outcome);
        assert!(!log.to_string().contains("private"), "{log}");
        assert_eq!(session.receive()["id"], id);
    }
    session.request("logging/setLevel", json!({"level": "error"}));
    let id = session.post("tools/call", json!({"name": "read_file", "arguments": {"path": "absent"}}));
    assert_eq!(session.receive()["id"], id);
    // Without a session each request says what it wants to hear.
    let mut session = Session::start(&root, &[]);
    for level in [None, Some("info")] {
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        if let Some(level) = level {
            meta["io.modelcontextprotocol/logLevel"] = json!(level);
        }
        let call = json!({"_meta": meta, "name": "list_dir", "arguments": {"path": "."}});
        let id = session.post("tools/call", call);
        let first = session.receive();
        assert_eq!(first["id"] == id, level.is_none(), "{first}");
    }
}

#[test]
fn the_roots_of_a_client_are_its_workspaces_where_the_operator_allows_it() {
    let (dir, root) = workspace();
    let base = dir.path().canonicalize().unwrap();
    let (one, two, outside) = (base.join("in/one"), base.join("in/two (2)"), base.join("out"));
    for path in [&one, &two, &outside] {
        fs::create_dir_all(path).unwrap();
        fs::write(path.join("name"), path.file_name().unwrap().to_str().unwrap()).unwrap();
    }
    fs::write(root.join("name"), "own").unwrap();
    let within = base.join("in").display().to_string();
    let with_roots = |roots: &[&Path], args: &[&str]| {
        let session =
            Session::start_with(&root, args).shake_hands_with(json!({"roots": {"listChanged": true}}));
        answer_roots(session, roots, json!({"path": "name"}), !args.is_empty())
    };
    let allowed = ["--roots-within", within.as_str()];
    assert!(with_roots(&[&one], &[]).1.ends_with("own"), "without the flag, roots are not asked for");
    assert!(with_roots(&[&one], &allowed).1.ends_with("one"));
    assert!(with_roots(&[], &allowed).1.ends_with("own"));
    let locked = ["--roots-within", within.as_str(), "--lock"];
    assert!(with_roots(&[&one], &locked).1.ends_with("one"), "a lock by the kernel leaves the roots open");
    let (_, refused) = with_roots(&[&outside], &allowed);
    assert!(refused.starts_with("error (root_refused)") && refused.contains("--roots-within"), "{refused}");
    std::os::unix::fs::symlink(&outside, base.join("in/link")).unwrap();
    assert!(with_roots(&[&base.join("in/link")], &allowed).1.starts_with("error (root_refused)"));
    assert!(with_roots(&[&base.join("in/absent")], &allowed).1.starts_with("error (root_refused)"));
    // The first one is the workspace, the others can be reached by their absolute paths; what was refused cannot.
    let (mut session, first) = with_roots(&[&outside, &one, &two], &allowed);
    assert!(first.ends_with("one"));
    let other = session.call("read_file", json!({"path": two.join("name")}));
    assert!(text(&other).ends_with("two (2)"), "{other}");
    let write = session.call("write_file", json!({"path": two.join("new"), "content": "x"}));
    assert!(write["isError"] != true, "{write}");
    assert!(session.call("read_file", json!({"path": outside.join("name")}))["isError"] == true);
    // A change of the roots is asked for again.
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}).to_string());
    let (_, changed) = answer_roots(session, &[&two], json!({"path": "name"}), true);
    assert!(changed.ends_with("two (2)"), "{changed}");
}

/// Reads a file and says the roots when they are asked for. Returns the session and the text of the answer.
#[track_caller]
fn answer_roots(mut session: Session, roots: &[&Path], args: Value, is_asked: bool) -> (Session, String) {
    let client = &mut session;
    let id = client.post("tools/call", json!({"name": "read_file", "arguments": args}));
    let mut asked = false;
    loop {
        let message = client.receive();
        if message["method"] == "roots/list" {
            asked = true;
            let list: Vec<Value> = roots
                .iter()
                .map(|path| json!({"uri": uri(path).replace(' ', "%20").replace('(', "%28")}))
                .collect();
            client.reply(&message["id"], json!({"roots": list}));
        } else if message["id"] == id {
            assert_eq!(asked, is_asked);
            let said = message["result"]["content"][0]["text"].as_str().unwrap().to_owned();
            return (session, said);
        }
    }
}

#[test]
fn a_history_that_is_read_can_be_given_up() {
    let (_dir, root) = workspace();
    let config = root.parent().unwrap().join("c.json");
    fs::write(&config, r#"{"tools": {"file_history": {"enabled": true}}}"#).unwrap();
    let mut session = Session::start(&root, &["--config", config.to_str().unwrap()]).shake_hands();
    for n in 0..5 {
        session.call("write_file", json!({"path": "f", "content": format!("{n}\n"), "overwrite": true}));
    }
    let listed = session.call("file_history", json!({"path": "f"}));
    assert!(listed["isError"] != true, "{listed}");
    // A request that is cancelled is never answered; whatever comes next is another's.
    for _ in 0..20 {
        let id = session
            .post("tools/call", json!({"name": "file_history", "arguments": {"path": "f", "mode": "read"}}));
        session.cancel(id);
        let next = session.post("tools/call", json!({"name": "list_dir", "arguments": {"path": "."}}));
        let message = session.receive();
        assert!(message["id"] == next || message["id"] == id, "{message}");
        if message["id"] == id {
            assert_eq!(session.receive()["id"], next);
        }
    }
    assert!(session.close().0);
}

#[test]
fn a_slow_search_holds_up_no_other_call() {
    let (_dir, root) = workspace();
    let line = "x".repeat(1_000) + "\n";
    for n in 0..40 {
        fs::write(root.join(format!("f{n}")), line.repeat(1_000)).unwrap();
    }
    fs::write(root.join("small"), "here\n").unwrap();
    let mut session = Session::open(&root);
    let slow: Vec<u64> = (0..20)
        .map(|_| {
            session.post("tools/call", json!({"name": "search_files", "arguments": {"pattern": "(x+x+)+y$"}}))
        })
        .collect();
    let read = session.post("tools/call", json!({"name": "read_file", "arguments": {"path": "small"}}));
    let first = session.receive();
    assert_eq!(first["id"], read, "{first}");
    for id in slow {
        session.cancel(id);
    }
    assert!(text(&session.call("read_file", json!({"path": "small"}))).ends_with("here\n"));
    assert!(session.close().0);
}

#[test]
fn requests_over_the_limit_are_refused_by_id_and_the_next_one_works() {
    let (_dir, root) = workspace();
    let mut session = Session::open(&root);
    let content = "x".repeat(131 * 1024 * 1024);
    session.send(&format!(
        r#"{{"jsonrpc":"2.0","id":"large","method":"tools/call","params":{{"name":"write_file","arguments":{{"path":"f","content":"{content}"}}}}}}"#
    ));
    let refused = session.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("large"), &json!(-32600)), "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("bytes"));
    let too_large = session.call("write_file", json!({"path": "f", "content": "x".repeat(65 * 1024 * 1024)}));
    assert!(text(&too_large).starts_with("error (argument_too_large)"));
    assert!(session.peak_kib() < 700 * 1024, "{} KiB", session.peak_kib());
    assert!(!root.join("f").exists());
}

#[test]
fn the_server_ends_with_its_input_also_in_the_middle_of_a_call() {
    let (_dir, root) = workspace();
    let line = "x".repeat(1_000) + "\n";
    for n in 0..40 {
        fs::write(root.join(format!("f{n}")), line.repeat(1_000)).unwrap();
    }
    let mut session = Session::open(&root);
    session.post("tools/call", json!({"name": "search_files", "arguments": {"pattern": "(x+x+)+y$"}}));
    assert!(session.close().0);
    // Before any handshake too, as a client that only probes does it.
    assert!(Session::start(&root, &[]).close().0);
}

#[test]
fn the_server_ends_when_its_parent_is_gone_although_its_input_stays_open() {
    let (dir, root) = workspace();
    // A shell starts the server in the background and ends; a FIFO that we hold keeps the server's input open.
    let fifo = dir.path().join("in");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let held = fs::OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
    let server = fs_tools(&root);
    let mut shell = Command::new("sh")
        .args(["-c", r#""$0" --workspace "$1" mcp <"$2" >/dev/null & kill -STOP $$"#])
        .arg(server.get_program())
        .args([&root, &fifo])
        .env_clear()
        .env("HOME", dir.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(shell.stderr.take().unwrap());
    let mut line = String::new();
    log.read_line(&mut line).unwrap();
    assert!(line.contains("serving"), "{line}");
    shell.kill().unwrap();
    shell.wait().unwrap();
    // Only the server still has the other end: what it writes ends when it does.
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("the parent process is gone"), "{rest}");
    drop(held);
}

#[test]
fn the_tool_list_stays_within_its_budget() {
    let (_dir, root) = workspace();
    let config = root.parent().unwrap().join("c.json");
    fs::write(&config, r#"{"tools": {"file_history": {"enabled": true}}}"#).unwrap();
    let mut session = Session::start(&root, &["--config", config.to_str().unwrap()]).shake_hands();
    let list = session.request("tools/list", json!({}))["result"]["tools"].clone();
    let seen: Vec<Value> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| json!({"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]}))
        .collect();
    let bytes = Value::Array(seen).to_string().len();
    assert!(bytes <= 6 * 1024, "{bytes} bytes");
}
