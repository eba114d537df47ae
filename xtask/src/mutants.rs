//! `cargo xtask mutants -p CRATE`: a change of the code that no test notices shows a missing test.

use xshell::Shell;

use crate::flags::Mutants;
use crate::step::Step;
use crate::tool;

pub(crate) fn run(sh: &Shell, flags: &Mutants) -> anyhow::Result<()> {
    tool::MUTANTS.ensure(sh)?;
    // The properties of a crate live in `props`, so its tests count as tests of the crate.
    Step::new("mutants", "cargo mutants -o target -p")
        .arg(&flags.package)
        .args(["--test-package", &format!("{},props", flags.package)])
        .run(sh)
}
