//! Masking of a part of a text, with the context that tells what is a credential.

use std::ops::Range;

use redact::Redactor;

/// A masked part.
pub(crate) struct Masked {
    /// The part with each value replaced by the marker.
    pub(crate) text: Vec<u8>,
    /// Number of values that were masked.
    pub(crate) count: usize,
}

/// Masks `window` of `buffer`, looking at what surrounds it: a value that the window cuts is still recognised.
pub(crate) fn mask_window(redactor: &Redactor, buffer: &[u8], window: Range<usize>) -> Masked {
    let mut spans = Vec::new();
    redactor.find_in(buffer, window.clone(), &mut spans);
    let count = spans.len();
    for span in &mut spans {
        span.start -= window.start;
        span.end -= window.start;
    }
    Masked { text: redactor.apply(&buffer[window], &spans), count }
}
