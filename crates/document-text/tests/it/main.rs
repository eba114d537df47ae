//! Tests of `document-text` through its public interface.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod classify;
mod document;
mod encoding;
mod hex;
#[cfg(all(feature = "pdf", feature = "office", feature = "image"))]
mod hostile;
#[cfg(any(feature = "pdf", feature = "office"))]
mod make;
#[cfg(feature = "office")]
mod office;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "image")]
mod picture;
