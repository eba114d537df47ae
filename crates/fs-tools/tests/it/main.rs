//! Tests of `fs-tools` through its public interface.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod advice;
mod args;
mod batch;
mod config;
mod edit;
mod fixture;
mod golden;
mod history;
mod hostile;
mod list;
mod masking;
mod parallel;
mod privacy;
mod read;
mod real_tree;
mod reports;
mod sandbox;
mod search;
mod sensitive;
mod spill;
mod tools;
#[cfg(all(feature = "transcribe-http", feature = "transcribe-command"))]
mod transcribe;
mod typed;
mod undo;
mod vectors;
mod warm;
mod write;
