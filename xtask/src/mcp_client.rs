//! A plain client of the protocol over standard input and output, for tasks that drive a server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

/// Longest wait for one answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server as a child process.
pub(crate) struct Client {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<(Instant, String)>,
    next_id: u64,
    /// From the start of the process to the answer to `initialize`.
    pub(crate) ready: Duration,
    /// The tools, as the server lists them.
    pub(crate) tools: Vec<Value>,
}

impl Client {
    /// Starts a server and shakes hands.
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let started = Instant::now();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdin = child.stdin.take().context("standard input")?;
        let stdout = child.stdout.take().context("standard output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::with_capacity(1 << 20, stdout).lines().map_while(Result::ok) {
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        let mut client = Self { child, stdin, lines, next_id: 0, ready: Duration::ZERO, tools: Vec::new() };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "xtask", "version": "1"},
        });
        let id = client.post("initialize", hello)?;
        client.ready = client.answer(id)?.0 - started;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let id = client.post("tools/list", json!({}))?;
        client.tools = client.answer(id)?.1["result"]["tools"].as_array().cloned().unwrap_or_default();
        Ok(client)
    }

    fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        self.stdin.write_all(format!("{message}\n").as_bytes())?;
        Ok(self.stdin.flush()?)
    }

    /// Sends a request and returns its id.
    pub(crate) fn post(&mut self, method: &str, params: Value) -> anyhow::Result<u64> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    /// Waits for the answer to a request; says when its line was read.
    pub(crate) fn answer(&mut self, id: u64) -> anyhow::Result<(Instant, Value)> {
        loop {
            let (at, line) = self.lines.recv_timeout(PATIENCE).context("the server does not answer")?;
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            if message["method"].is_string() && !message["id"].is_null() {
                let no = json!({"code": -32601, "message": "not supported"});
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "error": no}))?;
            } else if message["id"] == id {
                return Ok((at, message));
            }
        }
    }

    /// Calls a tool and returns how long it took, and its text.
    pub(crate) fn call(&mut self, tool: &str, args: &Value) -> anyhow::Result<(Duration, String)> {
        let started = Instant::now();
        let id = self.post("tools/call", json!({"name": tool, "arguments": args}))?;
        let (at, message) = self.answer(id)?;
        let result = &message["result"];
        let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        if result["isError"] == true || result.is_null() {
            bail!("{tool}: {}", text.first().map_or_else(|| message.to_string(), |it| (*it).to_owned()));
        }
        Ok((at - started, text.join("\n")))
    }

    /// Makes many equal calls without waiting in between; returns calls per second.
    pub(crate) fn burst(&mut self, tool: &str, args: &Value, calls: u32) -> anyhow::Result<f64> {
        let started = Instant::now();
        let mut open = std::collections::BTreeSet::new();
        for _ in 0..calls {
            open.insert(self.post("tools/call", json!({"name": tool, "arguments": args}))?);
        }
        let mut last = started;
        while !open.is_empty() {
            let (at, line) = self.lines.recv_timeout(PATIENCE).context("the server does not answer")?;
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
            if message["id"].as_u64().is_some_and(|id| open.remove(&id)) {
                last = at;
            }
        }
        Ok(f64::from(calls) / (last - started).as_secs_f64())
    }

    /// Resident memory of the server and of what it started, in MiB.
    pub(crate) fn resident_mib(&self) -> f64 {
        let mut waiting = vec![self.child.id()];
        let mut kib = 0;
        while let Some(pid) = waiting.pop() {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
            kib += line.split_whitespace().next().and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
            let children =
                std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
            waiting.extend(children.split_whitespace().filter_map(|it| it.parse::<u32>().ok()));
        }
        kib as f64 / 1024.0
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A server that does not end with its input is not waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
