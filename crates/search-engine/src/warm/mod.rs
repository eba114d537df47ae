//! A walk over names that are known already, where there is an index.

#[cfg(not(feature = "index"))]
mod disabled;
#[cfg(feature = "index")]
mod enabled;

#[cfg(not(feature = "index"))]
pub(crate) use disabled::{Kept, Warm};
#[cfg(feature = "index")]
pub(crate) use enabled::Kept;
#[cfg(feature = "index")]
pub use enabled::{Warm, search_warm};
