//! RE2's syntax, read as Go's `regexp` reads it and rewritten for the regex crates.
//!
//! The two dialects look alike and differ in detail: stray braces, `\Q...\E`, octal escapes, brackets inside classes,
//! set operations, and ASCII-only `\d \w \s \b`. So a pattern is parsed here in full and written out anew, with every
//! literal escaped and every class spelled out; nothing of the source reaches the other parser as it stands.

use std::collections::BTreeSet;

use crate::Error;

/// What the text is that a pattern is matched against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text {
    /// One line: every anchor is an end of the line, and nothing matches a line feed.
    Line,
    /// A whole file: `.` matches line feeds, `^` and `$` are ends of lines, `\A` and `\z` those of the file.
    File,
}

/// Groups inside one another.
const MAX_NESTING: usize = 200;
/// RE2's bound of a repeat count.
const MAX_REPEAT: u32 = 1_000;

const DIGIT: &[(char, char)] = &[('0', '9')];
const SPACE: &[(char, char)] = &[('\t', '\n'), ('\x0C', '\r'), (' ', ' ')];
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

/// The classes of POSIX, as RE2 has them.
const POSIX: &[(&str, &[(char, char)])] = &[
    ("alnum", &[('0', '9'), ('A', 'Z'), ('a', 'z')]),
    ("alpha", &[('A', 'Z'), ('a', 'z')]),
    ("ascii", &[('\0', '\x7F')]),
    ("blank", &[('\t', '\t'), (' ', ' ')]),
    ("cntrl", &[('\0', '\x1F'), ('\x7F', '\x7F')]),
    ("digit", DIGIT),
    ("graph", &[('!', '~')]),
    ("lower", &[('a', 'z')]),
    ("print", &[(' ', '~')]),
    ("punct", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
    ("space", &[('\t', '\r'), (' ', ' ')]),
    ("upper", &[('A', 'Z')]),
    ("word", WORD),
    ("xdigit", &[('0', '9'), ('A', 'F'), ('a', 'f')]),
];

/// What the piece before the current one was, for the repeat operators.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Atom,
    Repeat,
}

#[derive(Clone, Copy)]
struct Flags {
    dot_matches_newline: bool,
    anchors_at_lines: bool,
}

struct Translator<'a> {
    source: &'a str,
    at: usize,
    out: String,
    text: Text,
    flags: Flags,
    groups: Vec<(usize, Flags)>,
    names: BTreeSet<&'a str>,
    before: Before,
}

/// Rewrites `source` for the regex crates.
pub(crate) fn translate(source: &str, text: Text) -> Result<String, Error> {
    let whole = text == Text::File;
    let mut t = Translator {
        source,
        at: 0,
        out: String::with_capacity(source.len() * 2),
        text,
        flags: Flags { dot_matches_newline: whole, anchors_at_lines: whole },
        groups: Vec::new(),
        names: BTreeSet::new(),
        before: Before::Nothing,
    };
    while let Some(c) = t.peek() {
        t.piece(c)?;
    }
    match t.groups.last() {
        Some(&(open, _)) => Err(invalid(open, "`(` is not closed", "a literal parenthesis is written `\\(`")),
        None => Ok(t.out),
    }
}

fn invalid(at: usize, problem: impl Into<String>, hint: &'static str) -> Error {
    Error::InvalidRegex { at, problem: problem.into(), hint }
}

