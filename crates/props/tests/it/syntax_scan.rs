//! Properties of `syntax-scan` over generated inputs.
