//! The first pass: long runs of token characters, and the few byte pairs that structural rules start from.

use crate::alphabet::{DIGIT, TOKEN, bits, is};

/// The shortest run that is worth a look.
pub(crate) const MIN_RUN: usize = 16;

/// What the pass reports, each kind in order of position.
pub(crate) trait Events {
    /// A maximal run of at least [`MIN_RUN`] token characters; `digit` says whether one of them is a digit.
    fn run(&mut self, start: usize, end: usize, digit: bool);
    /// A pair that starts a structural rule: `:/`, `sw`, `pw` (any case), `BE`, `Q~`.
    fn pair(&mut self, at: usize);
}

/// How the pass is computed; both ways report the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Pass {
    /// The fastest way that this build has.
    Auto,
    /// Byte by byte: the reference of the vector code.
    Scalar,
}

/// Reports all runs and pairs of `text`.
pub(crate) fn scan(text: &[u8], pass: Pass, events: &mut impl Events) {
    match pass {
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        Pass::Auto => crate::simd::scan(text, events),
        _ => scalar(text, events),
    }
}

fn scalar(text: &[u8], events: &mut impl Events) {
    let mut start = 0;
    let mut seen = 0;
    for (at, &byte) in text.iter().enumerate() {
        if is_pair(byte, text.get(at + 1).copied().unwrap_or(0)) {
            events.pair(at);
        }
        if is(byte, TOKEN) {
            seen |= bits(byte);
        } else {
            if at - start >= MIN_RUN {
                events.run(start, at, seen & DIGIT != 0);
            }
            start = at + 1;
            seen = 0;
        }
    }
    if text.len() - start.min(text.len()) >= MIN_RUN {
        events.run(start, text.len(), seen & DIGIT != 0);
    }
}

#[inline]
fn is_pair(first: u8, second: u8) -> bool {
    match first {
        b':' => second == b'/',
        b's' | b'S' | b'p' | b'P' => second | 0x20 == b'w',
        b'B' => second == b'E',
        b'Q' => second == b'~',
        _ => false,
    }
}
