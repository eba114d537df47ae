//! Properties of `v4a-patch` over generated inputs.
