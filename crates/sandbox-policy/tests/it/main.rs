//! Tests of `sandbox-policy` through its public interface.
#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]

mod allow_list;
mod boundary;
mod content;
mod escape;
mod grants;
mod kinds;
mod own_state;
mod peers;
mod privacy;
mod reasons;
mod request_path;
mod run_later;
mod sensitive;
mod settings;
mod support;
mod tables;
mod walk;
mod windows;
