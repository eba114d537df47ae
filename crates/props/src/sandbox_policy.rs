//! Properties of `sandbox-policy`.
