//! What a file is, from its name and its first bytes.

use std::path::Path;

use memchr::memchr;

use crate::encoding::{Encoding, by_mark, guess, utf16_without_mark};
use crate::format::{Format, by_magic};

/// The bytes that decide whether a file is read as text.
pub const READ_SNIFF_BYTES: usize = 512;

/// The bytes in which a zero byte makes a content search skip a file; [`classify`] looks at no more either.
pub const SEARCH_SNIFF_BYTES: usize = 8 << 10;

/// One control character in so many characters is still text: logs have a few.
const CHARS_PER_CONTROL: usize = 10;

/// Says what a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// No bytes at all.
    Empty,
    /// Text. The encoding is the one that the head shows: [`detect`](crate::detect) decides on the whole file.
    Text(Encoding),
    /// Anything else.
    Binary(Format),
}

/// Decides what a file is.
///
/// `head` is the beginning of the file: the whole of it when it is short, at least [`SEARCH_SNIFF_BYTES`] otherwise
/// (fewer bytes only make the answer less exact; [`READ_SNIFF_BYTES`] decide about text). A known magic number comes first, so
/// a PDF whose head happens to be printable is binary. Then a byte order mark and UTF-16 make text. Then, within
/// the first 512 bytes: a zero byte makes binary; well-formed UTF-8 is text unless more than a tenth of it is control
/// characters; other bytes are text in a legacy encoding unless a control character that no text uses is among them.
///
/// `name` only tells apart what looks the same: a ZIP archive named `.docx` is a document. It is never opened.
///
/// # Cost
///
/// Looks at no more than 8 KiB, and does not allocate for UTF-8.
///
/// # Source
///
/// The rule on legacy text uses the binary data bytes of the WHATWG MIME Sniffing standard.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use document_text::{Format, Kind, classify};
///
/// assert_eq!(classify(Path::new("paper.txt"), b"%PDF-1.7\n"), Kind::Binary(Format::Pdf));
/// assert!(matches!(classify(Path::new("notes"), b"plain words"), Kind::Text(_)));
/// ```
#[must_use]
pub fn classify(name: &Path, head: &[u8]) -> Kind {
    let head = &head[..head.len().min(SEARCH_SNIFF_BYTES)];
    if head.is_empty() {
        return Kind::Empty;
    }
    if let Some(format) = by_magic(name, head) {
        return Kind::Binary(format);
    }
    if let Some(encoding) = by_mark(head) {
        return match reads_as_text(head, encoding) {
            true => Kind::Text(encoding),
            false => Kind::Binary(Format::Unknown),
        };
    }
    if let Some(encoding) = utf16_without_mark(head) {
        return Kind::Text(encoding);
    }
    let window = &head[..head.len().min(READ_SNIFF_BYTES)];
    if memchr(0, window).is_some() {
        return Kind::Binary(Format::Unknown);
    }
    if is_utf8(window, head.len() > window.len()) {
        let controls = window.iter().filter(|&&it| is_control(it)).count();
        if controls * CHARS_PER_CONTROL > window.len() {
            return Kind::Binary(Format::Unknown);
        }
        return Kind::Text(match is_utf8(head, head.len() == SEARCH_SNIFF_BYTES) {
            true => Encoding::Utf8,
            false => crate::detect(head),
        });
    }
    if window.iter().any(|&it| is_binary_data(it)) {
        return Kind::Binary(Format::Unknown);
    }
    Kind::Text(match crate::detect(head) {
        // The head may end inside a character, which is no damage: the rest of it decided.
        Encoding::Utf8 => Encoding::Utf8,
        _ => guess(head),
    })
}

/// Tells whether a zero byte stands in the first 8 KiB: such a file is binary for a content search.
///
/// This is the whole rule of the search. It also skips UTF-16, which [`classify`] would call text.
///
/// # Examples
///
/// ```
/// assert!(document_text::has_nul(b"\x7FELF\0"));
/// assert!(!document_text::has_nul(b"caf\xE9"));
/// ```
#[must_use]
pub fn has_nul(head: &[u8]) -> bool {
    memchr(0, &head[..head.len().min(SEARCH_SNIFF_BYTES)]).is_some()
}

/// After a mark, the window must not be mostly control characters or places without a meaning.
fn reads_as_text(head: &[u8], encoding: Encoding) -> bool {
    let window = &head[..head.len().min(READ_SNIFF_BYTES)];
    let decoded = crate::decode(window, encoding);
    let mut chars = 0;
    let mut odd = 0;
    for it in decoded.text.chars() {
        chars += 1;
        odd += usize::from(it == char::REPLACEMENT_CHARACTER || u8::try_from(it).is_ok_and(is_control));
    }
    // One odd place is allowed: the window may end inside a character.
    odd <= 1 || odd * CHARS_PER_CONTROL <= chars
}

/// `cut` says that the bytes may end inside a character because more follow.
fn is_utf8(bytes: &[u8], cut: bool) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => cut && error.error_len().is_none(),
    }
}

/// Control characters that make a text suspicious when they are many.
fn is_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0c | 0x08)
}

/// The binary data bytes of the MIME Sniffing standard: never in a text of any encoding.
fn is_binary_data(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)
}
