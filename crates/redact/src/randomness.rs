//! Does a string look like it was drawn at random, or like something that a person would write?

use crate::{
    alphabet::{ANY_HEX, DIGIT, LOWER, UPPER, all, is},
    tables::bigrams::BIGRAMS,
};

/// At most this many bytes of a value are looked at: more would not change the verdict.
const SAMPLE: usize = 512;

/// What one pass over a string tells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stats {
    /// Bytes looked at.
    pub(crate) len: usize,
    pub(crate) lower: usize,
    pub(crate) upper: usize,
    pub(crate) digits: usize,
    pub(crate) signs: usize,
    /// Different bytes.
    pub(crate) distinct: usize,
    /// Steps between lower case, upper case, digits and signs.
    pub(crate) changes: usize,
    /// Steps to the next byte value, as in alphabets.
    pub(crate) ascending: usize,
    /// Bytes in lower-case pieces of at least three that read like parts of words.
    pub(crate) wordy: usize,
    /// Bytes in an upper-case letter and at least two lower-case ones, as in `MsgReceive`.
    pub(crate) titled: usize,
    /// Mean of the bigram table, in 1/16 bit; negative is unlike written text.
    pub(crate) natural: i32,
}

fn symbol(byte: u8) -> usize {
    match byte {
        b'a'..=b'z' => usize::from(byte - b'a'),
        b'A'..=b'Z' => 26 + usize::from(byte - b'A'),
        b'0'..=b'9' => 52,
        _ => 53,
    }
}

/// A stretch of lower-case letters.
#[derive(Default)]
struct Piece {
    len: usize,
    sum: i32,
    /// An upper-case letter stands before it.
    titled: bool,
}

impl Piece {
    /// The length, if the stretch reads like a part of a word.
    fn word(&self) -> usize {
        if self.len >= 3 && self.sum >= -12 * (self.len as i32 - 1) { self.len } else { 0 }
    }
}

impl Stats {
    pub(crate) fn of(value: &[u8]) -> Self {
        let value = &value[..value.len().min(SAMPLE)];
        let mut stats = Self { len: value.len(), ..Self::default() };
        let mut seen = [0u64; 4];
        let mut sum = 0;
        let mut piece = Piece::default();
        let mut last = None;
        for &byte in value {
            seen[usize::from(byte >> 6)] |= 1 << (byte & 63);
            let class = if is(byte, LOWER) {
                stats.lower += 1;
                0
            } else if is(byte, UPPER) {
                stats.upper += 1;
                1
            } else if is(byte, DIGIT) {
                stats.digits += 1;
                2
            } else {
                stats.signs += 1;
                3
            };
            let mut step = 0;
            if let Some((before, class_before)) = last {
                step = i32::from(BIGRAMS[symbol(before)][symbol(byte)]);
                sum += step;
                stats.changes += usize::from(class != class_before);
                stats.ascending += usize::from(byte == before.wrapping_add(1));
            }
            if class == 0 {
                piece.sum += if piece.len == 0 { 0 } else { step };
                piece.len += 1;
            } else {
                stats.close(&piece);
                piece = Piece { titled: class == 1, ..Piece::default() };
            }
            last = Some((byte, class));
        }
        stats.close(&piece);
        stats.distinct = seen.iter().map(|word| word.count_ones() as usize).sum();
        stats.natural = sum / (value.len().max(2) as i32 - 1);
        stats
    }

    /// Counts a finished stretch of lower-case letters.
    fn close(&mut self, piece: &Piece) {
        self.wordy += piece.word();
        if piece.titled && piece.len >= 2 {
            self.titled += piece.len + 1;
        }
    }

    /// How many of lower case, upper case and digits occur.
    pub(crate) fn classes(&self) -> usize {
        usize::from(self.lower > 0) + usize::from(self.upper > 0) + usize::from(self.digits > 0)
    }

    /// The bits of the alphabet that the string seems to be drawn from, by class.
    fn alphabet(&self) -> usize {
        26 * usize::from(self.lower > 0)
            + 26 * usize::from(self.upper > 0)
            + 10 * usize::from(self.digits > 0)
    }

    /// Says whether the number of different bytes is what chance would give.
    fn is_varied(&self) -> bool {
        let size = self.alphabet().max(10);
        // Expected different symbols among `len` draws: size * (1 - (1 - 1/size)^len), in fixed point.
        let share = 65_536 / size;
        let mut absent = 65_536;
        for _ in 0..self.len {
            absent -= (absent * share) >> 16;
        }
        let expected = (size * (65_536 - absent)) >> 16;
        self.distinct * 100 >= expected * 70
    }

    /// Says whether the steps between classes are as frequent as chance would give.
    fn is_mixed(&self, percent: usize) -> bool {
        let len = self.len.max(1);
        let square = |count: usize| count * count;
        let same = (square(self.lower) + square(self.upper) + square(self.digits) + square(self.signs)) / len;
        let expected = len.saturating_sub(same);
        self.changes * 100 >= expected * percent
    }

