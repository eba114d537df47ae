//! Tests of `search-engine` through its public interface.
#![allow(clippy::unwrap_used, reason = "a test reports a failure by panicking")]
#![allow(clippy::print_stderr, reason = "a comparison that cannot be made is skipped loudly")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests compare with the disk and with other programs"
)]

mod budgets;
mod content;
mod context;
mod dialect;
mod disk;
mod git;
mod ignore;
mod long_lines;
mod multiline;
mod names;
mod pages;
mod port;
mod ripgrep;
mod support;
mod walk;
#[cfg(feature = "index")]
mod warm;
mod windows;
