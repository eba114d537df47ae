//! The binary `fs-tools`: a command line and an MCP server over one set of file tools.

mod cli;
mod config_file;
mod confirm;
mod doctor;
mod document_worker;
mod human;
mod local_time;
mod lock;
mod mcp;
mod output;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
