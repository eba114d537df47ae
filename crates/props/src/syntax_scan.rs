//! Properties of `syntax-scan`.
