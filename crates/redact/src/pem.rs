//! Private keys over several lines: PEM, OpenPGP, SSH2 and PuTTY, a line at a time.

use crate::{
    alphabet::{ALPHA, B64, DIGIT, all, is, munch, munch_back},
    randomness::Stats,
    span::{Class, Span},
};
use alloc::vec::Vec;
use memchr::{memchr, memchr_iter, memmem};

/// The greatest size of a block, from its opener.
pub(crate) const MAX_BLOCK: usize = 16 * 1024;
/// A line of base64 is a line of a key from this length on.
const MIN_PIECE: usize = 24;

/// Where a line-by-line reader stands: inside a private key or not.
///
/// The state holds no text, so it may be stored and logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KeyState {
    mode: Mode,
    /// Bytes until the block is given up.
    budget: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Mode {
    #[default]
    Outside,
    /// Behind the opener; no line of the body yet.
    Opened,
    /// In the body.
    Body,
    /// Behind a short line: only the end may follow.
    Closing,
    /// In the head of a PuTTY file.
    PuttyHead,
    /// In the private lines of a PuTTY file.
    PuttyBody(u16),
}

impl KeyState {
    /// Outside of any private key.
    pub const OUTSIDE: Self = Self { mode: Mode::Outside, budget: 0 };

    /// Says whether the next line is inside of a block.
    pub const fn is_inside(&self) -> bool {
        !matches!(self.mode, Mode::Outside)
    }

    /// Reads one line, with or without its terminator; `base` is its position in the text that the spans refer to.
    pub(crate) fn line(&mut self, line: &[u8], base: usize, out: &mut Vec<Span>) {
        if !self.is_inside() && !may_open(line) {
            self.budget = 0;
            return;
        }
        let mut from = 0;
        while from < line.len() {
            let (to, after) = segment(line, from);
            self.segment(&line[from..to], base + from, out);
            self.spend(after - to);
            from = after;
        }
        if !self.is_inside() {
            self.budget = 0;
        }
    }

    fn segment(&mut self, text: &[u8], base: usize, out: &mut Vec<Span>) {
        let mut from = 0;
        loop {
            let rest = &text[from..];
            // An opener always starts anew, so that the state depends on the last one only.
            let opener = opener(rest);
            let head = opener.map_or(rest, |(at, _, _)| &rest[..at]);
            self.body(&head[..head.len().min(self.budget)], base + from, out);
            self.spend(head.len());
            let Some((_, end, mode)) = opener else { return };
            self.mode = mode;
            self.budget = MAX_BLOCK;
            from += end;
        }
    }

    /// Counts bytes of the block; behind the last one the block is given up.
    fn spend(&mut self, bytes: usize) {
        self.budget = self.budget.saturating_sub(bytes);
        if self.budget == 0 {
            self.mode = Mode::Outside;
        }
    }

    /// Reads a stretch without openers.
    fn body(&mut self, text: &[u8], base: usize, out: &mut Vec<Span>) {
        match self.mode {
            Mode::Outside => {}
            _ if text.is_empty() => {}
            Mode::PuttyHead => {
                if let Some(at) = memmem::find(text, b"Private-Lines:") {
                    let digits = text[at + 14..].trim_ascii();
                    let count = digits
                        .iter()
                        .take_while(|&&byte| is(byte, DIGIT))
                        .take(4)
                        .fold(0, |sum, byte| sum * 10 + u16::from(byte - b'0'));
                    self.mode = Mode::PuttyBody(count.min(1000));
                }
            }
            Mode::PuttyBody(0) => self.mode = Mode::Outside,
            Mode::PuttyBody(left) => {
                let pieces = long_pieces(text, base, "putty_private_key", 1, out);
                self.mode = if pieces { Mode::PuttyBody(left - 1) } else { Mode::Outside };
            }
            Mode::Opened | Mode::Body | Mode::Closing => self.key(text, base, out),
        }
    }

    fn key(&mut self, text: &[u8], base: usize, out: &mut Vec<Span>) {
        let end = memmem::find(text, b"END ")
            .filter(|&at| text[..at].ends_with(b"-----") || text[..at].ends_with(b"---- "));
        let body = &text[..end.unwrap_or(text.len())];
        if end.is_some() {
            // The last piece may be of any length, if it touches the end.
            let close =
                body.len() - body.iter().rev().take_while(|&&byte| matches!(byte, b'-' | b' ')).count();
            let last = munch_back(body, close, B64, close);
            long_pieces(&body[..last], base, "private_key", MIN_PIECE, out);
            if body[close..].first() == Some(&b'-') {
                long_pieces(&body[last..close], base + last, "private_key", 2, out);
            }
            self.mode = Mode::Outside;
            return;
        }
        if self.mode != Mode::Closing && long_pieces(body, base, "private_key", MIN_PIECE, out) {
            self.mode = Mode::Body;
            return;
        }
        let text = body.trim_ascii();
        if is_blank(text) || is_header(text) {
            return;
        }
        let sum = memchr(b'=', text).filter(|&at| {
            text.len() == at + 5
                && all(&text[at + 1..], B64)
                && !text[..at].iter().any(|&byte| is(byte, ALPHA))
        });
        if self.mode != Mode::Opened
            && let Some(at) = sum
        {
            let start = base + body.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0) + at + 1;
            out.push(Span { start, end: start + 4, kind: "private_key", class: Class::Structural });
            return;
        }
        if self.mode == Mode::Body
            && let Some((from, to)) = last_piece(body)
        {
            out.push(Span {
                start: base + from,
                end: base + to,
                kind: "private_key",
                class: Class::Structural,
            });
            self.mode = Mode::Closing;
            return;
        }
        self.mode = Mode::Outside;
    }
}

