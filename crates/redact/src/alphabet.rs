//! Sets of bytes as bit masks over one 256-entry table.

/// The class bits of every byte.
static TABLE: [u16; 256] = build();

/// `a` to `f`.
const HEX_LOW: u16 = 1 << 0;
/// `A` to `F`.
const HEX_UP: u16 = 1 << 1;
/// `0` to `9`.
pub(crate) const DIGIT: u16 = 1 << 2;
/// `a` to `z`.
pub(crate) const LOWER: u16 = 1 << 3;
/// `A` to `Z`.
pub(crate) const UPPER: u16 = 1 << 4;
const UNDERSCORE: u16 = 1 << 5;
const DASH: u16 = 1 << 6;
const PLUS: u16 = 1 << 7;
const SLASH: u16 = 1 << 8;
const EQUALS: u16 = 1 << 9;
const TILDE: u16 = 1 << 10;
const DOT: u16 = 1 << 11;
const PERCENT: u16 = 1 << 12;
const B32_DIGIT: u16 = 1 << 13;
/// The other printable ASCII bytes that stand inside passwords, not between values.
const SYMBOL: u16 = 1 << 14;

/// Lower-case hexadecimal.
pub(crate) const HEX: u16 = DIGIT | HEX_LOW;
/// Hexadecimal of either case.
pub(crate) const ANY_HEX: u16 = HEX | HEX_UP;
/// Letters.
pub(crate) const ALPHA: u16 = LOWER | UPPER;
/// Letters and digits.
pub(crate) const B62: u16 = ALPHA | DIGIT;
/// Lower-case letters and digits.
pub(crate) const A36: u16 = LOWER | DIGIT;
/// Upper-case letters and digits.
pub(crate) const U36: u16 = UPPER | DIGIT;
/// Base32 of RFC 4648.
pub(crate) const B32: u16 = UPPER | B32_DIGIT;
/// Letters, digits and underscore.
pub(crate) const WORD: u16 = B62 | UNDERSCORE;
/// Letters, digits and dash.
pub(crate) const KEBAB: u16 = B62 | DASH;
/// Base64url of RFC 4648 without padding.
pub(crate) const B64U: u16 = WORD | DASH;
/// Base64 of RFC 4648 with padding.
pub(crate) const B64: u16 = B62 | PLUS | SLASH | EQUALS;
/// Both base64 alphabets with padding.
pub(crate) const B64_ANY: u16 = B64 | B64U;
/// Base64url, percent escapes, and the characters of both base64 alphabets.
pub(crate) const URL_VALUE: u16 = B64_ANY | PERCENT | DOT | TILDE;
/// Base64url and dots.
pub(crate) const DOTTED: u16 = B64U | DOT;
/// Base64url, dots and tildes.
pub(crate) const DOTTED_TILDE: u16 = DOTTED | TILDE;
/// Letters, digits, dots and slashes: the alphabet of `crypt`.
pub(crate) const CRYPT: u16 = B62 | DOT | SLASH;
/// The class of a long run: what opaque tokens are made of.
pub(crate) const TOKEN: u16 = B64_ANY | TILDE;
/// Characters of a name: identifiers, dotted and dashed keys.
pub(crate) const NAME: u16 = B64U | DOT;
/// Characters of a value without quotes.
pub(crate) const VALUE: u16 = TOKEN | DOT | PERCENT | SYMBOL;

const fn build() -> [u16; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        table[at] = match byte {
            b'a'..=b'f' => HEX_LOW | LOWER,
            b'g'..=b'z' => LOWER,
            b'A'..=b'F' => HEX_UP | UPPER,
            b'G'..=b'Z' => UPPER,
            b'2'..=b'7' => DIGIT | B32_DIGIT,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            b'-' => DASH,
            b'+' => PLUS,
            b'/' => SLASH,
            b'=' => EQUALS,
            b'~' => TILDE,
            b'.' => DOT,
            b'%' => PERCENT,
            b'!' | b'#' | b'$' | b'*' | b'?' | b'@' | b'^' => SYMBOL,
            _ => 0,
        };
        at += 1;
    }
    table
}

/// Says whether `byte` is in the set.
#[inline(always)]
pub(crate) fn is(byte: u8, set: u16) -> bool {
    TABLE[byte as usize] & set != 0
}

/// The class bits of `byte`.
#[inline(always)]
pub(crate) fn bits(byte: u8) -> u16 {
    TABLE[byte as usize]
}

/// The letters and digits among eight bytes, the first in the lowest bits: the highest bit of each such byte is set.
#[inline(always)]
pub(crate) fn letters_of(word: u64) -> u64 {
    const EACH: u64 = u64::MAX / 255;
    let bytes = word & (EACH * 0x7f);
    // Adding carries into the highest bit of each byte that is at least `first`, and of none to its left.
    let within = |bytes: u64, first: u8, last: u8| {
        (bytes + EACH * u64::from(0x80 - first)) & !(bytes + EACH * u64::from(0x7f - last))
    };
    (within(bytes | (EACH * 0x20), b'a', b'z') | within(bytes, b'0', b'9')) & !word & (EACH * 0x80)
}

/// The zeros among eight bytes, marked as by [`letters_of`]; a byte above a zero may be marked too.
#[inline(always)]
pub(crate) fn zeros_of(word: u64) -> u64 {
    const EACH: u64 = u64::MAX / 255;
    word.wrapping_sub(EACH) & !word & (EACH * 0x80)
}

/// The end of the longest stretch of `set` that starts at `from`, at most `cap` bytes long.
#[inline]
pub(crate) fn munch(text: &[u8], from: usize, set: u16, cap: usize) -> usize {
    let stop = from.saturating_add(cap).min(text.len());
    let mut at = from.min(stop);
    while at < stop && is(text[at], set) {
        at += 1;
    }
    at
}

/// The start of the longest stretch of `set` that ends at `end`, at most `cap` bytes long.
#[inline]
pub(crate) fn munch_back(text: &[u8], end: usize, set: u16, cap: usize) -> usize {
    let stop = end.saturating_sub(cap);
    let mut at = end;
    while at > stop && is(text[at - 1], set) {
        at -= 1;
    }
    at
}

/// Says whether all bytes are in the set.
pub(crate) fn all(text: &[u8], set: u16) -> bool {
    text.iter().all(|&byte| is(byte, set))
}
