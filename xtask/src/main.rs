//! Every task of this repository: `cargo xtask --help` lists them.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the person who started it")]

mod bench;
mod bench_mcp;
mod bench_search;
mod bless;
mod callgrind;
mod ci;
mod clients;
mod cover;
mod deny;
mod dist;
mod documents;
mod features;
mod flags;
mod fuzz;
mod r#gen;
mod ignore_fuzz;
mod index_rounds;
mod mcp_client;
mod mcp_load;
mod mutants;
mod package;
mod powercut;
mod semver;
mod step;
mod syntax_corpus;
mod syntax_mutants;
mod test;
#[cfg(test)]
mod tidy;
mod tool;
mod transcribe;
mod workspace;

use std::process::ExitCode;

use xshell::Shell;

use crate::flags::{Xtask, XtaskCmd};

fn main() -> ExitCode {
    let flags = Xtask::from_env_or_exit();
    match run(flags.subcommand) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: XtaskCmd) -> anyhow::Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(workspace::root());
    match command {
        XtaskCmd::Test(_) => test::run(&sh),
        XtaskCmd::Ci(flags) => ci::run(&sh, &flags),
        XtaskCmd::Features(_) => features::run(&sh),
        XtaskCmd::Gen(flags) => r#gen::run(&sh, &flags),
        XtaskCmd::Bless(flags) => bless::run(&sh, &flags),
        XtaskCmd::Fuzz(flags) => fuzz::run(&sh, &flags),
        XtaskCmd::Bench(flags) => bench::run(&sh, &flags),
        XtaskCmd::IgnoreFuzz(flags) => ignore_fuzz::run(&sh, &flags),
        XtaskCmd::McpLoad(flags) => mcp_load::run(&sh, &flags),
        XtaskCmd::Clients(flags) => clients::run(&sh, &flags),
        XtaskCmd::Cover(flags) => cover::run(&sh, &flags),
        XtaskCmd::Mutants(flags) => mutants::run(&sh, &flags),
        XtaskCmd::Powercut(flags) => powercut::run(&sh, &flags),
        XtaskCmd::IndexRounds(flags) => index_rounds::run(&sh, &flags),
        XtaskCmd::Semver(flags) => semver::run(&sh, &flags),
        XtaskCmd::Documents(flags) => documents::run(&sh, &flags),
        XtaskCmd::Transcribe(_) => transcribe::run(&sh),
        XtaskCmd::Deny(_) => deny::run(&sh),
        XtaskCmd::SyntaxCorpus(flags) => syntax_corpus::run(&sh, &flags),
        XtaskCmd::SyntaxMutants(flags) => syntax_mutants::run(&sh, &flags),
        XtaskCmd::Package(_) => package::run(&sh),
        XtaskCmd::Dist(flags) => dist::run(&sh, &flags),
    }
}
