//! The batch family over the command line and over MCP, with the client of the official SDK.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};

use crate::client::{Session, fs_tools, run, text};

fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir_all(root.join("src")).unwrap();
    (dir, root)
}

/// A session with the server, held by the SDK.
struct Host {
    client: RunningService<RoleClient, ()>,
    _child: tokio::process::Child,
}

impl Host {
    async fn open(root: &Path, run: &str, task: &str) -> Self {
        let mut command = fs_tools(root);
        command.args(["--toolset", "batch", "--run", run, "--task", task, "mcp"]);
        let mut command = tokio::process::Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let transport = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        Self { client: ().serve(transport).await.unwrap(), _child: child }
    }

    /// Makes a call; returns the text, and whether it is an error.
    async fn call(&self, tool: &'static str, args: Value) -> (String, bool) {
        let Value::Object(arguments) = args else { panic!("arguments are an object") };
        let mut params = CallToolRequestParams::new(tool);
        params.arguments = Some(arguments);
        let result = self.client.call_tool(params).await.unwrap();
        let blocks: Vec<String> = result
            .content
            .iter()
            .map(|block| serde_json::to_value(block).unwrap()["text"].as_str().unwrap_or_default().to_owned())
            .collect();
        (blocks.join("\n"), result.is_error.unwrap_or(false))
    }

    async fn ok(&self, tool: &'static str, args: Value) -> String {
        let (text, is_error) = self.call(tool, args).await;
        assert!(!is_error, "{text}");
        text
    }

    async fn refused(&self, tool: &'static str, args: Value, code: &str) -> String {
        let (text, is_error) = self.call(tool, args).await;
        assert!(is_error && text.starts_with(&format!("error ({code})")), "{text}");
        text
    }
}

/// A PNG of one black pixel.
const PIXEL: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x01\0\0\0\0\x37\x6e\xf9\x24\0\0\0\x0aIDAT\
\x78\x9c\x63\x60\0\0\0\x02\0\x01\x48\xaf\xa4\x71\0\0\0\0IEND\xae\x42\x60\x82";

#[test]
fn pictures_are_image_content_and_everything_else_is_text() {
    let (_dir, root) = place();
    fs::write(root.join("p.png"), PIXEL).unwrap();
    fs::write(root.join("t.txt"), "text\n").unwrap();
    fs::write(root.join("broken.pdf"), "%PDF-1.7\nno more").unwrap();
    let mut session = Session::start(&root, &["--toolset", "batch"]).shake_hands();
    let result = session.call("read_files", json!({"files": ["p.png", "t.txt", "broken.pdf"]}));
    let blocks = result["content"].as_array().unwrap();
    let kinds: Vec<&str> = blocks.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "image"], "{result}");
    assert_eq!(blocks[1]["mimeType"], "image/png");
    assert!(blocks[1]["data"].as_str().unwrap().starts_with("iVBORw0KGgo"), "{result}");
    let text = blocks[0]["text"].as_str().unwrap();
    assert!(text.contains("== p.png\n[image p.png: image/png, 1x1]\n== t.txt\n1\ttext\n== broken.pdf\nerror (document_broken)"), "{text}");
}

/// Find, read around, patch, a stale refusal, read again, patch, history, restore by task, remove, restore by version.
#[test]
fn a_session_of_an_agent_host() {
    let (_dir, root) = place();
    fs::write(root.join("src/lib.rs"), "//! Greets.\n\npub fn greet() -> &'static str {\n    \"hello\"\n}\n")
        .unwrap();
    fs::write(root.join("notes.md"), "keep\n").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let host = Host::open(&root, "run-1", "task-1").await;
        let tools = host.client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["find_files", "read_files", "edit_file", "file_history", "open_file"]);

        let found = host
            .ok("find_files", json!({"queries": [{"pattern": "fn greet", "file_pattern": "**/*.rs"}]}))
            .await;
        assert_eq!(found, "{\"path\":\"src/lib.rs\",\"count\":1,\"lines\":[3]}\n[files 1-1 of 1; last page]");
        let read = host
            .ok("read_files", json!({"files": [{"path": "src/lib.rs", "around": [3], "context": 1}]}))
            .await;
        assert_eq!(
            read,
            "2\t\n3\tpub fn greet() -> &'static str {\n4\t    \"hello\"\n[3 of 5 lines shown around rows [3]]"
        );
        let patch = |old: &str, new: &str| {
            json!({"path": "src/lib.rs", "targets": [{"old_string": old, "new_string": new}]})
        };
        let diff = host.ok("edit_file", patch("\"hello\"", "\"good day\"")).await;
        assert!(diff.contains("-    \"hello\"\n+    \"good day\"\n"), "{diff}");

        // Somebody else changes the file.
        let now = fs::read_to_string(root.join("src/lib.rs")).unwrap();
        fs::write(root.join("src/lib.rs"), now.replace("Greets.", "Greets people.")).unwrap();
        let stale = host.refused("edit_file", patch("\"good day\"", "\"good evening\""), "stale").await;
        assert!(stale.contains("nothing was written: row 1"), "{stale}");
        host.ok("read_files", json!({"files": ["src/lib.rs"]})).await;
        host.ok("edit_file", patch("\"good day\"", "\"good evening\"")).await;

        let history = host.ok("file_history", json!({"path": "src/lib.rs", "limit": 24})).await;
        let rows = history.lines().filter(|line| line.starts_with("version ")).count();
        assert_eq!(rows, 4, "a baseline, two edits, and what somebody else wrote: {history}");
        assert!(history.contains("task task-1"), "{history}");

        // The user's own change lies between, so the task is taken back only by force.
        host.refused("edit_file", json!({"mode": "restore", "task_id": "current"}), "undo_refused").await;
        let undone = host
            .ok("edit_file", json!({"mode": "restore", "task_id": "current", "on_conflict": "force"}))
            .await;
        assert!(undone.contains("restored src/lib.rs"), "{undone}");
        let back = fs::read_to_string(root.join("src/lib.rs")).unwrap();
        assert!(back.contains("\"hello\"") && back.contains("Greets.\n"), "{back}");

        let removed = host.ok("edit_file", json!({"mode": "remove", "path": "notes.md"})).await;
        assert!(!root.join("notes.md").exists());
        let version: u64 = removed.trim_end_matches('.').rsplit(' ').next().unwrap().parse().unwrap();
        host.ok("edit_file", json!({"mode": "restore", "version": version})).await;
        assert_eq!(fs::read_to_string(root.join("notes.md")).unwrap(), "keep\n");

        // The server is started again for the same run: what was read is still known, and in another run it is not.
        host.client.cancel().await.unwrap();
        let again = Host::open(&root, "run-1", "task-2").await;
        again.ok("edit_file", patch("\"hello\"", "\"hi\"")).await;
        again.client.cancel().await.unwrap();
        let other = Host::open(&root, "run-2", "task-3").await;
        other.refused("edit_file", patch("\"hi\"", "\"hey\""), "not_read").await;
        other.client.cancel().await.unwrap();
    });
}

