//! JSON as of RFC 8259, validated as a whole.

use crate::{
    blocks,
    outcome::{Outcome, Position, Problem, ProblemKind, SkipReason},
    stack::MAX_DEPTH,
};

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The start of the file, where a byte order mark may stand.
    Start,
    Value,
    /// Behind `[`: a value or `]`.
    ValueOrEnd,
    /// Behind `{`: a key or `}`.
    KeyOrEnd,
    /// Behind `,` in an object.
    Key,
    Colon,
    /// Behind a value.
    After,
    Text,
    Escape,
    /// Some hexadecimal digits are missing.
    Hex,
    /// In a character of several bytes.
    Utf8,
    /// In `true`, `false` or `null`.
    Word,
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
}

/// The scanner of JSON.
pub(crate) struct Json {
    state: State,
    found: Option<Outcome>,
    /// The bytes before the current chunk.
    base: u64,
    line: u32,
    /// Where the current line starts.
    line_start: u64,
    /// The bytes of the current line that only continue a character.
    continuations: u64,
    /// How many bytes of the current character or escape are missing, and the bounds of the next.
    missing: (u8, u8, u8),
    /// Which bytes of `true`, `false` or `null` are missing.
    word: &'static [u8],
    /// The current string is a key.
    is_key: bool,
    /// The last token was a comma.
    after_comma: bool,
    /// Where the current string starts, and `continuations` there.
    opened: (u64, u64),
    depth: usize,
    /// Whether each open delimiter is `{`.
    is_object: [bool; MAX_DEPTH],
    /// Where the outermost delimiters open.
    shallow: [Position; SHALLOW],
    /// Where the others open; most files need none of them, and it takes time to fill them.
    deep: Option<[Position; MAX_DEPTH - SHALLOW]>,
}

/// What ends the scan.
struct Stop(Outcome);

/// How many open delimiters most files have at most.
const SHALLOW: usize = 24;

const START: Position = Position { line: 0, column: 0, offset: 0 };

impl Json {
    pub(crate) const fn new() -> Self {
        Self {
            state: State::Start,
            found: None,
            base: 0,
            line: 1,
            line_start: 0,
            continuations: 0,
            missing: (0, 0, 0),
            word: b"",
            is_key: false,
            after_comma: false,
            opened: (0, 0),
            depth: 0,
            is_object: [false; MAX_DEPTH],
            shallow: [START; SHALLOW],
            deep: None,
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.found.is_some() {
            return;
        }
        if let Err(Stop(outcome)) = self.read(bytes) {
            self.found = Some(outcome);
        }
        self.base = self.base.saturating_add(bytes.len() as u64);
    }

    pub(crate) fn finish(&mut self) -> Outcome {
        if let Some(outcome) = self.found {
            return outcome;
        }
        let opened_at = match self.state {
            State::After | State::Zero | State::Integer | State::Fraction | State::ExponentDigits
                if self.depth == 0 =>
            {
                return Outcome::Ok;
            }
            State::Text | State::Escape | State::Hex | State::Utf8 => {
                let kind = ProblemKind::UnclosedText { quote: "\"" };
                return Outcome::Problem(Problem::new(kind, self.position(0), self.string_start()));
            }
            _ => self.innermost(),
        };
        let kind = match (self.state, opened_at) {
            (State::Word | State::Minus | State::Point | State::Exponent | State::ExponentSign, _) => {
                ProblemKind::Expected { expected: self.expected(), found: None }
            }
            (_, Some(_)) => ProblemKind::Unclosed { open: if self.in_object() { "{" } else { "[" } },
            (_, None) => ProblemKind::Expected { expected: self.expected(), found: None },
        };
        Outcome::Problem(Problem::new(kind, self.position(0), opened_at))
    }

    /// The place of the byte `at` of the current chunk.
    #[inline]
    fn position(&self, at: usize) -> Position {
        self.at(self.base.saturating_add(at as u64), self.continuations)
    }

    /// Where the current string starts; it is on the current line.
    fn string_start(&self) -> Option<Position> {
        let (offset, continuations) = self.opened;
        Some(self.at(offset, continuations))
    }

    #[inline]
    fn at(&self, offset: u64, continuations: u64) -> Position {
        let column = offset.saturating_sub(self.line_start).saturating_sub(continuations).saturating_add(1);
        Position { line: self.line, column: u32::try_from(column).unwrap_or(u32::MAX), offset }
    }

    #[inline]
    fn in_object(&self) -> bool {
        self.is_object.get(self.depth.wrapping_sub(1)).copied().unwrap_or(false)
    }

    fn innermost(&self) -> Option<Position> {
        let at = self.depth.checked_sub(1)?;
        match at.checked_sub(SHALLOW) {
            None => self.shallow.get(at).copied(),
            Some(at) => self.deep.as_ref()?.get(at).copied(),
        }
    }

    fn expected(&self) -> &'static str {
        match self.state {
            State::Start | State::Value | State::ValueOrEnd => "a value",
            State::KeyOrEnd | State::Key => "a key in double quotes",
            State::Colon => "`:` behind the key",
            State::After if self.depth == 0 => "nothing behind the value",
            State::After | State::Zero | State::Integer | State::Fraction | State::ExponentDigits => {
                if self.in_object() { "`,` or `}`" } else { "`,` or `]`" }
            }
            State::Word => "`true`, `false` or `null`",
            State::Hex => "four hexadecimal digits",
            _ => "a digit",
        }
    }

