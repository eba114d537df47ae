//! Properties of `search-engine` over generated inputs.
