//! Properties of `rooted-fs` over generated inputs.
