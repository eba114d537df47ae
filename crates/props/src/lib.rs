//! Properties of the cores over plain inputs, called by proptest and by the fuzzers alike.
//!
//! Each module is one crate's laws; each function panics when a law is broken.
#![allow(clippy::unwrap_used, reason = "a property reports a broken law by panicking")]
#![allow(clippy::type_complexity, reason = "`TARGETS` has the same type in every module")]

#[cfg(feature = "document-text")]
pub mod document_text;
#[cfg(feature = "file-history")]
pub mod file_history;
#[cfg(feature = "fs-tools")]
pub mod fs_tools;
#[cfg(feature = "redact")]
pub mod redact;
#[cfg(feature = "rooted-fs")]
pub mod rooted_fs;
#[cfg(feature = "sandbox-policy")]
pub mod sandbox_policy;
#[cfg(feature = "search-engine")]
pub mod search_engine;
#[cfg(feature = "syntax-scan")]
pub mod syntax_scan;
#[cfg(feature = "v4a-patch")]
pub mod v4a_patch;
