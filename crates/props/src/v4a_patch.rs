//! Properties of `v4a-patch`.