    #[cold]
    fn stop(&self, kind: ProblemKind, at: usize, opened_at: Option<Position>) -> Stop {
        Stop(Outcome::Problem(Problem::new(kind, self.position(at), opened_at)))
    }

    /// Some other byte was expected.
    #[cold]
    fn wrong(&self, byte: u8, at: usize) -> Stop {
        let close = match byte {
            b'}' => "}",
            b']' => "]",
            _ => "",
        };
        let innermost = self.innermost();
        if !close.is_empty() && self.after_comma && matches!(self.state, State::Value | State::Key) {
            return self.stop(ProblemKind::TrailingComma { close }, at, innermost);
        }
        let fits =
            matches!((close, innermost.map(|_| self.in_object())), ("}", Some(true)) | ("]", Some(false)));
        if !close.is_empty() && !fits {
            let open = innermost.map(|_| if self.in_object() { "{" } else { "[" });
            return self.stop(ProblemKind::Unexpected { close, open }, at, innermost);
        }
        let kind = ProblemKind::Expected { expected: self.expected(), found: Some(byte) };
        self.stop(kind, at, innermost)
    }

    #[inline]
    fn open(&mut self, is_object: bool, at: usize) -> Result<(), Stop> {
        let position = self.position(at);
        let (Some(kind), Some(slot)) =
            (self.is_object.get_mut(self.depth), slot(&mut self.shallow, &mut self.deep, self.depth))
        else {
            return Err(Stop(Outcome::Skipped(SkipReason::TooDeep)));
        };
        *kind = is_object;
        *slot = position;
        self.depth += 1;
        self.state = if is_object { State::KeyOrEnd } else { State::ValueOrEnd };
        Ok(())
    }

