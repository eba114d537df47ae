//! `cargo xtask deny`: licences, advisories, sources and duplicates of the dependencies, by the rules in `deny.toml`.

use xshell::Shell;

use crate::step::Step;
use crate::tool;

pub(crate) fn run(sh: &Shell) -> anyhow::Result<()> {
    tool::DENY.ensure(sh)?;
    Step::new("dependencies", "cargo deny --all-features check").run(sh)
}
