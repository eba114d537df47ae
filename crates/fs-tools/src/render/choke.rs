//! The choke point of the text that a model reads: data URLs, invisible characters, large base64.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::limits;

/// Whether a result is guarded against one large base64 run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    /// The whole result is replaced by a notice when it is one large base64 payload.
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
/// removed; a text that as a whole is one large base64 run is replaced by a notice under [`Guard::Base64`], also when
/// it is wrapped into lines.
///
/// # Cost
///
/// O(n); borrows when nothing is stripped.
pub(crate) fn clean(text: &str, guard: Guard) -> Cow<'_, str> {
    if guard == Guard::Base64 && is_large_base64(text) {
        return Cow::Owned(format!("[large base64 payload of {} bytes omitted]", text.trim().len()));
    }
    let without_urls = strip_data_urls(text);
    match strip_invisible(&without_urls.0) {
        (Cow::Borrowed(_), 0) if without_urls.1 == 0 => Cow::Borrowed(text),
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

fn strip_invisible(text: &str) -> (Cow<'_, str>, usize) {
    static INVISIBLE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[\p{Cc}\p{Cf}\p{Co}--[\n\r\t]]").expect("a constant pattern"));
    // Almost every text is clean; one pass over the bytes tells for those that are plain ASCII.
    // Without a branch in the inner loop it is vectorised.
    let is_plain = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'\t' | 0x20..=0x7e);
    let plain = |part: &[u8]| part.iter().fold(true, |plain, byte| plain & is_plain(byte));
    if text.as_bytes().chunks(4_096).all(plain) {
        return (Cow::Borrowed(text), 0);
    }
    let mut count = 0;
    let stripped = INVISIBLE.replace_all(text, |found: &regex::Captures<'_>| {
        count += found.get(0).map_or(0, |whole| whole.as_str().chars().count());
        ""
    });
    (stripped, count)
}

/// Whether a trimmed text of at least 1 KiB consists of base64 characters to at least 97 %, line ends aside.
fn is_large_base64(text: &str) -> bool {
    let trimmed = text.trim();
    if trimmed.len() < limits::BASE64_MIN_BYTES {
        return false;
    }
    let (mut inside, mut blanks, mut other) = (0usize, 0usize, 0usize);
    let mut longest_line = 0usize;
    let mut line = 0usize;
    for byte in trimmed.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'=' => {
                inside += 1;
                line += 1;
            }
            b'\n' | b'\r' => {
                longest_line = longest_line.max(line);
                line = 0;
            }
            b' ' | b'\t' => blanks += 1,
            _ => other += 1,
        }
    }
    longest_line = longest_line.max(line);
    // Wrapped base64 has lines of 64 or 76; prose and code have blanks.
    inside * 100 >= (inside + other) * 97 && blanks * 128 <= trimmed.len() && longest_line >= 60
}

#[cfg(test)]
mod tests {
    use super::{Guard, clean};

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
        let words = "identifier\n".repeat(200);
        assert_eq!(clean(&words, Guard::Base64), words);
    }
}
