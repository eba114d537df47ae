//! The choke point of the text that a model reads: data URLs, invisible characters, large base64.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::limits;

/// Whether a result is guarded against one large base64 run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Each large base64 payload in the result is replaced by a notice.
    Base64,
    /// It stays visible: `read_file` shows what a file holds.
    None,
}

/// A data URL with its payload, also as the target of a Markdown image.
static DATA_URL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)!\[[^\]\n]{0,200}\]\(\s*data:[^)\s]*\)|data:[a-z0-9.+/-]{1,100}(?:;[a-z0-9=.+"-]{1,100}){0,4};base64,[a-z0-9+/=_%-]*"#)
        .expect("a constant pattern")
});

/// Strips what must not reach a model and says so at the end.
///
/// Data URLs and invisible Unicode (format, private-use and control characters other than tab and line ends) are
/// removed; under [`Guard::Base64`] each large run of base64 is replaced by a notice, also when it is wrapped into lines.
///
/// # Cost
///
/// O(n); borrows when nothing is stripped.
pub(crate) fn clean(text: &str, guard: Guard) -> Cow<'_, str> {
    let without_urls = strip_data_urls(text);
    let without_payloads = match guard {
        Guard::Base64 => omit_base64(&without_urls.0),
        Guard::None => Cow::Borrowed(&*without_urls.0),
    };
    match strip_invisible(&without_payloads) {
        (_, 0) if without_urls.1 == 0 => match without_payloads {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(text) => Cow::Owned(text),
        },
        (visible, removed) => {
            let mut out = visible.into_owned();
            let mut notes = Vec::new();
            if without_urls.1 > 0 {
                notes.push(format!("{} data URL(s)", without_urls.1));
            }
            if removed > 0 {
                notes.push(format!("{removed} invisible character(s)"));
            }
            if !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&format!("[not shown: {}; the file itself is unchanged]", notes.join(", ")));
            Cow::Owned(out)
        }
    }
}

fn strip_data_urls(text: &str) -> (Cow<'_, str>, usize) {
    if memchr::memmem::find(text.as_bytes(), b"data:").is_none()
        && memchr::memmem::find(text.as_bytes(), b"DATA:").is_none()
    {
        return (Cow::Borrowed(text), 0);
    }
    let mut count = 0;
    let stripped = DATA_URL.replace_all(text, |_: &regex::Captures<'_>| {
        count += 1;
        "[inline data omitted]"
    });
    (stripped, count)
}

/// Removes what is not seen; returns how many characters that were.
///
/// # Cost
///
/// One vectorised pass over text in ASCII; in other text, besides, one look at each character beyond it.
fn strip_invisible(text: &str) -> (Cow<'_, str>, usize) {
    let mut out = String::new();
    let (mut copied, mut count) = (0, 0);
    let mut at = 0;
    while let Some(place) = next_unusual(text.as_bytes(), at) {
        let Some(found) = text[place..].chars().next() else { break };
        at = place + found.len_utf8();
        if is_invisible(found) {
            out.push_str(&text[copied..place]);
            copied = at;
            count += 1;
        }
    }
    if count == 0 {
        return (Cow::Borrowed(text), 0);
    }
    out.push_str(&text[copied..]);
    (Cow::Owned(out), count)
}

/// The next byte at `from` or behind it that is neither printable ASCII nor a blank: one that may begin something unseen.
fn next_unusual(bytes: &[u8], from: usize) -> Option<usize> {
    const STEP: usize = 64;
    let is_plain = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'\t' | 0x20..=0x7e);
    let mut at = from;
    loop {
        let part = bytes.get(at..bytes.len().min(at + STEP))?;
        // Without a branch in the inner loop it is vectorised.
        if part.is_empty() || !part.iter().fold(true, |plain, byte| plain & is_plain(byte)) {
            return part.iter().position(|byte| !is_plain(byte)).map(|place| at + place);
        }
        at += part.len();
    }
}

/// Control, format and private-use characters, but for tab and line ends.
///
/// # Source
///
/// The general categories Cc, Cf and Co of the Unicode Character Database; a test compares all characters with the tables of
/// the crate `regex`.
fn is_invisible(c: char) -> bool {
    match u32::from(c) {
        0x09 | 0x0a | 0x0d => false,
        0..=0x1f | 0x7f..=0x9f => true,
        0..=0xac => false,
        code => INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&code)),
    }
}

/// The ranges beyond Latin-1's controls, most frequent first.
const INVISIBLE: [(u32, u32); 23] = [
    (0x200b, 0x200f),
    (0xfeff, 0xfeff),
    (0x00ad, 0x00ad),
    (0x202a, 0x202e),
    (0x2060, 0x2064),
    (0x2066, 0x206f),
    (0xe000, 0xf8ff),
    (0x0600, 0x0605),
    (0x061c, 0x061c),
    (0x06dd, 0x06dd),
    (0x070f, 0x070f),
    (0x0890, 0x0891),
    (0x08e2, 0x08e2),
    (0x180e, 0x180e),
    (0xfff9, 0xfffb),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0001, 0xe007f),
    (0xf0000, 0xffffd),
    (0x10_0000, 0x10_fffd),
];