#[test]
fn the_command_line_and_the_server_give_one_answer() {
    let (_dir, root) = place();
    let reset = || {
        fs::write(root.join("src/a.rs"), "fn main() {\n    old();\n}\n").unwrap();
        fs::write(root.join("t.csv"), "a,b\n1,2\n").unwrap();
        fs::write(root.join(".env"), "SECRET=1\n").unwrap();
        let _ = fs::remove_file(root.join("new.txt"));
    };
    reset();
    let mut session = Session::start(&root, &["--toolset", "batch", "--run", "r"]).shake_hands();
    for (tool, args) in [
        ("find_files", json!({"queries": [{"dir": "src"}]})),
        ("find_files", json!({"queries": [{"pattern": "*.rs", "recursive": true}]})),
        (
            "find_files",
            json!({"queries": [{"pattern": "old", "file_pattern": "**/*"}], "output": "content", "context": 1}),
        ),
        ("find_files", json!({"queries": [{"dir": "missing"}]})),
        ("find_files", json!({"dir": "src"})),
        (
            "read_files",
            json!({"files": [{"path": "src/a.rs"}, {"path": "t.csv"}, {"path": ".env"}, {"path": "missing"}]}),
        ),
        ("read_files", json!({"files": [{"path": "src/a.rs", "around": [2], "context": 0}]})),
        ("edit_file", json!({"path": "new.txt", "content": "x\n"})),
        ("edit_file", json!({"path": "src/a.rs", "targets": [{"old_string": "nope", "new_string": "x"}]})),
        ("edit_file", json!({"path": "src/a.rs", "targets": [{"old_string": "old", "new_string": "new"}]})),
        ("edit_file", json!({"path": "src/a.rs"})),
        ("file_history", json!({"from": "yesterday"})),
        ("open_file", json!({"path": "missing"})),
        ("read_file", json!({"path": "src/a.rs"})),
    ] {
        let seen = json!({"files": ["src/a.rs"]});
        reset();
        session.call("read_files", seen.clone());
        let served = session.call(tool, args.clone());
        reset();
        session.call("read_files", seen);
        let output =
            run(&root, &["--toolset", "batch", "--run", "r", "--json", "call", tool, &args.to_string()]);
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(printed["for_model"], text(&served), "{tool} {args}");
        assert_eq!(printed["is_error"], served["isError"], "{tool} {args}");
    }
}

#[test]
fn the_systems_opener_gets_one_argument_and_never_a_shell() {
    let (dir, root) = place();
    fs::write(root.join("-a b;c.txt"), "x\n").unwrap();
    let bin = dir.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let opener = |script: &str| {
        for name in ["xdg-open", "wslview"] {
            fs::write(bin.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
    };
    let config = dir.path().join("config.json");
    fs::write(&config, r#"{"fs_tools": {"open_wait_ms": 1500}}"#).unwrap();
    let open = || {
        let args = json!({"path": "-a b;c.txt"}).to_string();
        let mut command = fs_tools(&root);
        command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        command.args([
            "--config",
            config.to_str().unwrap(),
            "--toolset",
            "batch",
            "call",
            "open_file",
            &args,
        ]);
        let output = command.output().unwrap();
        (output.status.code(), [output.stdout, output.stderr].concat())
    };
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let seen = dir.path().join("seen");
    opener(&format!("printf '%s|' \"$#\" \"$@\" > {}", seen.display()));
    let (status, output) = open();
    assert_eq!((status, said(&output).trim()), (Some(0), "Opened -a b;c.txt."));
    assert_eq!(fs::read_to_string(&seen).unwrap(), format!("1|{}|", root.join("-a b;c.txt").display()));
    opener("echo no display >&2; exit 3");
    let (status, output) = open();
    assert_eq!(status, Some(5));
    assert!(said(&output).contains("(exit status 3): no display"), "{}", said(&output));
    opener("exec sleep 20");
    let (status, output) = open();
    assert_eq!(status, Some(0));
    assert!(said(&output).contains("is left running"), "{}", said(&output));
}
