//! `cargo xtask package`: every published crate builds from what would be uploaded.

use xshell::Shell;

use crate::step::Step;
use crate::workspace;

pub(crate) fn run(sh: &Shell) -> anyhow::Result<()> {
    let mut step = Step::new("packages", "cargo package --allow-dirty");
    for package in workspace::packages(sh)?.iter().filter(|it| it.published) {
        step = step.arg("-p").arg(&package.name);
    }
    step.run(sh)
}