    /// Says whether the string counts up like an alphabet.
    pub(crate) fn is_sequence(&self) -> bool {
        self.ascending * 10 > self.len.saturating_sub(1) * 5
    }

    /// Says whether neighbours are unlike written text; the table tells more where both letter cases occur.
    ///
    /// One random string in a thousand fails at -25 (mixed case, 32 bytes), -12 (mixed case, 16 bytes), -5 (one case, 32 bytes) or
    /// 10 (one case, 16 bytes).
    pub(crate) fn is_unwritten(&self, mixed: i32, single: i32) -> bool {
        self.natural <= if self.lower > 0 && self.upper > 0 { mixed } else { single }
    }

    /// The test for values that have no name.
    pub(crate) fn is_random(&self) -> bool {
        self.digits > 0
            && self.lower + self.upper >= 4
            && self.digits * 10 <= self.len * 7
            && self.is_unwritten(-23, -9)
            && !self.is_sequence()
            && self.titled * 100 < self.len * 66
            && (self.upper == 0 || self.lower == 0 || self.wordy * 100 < self.len * 45)
            && self.is_varied()
            && self.is_mixed(62)
    }

    /// The test for values under a secret-like name.
    pub(crate) fn is_random_under_name(&self) -> bool {
        let letters_only = self.digits == 0 && (self.upper == 0 || self.lower == 0);
        !letters_only
            && self.distinct >= 6
            && !self.is_sequence()
            && self.is_unwritten(if self.digits == 0 { -20 } else { -11 }, 4)
            && (self.upper == 0 || self.lower == 0 || self.wordy * 100 < self.len * 60)
    }
}

/// Says whether `value` is hexadecimal, decimal, or groups of them as in a UUID or a fingerprint.
pub(crate) fn is_hex_like(value: &[u8]) -> bool {
    value.iter().all(|&byte| is(byte, ANY_HEX) || matches!(byte, b'-' | b'_' | b':'))
}

/// Says whether `value` is plain hexadecimal.
pub(crate) fn is_hex(value: &[u8]) -> bool {
    all(value, ANY_HEX)
}

/// What stand-ins contain, in lower case.
static MARKS: [&[u8]; 19] = [
    b"your",
    b"example",
    b"change",
    b"replace",
    b"placeholder",
    b"dummy",
    b"xxxx",
    b"****",
    b"redacted",
    b"filtered",
    b"insert",
    b"<",
    b">",
    b"${",
    b"{{",
    b"%(",
    b"$(",
    b"....",
    b"\xe2\x80\xa6",
];

/// What stand-ins for the bodies of published formats contain.
static SAMPLES: [&[u8]; 10] = [
    b"EXAMPLE",
    b"example",
    b"xxxxx",
    b"XXXXX",
    b"your_",
    b"your-",
    b"YOUR_",
    b"YOUR-",
    b"placeholder",
    b"*****",
];

/// The first bytes of a list of words, as a set.
const fn initials(words: &[&[u8]]) -> [u64; 4] {
    let mut set = [0; 4];
    let mut at = 0;
    while at < words.len() {
        let byte = words[at][0];
        set[(byte >> 6) as usize] |= 1 << (byte & 63);
        at += 1;
    }
    set
}

static MARK_INITIALS: [u64; 4] = initials(&MARKS);
static SAMPLE_INITIALS: [u64; 4] = initials(&SAMPLES);

fn has(set: &[u64; 4], byte: u8) -> bool {
    set[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0
}

/// Says whether `value` is a stand-in for a value: documentation, a template, a mask.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    let value = &value[..value.len().min(SAMPLE)];
    if value.first() == Some(&b'$') || is_bracketed(value) || Stats::of(value).distinct <= 3 {
        return true;
    }
    value.iter().enumerate().any(|(at, byte)| {
        has(&MARK_INITIALS, byte.to_ascii_lowercase())
            && MARKS.iter().any(|mark| {
                value.get(at..at + mark.len()).is_some_and(|part| part.eq_ignore_ascii_case(mark))
            })
    })
}

/// `[WORD]`: a mask, whoever wrote it.
fn is_bracketed(value: &[u8]) -> bool {
    value.starts_with(b"[")
        && value.ends_with(b"]")
        && value[1..value.len() - 1]
            .iter()
            .all(|&byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-' | b'*'))
}

/// Says whether the body of a published format is a stand-in.
pub(crate) fn is_sample(body: &[u8]) -> bool {
    let body = &body[..body.len().min(SAMPLE)];
    let Some(&first) = body.first() else { return true };
    let second = body.iter().find(|&&byte| byte != first);
    if body.iter().all(|byte| *byte == first || Some(byte) == second) {
        return true;
    }
    body.iter().enumerate().any(|(at, &byte)| {
        has(&SAMPLE_INITIALS, byte) && SAMPLES.iter().any(|mark| body[at..].starts_with(mark))
    })
}

/// Says whether `text` contains the lower-case `needle`, in any case.
pub(crate) fn contains_folded(text: &[u8], needle: &[u8]) -> bool {
    text.len() >= needle.len() && text.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle))
}
