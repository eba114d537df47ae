//! Brings a name into the form in which names are compared.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// Room for any name that the usual file systems allow.
pub(crate) const NAME_BYTES: usize = 255;

/// Holds the folded form of a name without allocating.
pub(crate) struct Buffer([u8; NAME_BYTES + 1]);

impl Buffer {
    pub(crate) const fn new() -> Buffer {
        Buffer([0; NAME_BYTES + 1])
    }
}

/// Folds one component: full case folding, NFC, no trailing dots or blanks, no ignorable characters.
///
/// Two names with the same folded form are one file on some file system in use (APFS, HFS+, NTFS, ext4 with
/// casefold), so a rule that names one of them has to catch the other. Bytes that are not UTF-8 stay as they are.
///
/// # Cost
///
/// O(n). ASCII names of up to 255 bytes are folded into `buffer`; others allocate.
pub(crate) fn fold<'b>(name: &[u8], buffer: &'b mut Buffer) -> Cow<'b, [u8]> {
    if name.len() <= NAME_BYTES && name.is_ascii() {
        let out = &mut buffer.0[..name.len()];
        out.copy_from_slice(name);
        out.make_ascii_lowercase();
        let kept = trimmed(out).len();
        return Cow::Borrowed(&buffer.0[..kept]);
    }
    Cow::Owned(fold_any(name))
}

fn fold_any(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut utf8 = [0; 4];
    for chunk in name.utf8_chunks() {
        let folded = chunk.valid().chars().filter(|c| !is_ignorable(*c)).nfd().flat_map(fold_char).nfc();
        for c in folded {
            out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
    let kept = trimmed(&out).len();
    out.truncate(kept);
    out
}

/// Folds the case of one character; going through upper case also joins the long s, sharp s and ligatures.
fn fold_char(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Windows drops trailing dots and blanks of a name.
pub(crate) fn trimmed(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|b| !matches!(b, b'.' | b' ')).map_or(0, |last| last + 1);
    &name[..end]
}

/// HFS+ leaves these characters out of a comparison.
///
/// # Source
///
/// <https://developer.apple.com/library/archive/technotes/tn/tn1150.html#StringComparisonAlgorithm>, the code points
/// that its table maps to zero; the same set is guarded against in git's `next_hfs_char`.
fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}
