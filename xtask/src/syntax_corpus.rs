//! `cargo xtask syntax-corpus`: what the syntax check says about real files, which it should all accept.

use std::path::{Path, absolute};

use anyhow::{Context as _, bail};
use xshell::Shell;

use crate::flags::SyntaxCorpus;
use crate::step::Step;

pub(crate) fn run(sh: &Shell, flags: &SyntaxCorpus) -> anyhow::Result<()> {
    let dirs = flags.dir.iter().map(|it| folder(it)).collect::<anyhow::Result<Vec<_>>>()?;
    if dirs.is_empty() {
        bail!("which directories? They are not searched for: `cargo xtask syntax-corpus DIR...`");
    }
    Step::new(
        "files that are not fine, and a table per language",
        "cargo run --release -q -p syntax-scan --example corpus --",
    )
    .args(dirs)
    .run(sh)
}

/// A directory as the example, which runs elsewhere, finds it.
pub(crate) fn folder(dir: &Path) -> anyhow::Result<String> {
    let dir = absolute(dir).with_context(|| dir.display().to_string())?;
    if !dir.is_dir() {
        bail!("{} is no directory", dir.display());
    }
    dir.into_os_string().into_string().map_err(|it| anyhow::anyhow!("{} is not UTF-8", it.display()))
}
