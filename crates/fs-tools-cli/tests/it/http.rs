//! The server over HTTP, on a real socket, with a client of a few lines.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::client::{descriptors, fs_tools, status_kib};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server that listens on a free port.
pub(crate) struct Served {
    child: Child,
    address: String,
    token: String,
    _log: BufReader<std::process::ChildStderr>,
}

impl Served {
    pub(crate) fn start(workspace: &Path, args: &[&str], token: Option<&str>) -> Self {
        let mut command = fs_tools(workspace);
        command.args(["mcp", "--http", "127.0.0.1:0"]).args(args);
        if let Some(token) = token {
            command.env("FS_TOOLS_HTTP_TOKEN", token);
        }
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let (mut address, mut made_up) = (String::new(), String::new());
        let mut line = String::new();
        while !line.contains("serving") {
            line.clear();
            assert!(log.read_line(&mut line).unwrap() > 0, "the server starts");
            if let Some((_, url)) = line.trim().split_once("http://") {
                address = url.strip_suffix("/mcp").unwrap().to_owned();
            }
            if let Some((_, secret)) = line.trim().split_once("Bearer ") {
                made_up = secret.trim_end_matches('`').to_owned();
            }
        }
        let token = token.map_or(made_up, str::to_owned);
        Self { child, address, token, _log: log }
    }

    /// The headers of a proper request.
    fn headers(&self) -> Vec<(String, String)> {
        [
            ("Host", self.address.as_str()),
            ("Authorization", &format!("Bearer {}", self.token)),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    fn with(&self, name: &str, value: &str) -> Vec<(String, String)> {
        let mut headers = self.headers();
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        headers.push((name.to_owned(), value.to_owned()));
        headers
    }

    /// Makes one request on a connection of its own.
    fn send(&self, method: &str, path: &str, headers: &[(String, String)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // A server that refuses by the head may close before it has read the body.
        let _ = stream.write_all(body.as_bytes());
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        Answer::parse(&String::from_utf8_lossy(&text))
    }

    fn post(&self, headers: &[(String, String)], message: &Value) -> Answer {
        self.send("POST", "/mcp", headers, &message.to_string())
    }
}

impl Served {
    /// Calls a tool by one request without a session.
    #[track_caller]
    pub(crate) fn call(&self, tool: &str, args: Value) -> Value {
        self.post(&stateless_headers(self, tool), &stateless(1, tool, args)).message()["result"].clone()
    }

    /// Memory in use, in KiB.
    pub(crate) fn resident_kib(&self) -> u64 {
        status_kib(self.child.id(), "VmRSS:")
    }

    /// Number of open descriptors.
    pub(crate) fn descriptors(&self) -> usize {
        descriptors(self.child.id())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let body = if head.to_lowercase().contains("transfer-encoding: chunked") {
            chunks(body)
        } else {
            body.into()
        };
        Self { status, head: head.to_owned(), body }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The JSON-RPC answer, in a plain body or as the last event of a stream.
    #[track_caller]
    fn message(&self) -> Value {
        assert_eq!(self.status, 200, "{} {}", self.head, self.body);
        let mut events = self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        let last = events.rfind(|data| !data.is_empty());
        serde_json::from_str(last.unwrap_or(&self.body)).unwrap()
    }
}

fn chunks(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        let Some(chunk) = rest.get(..size).filter(|chunk| !chunk.is_empty()) else { break };
        whole.push_str(chunk);
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}

fn workspace() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("f"), "needle\n").unwrap();
    (dir, root)
}

fn stateless(id: u64, tool: &str, args: Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"_meta": meta, "name": tool, "arguments": args}})
}

fn stateless_headers(server: &Served, tool: &str) -> Vec<(String, String)> {
    let mut headers = server.with("Mcp-Protocol-Version", "2026-07-28");
    headers.push(("Mcp-Method".into(), "tools/call".into()));
    headers.push(("Mcp-Name".into(), tool.into()));
    headers
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
}

#[test]
fn a_request_without_a_session_is_one_request() {
    let (_dir, root) = workspace();
    let server = Served::start(&root, &[], Some(TOKEN));
    let answer = server
        .post(&stateless_headers(&server, "read_file"), &stateless(7, "read_file", json!({"path": "f"})));
    let message = answer.message();
    assert_eq!(
        (&message["id"], &message["result"]["resultType"]),
        (&json!(7), &json!("complete")),
        "{message}"
    );
    assert!(message["result"]["content"][0]["text"].as_str().unwrap().ends_with("needle\n"));
    // A question comes as a result here, too.
    let hook = json!({"path": ".git/hooks/pre-push", "content": "x"});
    let asked = server
        .post(&stateless_headers(&server, "write_file"), &stateless(8, "write_file", hook.clone()))
        .message();
    let mut again = stateless(9, "write_file", hook);
    again["params"]["requestState"] = asked["result"]["requestState"].clone();
    again["params"]["inputResponses"] =
        json!({"confirm": {"action": "accept", "content": {"confirm": true}}});
    let done = server.post(&stateless_headers(&server, "write_file"), &again).message();
    assert_eq!(done["result"]["structuredContent"]["action"], "created", "{done}");
}

