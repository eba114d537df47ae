//! `cargo xtask test`: everything that the stable toolchain can check, with nothing to install.

use anyhow::bail;
use xshell::Shell;

use crate::flags::Gen;
use crate::step::{Step, heading, skip};
use crate::{r#gen, tool, workspace};

pub(crate) fn run(sh: &Shell) -> anyhow::Result<()> {
    if component(sh, "fmt", "rustfmt")? {
        Step::new("fmt", "cargo fmt --all --check").run(sh)?;
        if !workspace::fuzz_targets()?.is_empty() {
            Step::new("fmt of the fuzz targets", "cargo fmt --manifest-path fuzz/Cargo.toml --check")
                .run(sh)?;
        }
    }
    if component(sh, "clippy", "clippy")? {
        Step::new("clippy", "cargo clippy --workspace --all-targets -- -D warnings").run(sh)?;
        Step::new(
            "clippy of the benches",
            "cargo clippy -p benches --all-features --all-targets -- -D warnings",
        )
        .run(sh)?;
    }
    Step::new("tests", "cargo test --workspace").run(sh)?;
    Step::new("benches compile", "cargo check -p benches --all-features --benches").run(sh)?;
    Step::new("docs", "cargo doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings").run(sh)?;
    heading("generated files are fresh");
    r#gen::run(sh, &Gen { check: true })?;
    heading("all tests passed");
    Ok(())
}

/// Tells whether a component of the toolchain is there. A newcomer without it goes on, a server does not.
fn component(sh: &Shell, subcommand: &str, component: &str) -> anyhow::Result<bool> {
    if tool::answers(sh, "cargo", &[subcommand, "--version"]) {
        return Ok(true);
    }
    let advice = format!(
        "`{component}` is missing in this toolchain; install it with: rustup component add {component}"
    );
    if tool::is_ci(sh) {
        bail!("{advice}");
    }
    skip(subcommand, &advice);
    Ok(false)
}
