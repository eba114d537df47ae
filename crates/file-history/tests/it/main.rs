//! Tests of `file-history` through its public interface.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the store and its tests are on the real disk"
)]

mod crash;
mod full_disk;
mod golden;
mod limits;
mod processes;
mod prune;
mod script;
mod sealed;
mod sqlite;
mod undo;
mod vectors;
mod when;
