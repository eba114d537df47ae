//! Properties of `rooted-fs`.
