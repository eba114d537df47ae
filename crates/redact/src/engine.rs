//! One scan of a text: runs and pairs go to the rules, in an order of cost.

use crate::{
    alphabet::{DIGIT, LOWER, UPPER, VALUE, all, bits, is, munch},
    encoded::{decode, is_text},
    formats::{self, Reach},
    keyed,
    names::Name,
    opaque,
    pem::{self, KeyState},
    randomness::{Stats, is_hex_like},
    runs::{self, Events, Pass},
    span::{Class, Classes, Span},
    structural, view,
};
use alloc::vec::Vec;
use memchr::memchr;

/// No decision about a byte depends on text further away than this, on either side.
pub(crate) const REACH: usize = 96 * 1024;

/// Base64 is decoded up to this many characters.
const MAX_ENCODED: usize = 4096;

/// A longer stretch without a prefix is data.
const MAX_PIECE: usize = 16 * 1024;

/// Who looks for private keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keys {
    /// Private keys are looked for.
    Follow,
    /// The caller reads lines and follows private keys itself.
    Leave,
}

struct Scan<'t, 'o> {
    text: &'t [u8],
    classes: Classes,
    keys: Keys,
    /// The end of the private key that was read last.
    key_end: usize,
    /// The end of the value that was read last behind the name of a password.
    password_end: usize,
    /// The end of the text whose disguise was removed last.
    view_end: usize,
    reach: Reach,
    out: &'o mut Vec<Span>,
}

/// Reports what is found in `text`, unsorted.
pub(crate) fn scan(text: &[u8], classes: Classes, pass: Pass, keys: Keys, out: &mut Vec<Span>) {
    let mut scan =
        Scan { text, classes, keys, key_end: 0, password_end: 0, view_end: 0, reach: Reach::default(), out };
    runs::scan(text, pass, &mut scan);
}

impl Events for Scan<'_, '_> {
    #[inline]
    fn run(&mut self, start: usize, end: usize, digit: bool) {
        if !digit && end - start < 32 && !formats::may_begin(self.text, start) {
            return;
        }
        self.candidate(start, end, digit);
    }

    #[inline(never)]
    fn pair(&mut self, at: usize) {
        let text = self.text;
        match text[at] {
            b':' => structural::url(text, at, self.out),
            b'B' => {
                if self.keys == Keys::Follow && pem::is_opener(text, at) {
                    self.key(at);
                }
            }
            b'Q' => formats::azure_secret(text, at, self.out),
            _ if at < self.password_end => {}
            _ => {
                let (range, end) = keyed::password(text, at);
                self.password_end = end;
                self.out.extend(range.map(|range| Span {
                    start: range.start,
                    end: range.end,
                    kind: "password",
                    class: Class::Keyed,
                }));
            }
        }
    }
}

impl Scan<'_, '_> {
    /// Reads a private key whose opener contains `at`.
    fn key(&mut self, at: usize) {
        if at < self.key_end {
            return;
        }
        let mut state = KeyState::default();
        let (mut line, mut next) = pem::line_of(self.text, at);
        line = line.max(self.key_end);
        loop {
            state.line(&self.text[line..next], line, self.out);
            if !state.is_inside() || next == self.text.len() {
                break;
            }
            line = next;
            next = pem::next_line(self.text, line);
        }
        self.key_end = next;
    }

