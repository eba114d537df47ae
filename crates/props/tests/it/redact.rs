//! Properties of `redact` over generated inputs.
