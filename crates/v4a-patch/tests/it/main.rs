//! Tests of `v4a-patch` through its public interface.
#![allow(clippy::unwrap_used, reason = "a test reports a failure by panicking")]

mod corpus;
mod diagnosis;
mod limits;
mod messages;
mod report;
mod several_files;
mod targets;
mod text_edit;
mod work;
mod writer;
