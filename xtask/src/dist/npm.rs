//! Two npm packages: one with the program for this platform, and one for everybody that depends on it and starts it.
//! Nothing runs while they are installed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::{Value, json};
use xshell::{Shell, cmd};

use super::payload::{Payload, write};
use super::{Installed, fresh};

/// The name that Node.js has for the processor of this machine.
const CPU: &str = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
const NAME: &str = "@fs-tools/cli";

/// Starts the program of the platform's package with the same words and streams, and ends as it ends.
const LAUNCHER: &str = r#"#!/usr/bin/env node
"use strict";
const { spawnSync } = require("node:child_process");

const name = `@fs-tools/cli-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/fs-tools`);
} catch {
  console.error(`fs-tools: ${name} is not installed: there is no package for this system, or optional packages were left out`);
  process.exit(5);
}
const result = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (result.error) {
  console.error(`fs-tools: ${program} cannot be started: ${result.error.message}`);
  process.exit(5);
}
if (result.signal) {
  process.kill(process.pid, result.signal);
} else {
  process.exit(result.status);
}
"#;

pub(crate) fn build(sh: &Shell, payload: &Payload, out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let platform = format!("{NAME}-linux-{CPU}");
    let dir = fresh(&out.join("npm/platform"))?;
    payload.copy_program(&dir.join("bin/fs-tools"))?;
    payload.copy_texts(&dir)?;
    let mut manifest = manifest(&platform, payload, &["bin"]);
    manifest["os"] = json!(["linux"]);
    manifest["cpu"] = json!([CPU]);
    // The launcher runs it by its path.
    manifest["preferUnplugged"] = json!(true);
    let program = pack(sh, &dir, &manifest, out)?;

    let dir = fresh(&out.join("npm/launcher"))?;
    write(&dir.join("bin/fs-tools.js"), LAUNCHER)?;
    payload.copy_share(&dir.join("share"))?;
    payload.copy_texts(&dir)?;
    let mut manifest = self::manifest(NAME, payload, &["bin", "share"]);
    manifest["bin"] = json!({ "fs-tools": "bin/fs-tools.js" });
    let pages = payload.pages()?.into_iter().filter_map(|page| {
        let name = page.file_name()?.to_str()?.to_owned();
        Some(format!("share/man/man1/{name}"))
    });
    manifest["man"] = pages.collect();
    manifest["optionalDependencies"] = json!({ platform: payload.version });
    manifest["engines"] = json!({ "node": ">=18" });
    Ok(vec![program, pack(sh, &dir, &manifest, out)?])
}

fn manifest(name: &str, payload: &Payload, files: &[&str]) -> Value {
    json!({
        "name": name,
        "version": payload.version,
        "description": "File tools that an AI agent can be trusted with: a command line and an MCP server",
        "license": "MIT OR Apache-2.0",
        "files": files,
    })
}

/// Packs a folder, and returns the file.
fn pack(sh: &Shell, dir: &Path, manifest: &Value, out: &Path) -> anyhow::Result<PathBuf> {
    write(&dir.join("package.json"), &format!("{manifest:#}\n"))?;
    let report = cmd!(sh, "npm pack --json --silent --pack-destination {out} {dir}").read()?;
    let report: Value = serde_json::from_str(&report).context("the report of `npm pack`")?;
    // A list of packages; newer versions of npm key it by their names.
    let first = report.get(0).or_else(|| report.as_object()?.values().next());
    let file = first.and_then(|package| package["filename"].as_str()).context("`npm pack` names no file")?;
    // Old versions of npm write a scope with a slash here and with a dash on disk.
    let file = out.join(file.replace('@', "").replace('/', "-"));
    fs::metadata(&file).with_context(|| file.display().to_string())?;
    Ok(file)
}

pub(crate) fn install(
    sh: &Shell,
    _payload: &Payload,
    files: &[PathBuf],
    scratch: &Path,
) -> anyhow::Result<Installed> {
    let dir = fresh(&scratch.join("project"))?;
    fs::write(dir.join("package.json"), "{\"private\": true}\n")?;
    let _dir = sh.push_dir(&dir);
    // Offline: what the packages need has to be in them.
    cmd!(sh, "npm install --offline --no-audit --no-fund {files...}").run()?;
    let installed = dir.join("node_modules").join(NAME);
    Ok(Installed { program: dir.join("node_modules/.bin/fs-tools"), share: installed.join("share") })
}