#[test]
fn two_clients_have_sessions_of_their_own() {
    let (_dir, root) = workspace();
    let server = Served::start(&root, &[], None);
    assert_eq!(server.token.len(), 64, "a token is made up and printed");
    let open = || {
        let opened = server.post(&server.headers(), &initialize());
        assert_eq!(opened.message()["result"]["serverInfo"]["name"], "fs-tools");
        let id = opened.header("mcp-session-id").unwrap().to_owned();
        let headers = server.with("Mcp-Session-Id", &id);
        let ready = server.post(&headers, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(ready.status, 202);
        headers
    };
    let clients = [open(), open()];
    std::thread::scope(|scope| {
        for (at, headers) in clients.iter().enumerate() {
            let server = &server;
            scope.spawn(move || {
                for n in 0..20 {
                    let args = json!({"path": format!("log{at}"), "content": format!("{n}\n")});
                    let call = json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "append_file", "arguments": args}});
                    let message = server.post(headers, &call).message();
                    assert!(message["id"] == n && message["result"]["isError"] != true, "{message}");
                }
            });
        }
    });
    for at in 0..2 {
        let lines: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        assert_eq!(
            fs::read_to_string(root.join(format!("log{at}"))).unwrap().lines().collect::<Vec<_>>(),
            lines
        );
    }
    assert!(server.send("DELETE", "/mcp", &clients[0], "").status < 300);
    let ended = server.post(&clients[0], &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    assert_eq!(ended.status, 404);
    assert!(server.post(&clients[1], &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).message()["result"].is_object());
}

#[test]
fn without_the_token_nothing_is_served() {
    let (dir, root) = workspace();
    let file = dir.path().join("token");
    fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let server = Served::start(&root, &["--http-token-file", file.to_str().unwrap()], None);
    let none: Vec<_> = server.headers().into_iter().filter(|(name, _)| name != "Authorization").collect();
    for headers in [
        none,
        server.with("Authorization", "Bearer wrong"),
        server.with("Authorization", "Bearer 0123456789abcdef0123456789abcdee"),
        server.with("Authorization", &format!("Basic {TOKEN}")),
        server.with("Authorization", TOKEN),
    ] {
        for message in [initialize(), stateless(1, "read_file", json!({"path": "f"}))] {
            let refused = server.post(&headers, &message);
            assert_eq!(
                (refused.status, refused.header("www-authenticate")),
                (401, Some("Bearer")),
                "{}",
                refused.body
            );
            assert!(!refused.body.contains("needle") && !refused.body.contains(TOKEN));
        }
    }
    let right = server.with("Authorization", &format!("Bearer {TOKEN}"));
    assert_eq!(server.post(&right, &initialize()).status, 200);
}

#[test]
fn foreign_origins_hosts_and_paths_are_refused() {
    let (_dir, root) = workspace();
    let server = Served::start(
        &root,
        &["--http-origin", "http://localhost:3000", "--http-host", "tools.test"],
        Some(TOKEN),
    );
    for origin in
        ["http://evil.example", "null", "http://localhost:3001", "https://localhost:3000", "file://"]
    {
        assert_eq!(server.post(&server.with("Origin", origin), &initialize()).status, 403, "{origin}");
    }
    assert_eq!(server.post(&server.with("Origin", "http://localhost:3000"), &initialize()).status, 200);
    let own = format!("http://{}", server.address);
    assert_eq!(server.post(&server.with("Origin", &own), &initialize()).status, 200);
    for host in ["evil.example", "127.0.0.1.evil.example", "tools.test.evil.example:80"] {
        assert_eq!(server.post(&server.with("Host", host), &initialize()).status, 403, "{host}");
    }
    for host in ["localhost", "tools.test", "127.0.0.1:1"] {
        assert_eq!(server.post(&server.with("Host", host), &initialize()).status, 200, "{host}");
    }
    assert_eq!(server.send("POST", "/", &server.headers(), &initialize().to_string()).status, 404);
    assert_eq!(server.send("PUT", "/mcp", &server.headers(), "").status, 405);
}

#[test]
fn a_body_over_the_limit_is_refused_and_the_next_request_works() {
    let (_dir, root) = workspace();
    let server = Served::start(&root, &[], Some(TOKEN));
    let body = " ".repeat(131 * 1024 * 1024);
    assert_eq!(server.send("POST", "/mcp", &server.headers(), &body).status, 413);
    assert_eq!(server.send("POST", "/mcp", &server.headers(), "garbage").status / 100, 4);
    assert_eq!(server.post(&server.headers(), &initialize()).status, 200);
}

#[test]
fn an_address_for_other_machines_and_a_weak_token_are_refused_at_the_start() {
    let (dir, root) = workspace();
    let file = dir.path().join("token");
    fs::write(&file, "short").unwrap();
    for (args, says) in [
        (vec!["--http", "0.0.0.0:0"], "--http-allow-remote"),
        (vec!["--http", "[::]:0"], "--http-allow-remote"),
        (vec!["--http", "127.0.0.1:0", "--http-token-file", file.to_str().unwrap()], "at least"),
        (vec!["--http-host", "x"], "--http"),
        (vec!["--http", "localhost"], "invalid"),
    ] {
        let output = fs_tools(&root).arg("mcp").args(&args).stdin(Stdio::null()).output().unwrap();
        let log = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {log}");
        assert!(log.contains(says) || log.contains("16 to"), "{args:?}: {log}");
    }
}
