//! Properties of `redact`.
