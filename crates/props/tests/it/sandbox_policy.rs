//! Properties of `sandbox-policy` over generated inputs.
