//! C and C++: delimiters, quotes, comments, raw strings, digit separators and the preprocessor.

mod preprocessor;

use crate::{
    blocks::{self, BLOCK, Core, Machine, Mark},
    directive::Conditions,
    outcome::{ProblemKind, SkipReason},
    stack,
};

/// The longest delimiter of a raw string that the language allows.
const MAX_RAW_DELIMITER: usize = 16;
/// How much of a condition is looked at; enough for every condition that is understood.
const MAX_CONDITION: usize = 40;
/// The longest directive name, `include_next`, and one byte.
const MAX_NAME: usize = 13;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    /// Behind a `/` that ended its block.
    Slash,
    LineComment,
    BlockComment,
    /// In a string or a character literal.
    Text,
    /// Behind a backslash in a literal.
    Escape,
    /// Behind a backslash and a carriage return in a literal.
    EscapeCr,
    /// In the delimiter of a raw string.
    RawOpen,
    /// In a raw string.
    Raw,
    /// In what may be the end of a raw string.
    RawClose,
    /// In the name of a directive.
    Name,
    /// In the condition of a directive.
    Condition,
    /// In the name of a macro that is defined.
    MacroName,
    /// In the parameters of a macro that is defined.
    Parameters,
    /// Before the name of an included file.
    Include,
    /// In a directive whose text is not looked at.
    Message,
}

/// The directive that the current line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// None: code.
    Plain,
    Define,
    If,
    Include,
    Other,
}

/// What may follow in the parameters of a macro.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parameter {
    /// A name, `...` or the end.
    First,
    /// A name or `...`.
    Next,
    /// More of the name.
    Name,
    /// Behind a name.
    AfterName,
    /// Behind one dot of `...`, or two.
    Dot,
    Dots,
    /// Behind `...`.
    AfterDots,
}

/// The scanner of C and C++.
pub(crate) struct CFamily {
    state: State,
    line: Line,
    /// The quote of the current literal.
    quote: u8,
    /// Where the current literal, comment or directive starts.
    opened: Mark,
    /// A comment that started on a blank line leaves the line blank.
    comment_on_blank: bool,
    /// The line is blank before this offset.
    blank_from: u64,
    /// A number goes on at this offset, behind a digit separator.
    number_at: u64,
    raw: [u8; MAX_RAW_DELIMITER],
    raw_len: usize,
    raw_matched: usize,
    name: [u8; MAX_NAME],
    name_len: usize,
    condition: [u8; MAX_CONDITION],
    condition_len: usize,
    /// In a quoted part of a directive that is not looked at.
    message_quoted: bool,
    /// What was open at the start of the directive.
    base: usize,
    any_directive: bool,
    /// How many macros have unbalanced delimiters.
    unbalanced_macros: u32,
    /// What is wrong with the first of them.
    unbalanced_macro: Option<(ProblemKind, Mark, Option<Mark>)>,
    /// The first closing delimiter of the current macro that does not fit.
    macro_problem: Option<(ProblemKind, Mark, Option<Mark>)>,
    /// How many more parentheses, brackets and braces the current macro opens than it closes.
    macro_opened: [i32; 3],
    /// What may follow in the parameters of the current macro.
    parameter: Parameter,
    /// The first unbalanced macro has one parenthesis or bracket too many or too few, and is always defined.
    off_by_one: bool,
    /// Some macro has unbalanced parentheses or brackets, or some included text may.
    parenthesis_macros: bool,
    /// The name of the first unbalanced macro; it is looked for in the rest of the file.
    watched: [u8; MAX_CONDITION],
    watched_len: usize,
    /// How much of that name the current word has matched; `None` if it is another word.
    watched_matched: Option<usize>,
    macro_used: bool,
    /// That name stands in the code or in another macro.
    macro_mentioned: bool,
    /// Text is included whose name a macro makes up; it may be this very file.
    macro_include: bool,
    /// The current directive itself is never compiled.
    in_dead_line: bool,
    /// Parentheses that are open in the condition of the current directive.
    parentheses: u32,
    parenthesis: Mark,
    conditions: Conditions,
}

