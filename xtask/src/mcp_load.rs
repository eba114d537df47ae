//! `cargo xtask mcp-load`: many mixed calls of four clients at once. The test of the same name does a few hundred.

use xshell::Shell;

use crate::flags::McpLoad;
use crate::step::Step;

/// Calls when nobody says otherwise.
const CALLS: u32 = 10_000;

pub(crate) fn run(sh: &Shell, flags: &McpLoad) -> anyhow::Result<()> {
    let calls = flags.calls.unwrap_or(CALLS).to_string();
    let seed = flags.seed.unwrap_or(1).to_string();
    let _calls = sh.push_env("FS_TOOLS_LOAD_CALLS", &calls);
    let _seed = sh.push_env("FS_TOOLS_LOAD_SEED", &seed);
    Step::new(
        &format!("{calls} calls, seed {seed}"),
        "cargo test -p fs-tools-cli --test it load:: -- --nocapture",
    )
    .run(sh)
}
