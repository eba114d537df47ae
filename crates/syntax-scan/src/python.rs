//! Python: brackets, strings of all kinds, comments, line continuation, and f-strings as of 3.12.

use crate::{
    blocks::{self, BLOCK, Core, Machine, Mark},
    outcome::ProblemKind,
    stack,
};

/// Entries of the stack besides brackets. A replacement field is a brace for its reader too.
const FIELD: u8 = b'f';
/// A field behind its `:`, where the format specification is text.
const FORMAT: u8 = b':';
/// An f-string, with these flags.
const STRING: u8 = 0x80;
const LONG: u8 = 0x01;
const RAW: u8 = 0x02;
const DOUBLE: u8 = 0x04;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    Comment,
    /// Behind this many quotes that open a string.
    Open(u8),
    /// In a string.
    Text,
    /// Behind this many quotes in a triple-quoted string.
    Close(u8),
    /// Behind a backslash in a string.
    Escape,
    /// Behind a backslash and a carriage return in a string.
    EscapeCr,
    /// Behind `\N` in an f-string.
    Named,
    /// In the braces of `\N{...}`.
    NamedBraces,
    /// Behind a `{` in an f-string.
    FieldOpen,
    /// Behind a `}` in an f-string.
    FieldClose,
    /// Behind a backslash in code.
    Continuation,
}

/// The string that is being read.
#[derive(Clone, Copy)]
struct Literal {
    quote: u8,
    is_long: bool,
    is_raw: bool,
    /// Whether `{` starts a replacement field.
    has_fields: bool,
    opened: Mark,
}

/// The scanner of Python.
pub(crate) struct Python {
    state: State,
    literal: Literal,
    /// The last backslash or brace whose meaning depends on the next byte.
    pending: Mark,
}

impl Python {
    pub(crate) const fn new() -> Self {
        let literal =
            Literal { quote: 0, is_long: false, is_raw: false, has_fields: false, opened: Mark::UNKNOWN };
        Self { state: State::Code, literal, pending: Mark::UNKNOWN }
    }
}

/// The bytes that mean something in code.
#[inline]
fn specials(block: &[u8; BLOCK]) -> u64 {
    blocks::select(block, |byte| {
        let folded = byte | 0x20;
        let braces = (folded == b'{') | (folded == b'}');
        let even = byte & 0xfe;
        let pairs = (even == b'"') | (even == b'(');
        braces | pairs | (byte == b'\'') | (byte == b'\\')
    })
}

impl Machine for Python {
    fn block(&mut self, core: &mut Core, block: &[u8; BLOCK], end: usize) {
        let specials = specials(block) & blocks::below(end as u64);
        let mut at = 0;
        while at < end && !core.is_decided() {
            at = match self.state {
                State::Code => self.code(core, block, specials, at, end),
                State::Comment => {
                    let newlines = core.newlines() & blocks::from(at);
                    if newlines != 0 {
                        self.state = State::Code;
                    }
                    newlines.trailing_zeros() as usize + 1
                }
                State::Text => self.text(core, block, at, end),
                _ => self.byte(core, block[at], at),
            };
        }
    }

    fn finish(&mut self, core: &mut Core) {
        let end = core.end_mark();
        match self.state {
            State::Code | State::Comment | State::Open(_) | State::Continuation => {
                // Closing what is open from the inside out: an f-string is a string, a field is a brace.
                match core.stack.top().map(|(kind, mark)| (kind, *mark)) {
                    Some((FIELD | FORMAT, mark)) => {
                        core.problem(ProblemKind::Unclosed { open: "{" }, end, Some(mark));
                    }
                    _ => core.finish_stack(),
                }
            }
            _ => {
                let kind = if self.literal.is_long {
                    ProblemKind::UnclosedText { quote: self.quote_text() }
                } else {
                    ProblemKind::UnclosedQuote { quote: self.quote_text() }
                };
                core.problem(kind, end, Some(self.literal.opened));
            }
        }
    }
}

