//! `cargo xtask ci`: what must hold for every commit.

use xshell::Shell;

use crate::flags::Ci;
use crate::step::{Step, heading, skip};
use crate::{clients, features, fuzz, test, tool};

/// Long enough to replay the corpus and to find what is shallow; every target runs on every commit, each time with the
/// same inputs. `cargo xtask fuzz` looks for new ones.
const SECS_PER_TARGET: u32 = 5;

pub(crate) fn run(sh: &Shell, flags: &Ci) -> anyhow::Result<()> {
    test::run(sh)?;
    features::run(sh)?;
    Step::new("replay of the fuzz inputs", "cargo test -p props --test it replay").run(sh)?;
    clients::sessions(sh)?;
    match unable_to_fuzz(sh) {
        Some(why) => skip("fuzz smoke", why),
        None => fuzz::smoke(sh, flags.secs.unwrap_or(SECS_PER_TARGET), fuzz::Inputs::Same)?,
    }
    heading("ci passed");
    Ok(())
}

/// The fuzzer needs a nightly compiler and builds its runtime from C++. Without them the replay above is what remains.
fn unable_to_fuzz(sh: &Shell) -> Option<&'static str> {
    if !tool::has_nightly(sh) {
        return Some(
            "no nightly toolchain; install one with: rustup toolchain install nightly --profile minimal",
        );
    }
    if !tool::answers(sh, "c++", &["--version"]) {
        return Some("no C++ compiler (`c++`), which the runtime of the fuzzer is built with");
    }
    if tool::FUZZ.ensure(sh).is_err() {
        return Some("cargo-fuzz is missing and could not be installed");
    }
    None
}
