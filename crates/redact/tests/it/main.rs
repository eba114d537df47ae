//! Tests of `redact` through its public interface.
#![allow(clippy::unwrap_used, reason = "a test reports a failure by panicking")]

mod api;
mod bars;
mod cases;
mod corpus;
mod private_keys;
mod readers;
mod recognised;
