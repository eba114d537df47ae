//! Tests of `document-text` through its public interface.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod classify;
mod document;
mod encoding;
mod hex;
