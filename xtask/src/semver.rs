//! `cargo xtask semver`: a change of a public interface is never an accident.

use anyhow::Context as _;
use xshell::{Shell, cmd};

use crate::flags::Semver;
use crate::step::Step;
use crate::{tool, workspace};

pub(crate) fn run(sh: &Shell, flags: &Semver) -> anyhow::Result<()> {
    let since = match &flags.since {
        Some(rev) => rev.clone(),
        None => cmd!(sh, "git describe --tags --abbrev=0")
            .quiet()
            .ignore_stderr()
            .read()
            .context("no tag to compare with; name a revision: cargo xtask semver --since REV")?,
    };
    tool::SEMVER.ensure(sh)?;
    for package in
        workspace::packages(sh)?.iter().filter(|it| it.published && it.dir.join("src/lib.rs").is_file())
    {
        let title = format!("interface of {} since {since}", package.name);
        Step::new(&title, "cargo semver-checks -p")
            .args([&package.name, "--baseline-rev", &since])
            .run(sh)?;
    }
    Ok(())
}
