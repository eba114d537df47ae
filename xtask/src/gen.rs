//! `cargo xtask gen`: documents that are written by the program which they describe.

use std::fs;

use anyhow::{Context as _, bail};
use xshell::{Shell, cmd};

use crate::flags::Gen;
use crate::workspace;

/// The reference of the tools, relative to the root.
pub(crate) const TOOLS: &str = "docs/tools.md";

/// Each generated file, and what follows `cargo run -q` to print it.
const DOCUMENTS: [(&str, &[&str]); 3] = [
    (TOOLS, &["-p", "fs-tools-cli", "--", "tools", "--markdown"]),
    ("docs/tools-batch.md", &["-p", "fs-tools-cli", "--", "--toolset", "batch", "tools", "--markdown"]),
    ("docs/redact.md", &["-p", "redact", "--example", "table"]),
];

pub(crate) fn run(sh: &Shell, flags: &Gen) -> anyhow::Result<()> {
    for (document, arguments) in DOCUMENTS {
        let fresh = cmd!(sh, "cargo run -q {arguments...}")
            .quiet()
            .output()
            .with_context(|| format!("{document} comes out of `cargo run -q {}`", arguments.join(" ")))?
            .stdout;
        if fresh.is_empty() {
            bail!("`cargo run -q {}` printed nothing", arguments.join(" "));
        }
        write_or_compare(document, &fresh, flags.check)?;
    }
    Ok(())
}

fn write_or_compare(document: &str, fresh: &[u8], check: bool) -> anyhow::Result<()> {
    let path = workspace::root().join(document);
    if check {
        if fs::read(&path).unwrap_or_default() != fresh {
            bail!("{document} is stale; write it with: cargo xtask gen");
        }
        println!("{document} is fresh");
    } else {
        fs::create_dir_all(workspace::root().join("docs"))?;
        fs::write(&path, fresh).with_context(|| document.to_owned())?;
        println!("{document}: {} bytes written", fresh.len());
    }
    Ok(())
}
