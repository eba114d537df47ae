//! Names as they are shown: nothing that a name contains can forge a row, move a cursor or hide itself.

use std::{
    borrow::Cow,
    ffi::OsString,
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// Spells a path so that it can be shown and asked for again.
///
/// Control characters, line and paragraph separators, directional and other invisible characters and bytes that are
/// not UTF-8 are written as `\x{1B}` (one byte) or `\u{202E}` (one character). Everything else stays as it is, and so
/// does a backslash, unless what follows it would read as such an escape: then it is written `\x{5C}`.
///
/// [`unescape()`] takes it back: `unescape(&escape(path)) == path` for every path.
///
/// # Cost
///
/// O(n); borrows when there is nothing to escape.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use sandbox_policy::{escape, unescape};
///
/// let name = Path::new("invoice\u{202e}fdp.exe");
/// assert_eq!(escape(name), "invoice\\u{202E}fdp.exe");
/// assert_eq!(unescape(&escape(name)), name);
/// assert_eq!(escape(Path::new("ünï/코드.rs")), "ünï/코드.rs");
/// ```
pub fn escape(path: &Path) -> Cow<'_, str> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if let Ok(text) = std::str::from_utf8(bytes)
        && is_plain(text)
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len() + 16);
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let next = at + c.len_utf8();
            if is_shown_escaped(c) || (c == '\\' && reads_as_escape(&bytes[next..])) {
                push_char(&mut out, c);
            } else {
                out.push(c);
            }
            at = next;
        }
        for byte in chunk.invalid() {
            push_byte(&mut out, *byte);
            at += 1;
        }
    }
    Cow::Owned(out)
}

/// Takes the escapes of [`escape()`] back.
///
/// Only what [`escape()`] writes is an escape; any other text, such as `\n`, `\x41` or `\x{2F}`, stands for itself. So no
/// separator, dot or other plain character can be smuggled in; a NUL can, and [`crate::RequestPath`] refuses it.
///
/// # Cost
///
/// O(n), at most n bytes.
pub fn unescape(text: &str) -> PathBuf {
    let bytes = text.as_bytes();
    if !bytes.contains(&b'\\') {
        return PathBuf::from(text);
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'\\').then(|| escape_at(&bytes[at + 1..])).flatten();
        match escaped {
            Some((Unit::Byte(byte), length)) => {
                out.push(byte);
                at += 1 + length;
            }
            Some((Unit::Char(c), length)) => {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                at += 1 + length;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    PathBuf::from(os_string(out))
}

#[derive(Clone, Copy)]
enum Unit {
    Byte(u8),
    Char(char),
}

/// Tells whether the bytes after a backslash are an escape.
fn reads_as_escape(after: &[u8]) -> bool {
    escape_at(after).is_some()
}

/// Reads `x{HH}` or `u{H...}` in exactly the spelling that is written here.
fn escape_at(after: &[u8]) -> Option<(Unit, usize)> {
    let (kind, rest) = after.split_first()?;
    let digits = rest.strip_prefix(b"{")?;
    let close = digits.iter().take(7).position(|byte| *byte == b'}')?;
    let digits = std::str::from_utf8(&digits[..close]).ok()?;
    let is_upper_hex = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'A'..=b'F');
    if !digits.bytes().all(is_upper_hex) {
        return None;
    }
    let code = u32::from_str_radix(digits, 16).ok()?;
    let length = close + 3;
    match kind {
        b'x' if digits.len() == 2 => {
            let byte = u8::try_from(code).ok()?;
            let is_written = byte >= 0x80 || byte == b'\\' || byte.is_ascii_control();
            is_written.then_some((Unit::Byte(byte), length))
        }
        b'u' if digits.len() >= 2 && !digits.starts_with("00") => {
            let c = char::from_u32(code).filter(|c| !c.is_ascii() && is_shown_escaped(*c))?;
            (format!("{code:02X}") == digits).then_some((Unit::Char(c), length))
        }
        _ => None,
    }
}

fn push_char(out: &mut String, c: char) {
    if c.is_ascii() {
        push_byte(out, c as u8);
    } else {
        write!(out, "\\u{{{:02X}}}", u32::from(c)).expect("writing to a string cannot fail");
    }
}

fn push_byte(out: &mut String, byte: u8) {
    write!(out, "\\x{{{byte:02X}}}").expect("writing to a string cannot fail");
}

fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| (0x20..0x7f).contains(&byte) && byte != b'\\';
    text.bytes().all(plain)
        || !text
            .char_indices()
            .any(|(at, c)| is_shown_escaped(c) || (c == '\\' && reads_as_escape(&text.as_bytes()[at + 1..])))
}

/// Tells whether a character could forge or hide something in a listing.
///
/// # Source
///
/// Unicode general categories Cc, Cf, Zl and Zp, and the characters with the property `Default_Ignorable_Code_Point`, but
/// for variation selectors, which emoji and ideographs need and which stay visible through their base.
fn is_shown_escaped(c: char) -> bool {
    matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes)
}

/// Other systems have no names of arbitrary bytes: what is not UTF-8 cannot exist and becomes a replacement character.
#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> OsString {
    OsString::from(String::from_utf8_lossy(&bytes).into_owned())
}
