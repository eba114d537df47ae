//! Values that the caller names, and their usual encodings.

use crate::{
    error::Error,
    span::{Class, Span},
};
use alloc::{sync::Arc, vec::Vec};
use core::fmt;
use memchr::memmem::Finder;

/// The shortest value that can be named.
pub const KNOWN_MIN: usize = 4;
/// The longest value that can be named.
pub const KNOWN_MAX: usize = 64 * 1024;
/// Shorter values are looked for as they stand only: their encodings are too common.
const ENCODED_MIN: usize = 8;

/// The values, longest first; shared between copies of a redactor and never printed.
#[derive(Clone, Default)]
pub(crate) struct Known {
    finders: Arc<[Finder<'static>]>,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Known({})", self.finders.len())
    }
}

impl Known {
    pub(crate) fn new(values: &[Vec<u8>]) -> Result<Self, Error> {
        let mut needles: Vec<Vec<u8>> = Vec::new();
        for value in values {
            if !(KNOWN_MIN..=KNOWN_MAX).contains(&value.len()) {
                return Err(Error::KnownValueLength { len: value.len(), min: KNOWN_MIN, max: KNOWN_MAX });
            }
            needles.push(value.clone());
            if value.len() >= ENCODED_MIN {
                needles.push(percent(value, b"0123456789ABCDEF"));
                needles.push(percent(value, b"0123456789abcdef"));
                needles.push(base64(value, b'+', b'/'));
                needles.push(base64(value, b'-', b'_'));
            }
        }
        needles.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        needles.dedup();
        Ok(Self { finders: needles.iter().map(|needle| Finder::new(needle).into_owned()).collect() })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.finders.is_empty()
    }

    pub(crate) fn find(&self, text: &[u8], out: &mut Vec<Span>) {
        for finder in self.finders.iter() {
            let len = finder.needle().len();
            let mut from = 0;
            while let Some(at) = finder.find(&text[from..]).map(|at| from + at) {
                out.push(Span { start: at, end: at + len, kind: "known_value", class: Class::Known });
                from = at + period(finder.needle());
            }
        }
    }
}

fn percent(value: &[u8], digits: &[u8; 16]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len() * 3);
    for &byte in value {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(byte);
        } else {
            out.extend([b'%', digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]);
        }
    }
    out
}

/// Base64 without padding, so that both spellings are found.
fn base64(value: &[u8], plus: u8, slash: u8) -> Vec<u8> {
    let symbol = |bits: u32| match (bits & 63) as u8 {
        index @ 0..=25 => b'A' + index,
        index @ 26..=51 => b'a' + index - 26,
        index @ 52..=61 => b'0' + index - 52,
        62 => plus,
        _ => slash,
    };
    let mut out = Vec::with_capacity(value.len() * 4 / 3 + 4);
    for chunk in value.chunks(3) {
        let bits = chunk.iter().fold(0, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        out.extend((0..=chunk.len()).map(|index| symbol(bits >> (18 - 6 * index))));
    }
    out
}

/// The smallest distance at which two occurrences of `needle` can overlap.
fn period(needle: &[u8]) -> usize {
    (1..needle.len()).find(|&shift| needle[shift..] == needle[..needle.len() - shift]).unwrap_or(needle.len())
}