/// Replaces each run of at least 1 KiB of base64 characters by a notice, line ends aside.
fn omit_base64(text: &str) -> Cow<'_, str> {
    if text.len() < limits::BASE64_MIN_BYTES {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < bytes.len() {
        let is_sign = matches!(bytes[at], b'+' | b'-' | b' ') && (at == 0 || bytes[at - 1] == b'\n');
        // The sign of a diff's line belongs to the diff.
        let start = at + usize::from(is_sign);
        let (end, payload) = base64_run(bytes, start, is_sign.then(|| bytes[at]));
        if payload >= limits::BASE64_MIN_BYTES {
            out.push_str(&text[copied..start]);
            out.push_str(&format!("[large base64 payload of {payload} bytes omitted]"));
            copied = end;
        }
        at = end.max(at + 1);
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Returns where the run that starts here ends, and how many characters of payload it has.
///
/// A run goes on in the next line when this line is at least as long as wrapped base64 is, and the next one, behind the
/// same sign of a diff, consists of nothing else.
fn base64_run(bytes: &[u8], start: usize, sign: Option<u8>) -> (usize, usize) {
    /// The narrowest customary width, that of PEM, less a few.
    const WRAPPED_CHARS: usize = 60;
    let (mut at, mut payload) = (start, 0);
    loop {
        let here = base64_chars(&bytes[at..]);
        payload += here;
        at += here;
        let rest = &bytes[at..];
        let line_end = if rest.starts_with(b"\r\n") { 2 } else { usize::from(rest.starts_with(b"\n")) };
        if here < WRAPPED_CHARS || line_end == 0 {
            return (at, payload);
        }
        let mut next = at + line_end;
        if sign.is_some() {
            if bytes.get(next).copied() != sign {
                return (at, payload);
            }
            next += 1;
        }
        let chars = bytes.get(next..).map_or(0, base64_chars);
        let is_whole = matches!(bytes.get(next + chars), None | Some(b'\r' | b'\n'));
        if chars == 0 || !is_whole {
            return (at, payload);
        }
        at = next;
    }
}

/// How many characters of the base64 alphabet stand at the start.
fn base64_chars(bytes: &[u8]) -> usize {
    let is_inside = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    bytes.iter().take_while(is_inside).count()
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::{Guard, clean, is_invisible, next_unusual};

    #[test]
    fn what_is_invisible_is_what_unicode_says() {
        let reference = Regex::new(r"^[\p{Cc}\p{Cf}\p{Co}--[\n\r\t]]$").unwrap();
        let mut buffer = [0; 4];
        for c in '\0'..=char::MAX {
            // An unassigned character between the tags: it would be one of them.
            if ('\u{e0002}'..='\u{e001f}').contains(&c) {
                continue;
            }
            assert_eq!(
                is_invisible(c),
                reference.is_match(c.encode_utf8(&mut buffer)),
                "U+{:04X}",
                u32::from(c)
            );
        }
    }

    #[test]
    fn the_next_unusual_byte_is_found_wherever_it_stands() {
        for at in 0..200 {
            let mut text = vec![b'x'; 200];
            text[at] = 0x1b;
            assert_eq!(next_unusual(&text, 0), Some(at));
            assert_eq!(next_unusual(&text, at), Some(at));
            assert_eq!(next_unusual(&text, at + 1), None);
        }
        assert_eq!(next_unusual(b"", 0), None);
        let long = format!("{}\u{200b}{}", "a".repeat(63), "b".repeat(70));
        assert!(clean(&long, Guard::None).starts_with(&format!("{}{}\n[", "a".repeat(63), "b".repeat(70))));
    }

    #[test]
    fn invisible_characters_are_stripped_and_counted() {
        assert_eq!(clean("café 日本語\n\tx", Guard::None), "café 日本語\n\tx");
        assert_eq!(
            clean("Hi\u{202e}evil\u{200b}", Guard::None),
            "Hievil\n[not shown: 2 invisible character(s); the file itself is unchanged]"
        );
    }

    #[test]
    fn data_urls_are_stripped() {
        let url = format!("data:image/png;base64,{}", "iVBORw0KGgo".repeat(3));
        assert_eq!(
            clean(&format!("before ![x]({url}) after"), Guard::None),
            "before [inline data omitted] after\n[not shown: 1 data URL(s); the file itself is unchanged]"
        );
        assert_eq!(clean("data: none here", Guard::None), "data: none here");
    }

    #[test]
    fn large_base64_is_omitted_also_when_wrapped_but_not_for_reads() {
        let flat = "QUJD".repeat(400);
        assert_eq!(clean(&flat, Guard::Base64), "[large base64 payload of 1600 bytes omitted]");
        assert_eq!(clean(&flat, Guard::None), flat);
        let lines: Vec<String> = (0..30).map(|_| "QUJD".repeat(19)).collect();
        assert!(clean(&lines.join("\n"), Guard::Base64).starts_with("[large base64"));
        assert_eq!(clean(&"a".repeat(1023), Guard::Base64), "a".repeat(1023));
        let diff: String = (0..30).map(|_| format!("+{}\n", "QUJD".repeat(16))).collect();
        let diff = format!("@@ -1 +1,30 @@\n-old\n{diff} context\n");
        assert_eq!(
            clean(&diff, Guard::Base64),
            "@@ -1 +1,30 @@\n-old\n+[large base64 payload of 1920 bytes omitted]\n context\n"
        );
        let words = "identifier\n".repeat(200);
        assert_eq!(clean(&words, Guard::Base64), words);
    }
}
