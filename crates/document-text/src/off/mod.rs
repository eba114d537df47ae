//! What stands in for a format whose feature is off: the same items, and an error that names the feature.

#[cfg(not(feature = "image"))]
pub(crate) mod image;
#[cfg(not(feature = "office"))]
pub(crate) mod office;
#[cfg(not(feature = "pdf"))]
pub(crate) mod pdf;
