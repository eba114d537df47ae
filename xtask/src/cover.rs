//! `cargo xtask cover`: which lines the tests run.

use xshell::Shell;

use crate::flags::Cover;
use crate::step::Step;
use crate::tool;

pub(crate) fn run(sh: &Shell, flags: &Cover) -> anyhow::Result<()> {
    tool::COVER.ensure(sh)?;
    let step = Step::new("coverage", "cargo llvm-cov --html");
    match &flags.package {
        Some(package) => step.arg("-p").arg(package).run(sh)?,
        None => step.args(["--workspace", "--exclude", "xtask"]).run(sh)?,
    }
    Step::new("summary; the pages are in target/llvm-cov/html", "cargo llvm-cov report --summary-only")
        .run(sh)
}
