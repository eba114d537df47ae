//! Tests of the binary: the command line, the server, and that both give the same answer.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ask;
mod batch;
mod big_files;
mod check;
mod cli;
mod client;
mod clients;
mod config;
mod doctor;
mod document;
mod exit_status;
mod history;
mod http;
mod load;
mod mcp;
mod parity;
mod patch;
mod progress;
mod redact;
mod search;
mod serve;
mod shell;
mod terminal;