impl CFamily {
    pub(crate) const fn new() -> Self {
        Self {
            state: State::Code,
            line: Line::Plain,
            quote: 0,
            opened: Mark::UNKNOWN,
            comment_on_blank: false,
            blank_from: 0,
            number_at: u64::MAX,
            raw: [0; MAX_RAW_DELIMITER],
            raw_len: 0,
            raw_matched: 0,
            name: [0; MAX_NAME],
            name_len: 0,
            condition: [0; MAX_CONDITION],
            condition_len: 0,
            message_quoted: false,
            base: 0,
            any_directive: false,
            unbalanced_macros: 0,
            unbalanced_macro: None,
            macro_problem: None,
            macro_opened: [0; 3],
            parameter: Parameter::First,
            off_by_one: false,
            parenthesis_macros: false,
            watched: [0; MAX_CONDITION],
            watched_len: 0,
            watched_matched: None,
            macro_used: false,
            macro_mentioned: false,
            macro_include: false,
            in_dead_line: false,
            parentheses: 0,
            parenthesis: Mark::UNKNOWN,
            conditions: Conditions::new(),
        }
    }
}

/// The bytes that mean something in code.
#[inline]
fn specials(block: &[u8; BLOCK]) -> u64 {
    blocks::select(block, |byte| {
        let folded = byte | 0x20;
        let braces = (folded == b'{') | (folded == b'}');
        let even = byte & 0xfe;
        // `"` and `#`, `(` and `)` differ in the lowest bit only.
        let pairs = (even == b'"') | (even == b'(');
        braces | pairs | (byte == b'\'') | (byte == b'/')
    })
}

impl Machine for CFamily {
    fn block(&mut self, core: &mut Core, block: &[u8; BLOCK], end: usize) {
        if core.offset(0) == 0 && block.starts_with(b"\xef\xbb\xbf") {
            self.blank_from = 3;
        }
        let specials = specials(block) & blocks::below(end as u64);
        let mut at = 0;
        while at < end && !core.is_decided() {
            at = match self.state {
                State::Code if self.line == Line::Plain && !self.conditions.dead => {
                    let next = self.plain(core, block, specials, at);
                    if self.unbalanced_macro.is_some() && !self.macro_used {
                        self.watch(block, at, next.min(end), true);
                    }
                    next
                }
                State::Code => {
                    let is_macro = self.line == Line::Define;
                    let next = self.careful(core, block, specials, at);
                    if self.off_by_one && !self.macro_mentioned && is_macro {
                        self.watch(block, at, next.min(end), false);
                    }
                    next
                }
                State::Slash => self.slash(block, at),
                State::LineComment => self.line_comment(core, block, at),
                State::BlockComment => self.block_comment(core, block, at),
                State::Text => self.text(core, block, at, end),
                State::Escape => {
                    self.state = if block[at] == b'\r' { State::EscapeCr } else { State::Text };
                    at + 1
                }
                State::EscapeCr => {
                    self.state = State::Text;
                    at + usize::from(block[at] == b'\n')
                }
                State::RawOpen => self.raw_open(core, block, at),
                State::Raw => self.raw(block, at),
                State::RawClose => self.raw_close(block, at),
                State::Name => self.name(core, block, at),
                State::Condition => self.condition(core, block, at),
                State::MacroName => at + usize::from(self.macro_name(core, block[at], at)),
                State::Parameters => self.parameters(core, block, at),
                State::Include => {
                    self.include(block[at]);
                    at + usize::from(self.state == State::Include)
                }
                State::Message => self.message(core, block, at),
            };
        }
    }

    fn finish(&mut self, core: &mut Core) {
        let (end, opened) = (core.end_mark(), Some(self.opened));
        match self.state {
            State::BlockComment => return core.problem(ProblemKind::UnclosedComment, end, opened),
            State::Raw | State::RawClose | State::RawOpen => {
                return core.problem(ProblemKind::UnclosedText { quote: "R\"" }, end, opened);
            }
            State::Text | State::Escape | State::EscapeCr if !self.conditions.dead => {
                return core.problem(ProblemKind::UnclosedQuote { quote: self.quote_text() }, end, opened);
            }
            _ => {}
        }
        if let Some(mark) = self.conditions.innermost() {
            return core.problem(ProblemKind::Unclosed { open: "#if" }, end, Some(mark));
        }
        let depth = core.stack.depth();
        let is_beyond_macros =
            || !self.parenthesis_macros && core.stack.kinds().iter().any(|kind| *kind != b'{');
        match self.doubt() {
            Some(SkipReason::UnbalancedMacro) if depth == 0 => {
                // The code balances without the macro, so what uses the macro is wrong.
                let is_used = self.macro_mentioned && self.off_by_one;
                if self.unbalanced_macros == 1 && is_used && self.conditions.disagreements == 0 {
                    self.report_macro(core);
                }
            }
            Some(SkipReason::UnbalancedMacro) if self.conditions.disagreements == 0 && is_beyond_macros() => {
                core.finish_stack();
            }
            Some(reason) if depth > 0 => core.skip(reason),
            Some(_) => {}
            None => {
                if depth > 0 || self.conditions.disagreements == 0 {
                    self.report_imbalance(core);
                } else if let Some((at, opened)) = self.conditions.broken {
                    core.problem(ProblemKind::UnbalancedBranches, at, Some(opened));
                }
                core.finish_stack();
            }
        }
    }
}

