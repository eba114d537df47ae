//! `cargo xtask gen`: documents that are written by the program which they describe.

use std::fs;

use anyhow::{Context as _, bail};
use xshell::{Shell, cmd};

use crate::flags::Gen;
use crate::workspace;

/// The reference of the tools, relative to the root.
pub(crate) const TOOLS: &str = "docs/tools.md";

/// The set-up of clients, generated between two marks.
pub(crate) const CLIENTS: &str = "docs/clients.md";

/// Each generated file, and what follows `cargo run -q` to print it.
const DOCUMENTS: [(&str, &[&str]); 4] = [
    (TOOLS, &["-p", "fs-tools-cli", "--", "tools", "--markdown"]),
    (CLIENTS, &["-p", "fs-tools-cli", "--", "config", "init", "--markdown"]),
    ("docs/tools-batch.md", &["-p", "fs-tools-cli", "--", "--toolset", "batch", "tools", "--markdown"]),
    ("docs/redact.md", &["-p", "redact", "--example", "table"]),
];

/// How the marks around a generated part begin; the rest of such a document is written by hand.
const BEGIN: &str = "<!-- generated from ";
const END: &str = "<!-- end of the generated part -->";

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
        let whole = whole(document, &fresh)?;
        write_or_compare(document, &whole, flags.check)?;
    }
    Ok(())
}

/// The document with its generated part, which is all of it unless there are marks.
pub(crate) fn whole(document: &str, fresh: &[u8]) -> anyhow::Result<Vec<u8>> {
    let old = fs::read_to_string(workspace::root().join(document)).unwrap_or_default();
    let Some((above, rest)) = old.split_once(BEGIN) else { return Ok(fresh.to_vec()) };
    let between = rest.split_once("-->\n").and_then(|(mark, rest)| Some((mark, rest.split_once(END)?.1)));
    let (mark, below) = between.with_context(|| format!("{document}: the mark `{END}` is missing"))?;
    let text = String::from_utf8_lossy(fresh);
    Ok(format!("{above}{BEGIN}{mark}-->\n\n{}\n\n{END}{below}", text.trim_end()).into_bytes())
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
