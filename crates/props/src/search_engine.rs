//! Properties of `search-engine`.