impl CFamily {
    /// Why an unbalanced delimiter may be right all the same.
    ///
    /// One `#if` alone, or one macro alone, cannot make up for itself; two can make up for each other.
    fn doubt(&self) -> Option<SkipReason> {
        // One macro is no doubt if it is used here: then its own imbalance is what is wrong.
        let macros =
            if self.macro_used { self.unbalanced_macros.saturating_sub(1) } else { self.unbalanced_macros };
        if self.macro_include || macros > 0 {
            Some(SkipReason::UnbalancedMacro)
        } else if self.conditions.disagreements.saturating_add(self.unbalanced_macros) > 1 {
            Some(SkipReason::ConditionalCompilation)
        } else {
            None
        }
    }

    /// Reports the only `#if` or the only macro that does not balance, if there is one.
    fn report_imbalance(&self, core: &mut Core) {
        if let Some((at, opened)) = self.conditions.disagreement {
            core.problem(ProblemKind::UnbalancedBranches, at, Some(opened));
        } else if self.macro_used {
            self.report_macro(core);
        }
    }

    fn report_macro(&self, core: &mut Core) {
        if let Some((kind, at, opened)) = self.unbalanced_macro {
            core.problem(kind, at, opened);
        }
    }

    fn quote_text(&self) -> &'static str {
        if self.quote == b'"' { "\"" } else { "'" }
    }

    /// Code that is compiled and belongs to no directive.
    #[inline]
    fn plain(&mut self, core: &mut Core, block: &[u8; BLOCK], specials: u64, from: usize) -> usize {
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
                        self.unexpected(core, block, byte, at);
                        return BLOCK;
                    }
                }
                _ => {
                    if let Some(next) = self.other(core, block, byte, at) {
                        return next;
                    }
                }
            }
        }
        BLOCK
    }

    /// Code in a directive, in text that is never compiled, or in a branch for C++.
    fn careful(&mut self, core: &mut Core, block: &[u8; BLOCK], specials: u64, from: usize) -> usize {
        let in_directive = self.line != Line::Plain;
        let mut rest = specials & blocks::from(from);
        if in_directive {
            rest |= core.newlines() & blocks::from(from);
        }
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let byte = block[at % BLOCK];
            match byte {
                b'(' | b'[' | b'{' if !self.conditions.dead => {
                    self.count(byte, 1);
                    core.open(byte, at);
                    if core.is_decided() {
                        return BLOCK;
                    }
                }
                b')' | b']' | b'}' if !self.conditions.dead => {
                    self.count(stack::opening(byte), -1);
                    self.close_carefully(core, block, byte, at);
                    if core.is_decided() {
                        return BLOCK;
                    }
                }
                b'\n' => {
                    if !is_continued(core, block, at) {
                        self.end_line(core, at);
                        return at + 1;
                    }
                }
                b'(' | b')' | b'[' | b']' | b'{' | b'}' => {}
                b'#' if in_directive => {}
                _ => {
                    if let Some(next) = self.other(core, block, byte, at) {
                        return next;
                    }
                }
            }
        }
        BLOCK
    }

    fn close_carefully(&mut self, core: &mut Core, block: &[u8; BLOCK], byte: u8, at: usize) {
        let floor = if self.line == Line::Plain { 0 } else { self.base };
        let depth = core.stack.depth();
        if depth > floor && core.stack.top_kind() == Some(stack::opening(byte)) {
            core.stack.pop();
        } else if self.line == Line::Define {
            let top =
                core.stack.top().filter(|_| depth > floor).map(|(kind, mark)| (stack::text(kind), *mark));
            let kind = ProblemKind::Unexpected { close: stack::text(byte), open: top.map(|(text, _)| text) };
            if self.macro_problem.is_none() {
                self.macro_problem = Some((kind, core.mark(at), top.map(|(_, mark)| mark)));
            }
        } else {
            self.unexpected(core, block, byte, at);
        }
    }

    /// A closing delimiter that does not fit.
    #[cold]
    fn unexpected(&mut self, core: &mut Core, block: &[u8; BLOCK], byte: u8, at: usize) {
        if byte == b')' && is_macro_argument(core, block, at) {
            return core.skip(SkipReason::UnbalancedMacro);
        }
        let is_local = core.stack.top().is_some_and(|(_, mark)| mark.offset() >= self.conditions.segment);
        if self.conditions.in_foreign_branch() {
            // Nobody may have compiled such a branch for years.
            return core.skip(SkipReason::ConditionalCompilation);
        }
        if !is_local {
            if let Some(reason) = self.doubt() {
                return core.skip(reason);
            }
            if self.conditions.in_branch_behind_disagreement() {
                // This branch may make up for the one before.
                return core.skip(SkipReason::ConditionalCompilation);
            }
            self.report_imbalance(core);
        }
        let at = core.mark(at);
        core.unexpected(byte, at);
    }

    /// A byte that starts a literal, a comment or a directive; returns where to go on if the state changed.
    #[inline]
    fn other(&mut self, core: &mut Core, block: &[u8; BLOCK], byte: u8, at: usize) -> Option<usize> {
        match byte {
            b'/' => {
                match block.get(at + 1) {
                    Some(b'/') => {
                        self.state = State::LineComment;
                        return Some(at + 2);
                    }
                    Some(b'*') => {
                        self.open_comment(core, block, at);
                        return Some(at + 2);
                    }
                    Some(_) => return None,
                    None => {}
                }
                self.opened = core.mark(at);
                self.comment_on_blank = self.is_blank_before(core, block, at);
                self.state = State::Slash;
            }
            b'"' => {
                self.opened = core.mark(at);
                if is_raw(core, block, at) {
                    self.raw_len = 0;
                    self.state = State::RawOpen;
                } else {
                    self.quote = byte;
                    self.state = State::Text;
                }
            }
            b'\'' => {
                if self.is_separator(core, block, at) {
                    return None;
                }
                self.opened = core.mark(at);
                self.quote = byte;
                self.state = State::Text;
            }
            b'#' => {
                if !self.is_blank_before(core, block, at) {
                    return None;
                }
                self.opened = core.mark(at);
                self.line = Line::Other;
                self.base = core.stack.depth();
                self.name_len = 0;
                self.state = State::Name;
            }
            _ => return None,
        }
        Some(at + 1)
    }

    fn open_comment(&mut self, core: &mut Core, block: &[u8; BLOCK], at: usize) {
        self.opened = core.mark(at);
        self.comment_on_blank = self.is_blank_before(core, block, at);
        self.state = State::BlockComment;
    }

    /// Whether only blanks and comments stand before the byte `at` on its line.
    fn is_blank_before(&self, core: &Core, block: &[u8; BLOCK], at: usize) -> bool {
        for back in 1..=BLOCK {
            if core.offset(at) < self.blank_from.saturating_add(back as u64) {
                return true;
            }
            match core.before(block, at, back) {
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => {}
                Some(b'\n') => return true,
                Some(_) => return false,
                None => return true,
            }
        }
        true
    }

    /// Whether the apostrophe `at` separates digits of a number.
    fn is_separator(&mut self, core: &Core, block: &[u8; BLOCK], at: usize) -> bool {
        let mut length = 0;
        let mut first = 0;
        while length < BLOCK {
            match core.before(block, at, length + 1) {
                Some(byte) if byte.is_ascii_alphanumeric() || byte == b'_' => first = byte,
                _ => break,
            }
            length += 1;
        }
        if length == 0 || core.before(block, at, length + 1) == Some(b'\\') {
            // What looks like a number is an escape in a literal whose first quote is missing.
            return false;
        }
        let start = core.offset(at).saturating_sub(length as u64);
        if first.is_ascii_digit() || start == self.number_at {
            self.number_at = core.offset(at) + 1;
            return true;
        }
        false
    }

    /// Behind a slash that ended its block.
    fn slash(&mut self, block: &[u8; BLOCK], at: usize) -> usize {
        match block[at] {
            b'/' => {
                self.state = State::LineComment;
                at + 1
            }
            b'*' => {
                self.state = State::BlockComment;
                at + 1
            }
            _ => {
                self.state = self.around_comment();
                at
            }
        }
    }

    /// What a comment stands in.
    fn around_comment(&self) -> State {
        match self.line {
            Line::Plain | Line::Define => State::Code,
            Line::If | Line::Include | Line::Other => State::Message,
        }
    }

    fn line_comment(&mut self, core: &mut Core, block: &[u8; BLOCK], from: usize) -> usize {
        let mut rest = core.newlines() & blocks::from(from);
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if !is_continued(core, block, at) {
                self.state = State::Code;
                self.end_line(core, at);
                return at + 1;
            }
        }
        BLOCK
    }

    fn block_comment(&mut self, core: &mut Core, block: &[u8; BLOCK], from: usize) -> usize {
        let mut rest = blocks::select(block, |byte| byte == b'/') & blocks::from(from);
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            // The star of `/*` does not close the comment.
            let is_long_enough = core.offset(at) >= self.opened.offset().saturating_add(3);
            if is_long_enough && core.before(block, at, 1) == Some(b'*') {
                self.state = self.around_comment();
                if self.comment_on_blank {
                    self.blank_from = core.offset(at) + 1;
                }
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
                    Some(b'\r') | None => {
                        self.state = State::Escape;
                        return at + 1;
                    }
                    Some(_) => rest &= !(1 << ((at + 1) % BLOCK)),
                },
                b'\n' => {
                    if is_loosely_continued(core, block, at) {
                        continue;
                    }
                    self.state = State::Code;
                    if !self.conditions.dead {
                        let mark = core.mark(at);
                        let kind = ProblemKind::UnclosedQuote { quote: self.quote_text() };
                        core.problem(kind, mark, Some(self.opened));
                        return BLOCK;
                    }
                    self.end_line(core, at);
                    return at + 1;
                }
                _ => {
                    self.state = State::Code;
                    let is_empty = quote == b'\'' && core.offset(at) == self.opened.offset() + 1;
                    if is_empty && self.line == Line::Plain && !self.conditions.dead {
                        core.problem(ProblemKind::EmptyCharacter, self.opened, None);
                    }
                    return at + 1;
                }
            }
        }
        BLOCK
    }

    fn raw_open(&mut self, core: &mut Core, block: &[u8; BLOCK], at: usize) -> usize {
        match (block[at], self.raw.get_mut(self.raw_len)) {
            (b'(', _) => self.state = State::Raw,
            (b' ' | b')' | b'\\' | b'"' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c, _) | (_, None) => {
                core.skip(SkipReason::RawString);
            }
            (byte, Some(slot)) => {
                *slot = byte;
                self.raw_len += 1;
            }
        }
        at + 1
    }

    fn raw(&mut self, block: &[u8; BLOCK], from: usize) -> usize {
        let closing = blocks::select(block, |byte| byte == b')') & blocks::from(from);
        if closing == 0 {
            return BLOCK;
        }
        self.raw_matched = 0;
        self.state = State::RawClose;
        closing.trailing_zeros() as usize + 1
    }

    fn raw_close(&mut self, block: &[u8; BLOCK], at: usize) -> usize {
        let expected = self.raw.get(..self.raw_len).and_then(|raw| raw.get(self.raw_matched));
        if block[at] == *expected.unwrap_or(&b'"') {
            if expected.is_none() {
                self.state = State::Code;
            }
            self.raw_matched += 1;
            return at + 1;
        }
        self.state = State::Raw;
        at
    }
}

