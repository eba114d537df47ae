//! TOML: brackets, braces, the four kinds of strings, and comments.

use crate::{
    blocks::{self, BLOCK, Core, Machine, Mark},
    outcome::ProblemKind,
    stack,
};

/// The most quotes that may end a multi-line string: two belong to the text.
const MAX_CLOSING_QUOTES: u8 = 5;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    Comment,
    /// Behind this many quotes that open a string.
    Open(u8),
    /// In a string that ends on its line.
    Text,
    /// In a string that may span lines.
    Long,
    /// Behind this many quotes in such a string.
    Close(u8),
    /// Behind a backslash in a string.
    Escape,
}

/// The scanner of TOML.
pub(crate) struct Toml {
    state: State,
    quote: u8,
    is_long: bool,
    /// Where the current string starts.
    opened: Mark,
}

impl Toml {
    pub(crate) const fn new() -> Self {
        Self { state: State::Code, quote: 0, is_long: false, opened: Mark::UNKNOWN }
    }
}

/// The bytes that mean something outside of strings.
#[inline]
fn specials(block: &[u8; BLOCK]) -> u64 {
    blocks::select(block, |byte| {
        let folded = byte | 0x20;
        let braces = (folded == b'{') | (folded == b'}');
        let pairs = byte & 0xfe == b'"';
        braces | pairs | (byte == b'\'') | (byte == b'\\')
    })
}

impl Machine for Toml {
    fn block(&mut self, core: &mut Core, block: &[u8; BLOCK], end: usize) {
        let specials = specials(block) & blocks::below(end as u64);
        let mut at = 0;
        while at < end && !core.is_decided() {
            let byte = block[at];
            at = match self.state {
                State::Code => self.code(core, block, specials, at),
                State::Comment => {
                    let newlines = core.newlines() & blocks::from(at);
                    if newlines != 0 {
                        self.state = State::Code;
                    }
                    newlines.trailing_zeros() as usize + 1
                }
                State::Open(1) if byte == self.quote => {
                    self.state = State::Open(2);
                    at + 1
                }
                State::Open(1) => {
                    self.is_long = false;
                    self.state = State::Text;
                    at
                }
                State::Open(_) if byte == self.quote => {
                    self.is_long = true;
                    self.state = State::Long;
                    at + 1
                }
                State::Open(_) => {
                    self.state = State::Code;
                    at
                }
                State::Text => self.text(core, block, at, end),
                State::Long => self.long(block, at, end),
                State::Close(count) if byte == self.quote => {
                    self.state =
                        if count + 1 == MAX_CLOSING_QUOTES { State::Code } else { State::Close(count + 1) };
                    at + 1
                }
                State::Close(count) => {
                    self.state = if count >= 3 { State::Code } else { State::Long };
                    at
                }
                State::Escape => {
                    self.state = if self.is_long { State::Long } else { State::Text };
                    // A line feed ends a one-line string, escaped or not.
                    at + usize::from(byte != b'\n')
                }
            };
        }
    }

    fn finish(&mut self, core: &mut Core) {
        match self.state {
            State::Long | State::Close(_) | State::Escape => {
                let quote = if self.quote == b'"' { "\"\"\"" } else { "'''" };
                let end = core.end_mark();
                core.problem(ProblemKind::UnclosedText { quote }, end, Some(self.opened));
            }
            _ => core.finish_stack(),
        }
    }
}

impl Toml {
    fn code(&mut self, core: &mut Core, block: &[u8; BLOCK], specials: u64, from: usize) -> usize {
        let mut rest = specials & blocks::from(from);
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let byte = block[at % BLOCK];
            match byte {
                b'[' | b'{' => core.open(byte, at),
                b']' | b'}' if core.stack.top_kind() == Some(stack::opening(byte)) => core.stack.pop(),
                b']' | b'}' => {
                    let at = core.mark(at);
                    core.unexpected(byte, at);
                }
                b'#' => {
                    self.state = State::Comment;
                    return at + 1;
                }
                b'"' | b'\'' => {
                    self.opened = core.mark(at);
                    self.quote = byte;
                    self.state = State::Open(1);
                    return at + 1;
                }
                b'\\' => {
                    let at = core.mark(at);
                    core.problem(ProblemKind::StrayBackslash, at, None);
                }
                _ => {}
            }
            if core.is_decided() {
                return BLOCK;
            }
        }
        BLOCK
    }

    fn text(&mut self, core: &mut Core, block: &[u8; BLOCK], from: usize, end: usize) -> usize {
        let (quote, escape) = (self.quote, self.escape());
        let mut rest = blocks::select(block, |byte| (byte == quote) | (byte == escape)) | core.newlines();
        rest &= blocks::from(from) & blocks::below(end as u64);
        if rest == 0 {
            return BLOCK;
        }
        let at = rest.trailing_zeros() as usize;
        match block[at % BLOCK] {
            b'\n' => {
                let quote = if quote == b'"' { "\"" } else { "'" };
                let mark = core.mark(at);
                core.problem(ProblemKind::UnclosedQuote { quote }, mark, Some(self.opened));
            }
            byte if byte == quote => self.state = State::Code,
            _ => self.state = State::Escape,
        }
        at + 1
    }

    fn long(&mut self, block: &[u8; BLOCK], from: usize, end: usize) -> usize {
        let (quote, escape) = (self.quote, self.escape());
        let rest = blocks::select(block, |byte| (byte == quote) | (byte == escape))
            & blocks::from(from)
            & blocks::below(end as u64);
        if rest == 0 {
            return BLOCK;
        }
        let at = rest.trailing_zeros() as usize;
        self.state = if block[at % BLOCK] == quote { State::Close(1) } else { State::Escape };
        at + 1
    }

    /// The byte that starts an escape; literal strings have none, and there it is the quote.
    fn escape(&self) -> u8 {
        if self.quote == b'"' { b'\\' } else { self.quote }
    }
}
