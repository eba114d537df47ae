//! An installed program at work: its version, calls that write and read, and the server as a client starts it.

use std::fs;
use std::path::Path;

use anyhow::{bail, ensure};
use serde_json::Value;
use xshell::{Shell, cmd};

use super::fresh;

/// What a client says first.
const REQUESTS: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"#,
    r#""clientInfo":{"name":"dist","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    "\n",
);

/// Uses `program` in a workspace below `scratch`, with a home directory of its own.
pub(crate) fn run(sh: &Shell, program: &Path, version: &str, scratch: &Path) -> anyhow::Result<()> {
    let home = fresh(&scratch.join("home"))?;
    let workspace = fresh(&home.join("a workspace"))?;
    let _home = sh.push_env("HOME", &home);
    let _config = sh.push_env("FS_TOOLS_CONFIG", "");
    let _states = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"].map(|name| sh.push_env(name, ""));
    let shown = cmd!(sh, "{program} --version").read()?;
    ensure!(shown == format!("fs-tools {version}"), "the installed program says {shown}");
    let write = r#"{"path": "notes/a.txt", "content": "one\nneedle\n"}"#;
    cmd!(sh, "{program} --workspace {workspace} call write_file {write}").run()?;
    ensure!(
        fs::read_to_string(workspace.join("notes/a.txt"))? == "one\nneedle\n",
        "the call wrote something else"
    );
    let found = cmd!(sh, "{program} --workspace {workspace} search --color never needle").read()?;
    ensure!(found == "notes/a.txt:2:needle", "the search found: {found}");
    let answers = cmd!(sh, "{program} --workspace {workspace} mcp").stdin(REQUESTS).ignore_stderr().read()?;
    let tools =
        answers.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|answer| {
            let tools = answer["result"]["tools"].as_array()?;
            Some(tools.len())
        });
    match tools {
        Some(count) if count > 0 => println!("{count} tools over MCP"),
        _ => bail!("the server did not list its tools: {answers}"),
    }
    Ok(())
}

/// Checks that manual and completion scripts are below the folder `share`.
pub(crate) fn has_documents(share: &Path) -> anyhow::Result<()> {
    let manual = share.join("man/man1");
    let has_manual = ["fs-tools.1", "fs-tools.1.gz"].iter().any(|name| manual.join(name).is_file());
    ensure!(has_manual, "there is no manual page in {}", manual.display());
    for script in ["bash-completion/completions/fs-tools", "fish/vendor_completions.d/fs-tools.fish"] {
        ensure!(share.join(script).is_file(), "there is no {script} in {}", share.display());
    }
    Ok(())
}
