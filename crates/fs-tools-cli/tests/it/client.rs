//! The binary as a child process, and a plain client of the protocol.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Longest wait for one answer: only a server that hangs needs it.
const PATIENCE: Duration = Duration::from_secs(60);

/// The binary, without the environment of whoever runs the tests.
pub(crate) fn fs_tools(workspace: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fs-tools"));
    command.env_clear().env("HOME", workspace.parent().unwrap()).current_dir(workspace);
    command.arg("--workspace").arg(workspace);
    command
}

/// Runs the binary to its end, in the workspace but without naming it.
pub(crate) fn run_inside(workspace: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fs-tools"));
    command.env_clear().env("HOME", workspace.parent().unwrap()).current_dir(workspace);
    command.args(args).stdin(Stdio::null()).output().unwrap()
}

/// Runs the binary to its end.
pub(crate) fn run(workspace: &Path, args: &[&str]) -> Output {
    fs_tools(workspace).args(args).stdin(Stdio::null()).output().unwrap()
}

/// Runs the binary with `input` as its standard input.
pub(crate) fn feed(workspace: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = fs_tools(workspace)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // The child may end, or fill its own pipe, before it has read everything.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    })
}

/// A session with `fs-tools mcp`.
pub(crate) struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
}

impl Session {
    /// Starts the server; `arguments` come before the command.
    pub(crate) fn start(workspace: &Path, arguments: &[&str]) -> Self {
        Self::spawn(fs_tools(workspace).args(arguments).arg("mcp"))
    }

    /// Starts the server with arguments of `mcp` itself.
    pub(crate) fn start_with(workspace: &Path, arguments: &[&str]) -> Self {
        Self::spawn(fs_tools(workspace).arg("mcp").args(arguments))
    }

    /// Starts a server by a whole command line.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, stdin, lines, next_id: 0 }
    }

    /// Starts the server and shakes hands as clients up to 2025-11-25 do.
    pub(crate) fn open(workspace: &Path) -> Self {
        Self::start(workspace, &[]).shake_hands()
    }

    /// The same with a server that locked itself.
    pub(crate) fn start_locked(workspace: &Path) -> Self {
        Self::spawn(fs_tools(workspace).args(["mcp", "--lock"])).shake_hands()
    }

    pub(crate) fn shake_hands(self) -> Self {
        self.shake_hands_with(json!({}))
    }

    /// Shakes hands as a client with these capabilities.
    pub(crate) fn shake_hands_with(mut self, capabilities: Value) -> Self {
        let session = &mut self;
        let answer = session.request(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(answer["result"]["serverInfo"]["name"], "fs-tools", "{answer}");
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        self
    }

    pub(crate) fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n")).unwrap();
    }

    /// Answers a request of the server.
    pub(crate) fn reply(&mut self, id: &Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
    }

    /// Gives a request up.
    pub(crate) fn cancel(&mut self, id: u64) {
        self.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
                .to_string(),
        );
    }

    /// Sends a request and returns its id.
    pub(crate) fn post(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    /// The next message of the server.
    #[track_caller]
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server answers");
        serde_json::from_str(&line).unwrap()
    }

    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool and returns the result.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, args: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": args}));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// Highest memory use so far, in KiB.
    pub(crate) fn peak_kib(&self) -> u64 {
        status_kib(self.child.id(), "VmHWM:")
    }

    /// Memory in use, in KiB.
    pub(crate) fn resident_kib(&self) -> u64 {
        status_kib(self.child.id(), "VmRSS:")
    }

    /// Bytes that the server has read so far, and with how many calls; `None` where the system does not say.
    pub(crate) fn has_read(&self) -> Option<(u64, u64)> {
        let io = std::fs::read_to_string(format!("/proc/{}/io", self.child.id())).ok()?;
        let of = |name: &str| io.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        Some((of("rchar:")?, of("syscr:")?))
    }

    /// Number of open descriptors.
    pub(crate) fn descriptors(&self) -> usize {
        descriptors(self.child.id())
    }

    /// Kills the server where it stands.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends the input and returns the exit status and what went to standard error.
    pub(crate) fn close(mut self) -> (bool, String) {
        drop(self.stdin.take());
        let status = self.child.wait().unwrap();
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        (status.success(), log)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A number of `/proc/PID/status`.
pub(crate) fn status_kib(pid: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Number of open descriptors of a process.
pub(crate) fn descriptors(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// The text of a result: exactly one block.
#[track_caller]
pub(crate) fn text(result: &Value) -> &str {
    let blocks = result["content"].as_array().unwrap();
    // A link to what was spilled may follow.
    let mut texts = blocks.iter().filter(|block| block["type"] == "text");
    let text = texts.next().unwrap()["text"].as_str().unwrap();
    assert!(texts.next().is_none() && blocks[0]["type"] == "text", "{result}");
    text
}
