//! The directives of C and C++: their names, conditions and macros.

use super::{CFamily, Line, MAX_CONDITION, Parameter, State, is_continued};
use crate::{
    blocks::{self, BLOCK, Core},
    directive::Condition,
    outcome::ProblemKind,
    stack,
};

impl CFamily {
    /// A byte of the name of a macro; returns whether it belongs to the name or the blanks before it.
    pub(super) fn macro_name(&mut self, core: &Core, byte: u8, at: usize) -> bool {
        match byte {
            b' ' | b'\t' if self.condition_len == 0 => return true,
            b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                if let Some(slot) = self.condition.get_mut(self.condition_len) {
                    *slot = byte;
                    self.condition_len += 1;
                    return true;
                }
                // A name that is too long is not looked for.
                self.condition_len = 0;
            }
            b'(' if self.condition_len > 0 => {
                self.parenthesis = core.mark(at);
                self.parameter = Parameter::First;
                self.state = State::Parameters;
                return true;
            }
            _ => {}
        }
        self.state = State::Code;
        false
    }

    /// The parameters of a macro: names and commas, and nothing else, in any branch for any compiler.
    pub(super) fn parameters(&mut self, core: &mut Core, block: &[u8; BLOCK], from: usize) -> usize {
        let mut at = from;
        while let Some(&byte) = block.get(at) {
            let next = match (byte, self.parameter) {
                (b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.., Parameter::First | Parameter::Next)
                | (b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. | b'0'..=b'9', Parameter::Name) => {
                    Parameter::Name
                }
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, Parameter::Name) => Parameter::AfterName,
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, Parameter::Dot | Parameter::Dots) => {
                    return self.broken_parameters(core, at);
                }
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, same) => same,
                (b'.', Parameter::Dot) => Parameter::Dots,
                (b'.', Parameter::Dots) => Parameter::AfterDots,
                (b'.', Parameter::AfterDots) => return self.broken_parameters(core, at),
                (b'.', _) => Parameter::Dot,
                (b',', Parameter::Name | Parameter::AfterName) => Parameter::Next,
                (b')', Parameter::Next | Parameter::Dot | Parameter::Dots) => {
                    return self.broken_parameters(core, at);
                }
                (b')', _) => {
                    self.state = State::Code;
                    return at + 1;
                }
                (b'/' | b'\\', _) | (b'_' | b'a'..=b'z' | b'A'..=b'Z', Parameter::AfterName)
                    if byte == b'/' || byte == b'\\' || self.conditions.in_branch() =>
                {
                    // A comment, a line that goes on, or a type in a branch that nobody compiles: too rare to be
                    // looked at any closer.
                    core.open_at(b'(', self.parenthesis);
                    self.count(b'(', 1);
                    self.state = State::Code;
                    return at;
                }
                _ => return self.broken_parameters(core, at),
            };
            self.parameter = next;
            at += 1;
        }
        BLOCK
    }

    #[cold]
    fn broken_parameters(&self, core: &mut Core, at: usize) -> usize {
        let mark = core.mark(at);
        core.problem(ProblemKind::MacroParameters, mark, Some(self.parenthesis));
        BLOCK
    }

    /// The first byte of the name of an included file.
    pub(super) fn include(&mut self, byte: u8) {
        match byte {
            b' ' | b'\t' => return,
            b'<' | b'"' | b'/' | b'\\' | b'\n' | b'\r' => {}
            _ => {
                self.macro_include |= !self.conditions.dead;
                self.parenthesis_macros |= !self.conditions.dead;
            }
        }
        self.state = State::Message;
    }

    pub(super) fn name(&mut self, core: &mut Core, block: &[u8; BLOCK], from: usize) -> usize {
        let mut at = from;
        while let Some(&byte) = block.get(at) {
            match byte {
                b' ' | b'\t' if self.name_len == 0 => {}
                b'a'..=b'z' | b'_' => {
                    let Some(slot) = self.name.get_mut(self.name_len) else {
                        break;
                    };
                    *slot = byte;
                    self.name_len += 1;
                }
                _ => break,
            }
            at += 1;
        }
        if at < BLOCK {
            self.directive(core, at);
        }
        at
    }

    /// A directive whose name is complete.
    pub(super) fn directive(&mut self, core: &mut Core, at: usize) {
        let is_first = !self.any_directive;
        self.any_directive = true;
        self.message_quoted = false;
        self.macro_problem = None;
        self.macro_opened = [0; 3];
        self.parentheses = 0;
        self.in_dead_line = self.conditions.dead;
        self.condition_len = 0;
        let name = self.name;
        let name = name.get(..self.name_len).unwrap_or_default();
        self.state = State::Message;
        match name {
            b"if" | b"ifdef" | b"ifndef" | b"elif" | b"elifdef" | b"elifndef" => {
                self.line = Line::If;
                self.state = State::Condition;
                // A guard is the first directive and stands outside of everything.
                self.message_quoted = is_first && core.stack.depth() == 0;
            }
            b"else" => {
                if self.conditions.next(Condition::Always, &mut core.stack, self.opened).is_err() {
                    core.problem(ProblemKind::Unexpected { close: "#else", open: None }, self.opened, None);
                }
                self.base = core.stack.depth();
                self.conditions.segment = core.offset(at);
            }
            b"endif" => {
                if self.conditions.end(&core.stack, self.opened).is_err() {
                    core.problem(ProblemKind::Unexpected { close: "#endif", open: None }, self.opened, None);
                }
                self.base = core.stack.depth();
                self.conditions.segment = core.offset(at);
            }
            b"define" if !self.conditions.dead => {
                self.line = Line::Define;
                self.state = State::MacroName;
            }
            b"include" | b"include_next" | b"import" => {
                self.line = Line::Include;
                self.state = State::Include;
            }
            _ => {}
        }
    }

    pub(super) fn condition(&mut self, core: &mut Core, block: &[u8; BLOCK], from: usize) -> usize {
        let mut at = from;
        while let Some(&byte) = block.get(at) {
            match byte {
                b' ' | b'\t' | b'\r' => {}
                b'\n' | b'/' | b'"' | b'\'' | b'\\' => {
                    self.conditional(core, at, byte != b'\\');
                    return at;
                }
                b'(' | b')' => {
                    if self.condition_len == MAX_CONDITION {
                        self.conditional(core, at, false);
                        return at;
                    }
                    if let Some(slot) = self.condition.get_mut(self.condition_len) {
                        *slot = byte;
                    }
                    self.condition_len += 1;
                    self.parenthesis(core, byte, at);
                }
                _ => {
                    let Some(slot) = self.condition.get_mut(self.condition_len) else {
                        self.conditional(core, at, false);
                        return at;
                    };
                    *slot = byte;
                    self.condition_len += 1;
                }
            }
            at += 1;
        }
        BLOCK
    }

    /// An `#if` or `#elif` whose condition has been read.
    pub(super) fn conditional(&mut self, core: &mut Core, at: usize, whole: bool) {
        let (name, text) = (self.name, self.condition);
        let name = name.get(..self.name_len).unwrap_or_default();
        let text = text.get(..self.condition_len).unwrap_or_default();
        let mut condition = Condition::of(name, text, whole);
        let is_guard = name == b"ifndef" || name == b"if" && text.starts_with(b"!defined");
        if self.message_quoted && is_guard {
            condition = Condition::Guard;
        }
        self.message_quoted = false;
        if name.starts_with(b"if") {
            self.conditions.begin(condition, &core.stack, self.opened);
        } else if self.conditions.next(condition, &mut core.stack, self.opened).is_err() {
            core.problem(ProblemKind::Unexpected { close: "#elif", open: None }, self.opened, None);
        }
        self.conditions.segment = core.offset(at);
        self.base = core.stack.depth();
        self.state = State::Message;
    }

    /// A parenthesis in a condition, which must balance on its own.
    pub(super) fn parenthesis(&mut self, core: &mut Core, byte: u8, at: usize) {
        if self.in_dead_line {
            return;
        }
        if byte == b'(' {
            if self.parentheses == 0 {
                self.parenthesis = core.mark(at);
            }
            self.parentheses = self.parentheses.saturating_add(1);
        } else if self.parentheses > 0 {
            self.parentheses -= 1;
        } else {
            let at = core.mark(at);
            core.problem(ProblemKind::Unexpected { close: ")", open: None }, at, None);
        }
    }

    /// A directive whose text is not looked at, up to the end of its line.
    pub(super) fn message(&mut self, core: &mut Core, block: &[u8; BLOCK], from: usize) -> usize {
        let mut rest = blocks::select(block, |byte| (byte == b'"') | (byte == b'/')) | core.newlines();
        if self.line == Line::If {
            rest |= blocks::select(block, |byte| byte & 0xfe == b'(');
        }
        rest &= blocks::from(from);
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            match block[at % BLOCK] {
                b'\n' => {
                    if is_continued(core, block, at) {
                        continue;
                    }
                    if self.message_quoted && self.line == Line::Include && !self.conditions.dead {
                        let mark = core.mark(at);
                        core.problem(ProblemKind::UnclosedQuote { quote: "\"" }, mark, Some(self.opened));
                        return BLOCK;
                    }
                    self.state = State::Code;
                    self.end_line(core, at);
                    return at + 1;
                }
                b'"' => {
                    self.message_quoted = !self.message_quoted;
                    if self.line == Line::Include && self.message_quoted {
                        self.opened = core.mark(at);
                    }
                }
                _ if self.message_quoted => {}
                byte @ (b'(' | b')') => {
                    self.parenthesis(core, byte, at);
                    if core.is_decided() {
                        return BLOCK;
                    }
                }
                _ => match block.get(at + 1) {
                    Some(b'*') => {
                        self.open_comment(core, block, at);
                        return at + 2;
                    }
                    Some(b'/') => {
                        self.state = State::LineComment;
                        return at + 2;
                    }
                    Some(_) => {}
                    None => {
                        self.opened = core.mark(at);
                        self.comment_on_blank = false;
                        self.state = State::Slash;
                        return at + 1;
                    }
                },
            }
        }
        BLOCK
    }

    /// The end of a line that is not continued, which ends a directive.
    pub(super) fn end_line(&mut self, core: &mut Core, at: usize) {
        if self.line == Line::Define {
            self.end_macro(core, at);
        }
        if self.line == Line::If && self.parentheses > 0 {
            let mark = core.mark(at);
            core.problem(ProblemKind::Unclosed { open: "(" }, mark, Some(self.parenthesis));
        }
        self.line = Line::Plain;
    }

    /// The end of a macro: what it closes it may open again, as `}, {` does.
    pub(super) fn end_macro(&mut self, core: &mut Core, at: usize) {
        let mut problem = self.macro_problem;
        if problem.is_none() {
            problem = core.stack.top().map(|(kind, mark)| {
                (ProblemKind::Unclosed { open: stack::text(kind) }, core.mark(at), Some(*mark))
            });
        }
        core.stack.truncate(self.base);
        if self.macro_opened == [0; 3] {
            return;
        }
        self.parenthesis_macros |= !matches!(self.macro_opened, [0, 0, _]);
        self.unbalanced_macros = self.unbalanced_macros.saturating_add(1);
        if self.unbalanced_macro.is_none() {
            self.unbalanced_macro = problem;
            self.off_by_one =
                matches!(self.macro_opened, [1 | -1, 0, 0] | [0, 1 | -1, 0]) && !self.conditions.in_branch();
            self.watched = self.condition;
            self.watched_len = self.condition_len;
            self.watched_matched = None;
        }
    }

    /// Counts a delimiter of a macro.
    pub(super) fn count(&mut self, open: u8, change: i32) {
        let [parentheses, brackets, braces] = &mut self.macro_opened;
        let counter = match open {
            b'(' => parentheses,
            b'[' => brackets,
            _ => braces,
        };
        *counter = counter.saturating_add(change);
    }

    /// Looks for the name of the unbalanced macro.
    pub(super) fn watch(&mut self, block: &[u8; BLOCK], from: usize, end: usize, in_code: bool) {
        if from > 0 {
            self.watched_matched = Some(0);
        }
        for &byte in block.get(from..end).unwrap_or_default() {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                self.watched_matched = self
                    .watched_matched
                    .filter(|matched| {
                        *matched < self.watched_len && self.watched.get(*matched) == Some(&byte)
                    })
                    .map(|matched| matched + 1);
            } else {
                if self.watched_len > 0 && self.watched_matched == Some(self.watched_len) {
                    self.macro_mentioned = true;
                    self.macro_used |= in_code;
                }
                self.watched_matched = Some(0);
            }
        }
    }
}
