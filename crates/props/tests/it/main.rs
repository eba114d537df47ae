//! Runs every property over generated inputs.

#[cfg(feature = "document-text")]
mod document_text;
#[cfg(feature = "file-history")]
mod file_history;
#[cfg(feature = "fs-tools")]
mod fs_tools;
#[cfg(feature = "redact")]
mod redact;
mod replay;
#[cfg(feature = "rooted-fs")]
mod rooted_fs;
#[cfg(feature = "sandbox-policy")]
mod sandbox_policy;
#[cfg(feature = "search-engine")]
mod search_engine;
#[cfg(feature = "syntax-scan")]
mod syntax_scan;
#[cfg(feature = "v4a-patch")]
mod v4a_patch;
