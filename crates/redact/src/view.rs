//! Tokens in disguise: percent and `\u` escapes, invisible characters, terminal colours, and literals that are joined.

use crate::{
    alphabet::{TOKEN, is},
    formats::{Reach, find},
    span::Span,
};
use alloc::vec::Vec;

/// How far a disguised token may reach from the run that leads to it, on either side.
const MAX_SIDE: usize = 1024;

/// A piece of text with the disguise removed.
struct View {
    bytes: Vec<u8>,
    /// The position in the text of every byte of the view, and of its end.
    map: Vec<(u32, u32)>,
}

/// Says whether a disguise touches the run `start..end`.
#[inline]
pub(crate) fn touches(text: &[u8], start: usize, end: usize) -> bool {
    let after = text.get(end).copied().unwrap_or(0);
    if (is_mark(after) || quote(after)) && disguise(text, end).is_some() {
        return true;
    }
    let Some(&before) = text[..start].last() else { return false };
    if quote(before) {
        let sign = text[..start - 1].iter().rev().take(32).find(|byte| !byte.is_ascii_whitespace());
        return sign == Some(&b'+') && disguise_before(text, start).is_some();
    }
    match before {
        b'%' | b'\\' => disguise(text, start - 1).is_some(),
        b'[' => start >= 2 && text[start - 2] == 0x1b,
        b'\n' => text[..start].ends_with(b"\\\n") || text[..start].ends_with(b"\\\r\n"),
        0x80.. => disguise_before(text, start).is_some(),
        _ => false,
    }
}

fn quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'%' | b'\\' | 0x1b | 0xe2 | 0xc2 | 0xef)
}

/// Reports the tokens that show only when the disguise around the run `start..end` is removed; returns how far it looked.
pub(crate) fn reveal(text: &[u8], start: usize, end: usize, out: &mut Vec<Span>) -> usize {
    let floor = start.saturating_sub(MAX_SIDE);
    let mut from = start;
    while from > floor {
        let escape = matches!(text[from - 1], b'%' | b'\\') && disguise(text, from - 1).is_some();
        if is(text[from - 1], TOKEN) || text[from - 1] == b'.' || escape {
            from -= 1;
        } else if text[..from].ends_with(b"\x1b[") {
            from -= 2;
        } else if let Some(len) = disguise_before(text, from) {
            from -= len;
        } else {
            break;
        }
    }
    let stop = text.len().min(end + MAX_SIDE);
    let mut view = View { bytes: Vec::with_capacity(stop - from), map: Vec::with_capacity(stop - from) };
    let mut at = from;
    let mut changed = false;
    while at < stop {
        if let Some((len, byte)) = disguise(text, at) {
            if let Some(byte) = byte {
                view.push(byte, at - from, at + len - from);
            }
            at += len;
            changed = true;
        } else if is(text[at], TOKEN) || text[at] == b'.' {
            view.push(text[at], at - from, at + 1 - from);
            at += 1;
        } else {
            break;
        }
    }
    if !changed {
        return end;
    }
    let mut found = Vec::new();
    let mut reach = Reach::default();
    let mut run = 0;
    while run < view.bytes.len() {
        let to = crate::alphabet::munch(&view.bytes, run, TOKEN, view.bytes.len());
        if to - run >= crate::runs::MIN_RUN {
            find(&view.bytes, run, to, &mut reach, &mut found);
        }
        run = to + 1;
    }
    for span in &found {
        // Quotes, signs and line ends between the parts of a literal stay; what is invisible goes with its token.
        let mut start = span.start;
        for at in span.start..span.end {
            let end = view.map[at].1;
            let joint =
                at + 1 < span.end && is_joint(&text[from + end as usize..from + view.map[at + 1].0 as usize]);
            if at + 1 == span.end || joint {
                out.push(Span {
                    start: from + view.map[start].0 as usize,
                    end: from + end as usize,
                    ..*span
                });
                start = at + 1;
            }
        }
    }
    at
}

fn is_joint(gap: &[u8]) -> bool {
    gap.iter().any(|byte| matches!(byte, b'\n' | b'"' | b'\''))
}

impl View {
    fn push(&mut self, byte: u8, from: usize, to: usize) {
        self.bytes.push(byte);
        self.map.push((from as u32, to as u32));
    }
}

/// The length of the disguise at `at`, and the byte that it stands for, if any.
fn disguise(text: &[u8], at: usize) -> Option<(usize, Option<u8>)> {
    let rest = &text[at..];
    match *rest {
        [b'%', high, low, ..] => Some((3, Some(hex(high)? << 4 | hex(low)?))),
        [b'\\', b'u', b'0', b'0', high, low, ..] => Some((6, Some(hex(high)? << 4 | hex(low)?))),
        [b'\\', b'x', high, low, ..] => Some((4, Some(hex(high)? << 4 | hex(low)?))),
        [b'\\', b'\n', ..] => Some((2 + indent(&rest[2..]), None)),
        [b'\\', b'\r', b'\n', ..] => Some((3 + indent(&rest[3..]), None)),
        // Zero-width space, joiners and marks, word joiner.
        [0xe2, 0x80, 0x8b..=0x8f, ..] | [0xe2, 0x81, 0xa0..=0xa4, ..] | [0xef, 0xbb, 0xbf, ..] => {
            Some((3, None))
        }
        // Soft hyphen.
        [0xc2, 0xad, ..] => Some((2, None)),
        [0x1b, b'[', ..] => {
            let body = rest[2..].iter().take(16).take_while(|&&byte| matches!(byte, b'0'..=b'?')).count();
            rest.get(2 + body).filter(|byte| matches!(byte, b'@'..=b'~')).map(|_| (3 + body, None))
        }
        [b'"' | b'\'', ..] => joined(text, at).map(|len| (len, None)),
        _ => None,
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

fn indent(rest: &[u8]) -> usize {
    rest.iter().take(32).take_while(|&&byte| matches!(byte, b' ' | b'\t')).count()
}

/// The length of `" + "` at `at`, with any blanks and one line end.
fn joined(text: &[u8], at: usize) -> Option<usize> {
    let quote = text[at];
    let space =
        |from: usize| text[from..].iter().take(32).take_while(|byte| byte.is_ascii_whitespace()).count();
    let sign = at + 1 + space(at + 1);
    if text.get(sign) != Some(&b'+') {
        return None;
    }
    let open = sign + 1 + space(sign + 1);
    (text.get(open) == Some(&quote)).then_some(open + 1 - at)
}

/// The length of the disguise that ends at `end`.
fn disguise_before(text: &[u8], end: usize) -> Option<usize> {
    (2..=72.min(end)).find(|&len| disguise(text, end - len).is_some_and(|(full, _)| full == len))
}
