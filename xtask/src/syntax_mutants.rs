//! `cargo xtask syntax-mutants`: how often the syntax check notices that a valid file was broken in one place.

use anyhow::bail;
use xshell::Shell;

use crate::flags::SyntaxMutants;
use crate::step::Step;
use crate::syntax_corpus::folder;

pub(crate) fn run(sh: &Shell, flags: &SyntaxMutants) -> anyhow::Result<()> {
    let dirs = flags.dir.iter().map(|it| folder(it)).collect::<anyhow::Result<Vec<_>>>()?;
    if dirs.is_empty() {
        bail!("which directories? They are not searched for: `cargo xtask syntax-mutants DIR...`");
    }
    let mut step = Step::new(
        "mutants that the tool of the language rejects and the scan does not, and a table",
        "cargo run --release -q -p syntax-scan --example mutants --",
    );
    if let Some(count) = flags.count {
        step = step.arg("--count").arg(count.to_string());
    }
    if let Some(only) = &flags.only {
        step = step.arg("--only").arg(only);
    }
    step.args(dirs).run(sh)
}
