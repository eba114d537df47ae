//! Wildcards over the bytes of a path: what ignore rules and globs compile to.
//!
//! A pattern is a list of tokens, matched with two points to go back to: the last `*`, which stays within a
//! component, and the last `**/`, which moves on by whole components. Once a later one has been reached an earlier
//! one need not be revisited, so matching takes O(tokens x bytes) and no recursion.

/// One piece of a compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// This byte.
    Byte(u8),
    /// Any byte but `/`.
    AnyByte,
    /// Any character but `/`; a byte that is not UTF-8 counts as one.
    AnyChar,
    /// One of a set of bytes; never `/`.
    Bytes(Box<ByteSet>),
    /// A character in (or not in) the ranges; never `/`.
    Chars { negated: bool, ranges: Box<[(char, char)]> },
    /// Any run of anything but `/`.
    Star,
    /// Any number of whole components with their slashes; at least one slash unless `may_be_empty`.
    Components { may_be_empty: bool },
    /// Everything that is left.
    Rest,
}

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(crate) fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub(crate) fn remove(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] &= !(1 << (byte & 63));
    }

    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0
    }

    pub(crate) fn negate(&mut self) {
        self.0 = self.0.map(|word| !word);
    }
}

/// Length of the character at the start of `text`, 1 for a byte that is not UTF-8, and the character if it is one.
pub(crate) fn first_char(text: &[u8]) -> (usize, Option<char>) {
    let Some(&lead) = text.first() else { return (0, None) };
    if lead < 0x80 {
        return (1, Some(char::from(lead)));
    }
    let len = match lead {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return (1, None),
    };
    match text.get(..len).and_then(|bytes| std::str::from_utf8(bytes).ok()) {
        Some(found) => (len, found.chars().next()),
        None => (1, None),
    }
}

impl Token {
    /// Returns how many bytes of `text` this token takes, for tokens that take one unit.
    fn take(&self, text: &[u8]) -> Option<usize> {
        let &first = text.first()?;
        match self {
            Self::Byte(byte) => (first == *byte).then_some(1),
            Self::AnyByte => (first != b'/').then_some(1),
            Self::Bytes(set) => set.contains(first).then_some(1),
            Self::AnyChar => (first != b'/').then(|| first_char(text).0),
            Self::Chars { negated, ranges } => {
                let (len, found) = first_char(text);
                let inside = found.is_some_and(|c| ranges.iter().any(|&(lo, hi)| lo <= c && c <= hi));
                (first != b'/' && inside != *negated).then_some(len)
            }
            Self::Star | Self::Components { .. } | Self::Rest => None,
        }
    }
}

/// What a `*` takes at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Bytes, as the tokens of ignore rules do.
    Byte,
    /// Characters, as the tokens of globs do: a `*` must not leave half of one to the next token.
    Char,
}

/// Tells whether `tokens` match the whole of `text`.
pub(crate) fn matches(tokens: &[Token], text: &[u8], step: Step) -> bool {
    let (mut at, mut pos) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    let mut components: Option<(usize, usize)> = None;
    loop {
        match tokens.get(at) {
            Some(Token::Rest) => return true,
            Some(Token::Star) => {
                at += 1;
                star = Some((at, pos));
                continue;
            }
            Some(Token::Components { may_be_empty }) => {
                at += 1;
                star = None;
                if !may_be_empty {
                    match memchr::memchr(b'/', &text[pos..]) {
                        Some(slash) => pos += slash + 1,
                        None => return false, // no later position has more slashes
                    }
                }
                components = Some((at, pos));
                continue;
            }
            Some(token) => {
                if let Some(len) = token.take(&text[pos..]) {
                    at += 1;
                    pos += len;
                    continue;
                }
            }
            None if pos == text.len() => return true,
            None => {}
        }
        if let Some((after, from)) = star
            && text.get(from).is_some_and(|&b| b != b'/')
        {
            let from = from + if step == Step::Byte { 1 } else { first_char(&text[from..]).0 };
            star = Some((after, from));
            (at, pos) = (after, from);
        } else if let Some((after, from)) = components
            && let Some(slash) = memchr::memchr(b'/', &text[from..])
        {
            let from = from + slash + 1;
            components = Some((after, from));
            star = None;
            (at, pos) = (after, from);
        } else {
            return false;
        }
    }
}
