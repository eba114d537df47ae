//! A whole agent, Codex, driven by a scripted model on this machine: it reads and writes through our server.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::path::Path;

use anyhow::ensure;
use serde_json::{Value, json};
use xshell::Shell;

use super::http::{self, Request};
use super::{Absent, npm};
use crate::step::Step;

pub(super) const CODEX: &str = "@openai/codex@0.171.0";

/// What the model wants, turn by turn. Only calls that the agent makes without asking, by what their annotations say.
const SCRIPT: [(&str, &str); 3] = [
    ("read_file", r#"{"path": "in.txt"}"#),
    ("search_files", r#"{"pattern": "handed to the agent"}"#),
    ("append_file", r#"{"path": "out.txt", "content": "written by the agent\n"}"#),
];

pub(super) fn run(sh: &Shell, place: &Path, server: &Path) -> anyhow::Result<()> {
    let place = place.join("codex");
    npm(sh, "Codex", &place, &[CODEX], Absent::Fails)?;
    let (home, workspace, log) = (place.join("home"), place.join("workspace"), place.join("requests.jsonl"));
    for dir in [&home, &workspace] {
        sh.remove_path(dir)?;
        sh.create_dir(dir)?;
    }
    sh.write_file(workspace.join("in.txt"), "handed to the agent\n")?;
    let kept = log.clone();
    sh.remove_path(&log)?;
    let address = http::serve(move |request, stream| {
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&kept)?
            .write_all(&[&request.body[..], b"\n"].concat())?;
        answer(&request, stream)
    })?;
    let config = format!(
        "model = \"scripted\"\nmodel_provider = \"scripted\"\n\n[model_providers.scripted]\nname = \"scripted\"\n\
         base_url = \"http://{address}/v1\"\nwire_api = \"responses\"\n\n[mcp_servers.fs]\ncommand = {server:?}\n\
         args = [\"--workspace\", {workspace:?}, \"mcp\"]\nrequired = true\nstartup_timeout_sec = 60\n",
        server = server.display().to_string(),
        workspace = workspace.display().to_string(),
    );
    sh.write_file(home.join("config.toml"), config)?;
    let _dir = sh.push_dir(&workspace);
    let program = place.join("node_modules/.bin/codex").display().to_string();
    let path = sh.var("PATH").unwrap_or_default();
    // No account and no key of whoever runs this is within its reach.
    let output = Step::new("Codex, driven by a script", "env -i")
        .args([
            format!("PATH={path}"),
            format!("HOME={}", home.display()),
            format!("CODEX_HOME={}", home.display()),
        ])
        .args([program.as_str(), "exec", "--skip-git-repo-check", "--json", "do as the script says"])
        .run_captured(sh)?;
    ensure!(output.contains("DONE"), "the agent did not come to its end:\n{output}");
    ensure!(
        sh.read_file(workspace.join("out.txt"))? == "written by the agent\n",
        "the agent did not write through the server:\n{output}"
    );
    let seen = sh.read_file(&log)?;
    for needed in ["handed to the agent", "in.txt:1: handed", "Appended 21 bytes"] {
        ensure!(
            seen.contains(needed),
            "the model never saw {needed:?}; the requests are in {}",
            log.display()
        );
    }
    println!("the agent read, searched and wrote through our server");
    Ok(())
}

/// One turn of the model: the next call of the script, or the end.
fn answer(request: &Request, stream: &mut TcpStream) -> io::Result<()> {
    let head = |status: &str, kind: &str| {
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n")
    };
    if !request.line.starts_with("POST ") || !request.line.contains("/responses") {
        return stream.write_all(format!("{}{{}}", head("404 Not Found", "application/json")).as_bytes());
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let input = body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
    let turn = input.iter().filter(|it| it["type"] == "function_call_output").count();
    let item = match SCRIPT.get(turn) {
        Some((name, arguments)) => function_call(&body["tools"], name, arguments, turn),
        None => json!({
            "type": "message", "role": "assistant", "id": "m1",
            "content": [{"type": "output_text", "text": "DONE"}],
        }),
    };
    let usage = json!({"input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null, "total_tokens": 2});
    let mut text = head("200 OK", "text/event-stream");
    for event in [
        json!({"type": "response.created", "response": {"id": "r1"}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "r1", "usage": usage}}),
    ] {
        text.push_str(&format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()));
    }
    stream.write_all(text.as_bytes())
}

/// A call of the tool whose name ends so, under the name that this request gives it, which may be in a namespace.
fn function_call(tools: &Value, suffix: &str, arguments: &str, turn: usize) -> Value {
    let mut call = json!({"type": "function_call", "id": format!("f{turn}"), "call_id": format!("c{turn}"), "name": suffix, "arguments": arguments});
    for tool in tools.as_array().into_iter().flatten() {
        let ends = |it: &Value| it["name"].as_str().is_some_and(|name| name.ends_with(suffix));
        if ends(tool) {
            call["name"] = tool["name"].clone();
        } else if let Some(inner) = tool["tools"].as_array().into_iter().flatten().find(|it| ends(it)) {
            call["name"] = inner["name"].clone();
            call["namespace"] = tool["name"].clone();
        }
    }
    call
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::function_call;

    #[test]
    fn a_tool_is_called_by_the_name_that_the_request_gives_it() {
        let flat = json!([{"type": "function", "name": "mcp__fs__read_file"}]);
        assert_eq!(function_call(&flat, "read_file", "{}", 0)["name"], "mcp__fs__read_file");
        let grouped = json!([{"type": "namespace", "name": "mcp__fs", "tools": [{"name": "read_file"}]}]);
        let call = function_call(&grouped, "read_file", "{}", 1);
        assert_eq!((&call["name"], &call["namespace"]), (&json!("read_file"), &json!("mcp__fs")));
    }
}
