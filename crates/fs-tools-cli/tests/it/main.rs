//! Tests of the binary: the command line, the server, and that both give the same answer.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ask;
mod check;
mod cli;
mod client;
mod history;
mod http;
mod load;
mod mcp;
mod parity;
mod patch;
mod redact;
mod search;
mod serve;
