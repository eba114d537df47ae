//! The binary `fs-tools`: a command line and an MCP server over one set of file tools.

mod cli;
mod config_file;
mod config_init;
mod confirm;
mod doctor;
mod document_worker;
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
    let words: Vec<_> = std::env::args_os().collect();
    if document_worker::is_meant(&words) {
        return document_worker::main(words);
    }
    let cli = match parse::parse(words) {
        Ok(cli) => cli,
        Err(status) => return status,
    };
    match catch_unwind(AssertUnwindSafe(|| cli::run(&cli))) {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => output::fatal(&error, cli.json),
        Err(_) => output::defect(cli.json),
    }
}
