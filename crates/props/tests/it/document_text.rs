//! Properties of `document-text` over generated inputs.
