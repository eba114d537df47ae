//! Properties of `file-history` over generated inputs.
