//! Masking of a part of a text, with the context that tells what is a credential.

use std::borrow::Cow;
use std::ops::Range;

use redact::Redactor;

/// A masked part.
pub(crate) struct Masked<'a> {
    /// The part with each value replaced by the marker; the part itself when there is none.
    pub(crate) text: Cow<'a, [u8]>,
    /// Number of values that were masked.
    pub(crate) count: usize,
}

/// Masks `window` of `buffer`, looking at what surrounds it: a value that the window cuts is still recognised.
pub(crate) fn mask_window<'a>(redactor: &Redactor, buffer: &'a [u8], window: Range<usize>) -> Masked<'a> {
    let mut spans = Vec::new();
    redactor.find_in(buffer, window.clone(), &mut spans);
    let count = spans.len();
    if count == 0 {
        return Masked { text: Cow::Borrowed(&buffer[window]), count };
    }
    for span in &mut spans {
        span.start -= window.start;
        span.end -= window.start;
    }
    Masked { text: Cow::Owned(redactor.apply(&buffer[window], &spans)), count }
}