/// Whether a backslash takes the line feed `at` out of the text.
#[inline]
fn is_continued(core: &Core, block: &[u8; BLOCK], at: usize) -> bool {
    match core.before(block, at, 1) {
        Some(b'\\') => true,
        Some(b'\r') => core.before(block, at, 2) == Some(b'\\'),
        _ => false,
    }
}

/// As `is_continued`, and blanks may stand between the backslash and the line feed.
fn is_loosely_continued(core: &Core, block: &[u8; BLOCK], at: usize) -> bool {
    (1..=BLOCK)
        .map_while(|back| core.before(block, at, back))
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
        .is_some_and(|byte| byte == b'\\')
}

/// Whether the quote `at` starts a raw string: `R`, `LR`, `uR`, `UR` or `u8R` stands before it.
fn is_raw(core: &Core, block: &[u8; BLOCK], at: usize) -> bool {
    let back = |distance| core.before(block, at, distance).unwrap_or(b' ');
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    if back(1) != b'R' {
        return false;
    }
    match back(2) {
        b'L' | b'u' | b'U' => !is_word(back(3)),
        b'8' => back(3) == b'u' && !is_word(back(4)),
        other => !is_word(other),
    }
}

/// Whether the innermost open delimiter is a brace that makes up an argument of a macro, as in
/// `BEGIN(namespace a {, B)`: a comma or the end of the arguments follows it.
fn is_macro_argument(core: &Core, block: &[u8; BLOCK], at: usize) -> bool {
    let Some((b'{', mark)) = core.stack.top() else {
        return false;
    };
    let distance = core.offset(at).saturating_sub(mark.offset()) as usize;
    (0..distance)
        .rev()
        .map_while(|back| core.before(block, at, back))
        .find(|byte| !matches!(byte, b' ' | b'\t'))
        .is_some_and(|byte| matches!(byte, b',' | b')'))
        && distance <= BLOCK
}
