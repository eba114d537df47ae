//! Properties of `file-history`.
