//! `cargo xtask gen`: documents that are written by the program which they describe.

use std::fs;

use anyhow::{Context as _, bail};
use xshell::{Shell, cmd};

use crate::flags::Gen;
use crate::workspace;

/// The generated file, relative to the root. The command that prints it is in [`run`].
pub(crate) const TOOLS: &str = "docs/tools.md";

pub(crate) fn run(sh: &Shell, flags: &Gen) -> anyhow::Result<()> {
    let fresh = cmd!(sh, "cargo run -q -p fs-tools-cli -- tools --markdown")
        .quiet()
        .output()
        .with_context(|| format!("{TOOLS} comes out of `cargo run -q -p fs-tools-cli -- tools --markdown`"))?
        .stdout;
    if fresh.is_empty() {
        bail!("`fs-tools tools --markdown` printed nothing");
    }
    let path = workspace::root().join(TOOLS);
    if flags.check {
        if fs::read(&path).unwrap_or_default() != fresh {
            bail!("{TOOLS} is stale; write it with: cargo xtask gen");
        }
        println!("{TOOLS} is fresh");
    } else {
        fs::create_dir_all(workspace::root().join("docs"))?;
        fs::write(&path, &fresh).with_context(|| TOOLS)?;
        println!("{TOOLS}: {} bytes written", fresh.len());
    }
    Ok(())
}
