//! Tests of `rooted-fs` through its public interface.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panicking and skip loudly")]

mod append;
mod attacks;
mod concurrency;
mod create;
mod differential;
mod error;
mod hint;
mod metadata;
mod mounts;
mod name;
mod open;
mod ordinary_user;
mod races;
mod remove;
mod replace;
mod stage;
mod support;
mod verify;
mod walk;
mod watch;
