//! Tests of `fs-tools` through its public interface.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod args;
mod config;
mod edit;
mod fixture;
mod history;
mod hostile;
mod list;
mod masking;
mod parallel;
mod read;
mod real_tree;
mod sandbox;
mod search;
mod spill;
mod tools;
mod undo;
mod warm;
mod write;
