//! Tests of the binary: the command line, the server, and that both give the same answer.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cli;
mod client;
mod mcp;
mod parity;
