//! Text encodings: which one a file is in, and its text as UTF-8.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{UTF_16BE, UTF_16LE};

/// The bytes in which UTF-16 without a mark is looked for; the same window as the sniff of a read.
const UTF16_WINDOW: usize = 512;

/// Fewer UTF-16 units than this are too few to tell text from a small binary record.
const UTF16_MIN_UNITS: usize = 4;

/// The bytes that are looked at when a text is not well-formed UTF-8, from the line with the first byte above 127 on.
///
/// The guess takes some tens of times as long as decoding the same bytes, and gains little beyond a few pages of text.
const GUESS_WINDOW: usize = 16 << 10;

/// How far before that byte the beginning of its line is looked for.
const GUESS_BEFORE: usize = 1 << 10;

/// A text with this many well-formed characters above 127 per malformed place is UTF-8 with damage: in a legacy encoding
/// such bytes form a UTF-8 sequence only by accident.
const GOOD_PER_BAD: usize = 4;

/// Says how the text of a file is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8 without a byte order mark; ASCII is part of it.
    Utf8,
    /// UTF-8 behind a byte order mark.
    Utf8Bom,
    /// UTF-16, low byte first, without a mark: found by the zero bytes of its ASCII characters.
    Utf16Le,
    /// UTF-16, high byte first, without a mark.
    Utf16Be,
    /// UTF-16, low byte first, behind a mark.
    Utf16LeBom,
    /// UTF-16, high byte first, behind a mark.
    Utf16BeBom,
    /// UTF-32, low byte first, behind a mark.
    Utf32LeBom,
    /// UTF-32, high byte first, behind a mark.
    Utf32BeBom,
    /// An encoding from before Unicode: a guess, good for showing the text and not for changing it.
    Legacy(Legacy),
}

/// Names an encoding of the WHATWG Encoding Standard that is not a Unicode one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Legacy(&'static encoding_rs::Encoding);

impl Legacy {
    /// Returns the name in the Encoding Standard, such as `windows-1252`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    pub(crate) fn by(self) -> &'static encoding_rs::Encoding {
        self.0
    }
}

impl Encoding {
    /// Returns the usual name, such as `UTF-8` or `windows-1252`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 | Encoding::Utf8Bom => "UTF-8",
            Encoding::Utf16Le | Encoding::Utf16LeBom => "UTF-16LE",
            Encoding::Utf16Be | Encoding::Utf16BeBom => "UTF-16BE",
            Encoding::Utf32LeBom => "UTF-32LE",
            Encoding::Utf32BeBom => "UTF-32BE",
            Encoding::Legacy(legacy) => legacy.name(),
        }
    }

    /// Returns the byte order mark that stands in front of the text, or nothing.
    #[must_use]
    pub fn bom(self) -> &'static [u8] {
        match self {
            Encoding::Utf8Bom => b"\xEF\xBB\xBF",
            Encoding::Utf16LeBom => b"\xFF\xFE",
            Encoding::Utf16BeBom => b"\xFE\xFF",
            Encoding::Utf32LeBom => b"\xFF\xFE\0\0",
            Encoding::Utf32BeBom => b"\0\0\xFE\xFF",
            Encoding::Utf8 | Encoding::Utf16Le | Encoding::Utf16Be | Encoding::Legacy(_) => b"",
        }
    }

    /// Tells whether the bytes after the mark are the UTF-8 text itself, so that byte offsets mean the same in both.
    #[must_use]
    pub fn is_utf8(self) -> bool {
        matches!(self, Encoding::Utf8 | Encoding::Utf8Bom)
    }
}

/// The text of a file, in UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text without the byte order mark. It borrows the file when that is well-formed UTF-8.
    pub text: Cow<'a, str>,
    /// Whether some bytes had no meaning in the encoding; each such place is U+FFFD in the text.
    pub malformed: bool,
}

/// Finds the encoding of a whole text file.
///
/// In this order: a byte order mark; UTF-16 without a mark, by its zero bytes; well-formed UTF-8; UTF-8 with few
/// malformed places; the likeliest legacy encoding. Every input has an answer, also one that is no text: ask
/// [`classify`](crate::classify()) first whether it is.
///
/// # Cost
///
/// One fast pass over `bytes`, and for what is not well-formed UTF-8 a guess over 16 KiB of it; nothing is allocated that
/// grows with the input.
///
/// # Examples
///
/// ```
/// assert_eq!(document_text::detect("naïve".as_bytes()).name(), "UTF-8");
/// assert_eq!(document_text::detect(b"na\xEFve caf\xE9").name(), "windows-1252");
/// ```
#[must_use]
pub fn detect(bytes: &[u8]) -> Encoding {
    match before_utf8(bytes) {
        Some(encoding) => encoding,
        None if std::str::from_utf8(bytes).is_ok() => Encoding::Utf8,
        None => after_utf8(bytes),
    }
}

/// [`detect`] and [`decode`] in one: UTF-8, the usual case, is validated once instead of twice.
pub(crate) fn read(bytes: &[u8]) -> (Encoding, Decoded<'_>) {
    let encoding = match before_utf8(bytes) {
        Some(encoding) => encoding,
        None => match std::str::from_utf8(bytes) {
            Ok(text) => return (Encoding::Utf8, Decoded { text: Cow::Borrowed(text), malformed: false }),
            Err(_) => after_utf8(bytes),
        },
    };
    (encoding, decode(bytes, encoding))
}

