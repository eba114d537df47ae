//! The first pass with the vector instructions that every x86-64 processor has: the only file with `unsafe`.
#![allow(unsafe_code, reason = "functions with a target feature may be called by `unsafe` only")]

use crate::runs::{Events, MIN_RUN};
use core::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
    _mm_set1_epi8, _mm_sub_epi8,
};

const BLOCK: usize = 64;

/// The bytes of one block by class, bit 0 first.
#[derive(Clone, Copy)]
struct Masks {
    token: u64,
    digit: u64,
    pair: u64,
}

/// The run that reaches the end of the blocks seen so far.
#[derive(Clone, Copy, Default)]
struct Open {
    len: usize,
    digit: bool,
}

/// Reports all runs and pairs of `text`.
pub(crate) fn scan(text: &[u8], events: &mut impl Events) {
    // SAFETY: SSE2 belongs to the baseline of x86-64, and this module is compiled for no other target.
    unsafe { with_sse2(text, events) }
}

#[target_feature(enable = "sse2")]
fn with_sse2(text: &[u8], events: &mut impl Events) {
    let mut open = Open::default();
    let mut base = 0;
    // One byte behind the block is looked at for the pairs.
    while let Some(block) =
        text.get(base..base + BLOCK + 1).and_then(|block| block.first_chunk::<{ BLOCK + 1 }>())
    {
        report(classify(block), base, &mut open, events);
        base += BLOCK;
    }
    while base < text.len() {
        let rest = &text[base..text.len().min(base + BLOCK + 1)];
        let mut block = [0; BLOCK + 1];
        block[..rest.len()].copy_from_slice(rest);
        report(classify(&block), base, &mut open, events);
        base += BLOCK;
    }
    if open.len >= MIN_RUN {
        // The text ended on a block boundary inside the run.
        events.run(text.len() - open.len, text.len(), open.digit);
    }
}

#[inline]
fn report(masks: Masks, base: usize, open: &mut Open, events: &mut impl Events) {
    let mut pairs = masks.pair;
    while pairs != 0 {
        events.pair(base + pairs.trailing_zeros() as usize);
        pairs &= pairs - 1;
    }
    let token = masks.token;
    if token == u64::MAX {
        open.len += BLOCK;
        open.digit |= masks.digit != 0;
        return;
    }
    let lead = (!token).trailing_zeros();
    let trail = (!token).leading_zeros();
    let low = (1u64 << lead) - 1;
    if open.len + lead as usize >= MIN_RUN {
        let end = base + lead as usize;
        let digit = open.digit || masks.digit & low != 0;
        events.run(end - open.len - lead as usize, end, digit);
    }
    // `trail` is at most 63, since the mask is not full.
    let high = !(u64::MAX >> trail);
    *open = Open { len: trail as usize, digit: masks.digit & high != 0 };
    let inner = token & !low & !high;
    let mut starts = inner & (inner >> 1);
    starts &= starts >> 2;
    starts &= starts >> 4;
    starts &= starts >> 8;
    while starts != 0 {
        let start = starts.trailing_zeros();
        let len = (!(inner >> start)).trailing_zeros();
        let body = (u64::MAX >> (64 - len)) << start;
        events.run(base + start as usize, base + (start + len) as usize, masks.digit & body != 0);
        starts &= !body;
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn classify(block: &[u8; BLOCK + 1]) -> Masks {
    let mut masks = Masks { token: 0, digit: 0, pair: 0 };
    for quarter in 0..4 {
        let at = quarter * 16;
        let here = load(block, at);
        let next = load(block, at + 1);
        let (token, digit) = token_class(here);
        masks.token |= bits(token) << at;
        masks.digit |= bits(digit) << at;
        masks.pair |= bits(pair_class(here, next)) << at;
    }
    masks
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(block: &[u8; BLOCK + 1], at: usize) -> __m128i {
    let half = |from: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&block[from..from + 8]);
        i64::from_le_bytes(bytes)
    };
    _mm_set_epi64x(half(at + 8), half(at))
}

#[inline]
#[target_feature(enable = "sse2")]
fn bits(mask: __m128i) -> u64 {
    u64::from(_mm_movemask_epi8(mask) as u16)
}

#[inline]
#[target_feature(enable = "sse2")]
fn splat(byte: u8) -> __m128i {
    _mm_set1_epi8(byte as i8)
}

#[inline]
#[target_feature(enable = "sse2")]
fn equals(bytes: __m128i, byte: u8) -> __m128i {
    _mm_cmpeq_epi8(bytes, splat(byte))
}

/// Bytes from `first` to `first + count`.
#[inline]
#[target_feature(enable = "sse2")]
fn within(bytes: __m128i, first: u8, count: u8) -> __m128i {
    let shifted = _mm_sub_epi8(bytes, splat(first));
    _mm_cmpeq_epi8(_mm_min_epu8(shifted, splat(count)), shifted)
}

#[inline]
#[target_feature(enable = "sse2")]
fn token_class(bytes: __m128i) -> (__m128i, __m128i) {
    let folded = _mm_or_si128(bytes, splat(0x20));
    let letters = within(folded, b'a', 25);
    let digits = within(bytes, b'0', 9);
    // `-` and `=` differ in one bit, and so do `+` and `/`.
    let dash = equals(_mm_and_si128(bytes, splat(!0x10)), b'-');
    let plus = equals(_mm_or_si128(bytes, splat(0x04)), b'/');
    let rest = _mm_or_si128(equals(bytes, b'_'), equals(bytes, b'~'));
    let signs = _mm_or_si128(_mm_or_si128(dash, plus), rest);
    (_mm_or_si128(_mm_or_si128(letters, digits), signs), digits)
}

#[inline]
#[target_feature(enable = "sse2")]
fn pair_class(here: __m128i, next: __m128i) -> __m128i {
    let folded = _mm_or_si128(here, splat(0x20));
    let sp = _mm_or_si128(equals(folded, b's'), equals(folded, b'p'));
    let w = equals(_mm_or_si128(next, splat(0x20)), b'w');
    let words = _mm_and_si128(sp, w);
    let colon = _mm_and_si128(equals(here, b':'), equals(next, b'/'));
    let begin = _mm_and_si128(equals(here, b'B'), equals(next, b'E'));
    let azure = _mm_and_si128(equals(here, b'Q'), equals(next, b'~'));
    _mm_or_si128(_mm_or_si128(words, colon), _mm_or_si128(begin, azure))
}
