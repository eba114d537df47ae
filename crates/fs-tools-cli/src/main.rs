//! The binary `fs-tools`: a command line and an MCP server over one set of file tools.

mod cli;
mod config_file;
mod config_init;
mod confirm;
mod doctor;
mod human;
mod local_time;
mod lock;
mod mcp;
mod output;
mod parse;
mod progress;
mod shell;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match parse::parse(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(status) => return status,
    };
    match catch_unwind(AssertUnwindSafe(|| cli::run(&cli))) {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => output::fatal(&error, cli.json),
        Err(_) => output::defect(cli.json),
    }
}
