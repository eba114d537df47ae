//! Whether the server answers when a client starts it, how soon, and how long its list of tools is.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Check;
use crate::cli::{Cli, Family};

/// A client gives up about then.
const PATIENCE: Duration = Duration::from_secs(10);
/// A longer list of tools costs every conversation too much.
const LIST_BYTES: usize = 6 * 1024;
const NAME: &str = "server";

/// Starts this program as a server and asks for its tools, as a client does.
pub(super) fn answers(cli: &Cli, root: &Path) -> Check {
    match ask(cli, root) {
        Ok((first, list)) => {
            let Some(tools) = list["result"]["tools"].as_array() else {
                return fail("it did not list its tools".into());
            };
            let bytes = tools.iter().map(for_model).sum::<usize>();
            let summary = format!(
                "first answer after {} ms, {} tools in {bytes} bytes",
                first.as_millis(),
                tools.len()
            );
            if bytes > LIST_BYTES {
                return Check::warn(
                    NAME,
                    summary,
                    "switch tools off that the model does not need: tools.NAME.enabled",
                );
            }
            Check::ok(NAME, summary)
        }
        Err(why) => fail(why),
    }
}

/// Bytes of what a client shows its model of a tool; titles and annotations are for people.
fn for_model(tool: &Value) -> usize {
    ["name", "description", "inputSchema"].iter().map(|key| tool[key].to_string().len()).sum()
}

fn fail(why: String) -> Check {
    Check::fail(NAME, why, "start `fs-tools mcp` by hand and read what it says on standard error")
}

fn ask(cli: &Cli, root: &Path) -> Result<(Duration, Value), String> {
    let program = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    let mut command = Command::new(program);
    command.arg("--workspace").arg(root);
    if let Some(config) = &cli.config {
        command.arg("--config").arg(config);
    }
    command.args(cli.toolset.map(Family::words).unwrap_or_default());
    command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let started = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
    let answer = talk(&mut child, started);
    // Nothing was asked of it that could be lost.
    let _ = child.kill();
    let _ = child.wait();
    answer
}

fn talk(child: &mut Child, started: Instant) -> Result<(Duration, Value), String> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("it has no standard streams".into());
    };
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "fs-tools doctor", "version": env!("CARGO_PKG_VERSION")},
    }});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let mut send = |message: &Value| {
        writeln!(stdin, "{message}").map_err(|error| format!("it does not take requests: {error}"))
    };
    let answer = |id: u64| -> Result<Value, String> {
        loop {
            let left = PATIENCE.saturating_sub(started.elapsed());
            let line = lines
                .recv_timeout(left)
                .map_err(|_| format!("it did not answer within {} s", PATIENCE.as_secs()))?;
            let message: Value =
                serde_json::from_str(&line).map_err(|error| format!("its answer is no JSON: {error}"))?;
            if message["id"] == id {
                return Ok(message);
            }
        }
    };
    send(&hello)?;
    answer(1)?;
    let first = started.elapsed();
    send(&ready)?;
    send(&list)?;
    Ok((first, answer(2)?))
}
