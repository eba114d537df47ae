//! Properties of `document-text`.
