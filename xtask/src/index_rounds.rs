//! `cargo xtask index-rounds`: the model test of the warm search, for longer than a test run has time.

use xshell::Shell;

use crate::flags::IndexRounds;
use crate::step::Step;

/// Rounds by default.
const ROUNDS: u32 = 10_000;

pub(crate) fn run(sh: &Shell, flags: &IndexRounds) -> anyhow::Result<()> {
    let rounds = flags.rounds.unwrap_or(ROUNDS).to_string();
    let _env = sh.push_env("FS_TOOLS_INDEX_ROUNDS", &rounds);
    let title = format!("{rounds} rounds with a watch, and as many with comparisons");
    Step::new(&title, "cargo test --release -p fs-tools --test it -- warm::rounds --nocapture").run(sh)
}
