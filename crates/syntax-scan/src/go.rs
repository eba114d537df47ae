//! Go: delimiters, strings, runes, raw strings and comments.

use crate::{
    blocks::{self, BLOCK, Core, Machine, Mark},
    outcome::ProblemKind,
    stack,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    /// Behind a `/` that ended its block.
    Slash,
    LineComment,
    BlockComment,
    /// In a string or a rune.
    Text,
    /// Behind a backslash in a string or a rune.
    Escape,
    /// Between backquotes.
    Raw,
}

/// The scanner of Go.
pub(crate) struct Go {
    state: State,
    quote: u8,
    /// Where the current literal or comment starts.
    opened: Mark,
}

impl Go {
    pub(crate) const fn new() -> Self {
        Self { state: State::Code, quote: 0, opened: Mark::UNKNOWN }
    }
}

/// The bytes that mean something in code.
#[inline]
fn specials(block: &[u8; BLOCK]) -> u64 {
    blocks::select(block, |byte| {
        let folded = byte | 0x20;
        let braces = (folded == b'{') | (folded == b'}');
        let parens = byte & 0xfe == b'(';
        let quotes = (byte == b'"') | (byte == b'\'') | (byte == b'`');
        braces | parens | quotes | (byte == b'/')
    })
}

impl Machine for Go {
    fn block(&mut self, core: &mut Core, block: &[u8; BLOCK], end: usize) {
        let specials = specials(block) & blocks::below(end as u64);
        let mut at = 0;
        while at < end && !core.is_decided() {
            at = match self.state {
                State::Code => self.code(core, block, specials, at),
                State::Slash => {
                    self.state = match block[at] {
                        b'/' => State::LineComment,
                        b'*' => State::BlockComment,
                        _ => State::Code,
                    };
                    at + usize::from(self.state != State::Code)
                }
                State::LineComment => match (core.newlines() & blocks::from(at)).checked_ilog2() {
                    Some(_) => {
                        self.state = State::Code;
                        (core.newlines() & blocks::from(at)).trailing_zeros() as usize + 1
                    }
                    None => BLOCK,
                },
                State::BlockComment => self.block_comment(core, block, at, end),
                State::Text => self.text(core, block, at, end),
                State::Escape => {
                    self.state = State::Text;
                    // A line feed cannot be escaped.
                    at + usize::from(block[at] != b'\n')
                }
                State::Raw => {
                    let closing = blocks::select(block, |byte| byte == b'`') & blocks::from(at);
                    if closing != 0 {
                        self.state = State::Code;
                    }
                    closing.trailing_zeros() as usize + 1
                }
            };
        }
    }

    fn finish(&mut self, core: &mut Core) {
        let (end, opened) = (core.end_mark(), Some(self.opened));
        match self.state {
            State::BlockComment => core.problem(ProblemKind::UnclosedComment, end, opened),
            State::Raw => core.problem(ProblemKind::UnclosedText { quote: "`" }, end, opened),
            State::Text | State::Escape => {
                core.problem(ProblemKind::UnclosedQuote { quote: self.quote_text() }, end, opened);
            }
            _ => core.finish_stack(),
        }
    }
}

impl Go {
    fn quote_text(&self) -> &'static str {
        if self.quote == b'"' { "\"" } else { "'" }
    }

    fn code(&mut self, core: &mut Core, block: &[u8; BLOCK], specials: u64, from: usize) -> usize {
        let mut rest = specials & blocks::from(from);
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
                b')' | b']' | b'}' => {
                    if core.stack.top_kind() == Some(stack::opening(byte)) {
                        core.stack.pop();
                    } else {
                        let at = core.mark(at);
                        core.unexpected(byte, at);
                        return BLOCK;
                    }
                }
                b'/' => match block.get(at + 1) {
                    Some(b'/') => {
                        self.state = State::LineComment;
                        return at + 2;
                    }
                    Some(b'*') => {
                        self.opened = core.mark(at);
                        self.state = State::BlockComment;
                        return at + 2;
                    }
                    Some(_) => {}
                    None => {
                        self.opened = core.mark(at);
                        self.state = State::Slash;
                    }
                },
                _ => {
                    self.opened = core.mark(at);
                    self.quote = byte;
                    self.state = if byte == b'`' { State::Raw } else { State::Text };
                    return at + 1;
                }
            }
        }
        BLOCK
    }

    fn block_comment(&mut self, core: &Core, block: &[u8; BLOCK], from: usize, end: usize) -> usize {
        let mut rest = blocks::select(block, |byte| byte == b'/') & blocks::from(from);
        rest &= blocks::below(end as u64);
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            // The star of `/*` does not close the comment.
            let is_long_enough = core.offset(at) >= self.opened.offset().saturating_add(3);
            if is_long_enough && core.before(block, at, 1) == Some(b'*') {
                self.state = State::Code;
                return at + 1;
            }
        }
        BLOCK
    }

    fn text(&mut self, core: &mut Core, block: &[u8; BLOCK], from: usize, end: usize) -> usize {
        let quote = self.quote;
        let mut rest = blocks::select(block, |byte| (byte == quote) | (byte == b'\\')) | core.newlines();
        rest &= blocks::from(from) & blocks::below(end as u64);
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            match block[at % BLOCK] {
                b'\\' => match block.get(at + 1) {
                    None => {
                        self.state = State::Escape;
                        return at + 1;
                    }
                    Some(b'\n') => {}
                    Some(_) => rest &= !(1 << ((at + 1) % BLOCK)),
                },
                b'\n' => {
                    let mark = core.mark(at);
                    let kind = ProblemKind::UnclosedQuote { quote: self.quote_text() };
                    core.problem(kind, mark, Some(self.opened));
                    return BLOCK;
                }
                _ => {
                    self.state = State::Code;
                    if quote == b'\'' && core.offset(at) == self.opened.offset() + 1 {
                        core.problem(ProblemKind::EmptyCharacter, self.opened, None);
                    }
                    return at + 1;
                }
            }
        }
        BLOCK
    }
}