    /// Reads a chunk.
    fn read(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                State::Text => {
                    at = self.text(bytes, at)?;
                    continue;
                }
                State::Start if byte == 0xef => {
                    return Err(Stop(Outcome::Skipped(SkipReason::ByteOrderMark)));
                }
                State::Start
                | State::Value
                | State::ValueOrEnd
                | State::KeyOrEnd
                | State::Key
                | State::Colon
                | State::After => {
                    at = self.token(bytes, at)?;
                    continue;
                }
                State::Integer | State::Fraction | State::ExponentDigits if byte.is_ascii_digit() => {}
                State::Minus => match byte {
                    b'0' => self.state = State::Zero,
                    b'1'..=b'9' => self.state = State::Integer,
                    _ => return Err(self.wrong(byte, at)),
                },
                State::Zero | State::Integer if byte == b'.' => self.state = State::Point,
                State::Zero | State::Integer | State::Fraction if byte | 0x20 == b'e' => {
                    self.state = State::Exponent;
                }
                State::Zero | State::Integer | State::Fraction | State::ExponentDigits => {
                    self.state = State::After;
                    continue;
                }
                State::Point if byte.is_ascii_digit() => self.state = State::Fraction,
                State::Exponent if matches!(byte, b'+' | b'-') => self.state = State::ExponentSign,
                State::Exponent | State::ExponentSign if byte.is_ascii_digit() => {
                    self.state = State::ExponentDigits;
                }
                State::Word => match self.word {
                    [first, rest @ ..] if byte == *first => {
                        self.word = rest;
                        if rest.is_empty() {
                            self.state = State::After;
                        }
                    }
                    _ => return Err(self.wrong(byte, at)),
                },
                State::Escape => match byte {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.state = State::Text,
                    b'u' => {
                        self.missing.0 = 4;
                        self.state = State::Hex;
                    }
                    _ => return Err(self.stop(ProblemKind::InvalidEscape, at, self.string_start())),
                },
                State::Hex => {
                    if !byte.is_ascii_hexdigit() {
                        return Err(self.stop(ProblemKind::InvalidEscape, at, self.string_start()));
                    }
                    self.missing.0 = self.missing.0.saturating_sub(1);
                    if self.missing.0 == 0 {
                        self.state = State::Text;
                    }
                }
                State::Utf8 => {
                    let (missing, low, high) = self.missing;
                    if byte < low || byte > high {
                        return Err(self.stop(ProblemKind::InvalidUtf8, at, self.string_start()));
                    }
                    self.continuations += 1;
                    self.missing = (missing.saturating_sub(1), 0x80, 0xbf);
                    if missing <= 1 {
                        self.state = State::Text;
                    }
                }
                State::Point | State::Exponent | State::ExponentSign => {
                    return Err(self.wrong(byte, at));
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// Reads structure, blanks, and the starts of values, as long as that lasts.
    fn token(&mut self, bytes: &[u8], from: usize) -> Result<usize, Stop> {
        let mut at = from;
        while let Some(&byte) = bytes.get(at) {
            // Most tokens are strings, and a branch of their own is foreseen better than a jump table.
            if byte == b'"' && self.may_start_value() {
                self.is_key = matches!(self.state, State::KeyOrEnd | State::Key);
                self.opened = (self.base + at as u64, self.continuations);
                at = ascii_until(bytes, at + 1);
                if bytes.get(at) != Some(&b'"') {
                    self.state = State::Text;
                    at = self.closer_look(bytes, at)?;
                    if self.state == State::Text {
                        at = self.text(bytes, at)?;
                    }
                    if !matches!(self.state, State::Colon | State::After) {
                        return Ok(at);
                    }
                } else {
                    at += 1;
                }
                if self.is_key {
                    self.state = State::Colon;
                    at = self.behind_key(bytes, at);
                } else {
                    self.state = State::After;
                    at = self.behind_value(bytes, at);
                }
                continue;
            }
            if byte == b'{' && matches!(self.state, State::Start | State::Value | State::ValueOrEnd) {
                self.open(true, at)?;
                at += 1;
                if bytes.get(at) == Some(&b'\n') {
                    at = self.line_feed(bytes, at);
                }
                continue;
            }
            match (byte, self.state) {
                (b'}', State::After | State::KeyOrEnd) if self.depth > 0 && self.in_object() => {
                    self.depth -= 1;
                    self.state = State::After;
                    at = self.behind_value(bytes, at + 1);
                    continue;
                }
                (b' ' | b'\t' | b'\r', state) => {
                    if state == State::Start {
                        self.state = State::Value;
                    }
                }
                (b'\n', state) => {
                    if state == State::Start {
                        self.state = State::Value;
                    }
                    at = self.line_feed(bytes, at);
                    continue;
                }
                (b':', State::Colon) => {
                    self.after_comma = false;
                    self.state = State::Value;
                }
                (b',', State::After) if self.depth > 0 => {
                    self.after_comma = true;
                    self.state = if self.in_object() { State::Key } else { State::Value };
                }
                (b'[', State::Start | State::Value | State::ValueOrEnd) => self.open(false, at)?,
                (b']', State::After | State::ValueOrEnd) if self.depth > 0 && !self.in_object() => {
                    self.depth -= 1;
                    self.state = State::After;
                    at = self.behind_value(bytes, at + 1);
                    continue;
                }
                (b'0'..=b'9' | b'-', State::Start | State::Value | State::ValueOrEnd) => {
                    self.state = match byte {
                        b'-' => State::Minus,
                        b'0' => State::Zero,
                        _ => State::Integer,
                    };
                    at = self.integer(bytes, at + 1);
                    if self.state == State::After {
                        at = self.behind_value(bytes, at);
                        continue;
                    }
                    return Ok(at);
                }
                (b't' | b'f' | b'n', State::Start | State::Value | State::ValueOrEnd) => {
                    self.word = match byte {
                        b't' => b"rue",
                        b'f' => b"alse",
                        _ => b"ull",
                    };
                    if bytes.get(at + 1..).is_some_and(|rest| rest.starts_with(self.word)) {
                        self.state = State::After;
                        at = self.behind_value(bytes, at + 1 + self.word.len());
                        continue;
                    }
                    self.state = State::Word;
                    return Ok(at + 1);
                }
                _ => return Err(self.wrong(byte, at)),
            }
            at += 1;
        }
        Ok(at)
    }

    /// Whether a string may stand here, as a value or a key.
    #[inline]
    fn may_start_value(&self) -> bool {
        matches!(self.state, State::Start | State::Value | State::ValueOrEnd | State::KeyOrEnd | State::Key)
    }

    /// The colon and the blank that follow a key nearly always.
    #[inline]
    fn behind_key(&mut self, bytes: &[u8], at: usize) -> usize {
        if bytes.get(at) != Some(&b':') {
            return at;
        }
        self.after_comma = false;
        self.state = State::Value;
        at + 1 + usize::from(bytes.get(at + 1) == Some(&b' '))
    }

    /// What follows a value most of the time: a comma, the end of what the value is in, a line feed, the indentation.
    #[inline]
    fn behind_value(&mut self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        while self.depth > 0 {
            let in_object = self.in_object();
            let mut next = bytes.get(at);
            if next == Some(&b',') {
                self.after_comma = true;
                self.state = if in_object { State::Key } else { State::Value };
                at += 1;
                return if bytes.get(at) == Some(&b'\n') { self.line_feed(bytes, at) } else { at };
            }
            if next == Some(&b'\n') {
                at = self.line_feed(bytes, at);
                next = bytes.get(at);
            }
            if next != Some(if in_object { &b'}' } else { &b']' }) {
                break;
            }
            self.depth -= 1;
            at += 1;
        }
        at
    }

    /// Goes behind a line feed and the indentation of the next line.
    #[inline]
    fn line_feed(&mut self, bytes: &[u8], from: usize) -> usize {
        let mut at = from + 1;
        self.line = self.line.saturating_add(1);
        self.line_start = self.base + at as u64;
        self.continuations = 0;
        while let Some(word) = word_at(bytes, at) {
            let blanks = (word ^ (ONES * b' ' as u64)).trailing_zeros() as usize / 8;
            at += blanks;
            if blanks < 8 {
                break;
            }
        }
        at
    }

    /// Reads the digits of a whole number, which most numbers are.
    #[inline]
    fn integer(&mut self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        if self.state == State::Integer {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
        }
        if self.state != State::Minus
            && matches!(bytes.get(at), Some(b',' | b']' | b'}' | b'\n' | b' ' | b'\r'))
        {
            self.state = State::After;
        }
        at
    }

    /// Reads a string up to its end, or to what needs a closer look.
    #[inline]
    fn text(&mut self, bytes: &[u8], from: usize) -> Result<usize, Stop> {
        let at = ascii_until(bytes, from);
        if bytes.get(at) == Some(&b'"') {
            self.state = if self.is_key { State::Colon } else { State::After };
            return Ok(at + 1);
        }
        self.closer_look(bytes, at)
    }

    /// Reads a string on from a byte that is not plain.
    #[inline(never)]
    fn closer_look(&mut self, bytes: &[u8], from: usize) -> Result<usize, Stop> {
        let mut at = from;
        let mut continuations = 0;
        // A character that is broken, or goes on in the next chunk, is read byte by byte.
        while let Some(rest) = bytes.get(at..) {
            let length = match rest {
                [b'"' | b'\\' | 0..0x20, ..] => break,
                [0..0x80, ..] => 1,
                [0xc2..0xe0, 0x80..0xc0, ..] => 2,
                [0xe1..=0xec | 0xee | 0xef, 0x80..0xc0, 0x80..0xc0, ..]
                | [0xe0, 0xa0..0xc0, 0x80..0xc0, ..]
                | [0xed, 0x80..0xa0, 0x80..0xc0, ..] => 3,
                [0xf1..=0xf3, 0x80..0xc0, 0x80..0xc0, 0x80..0xc0, ..]
                | [0xf0, 0x90..0xc0, 0x80..0xc0, 0x80..0xc0, ..]
                | [0xf4, 0x80..0x90, 0x80..0xc0, 0x80..0xc0, ..] => 4,
                _ => break,
            };
            at += length;
            continuations += length - 1;
        }
        self.continuations += continuations as u64;
        let Some(&byte) = bytes.get(at) else {
            return Ok(at);
        };
        match byte {
            b'"' => self.state = if self.is_key { State::Colon } else { State::After },
            b'\\' => {
                // Most escapes are a single byte.
                if matches!(bytes.get(at + 1), Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) {
                    return Ok(at + 2);
                }
                self.state = State::Escape;
            }
            0x80.. => match blocks::utf8_start(byte) {
                Some(missing) => {
                    self.missing = missing;
                    self.state = State::Utf8;
                }
                None => return Err(self.stop(ProblemKind::InvalidUtf8, at, self.string_start())),
            },
            0x20.. => {}
            _ => return Err(self.stop(ProblemKind::ControlCharacter { byte }, at, self.string_start())),
        }
        Ok(at + 1)
    }
}

/// The place of the delimiter that is opened at `depth`.
#[inline]
fn slot<'a>(
    shallow: &'a mut [Position; SHALLOW],
    deep: &'a mut Option<[Position; MAX_DEPTH - SHALLOW]>,
    depth: usize,
) -> Option<&'a mut Position> {
    match depth.checked_sub(SHALLOW) {
        None => shallow.get_mut(depth),
        Some(at) => deep.get_or_insert([START; MAX_DEPTH - SHALLOW]).get_mut(at),
    }
}

/// Each byte is 1.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte.
const TOPS: u64 = 0x8080_8080_8080_8080;

/// The eight bytes from `at` on, the first of them lowest.
#[inline(always)]
fn word_at(bytes: &[u8], at: usize) -> Option<u64> {
    let (word, _) = bytes.get(at..)?.split_first_chunk::<8>()?;
    Some(u64::from_le_bytes(*word))
}

/// The end of the bytes from `from` on that are ASCII and neither quotes, backslashes nor controls.
#[inline]
fn ascii_until(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(word) = word_at(bytes, at) {
        let quotes = word ^ (ONES * b'"' as u64);
        let backslashes = word ^ (ONES * b'\\' as u64);
        // A byte below the one subtracted leaves its top bit set; a byte that had it set before is no ASCII.
        let hits = quotes.wrapping_sub(ONES)
            | backslashes.wrapping_sub(ONES)
            | word.wrapping_sub(ONES * 0x20)
            | word;
        let hits = hits & TOPS;
        if hits != 0 {
            // The lowest hit is exact: only bytes above it can be marked by a borrow.
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20 | 0x80..)) {
        at += 1;
    }
    at
}