impl<'a> Translator<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn atom(&mut self, text: &str) {
        self.out.push_str(text);
        self.before = Before::Atom;
    }

    fn literal(&mut self, c: char) {
        push_char(&mut self.out, c);
        self.before = Before::Atom;
    }

    fn piece(&mut self, c: char) -> Result<(), Error> {
        let start = self.at;
        match c {
            '(' => return self.group(),
            ')' => {
                self.at += 1;
                let Some((_, flags)) = self.groups.pop() else {
                    return Err(invalid(start, "`)` without `(`", "a literal parenthesis is written `\\)`"));
                };
                self.flags = flags;
                self.atom(")");
            }
            '|' => {
                self.at += 1;
                self.out.push('|');
                self.before = Before::Nothing;
            }
            '*' | '+' | '?' => {
                self.at += 1;
                let end = self.at;
                self.repeat(start, end, self.source[start..end].to_owned())?;
            }
            '{' => match self.counts() {
                Some((len, low, high)) => {
                    if low > MAX_REPEAT || high.is_some_and(|h| h > MAX_REPEAT) {
                        return Err(invalid(start, format!("repeat count over {MAX_REPEAT}"), ""));
                    }
                    if high.is_some_and(|h| h < low) {
                        return Err(invalid(start, "repeat counts are reversed", ""));
                    }
                    self.at += len;
                    let end = self.at;
                    self.repeat(start, end, self.source[start..end].to_owned())?;
                }
                None => {
                    self.at += 1;
                    self.literal('{');
                }
            },
            '[' => {
                let mut class = String::new();
                self.class(&mut class)?;
                self.atom(&class);
            }
            '^' => {
                self.at += 1;
                let at_lines = self.text == Text::Line || self.flags.anchors_at_lines;
                self.atom(if at_lines { "(?m:^)" } else { r"\A" });
            }
            '$' => {
                self.at += 1;
                let at_lines = self.text == Text::Line || self.flags.anchors_at_lines;
                self.atom(if at_lines { "(?m:$)" } else { r"\z" });
            }
            '.' => {
                self.at += 1;
                self.atom(if self.flags.dot_matches_newline { "(?s:.)" } else { r"[^\n]" });
            }
            '\\' => return self.escape(),
            _ => {
                self.at += c.len_utf8();
                self.literal(c);
            }
        }
        Ok(())
    }

    fn repeat(&mut self, start: usize, end: usize, operator: String) -> Result<(), Error> {
        match self.before {
            Before::Nothing => {
                let hint = if operator == "*" {
                    "for any text write `.*`"
                } else {
                    "a literal one needs a backslash"
                };
                return Err(invalid(start, format!("nothing to repeat before `{operator}`"), hint));
            }
            Before::Repeat => {
                let hint = "there are no possessive or stacked repeats; use one, or a group";
                return Err(invalid(start, format!("`{operator}` after another repeat"), hint));
            }
            Before::Atom => {}
        }
        debug_assert!(start < end);
        self.out.push_str(&operator);
        if self.eat("?") {
            self.out.push('?');
        }
        self.before = Before::Repeat;
        Ok(())
    }

    /// Reads `{n}`, `{n,}` or `{n,m}` without taking it: its length and counts.
    fn counts(&self) -> Option<(usize, u32, Option<u32>)> {
        let inner = self.rest().strip_prefix('{')?;
        let inner = &inner[..inner.find('}')?];
        let number = |text: &str| -> Option<u32> {
            let plain = !text.is_empty()
                && text.bytes().all(|b| b.is_ascii_digit())
                && (text == "0" || !text.starts_with('0'));
            // Too many digits for the type are over the bound anyway.
            plain.then(|| text.parse().unwrap_or(u32::MAX))
        };
        let (low, high) = match inner.split_once(',') {
            None => (number(inner)?, Some(number(inner)?)),
            Some((low, "")) => (number(low)?, None),
            Some((low, high)) => (number(low)?, Some(number(high)?)),
        };
        Some((inner.len() + 2, low, high))
    }

    fn group(&mut self) -> Result<(), Error> {
        let start = self.at;
        self.at += 1;
        if self.groups.len() >= MAX_NESTING {
            return Err(invalid(start, format!("more than {MAX_NESTING} groups inside one another"), ""));
        }
        let mut open = "(?:".to_owned();
        let outer = self.flags;
        if self.eat("?") {
            let look = "look-around is not available: match more and filter, or search for the text itself";
            if self.eat("=") || self.eat("!") || self.eat("<=") || self.eat("<!") {
                return Err(invalid(start, "look-around", look));
            }
            if self.eat(">") {
                return Err(invalid(start, "atomic group", "use `(?:...)`"));
            }
            if self.eat("#") {
                return Err(invalid(start, "comment in a pattern", "leave it out"));
            }
            if self.eat("P=") || self.eat("P>") {
                return Err(invalid(start, "back-reference", "back-references are not available"));
            }
            if self.eat("P<") || self.eat("<") {
                self.name(start)?;
            } else if !self.eat(":") {
                match self.flag_group(start)? {
                    Some(with_flags) => open = with_flags,
                    None => return Ok(()),
                }
            }
        }
        self.groups.push((start, outer));
        self.out.push_str(&open);
        self.before = Before::Nothing;
        Ok(())
    }

    fn name(&mut self, start: usize) -> Result<(), Error> {
        let rest = self.rest();
        let end = rest.find('>').ok_or_else(|| invalid(start, "the name of the group is not closed", ""))?;
        let name = &rest[..end];
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(invalid(start, "the name of the group is not a word", ""));
        }
        if !self.names.insert(name) {
            return Err(invalid(start, format!("two groups are called `{name}`"), ""));
        }
        self.at += end + 1;
        Ok(())
    }

    /// Reads the flags after `(?`. Returns what opens the group, or nothing when they were only set.
    fn flag_group(&mut self, start: usize) -> Result<Option<String>, Error> {
        let unknown = || invalid(start, "unknown group or flag after `(?`", "flags are i, m, s and U");
        let mut flags = self.flags;
        let (mut on, mut off) = (String::new(), String::new());
        let (mut set, mut saw_one) = (true, false);
        loop {
            match self.next().ok_or_else(unknown)? {
                c @ ('i' | 'U') => {
                    // The later setting of one flag wins.
                    on.retain(|old| old != c);
                    off.retain(|old| old != c);
                    if set {
                        on.push(c)
                    } else {
                        off.push(c)
                    };
                    saw_one = true;
                }
                's' => {
                    flags.dot_matches_newline = set;
                    saw_one = true;
                }
                'm' => {
                    flags.anchors_at_lines = set;
                    saw_one = true;
                }
                '-' if set => (set, saw_one) = (false, false),
                end @ (':' | ')') => {
                    if !set && !saw_one {
                        return Err(unknown());
                    }
                    self.flags = flags;
                    let minus = if off.is_empty() { "" } else { "-" };
                    let none = on.is_empty() && off.is_empty();
                    if end == ':' {
                        return Ok(Some(format!("(?{on}{minus}{off}:")));
                    }
                    if !none {
                        self.out.push_str(&format!("(?{on}{minus}{off})"));
                    }
                    self.before = Before::Nothing;
                    return Ok(None);
                }
                _ => return Err(unknown()),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Error> {
        let start = self.at;
        let rest = self.rest();
        if let Some(quoted) = rest.strip_prefix("\\Q") {
            let len = quoted.find("\\E").unwrap_or(quoted.len());
            quoted[..len].chars().for_each(|c| self.literal(c));
            self.at += 2 + len;
            self.eat("\\E");
            return Ok(());
        }
        let anchor = match rest.as_bytes().get(1) {
            Some(b'A') if self.text == Text::Line => "(?m:^)",
            Some(b'z') if self.text == Text::Line => "(?m:$)",
            Some(b'A') => r"\A",
            Some(b'z') => r"\z",
            Some(b'b') => r"(?-u:\b)",
            Some(b'B') => r"(?-u:\B)",
            _ => "",
        };
        if !anchor.is_empty() {
            self.at += 2;
            self.atom(anchor);
            return Ok(());
        }
        let mut class = String::new();
        if self.class_escape(&mut class)? {
            self.atom(&class);
            return Ok(());
        }
        let c = self.char_escape(start)?;
        self.literal(c);
        Ok(())
    }

    /// Reads an escape that stands for a class, if there is one here.
    fn class_escape(&mut self, out: &mut String) -> Result<bool, Error> {
        let start = self.at;
        let rest = self.rest();
        let Some(&letter) = rest.as_bytes().get(1) else { return Ok(false) };
        let (negated, ranges) = match letter {
            b'd' => (false, DIGIT),
            b'D' => (true, DIGIT),
            b's' => (false, SPACE),
            b'S' => (true, SPACE),
            b'w' => (false, WORD),
            b'W' => (true, WORD),
            b'p' | b'P' => {
                let mut negated = letter == b'P';
                let after = &rest[2..];
                let name = match after.strip_prefix('{') {
                    Some(inner) => {
                        let end =
                            inner.find('}').ok_or_else(|| invalid(start, "`\\p{` is not closed", ""))?;
                        self.at += 4 + end;
                        &inner[..end]
                    }
                    None => {
                        let len = after.chars().next().map_or(0, char::len_utf8);
                        self.at += 2 + len;
                        &after[..len]
                    }
                };
                let name = match name.strip_prefix('^') {
                    Some(name) => {
                        negated = !negated;
                        name
                    }
                    None => name,
                };
                let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b' ';
                let class = format!(r"\{}{{{name}}}", if negated { 'P' } else { 'p' });
                if name.is_empty() || !name.bytes().all(plain) || regex_syntax::parse(&class).is_err() {
                    return Err(invalid(start, format!("no Unicode class is called `{name}`"), ""));
                }
                out.push_str(&class);
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.at += 2;
        push_ranges(out, ranges, negated);
        Ok(true)
    }

    /// Reads an escape that stands for one character.
    fn char_escape(&mut self, start: usize) -> Result<char, Error> {
        self.at += 1;
        let Some(c) = self.next() else {
            return Err(invalid(start, "nothing follows the backslash", "a literal one is written `\\\\`"));
        };
        let hint = match c {
            '1'..='7' if !self.rest().starts_with(|d: char| ('0'..='7').contains(&d)) => {
                return Err(invalid(start, "back-reference", "back-references are not available"));
            }
            '0'..='7' => {
                let mut value = c as u32 - '0' as u32;
                for _ in 0..2 {
                    let Some(digit) = self.peek().and_then(|d| d.to_digit(8)) else { break };
                    value = value * 8 + digit;
                    self.at += 1;
                }
                return Ok(char::from_u32(value).unwrap_or('\u{FFFD}'));
            }
            'x' => return self.hex(start),
            'a' => return Ok('\x07'),
            'f' => return Ok('\x0C'),
            'n' => return Ok('\n'),
            'r' => return Ok('\r'),
            't' => return Ok('\t'),
            'v' => return Ok('\x0B'),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => return Ok(c),
            'Z' => "for the end of the text write `\\z` or `$`",
            'h' => "for blanks write `[ \\t]`",
            'R' => "for a line break write `\\r?\\n`",
            'e' => "for the escape character write `\\x1b`",
            'C' => "for any character write `.`",
            'K' | 'G' | 'X' | 'N' | 'k' | 'g' => "it is not part of RE2",
            'u' | 'U' => "for a code point write `\\x{...}`",
            'E' => "it ends a `\\Q` that is not there",
            _ => "only punctuation can be escaped",
        };
        Err(invalid(start, format!("unknown escape `\\{c}`"), hint))
    }

    fn hex(&mut self, start: usize) -> Result<char, Error> {
        let rest = self.rest();
        let (digits, len) = match rest.strip_prefix('{') {
            Some(inner) => match inner.find('}') {
                Some(end) => (&inner[..end], end + 2),
                None => ("", 0),
            },
            None => (rest.get(..2).unwrap_or(""), 2),
        };
        let plain = !digits.is_empty() && digits.len() <= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let value = plain.then(|| u32::from_str_radix(digits, 16).ok()).flatten().and_then(char::from_u32);
        self.at += len;
        value.ok_or_else(|| invalid(start, "`\\x` without a code point", "write two digits, or `\\x{...}`"))
    }

    /// Reads a class in brackets, at `[`.
    fn class(&mut self, out: &mut String) -> Result<(), Error> {
        let start = self.at;
        let unclosed = || invalid(start, "`[` is not closed", "a literal bracket is written `\\[`");
        self.at += 1;
        out.push('[');
        if self.eat("^") {
            out.push('^');
        }
        let mut first = true;
        loop {
            let c = self.peek().ok_or_else(unclosed)?;
            if c == ']' && !first {
                self.at += 1;
                out.push(']');
                return Ok(());
            }
            first = false;
            if c == '[' && self.posix(out)? {
                continue;
            }
            if c == '\\' && self.class_escape(out)? {
                continue;
            }
            let low_at = self.at;
            let low = self.class_char(unclosed)?;
            let ahead = self.rest();
            if ahead.starts_with('-') && !ahead.starts_with("-]") && ahead.len() > 1 {
                self.at += 1;
                let high = self.class_char(unclosed)?;
                if high < low {
                    return Err(invalid(low_at, "the range in the class is reversed", ""));
                }
                push_ranges_inner(out, &[(low, high)]);
            } else {
                push_ranges_inner(out, &[(low, low)]);
            }
        }
    }

    fn class_char(&mut self, unclosed: impl Fn() -> Error) -> Result<char, Error> {
        match self.peek().ok_or_else(unclosed)? {
            '\\' => self.char_escape(self.at),
            _ => Ok(self.next().expect("a character was just seen")),
        }
    }

    /// Reads `[:name:]` inside a class, if that is what is here.
    fn posix(&mut self, out: &mut String) -> Result<bool, Error> {
        let Some(inner) = self.rest().strip_prefix("[:") else { return Ok(false) };
        let Some(end) = inner.find(":]") else { return Ok(false) };
        let (negated, name) = match inner[..end].strip_prefix('^') {
            Some(name) => (true, name),
            None => (false, &inner[..end]),
        };
        let Some((_, ranges)) = POSIX.iter().find(|(known, _)| *known == name) else {
            return Err(invalid(self.at, format!("no class is called `[:{name}:]`"), ""));
        };
        self.at += end + 4;
        push_ranges(out, ranges, negated);
        Ok(true)
    }
}

fn push_char(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() || (!c.is_ascii() && c.is_alphanumeric()) {
        out.push(c);
    } else {
        out.push_str(&format!(r"\x{{{:X}}}", u32::from(c)));
    }
}

fn push_ranges(out: &mut String, ranges: &[(char, char)], negated: bool) {
    out.push_str(if negated { "[^" } else { "[" });
    push_ranges_inner(out, ranges);
    out.push(']');
}

fn push_ranges_inner(out: &mut String, ranges: &[(char, char)]) {
    for &(low, high) in ranges {
        out.push_str(&format!(r"\x{{{:X}}}", u32::from(low)));
        if high > low {
            out.push_str(&format!(r"-\x{{{:X}}}", u32::from(high)));
        }
    }
}
