//! The data of the crate: credential formats and letter statistics.

pub(crate) mod bigrams;
pub(crate) mod formats;