impl Python {
    fn quote_text(&self) -> &'static str {
        match (self.literal.quote, self.literal.is_long) {
            (b'"', false) => "\"",
            (b'"', true) => "\"\"\"",
            (_, false) => "'",
            (_, true) => "'''",
        }
    }

    fn code(
        &mut self,
        core: &mut Core,
        block: &[u8; BLOCK],
        specials: u64,
        from: usize,
        end: usize,
    ) -> usize {
        let mut rest = specials;
        if core.stack.top_kind() == Some(FIELD) {
            rest |= blocks::select(block, |byte| byte == b':') & blocks::below(end as u64);
        }
        rest &= blocks::from(from);
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let byte = block[at % BLOCK];
            match byte {
                b'(' | b'[' | b'{' => {
                    core.open(byte, at);
                    if core.is_decided() {
                        return BLOCK;
                    }
                }
                b')' | b']' | b'}' if core.stack.top_kind() == Some(stack::opening(byte)) => {
                    core.stack.pop();
                    if core.stack.top_kind() == Some(FIELD) {
                        // The colons of the field count again.
                        return at + 1;
                    }
                }
                b'}' if core.stack.top_kind() == Some(FIELD) => {
                    core.stack.pop();
                    self.resume(core);
                    return at + 1;
                }
                b')' | b']' | b'}' => {
                    let at = core.mark(at);
                    core.unexpected(byte, at);
                    return BLOCK;
                }
                b'"' | b'\'' => {
                    self.open_string(core, block, at);
                    return at + 1;
                }
                b'#' => {
                    self.state = State::Comment;
                    return at + 1;
                }
                b'\\' => {
                    self.pending = core.mark(at);
                    self.state = State::Continuation;
                    return at + 1;
                }
                // A colon counts in the field itself, not in brackets inside of it.
                b':' if core.stack.top_kind() == Some(FIELD) => {
                    core.stack.retag(FORMAT);
                    self.resume(core);
                    return at + 1;
                }
                _ => {}
            }
        }
        BLOCK
    }

    /// Goes on with the f-string whose field or format specification is on top of the stack or was just closed.
    fn resume(&mut self, core: &Core) {
        let entries = core.stack.kinds();
        let Some(index) = entries.iter().rposition(|kind| kind & STRING != 0) else {
            self.state = State::Code;
            return;
        };
        let flags = entries.get(index).copied().unwrap_or_default();
        self.literal = Literal {
            quote: if flags & DOUBLE != 0 { b'"' } else { b'\'' },
            is_long: flags & LONG != 0,
            is_raw: flags & RAW != 0,
            has_fields: true,
            opened: core.stack.mark_at(index),
        };
        self.state = State::Text;
    }

    /// Starts a string at its first quote, behind its prefix.
    fn open_string(&mut self, core: &Core, block: &[u8; BLOCK], at: usize) {
        let back = |distance| core.before(block, at, distance).unwrap_or(b' ');
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        let (first, second) = (back(2).to_ascii_lowercase(), back(1).to_ascii_lowercase());
        let prefix = match (first, second) {
            (_, last) if !is_word(last) => [b' ', b' '],
            (before, last) if !is_word(before) => [b' ', last],
            (before, last) if !is_word(back(3)) => [before, last],
            _ => [b' ', b' '],
        };
        let (has_fields, is_raw) = match &prefix {
            b" f" | b" t" => (true, false),
            b"fr" | b"rf" | b"tr" | b"rt" => (true, true),
            b" r" | b"br" | b"rb" | b"ur" => (false, true),
            _ => (false, false),
        };
        let (quote, opened) = (block[at % BLOCK], core.mark(at));
        self.literal = Literal { quote, is_long: false, is_raw, has_fields, opened };
        self.state = State::Open(1);
    }

    /// The text of a string begins; an f-string is put on the stack, for its fields to find it.
    fn begin_text(&mut self, core: &mut Core, is_long: bool) {
        self.literal.is_long = is_long;
        self.state = State::Text;
        if self.literal.has_fields {
            let mut kind = STRING;
            kind |= if is_long { LONG } else { 0 };
            kind |= if self.literal.is_raw { RAW } else { 0 };
            kind |= if self.literal.quote == b'"' { DOUBLE } else { 0 };
            core.open_at(kind, self.literal.opened);
        }
    }

    /// The string is closed.
    fn end_text(&mut self, core: &mut Core, at: usize) {
        self.state = State::Code;
        if !self.literal.has_fields {
            return;
        }
        match core.stack.top().map(|(kind, mark)| (kind, *mark)) {
            Some((FORMAT, mark)) => {
                // The string ends in the middle of a field.
                let at = core.mark(at);
                core.problem(ProblemKind::Unclosed { open: "{" }, at, Some(mark));
            }
            _ => core.stack.pop(),
        }
    }

    fn text(&mut self, core: &mut Core, block: &[u8; BLOCK], from: usize, end: usize) -> usize {
        let Literal { quote, is_long, has_fields, .. } = self.literal;
        let mut rest = blocks::select(block, |byte| (byte == quote) | (byte == b'\\'));
        if has_fields {
            rest |= blocks::select(block, |byte| (byte == b'{') | (byte == b'}'));
        }
        if !is_long {
            rest |= core.newlines();
        }
        rest &= blocks::from(from) & blocks::below(end as u64);
        if rest == 0 {
            return BLOCK;
        }
        let at = rest.trailing_zeros() as usize;
        match block[at % BLOCK] {
            b'\\' => self.state = State::Escape,
            b'\n' => {
                let mark = core.mark(at);
                let kind = ProblemKind::UnclosedQuote { quote: self.quote_text() };
                core.problem(kind, mark, Some(self.literal.opened));
            }
            b'{' => {
                self.pending = core.mark(at);
                self.state = State::FieldOpen;
            }
            b'}' => {
                if core.stack.top_kind() == Some(FORMAT) {
                    core.stack.pop();
                    self.resume(core);
                } else {
                    self.pending = core.mark(at);
                    self.state = State::FieldClose;
                }
            }
            _ if is_long => self.state = State::Close(1),
            _ => self.end_text(core, at),
        }
        at + 1
    }

    /// One byte in a state that lasts for a few bytes.
    fn byte(&mut self, core: &mut Core, byte: u8, at: usize) -> usize {
        let quote = self.literal.quote;
        match self.state {
            State::Open(1) if byte == quote => self.state = State::Open(2),
            State::Open(1) => {
                self.begin_text(core, false);
                return at;
            }
            State::Open(_) if byte == quote => self.begin_text(core, true),
            State::Open(_) => {
                // Two quotes are an empty string.
                self.state = State::Code;
                return at;
            }
            State::Close(2) if byte == quote => self.end_text(core, at),
            State::Close(count) if byte == quote => self.state = State::Close(count + 1),
            State::Close(_) => {
                self.state = State::Text;
                return at;
            }
            State::Escape => {
                self.state = match byte {
                    b'\r' => State::EscapeCr,
                    b'N' if self.literal.has_fields && !self.literal.is_raw => State::Named,
                    _ => State::Text,
                };
                // A backslash does not take away the meaning of a brace.
                if matches!(byte, b'{' | b'}') && self.literal.has_fields {
                    return at;
                }
            }
            State::EscapeCr => {
                self.state = State::Text;
                return at + usize::from(byte == b'\n');
            }
            State::Named => {
                self.state = if byte == b'{' { State::NamedBraces } else { State::Text };
                return at + usize::from(byte == b'{');
            }
            State::NamedBraces => {
                if byte == b'}' {
                    self.state = State::Text;
                } else if byte == quote || byte == b'\n' {
                    self.state = State::Text;
                    return at;
                }
            }
            State::FieldOpen => {
                self.state = State::Text;
                if byte == b'{' && core.stack.top_kind() != Some(FORMAT) {
                    return at + 1;
                }
                core.open_at(FIELD, self.pending);
                self.state = State::Code;
                return at;
            }
            State::FieldClose => {
                self.state = State::Text;
                if byte != b'}' {
                    core.problem(ProblemKind::Unexpected { close: "}", open: None }, self.pending, None);
                }
            }
            State::Continuation => {
                self.state = State::Code;
                match byte {
                    b'\n' => {}
                    b'\r' => {}
                    _ => core.problem(ProblemKind::StrayBackslash, self.pending, None),
                }
            }
            _ => {}
        }
        at + 1
    }
}
