//! `cargo xtask bless`: the expected outputs in the tests become the actual ones. Read the difference before you commit it.

use xshell::Shell;

use crate::flags::Bless;
use crate::step::Step;

pub(crate) fn run(sh: &Shell, flags: &Bless) -> anyhow::Result<()> {
    let step = Step::new("tests rewrite what they expect", "cargo test").env("UPDATE_EXPECT", "1");
    match &flags.package {
        Some(package) => step.arg("-p").arg(package).run(sh),
        None => step.arg("--workspace").run(sh),
    }
}
