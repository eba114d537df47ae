//! Tests of the binary: the command line, the server, and that both give the same answer.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod batch;
mod big_files;
mod check;
mod cli;
mod client;
mod config;
mod document;
mod history;
mod mcp;
mod parity;
mod patch;
mod redact;
mod search;
