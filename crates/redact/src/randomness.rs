//! Does a string look like it was drawn at random, or like something that a person would write?

use crate::{
    alphabet::{ANY_HEX, all, is},
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

/// The row and column of [`BIGRAMS`] for every byte in the lower six bits, its class in the upper two.
static SYMBOLS: [u8; 256] = symbols();

const CLASS: u32 = 6;

const fn symbols() -> [u8; 256] {
    let mut symbols = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        symbols[byte] = match byte as u8 {
            lower @ b'a'..=b'z' => lower - b'a',
            upper @ b'A'..=b'Z' => (1 << CLASS) | (26 + upper - b'A'),
            b'0'..=b'9' => (2 << CLASS) | 52,
            _ => (3 << CLASS) | 53,
        };
        byte += 1;
    }
    symbols
}

/// [`BIGRAMS`], padded so that six bits are always an index of it.
static STEPS: [[i8; 64]; 64] = steps();

const fn steps() -> [[i8; 64]; 64] {
    let mut steps = [[0; 64]; 64];
    let mut row = 0;
    while row < BIGRAMS.len() {
        let mut column = 0;
        while column < BIGRAMS.len() {
            steps[row][column] = BIGRAMS[row][column];
            column += 1;
        }
        row += 1;
    }
    steps
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
        let Some((&first, rest)) = value.split_first() else { return stats };
        let mut seen = [0u64; 4];
        seen[usize::from(first >> 6)] |= 1 << (first & 63);
        let mut before = first;
        let mut symbol = SYMBOLS[usize::from(first)];
        let mut counts = [0; 4];
        counts[usize::from(symbol >> CLASS)] += 1;
        let mut piece = Piece { len: usize::from(symbol < 26), sum: 0, titled: symbol >> CLASS == 1 };
        let mut sum = 0;
        let (mut changes, mut ascending) = (0, 0);
        for &byte in rest {
            seen[usize::from(byte >> 6)] |= 1 << (byte & 63);
            let next = SYMBOLS[usize::from(byte)];
            let (class_before, class) = (symbol >> CLASS, next >> CLASS);
            counts[usize::from(class)] += 1;
            let step = i32::from(STEPS[usize::from(symbol & 63)][usize::from(next & 63)]);
            sum += step;
            changes += usize::from(class != class_before);
            ascending += usize::from(byte == before.wrapping_add(1));
            if class == 0 {
                piece.sum += if class_before == 0 { step } else { 0 };
                piece.len += 1;
            } else {
                if class_before == 0 {
                    stats.close(&piece);
                }
                piece = Piece { titled: class == 1, ..Piece::default() };
            }
            before = byte;
            symbol = next;
        }
        stats.close(&piece);
        (stats.changes, stats.ascending) = (changes, ascending);
        [stats.lower, stats.upper, stats.digits, stats.signs] = counts;
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

/// The first two bytes of a list of words, as a set: bit `b & 31` of entry `a & 31`, which folds letter case.
const fn beginnings(words: &[&[u8]]) -> [u32; 32] {
    let mut set = [0; 32];
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        set[(word[0] & 31) as usize] |= if word.len() == 1 { u32::MAX } else { 1 << (word[1] & 31) };
        at += 1;
    }
    set
}

static MARK_BEGINNINGS: [u32; 32] = beginnings(&MARKS);
static SAMPLE_BEGINNINGS: [u32; 32] = beginnings(&SAMPLES);

/// The longest entry of `SAMPLES`.
pub(crate) const MAX_SAMPLE: usize = {
    let mut longest = 0;
    let mut at = 0;
    while at < SAMPLES.len() {
        longest = if SAMPLES[at].len() > longest { SAMPLES[at].len() } else { longest };
        at += 1;
    }
    longest
};

/// The first place of `value` where `set` allows a word and `test` finds one.
#[inline]
fn find_word(value: &[u8], set: &[u32; 32], test: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let allows = |first: u8, next: u8| set[usize::from(first & 31)] >> (next & 31) & 1 != 0;
    let (&last, _) = value.split_last()?;
    let mut before = value[0];
    for (at, &byte) in value[1..].iter().enumerate() {
        if allows(before, byte) && test(&value[at..]) {
            return Some(at);
        }
        before = byte;
    }
    let at = value.len() - 1;
    (allows(last, 0) && test(&value[at..])).then_some(at)
}

/// Says whether `value` is a stand-in for a value: documentation, a template, a mask.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    let value = &value[..value.len().min(SAMPLE)];
    if value.first() == Some(&b'$') || is_bracketed(value) || has_few(value) {
        return true;
    }
    let mark = |rest: &[u8]| {
        let first = rest[0].to_ascii_lowercase();
        MARKS.iter().any(|mark| {
            mark[0] == first && rest.get(..mark.len()).is_some_and(|part| part.eq_ignore_ascii_case(mark))
        })
    };
    find_word(value, &MARK_BEGINNINGS, mark).is_some()
}

/// Says whether `value` has at most three different bytes.
fn has_few(value: &[u8]) -> bool {
    let mut seen = [0; 3];
    let mut count = 0;
    for &byte in value {
        if !seen[..count].contains(&byte) {
            if count == seen.len() {
                return false;
            }
            seen[count] = byte;
            count += 1;
        }
    }
    true
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
    is_uniform(body) || find_sample(body).is_some()
}

/// Says whether `body` has at most two different bytes.
pub(crate) fn is_uniform(body: &[u8]) -> bool {
    let Some(&first) = body.first() else { return true };
    let second = body.iter().find(|&&byte| byte != first);
    body.iter().all(|byte| *byte == first || Some(byte) == second)
}

/// The first mark of a stand-in in the body of a published format.
pub(crate) fn find_sample(body: &[u8]) -> Option<usize> {
    find_word(body, &SAMPLE_BEGINNINGS, |rest| SAMPLES.iter().any(|mark| rest.starts_with(mark)))
}

/// Says whether `text` contains the lower-case `needle`, in any case.
pub(crate) fn contains_folded(text: &[u8], needle: &[u8]) -> bool {
    text.len() >= needle.len() && text.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle))
}