/// Whether an opener can be in a line at all: each has two dashes in a row, or one behind the `Y` of PuTTY.
fn may_open(line: &[u8]) -> bool {
    memchr_iter(b'-', line).any(|at| line.get(at + 1) == Some(&b'-') || (at > 0 && line[at - 1] == b'Y'))
}

/// The end of the segment at `from` and the start of the next: lines may be joined by a written `\n`.
fn segment(line: &[u8], from: usize) -> (usize, usize) {
    let mut at = from;
    while let Some(slash) = memchr(b'\\', &line[at..]) {
        let end = at + slash;
        let mut next = end;
        while line.get(next) == Some(&b'\\') {
            next += 1;
        }
        if matches!(line.get(next), Some(b'n' | b'r')) {
            return (end, next + 1);
        }
        at = next;
        if at >= line.len() {
            break;
        }
    }
    (line.len(), line.len())
}

/// The first opener of a private block: its start, its end, and the mode behind it.
fn opener(text: &[u8]) -> Option<(usize, usize, Mode)> {
    let mut from = 0;
    while let Some(at) = memmem::find(&text[from..], b"BEGIN ").map(|at| from + at) {
        let dashes =
            text[..at].iter().rev().take(6).take_while(|&&byte| byte == b'-' || byte == b' ').count();
        let label = &text[at + 6..text.len().min(at + 70)];
        if dashes >= 4
            && let Some(end) = memmem::find(label, b"----")
            && memmem::find(&label[..end], b"PRIVATE KEY").is_some()
        {
            let close = at + 6 + end + label[end..].iter().take_while(|&&byte| byte == b'-').count();
            return Some((at - dashes, close, Mode::Opened));
        }
        from = at + 6;
    }
    let at = memmem::find(text, b"PuTTY-User-Key-File-")?;
    Some((at, at + 20, Mode::PuttyHead))
}

/// Says whether an opener may stand in `text`; `at` is a `B` followed by `E`.
pub(crate) fn is_opener(text: &[u8], at: usize) -> bool {
    text[at..].starts_with(b"BEGIN ")
        && at >= 5
        && text[at - 5..at].iter().all(|&byte| byte == b'-' || byte == b' ')
}

/// Reports the base64 pieces of at least `min` bytes that can be a part of a key.
fn long_pieces(text: &[u8], base: usize, kind: &'static str, min: usize, out: &mut Vec<Span>) -> bool {
    let mut found = false;
    let mut at = 0;
    while at < text.len() {
        let end = munch(text, at, B64, text.len());
        if is_mask(text, at, end) {
            // A masked line is a line of the body still.
            found = true;
        } else if end - at >= min && is_body(&text[at..end], min) {
            out.push(Span { start: base + at, end: base + end, kind, class: Class::Structural });
            found = true;
        }
        at = end + 1;
    }
    found
}

/// Says whether the piece is the word of a marker such as `[FILTERED]`.
fn is_mask(text: &[u8], from: usize, to: usize) -> bool {
    from > 0
        && to > from
        && text[from - 1] == b'['
        && text.get(to) == Some(&b']')
        && text[from..to].iter().all(u8::is_ascii_uppercase)
}

/// Says whether a piece looks like base64 of a key rather than like a word of a program.
fn is_body(piece: &[u8], min: usize) -> bool {
    if min < MIN_PIECE {
        return !all(piece, DIGIT) || piece.len() > 4;
    }
    let stats = Stats::of(piece);
    stats.classes() >= 2 && (stats.digits > 0 || stats.natural <= -16) && stats.natural <= 8
        || piece.len() >= 60 && stats.distinct > 1
}

/// The last base64 piece of a line that has no other letters.
fn last_piece(text: &[u8]) -> Option<(usize, usize)> {
    let end = text.iter().rposition(|&byte| is(byte, B64))? + 1;
    let mut from = end;
    while from > 0 && is(text[from - 1], B64) {
        from -= 1;
    }
    let others =
        text[..from].iter().any(|&byte| is(byte, ALPHA)) || text[end..].iter().any(|&byte| is(byte, ALPHA));
    (!others && !is_mask(text, from, end) && end - from <= 100 && !all(&text[from..end], DIGIT))
        .then_some((from, end))
}

/// A line without content: glue, an empty comment, a line number.
fn is_blank(text: &[u8]) -> bool {
    !text.iter().any(|&byte| is(byte, ALPHA) || byte >= 0x80)
        && text.iter().filter(|&&byte| is(byte, DIGIT)).count() <= 6
}

/// The headers that may stand between opener and body.
fn is_header(text: &[u8]) -> bool {
    [
        b"Proc-Type:".as_slice(),
        b"DEK-Info:",
        b"Version:",
        b"Comment:",
        b"Hash:",
        b"Charset:",
        b"MessageID:",
        b"Subject:",
    ]
    .iter()
    .any(|name| memmem::find(text, name).is_some())
}

/// The line that contains `at`: its start and the start of the next.
pub(crate) fn line_of(text: &[u8], at: usize) -> (usize, usize) {
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
    (start, next_line(text, at))
}

/// The start of the line behind the one that contains `at`.
pub(crate) fn next_line(text: &[u8], at: usize) -> usize {
    memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1)
}