/// What is asked before UTF-8: a mark, and UTF-16, which is well-formed UTF-8 when its characters are ASCII.
fn before_utf8(bytes: &[u8]) -> Option<Encoding> {
    by_mark(bytes).or_else(|| utf16_without_mark(bytes))
}

/// What a text is that is not well-formed UTF-8.
fn after_utf8(bytes: &[u8]) -> Encoding {
    if is_damaged_utf8(guess_window(bytes).0) { Encoding::Utf8 } else { guess(bytes) }
}

/// Decodes `bytes`, which is in `encoding`, to UTF-8 without the byte order mark.
///
/// # Cost
///
/// One pass. The text is at most three times as long as `bytes`, plus three bytes.
///
/// # Examples
///
/// ```
/// use document_text::{decode, detect};
///
/// let bytes = b"\xFF\xFEh\0i\0";
/// assert_eq!(decode(bytes, detect(bytes)).text, "hi");
/// ```
#[must_use]
pub fn decode(bytes: &[u8], encoding: Encoding) -> Decoded<'_> {
    let body = bytes.strip_prefix(encoding.bom()).unwrap_or(bytes);
    let by = match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => {
            // Validating a whole text is many times faster than looking for its malformed places.
            return match std::str::from_utf8(body) {
                Ok(text) => Decoded { text: Cow::Borrowed(text), malformed: false },
                Err(_) => Decoded { text: String::from_utf8_lossy(body), malformed: true },
            };
        }
        Encoding::Utf32LeBom => return utf32(body, u32::from_le_bytes),
        Encoding::Utf32BeBom => return utf32(body, u32::from_be_bytes),
        Encoding::Utf16Le | Encoding::Utf16LeBom => UTF_16LE,
        Encoding::Utf16Be | Encoding::Utf16BeBom => UTF_16BE,
        Encoding::Legacy(Legacy(by)) => by,
    };
    let (text, malformed) = by.decode_without_bom_handling(body);
    Decoded { text, malformed }
}

pub(crate) fn by_mark(bytes: &[u8]) -> Option<Encoding> {
    // The mark of UTF-32, low byte first, begins with the one of UTF-16, so it is asked first.
    [
        Encoding::Utf32LeBom,
        Encoding::Utf32BeBom,
        Encoding::Utf8Bom,
        Encoding::Utf16LeBom,
        Encoding::Utf16BeBom,
    ]
    .into_iter()
    .find(|it| bytes.starts_with(it.bom()))
}

/// UTF-16 of mostly ASCII text has a zero in every other byte and none in the bytes between.
pub(crate) fn utf16_without_mark(bytes: &[u8]) -> Option<Encoding> {
    let window = &bytes[..bytes.len().min(UTF16_WINDOW)];
    if !bytes.len().is_multiple_of(2) && bytes.len() <= UTF16_WINDOW {
        return None;
    }
    let units = window.len() / 2;
    let zeros = |from: usize| window.iter().skip(from).step_by(2).filter(|&&it| it == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let (encoding, unit): (_, fn([u8; 2]) -> u16) = if even == 0 && odd * 2 > units {
        (Encoding::Utf16Le, u16::from_le_bytes)
    } else if odd == 0 && even * 2 > units {
        (Encoding::Utf16Be, u16::from_be_bytes)
    } else {
        return None;
    };
    let plausible = units >= UTF16_MIN_UNITS
        && char::decode_utf16(window.chunks_exact(2).map(|it| unit([it[0], it[1]])))
            .enumerate()
            // A surrogate pair may be cut by the end of the window.
            .all(|(at, it)| it.map_or(at + 1 == units, is_text_char));
    plausible.then_some(encoding)
}

pub(crate) fn guess(bytes: &[u8]) -> Encoding {
    let (window, is_last) = guess_window(bytes);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, is_last);
    Encoding::Legacy(Legacy(detector.guess(None, Utf8Detection::Deny)))
}

/// The bytes that decide about an encoding, and whether they reach the end: all before the first byte above 127 say
/// nothing, and starting at a line keeps the window from beginning inside a character.
fn guess_window(bytes: &[u8]) -> (&[u8], bool) {
    let high = bytes.iter().position(|it| !it.is_ascii()).unwrap_or(0);
    let near = high.saturating_sub(GUESS_BEFORE);
    let start = bytes[near..high].iter().rposition(|&it| it == b'\n').map_or(near, |at| near + at + 1);
    let end = bytes.len().min(start.saturating_add(GUESS_WINDOW));
    (&bytes[start..end], end == bytes.len())
}

fn is_damaged_utf8(window: &[u8]) -> bool {
    let mut good = 0;
    let mut bad = 0;
    for chunk in window.utf8_chunks() {
        // Every character above 127 has one byte that begins it.
        good += chunk.valid().bytes().filter(|&it| it >= 0xC0).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good / GOOD_PER_BAD >= bad
}

fn is_text_char(it: char) -> bool {
    matches!(it, '\t' | '\n' | '\r' | '\u{c}') || !(it.is_control() || matches!(it, '\u{fffe}' | '\u{ffff}'))
}

fn utf32(body: &[u8], unit: fn([u8; 4]) -> u32) -> Decoded<'static> {
    let mut text = String::with_capacity(body.len() / 4);
    let mut malformed = false;
    let chunks = body.chunks_exact(4);
    if !chunks.remainder().is_empty() {
        malformed = true;
    }
    for chunk in chunks {
        let it = char::from_u32(unit([chunk[0], chunk[1], chunk[2], chunk[3]]));
        malformed |= it.is_none();
        text.push(it.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if !body.len().is_multiple_of(4) {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    Decoded { text: Cow::Owned(text), malformed }
}
