//! Tools that a task needs beyond a Rust toolchain: found, or installed at a pinned version.

use anyhow::bail;
use xshell::Shell;

use crate::step::Step;

/// A cargo subcommand, and the version that the tasks are written for.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

pub(crate) const FUZZ: Tool = Tool { name: "cargo-fuzz", version: "0.13.2" };
pub(crate) const COVER: Tool = Tool { name: "cargo-llvm-cov", version: "0.9.1" };
pub(crate) const MUTANTS: Tool = Tool { name: "cargo-mutants", version: "27.1.0" };
pub(crate) const SEMVER: Tool = Tool { name: "cargo-semver-checks", version: "0.51.0" };
pub(crate) const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };

impl Tool {
    /// Installs the tool unless some version of it is there; one that the user installed is left alone.
    pub(crate) fn ensure(&self, sh: &Shell) -> anyhow::Result<()> {
        if self.is_installed(sh) {
            return Ok(());
        }
        let title = format!("install {} {}", self.name, self.version);
        Step::new(&title, "cargo install --locked").args([self.name, "--version", self.version]).run(sh)
    }

    fn is_installed(&self, sh: &Shell) -> bool {
        let subcommand = self.name.trim_start_matches("cargo-");
        answers(sh, "cargo", &[subcommand, "--version"])
    }
}

/// Tells whether `program args` runs and succeeds.
pub(crate) fn answers(sh: &Shell, program: &str, args: &[&str]) -> bool {
    sh.cmd(program).args(args).quiet().ignore_stdout().ignore_stderr().run().is_ok()
}

/// Tells whether this is a server that must not leave anything out.
pub(crate) fn is_ci(sh: &Shell) -> bool {
    sh.var("CI").is_ok_and(|it| it == "true" || it == "1")
}

/// Tells whether `cargo +nightly` works.
pub(crate) fn has_nightly(sh: &Shell) -> bool {
    answers(sh, "cargo", &["+nightly", "--version"])
}

/// Fails with the command that installs a nightly toolchain when there is none.
pub(crate) fn need_nightly(sh: &Shell) -> anyhow::Result<()> {
    if !has_nightly(sh) {
        bail!("this needs a nightly toolchain: rustup toolchain install nightly --profile minimal");
    }
    Ok(())
}