    #[inline(never)]
    fn candidate(&mut self, start: usize, end: usize, digit: bool) {
        let text = self.text;
        let known = self.out.len();
        formats::find(text, start, end, &mut self.reach, self.out);
        if self.keys == Keys::Follow
            && text[start] == b'P'
            && text[start..end].starts_with(b"PuTTY-User-Key-File-")
        {
            self.key(start);
        }
        if start >= self.view_end && view::touches(text, start, end) {
            self.view_end = view::reveal(text, start, end, self.out);
        }
        if !digit && end - start < 32 {
            return;
        }
        // A token of the table that fills most of the run leaves nothing to judge; an address keeps its host.
        let found = &self.out[known..];
        let filled = |span: &Span| span.start <= start && span.end >= end;
        let tokens = || found.iter().chain(self.reach.earlier());
        if tokens().any(filled) {
            return;
        }
        let bare =
            !tokens().any(|span| span.kind.ends_with("webhook") || 2 * (span.end - span.start) > end - start);
        let mut from = start;
        while end - from >= runs::MIN_RUN {
            // Between `=` signs that are closer to each other than this is nothing to judge.
            let body = from + runs::MIN_RUN;
            if let Some(sign) = text[from..body].iter().rposition(|&byte| byte == b'=') {
                from += sign + 1;
                continue;
            }
            let stop = memchr(b'=', &text[body..end]).map_or(end, |sign| body + sign);
            if stop - from <= MAX_PIECE {
                let after = munch(text, stop, bits(b'='), end - stop);
                self.piece(from, if after == end { after.min(stop + 2) } else { stop }, bare, known);
            }
            from = end.min(stop + 1);
        }
    }

    /// Judges one value: a run, or a part of it between `=` signs; without a name only where `bare` says so.
    ///
    /// The findings from `known` on are the tokens of the run.
    fn piece(&mut self, from: usize, to: usize, bare: bool, known: usize) {
        let text = self.text;
        let classes = text[from..to].iter().fold(0, |seen, &byte| seen | bits(byte));
        if classes & DIGIT == 0 {
            // Letters of one case, or letters that read like words.
            let mixed = classes & LOWER != 0 && classes & UPPER != 0;
            if !mixed || !Stats::of(&text[from..to]).is_unwritten(-16, -16) {
                return;
            }
        }
        let value = keyed::around(text, from, to);
        let alone =
            !text.get(value.end).is_some_and(|&byte| is(byte, VALUE)) && !text[..value.start].ends_with(b":");
        if alone && self.out[known..].iter().any(|span| span.start <= value.start && span.end >= value.end) {
            // A token of the table is the whole value.
            return;
        }
        let before = keyed::before(text, value.start);
        let inner = if value.start == from { before } else { keyed::before(text, from) };
        if structural::value(text, from, to, before.as_ref().or(inner.as_ref()), self.out) {
            return;
        }
        if let Some(named) = before
            && matches!(named.judged, Name::Strong | Name::Weak | Name::Password)
        {
            let next = text.get(value.end).copied();
            if keyed::is_secret(&text[value.clone()], named.judged, named.quoted, next) {
                self.out.push(Span {
                    start: value.start,
                    end: value.end,
                    kind: "named_secret",
                    class: Class::Keyed,
                });
                return;
            }
        }
        if is_hex_like(&text[from..to]) {
            return;
        }
        if self.encoded(from, to) {
            return;
        }
        if bare
            && self.classes.contains(Class::Entropy)
            && opaque::is_secret(text, from, to, before.as_ref().or(inner.as_ref()))
        {
            // The mark of a diff line is not a part of the value.
            let marked = (from == 0 || text[from - 1] == b'\n') && matches!(text[from], b'-' | b'+');
            let start = from + usize::from(marked);
            self.out.push(Span { start, end: to, kind: "opaque", class: Class::Entropy });
        }
    }

    /// Base64 of a text with a token in it.
    fn encoded(&mut self, from: usize, to: usize) -> bool {
        let piece = &self.text[from..to];
        if piece.len() < 32 || all(piece, DIGIT) {
            return false;
        }
        let mut head = [0; 24];
        if decode(&piece[..32], head.len(), &mut head) < head.len() {
            return false;
        }
        let mut buffer = [0; MAX_ENCODED / 4 * 3];
        let len = decode(piece, 0, &mut buffer);
        if len < 20 || !is_text(&buffer[..len]) {
            return false;
        }
        let mut inner = Vec::new();
        let mut start = 0;
        let decoded = &buffer[..len];
        while start < len {
            let end = munch(decoded, start, crate::alphabet::TOKEN, len);
            if end - start >= runs::MIN_RUN {
                formats::find(decoded, start, end, &mut Reach::default(), &mut inner);
            }
            start = end + 1;
        }
        if inner.is_empty() {
            return false;
        }
        self.out.push(Span { start: from, end: to, kind: "encoded_token", class: Class::Format });
        true
    }
}
