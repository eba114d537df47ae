//! Names as they are shown.

use std::{borrow::Cow, path::Path};

use sandbox_policy::{escape, unescape};

#[track_caller]
fn check(name: &str, expected: &str) {
    let shown = escape(Path::new(name));
    assert_eq!(shown, expected);
    assert_eq!(unescape(&shown).as_os_str(), name);
}

#[test]
fn plain_names_are_shown_as_they_are() {
    for name in [
        "a",
        "a b",
        "ünï",
        "코드.rs",
        "🦀",
        "a\\b",
        "C:\\new",
        "\\x41",
        "\\n",
        "~",
        "'\"",
        "e\u{301}",
        "❤\u{fe0f}",
    ] {
        check(name, name);
        assert!(matches!(escape(Path::new(name)), Cow::Borrowed(_)));
    }
}

#[test]
fn what_could_forge_or_hide_is_escaped() {
    check("a\nb", "a\\x{0A}b");
    check("\u{1b}[2Jx", "\\x{1B}[2Jx");
    check("a\tb\r", "a\\x{09}b\\x{0D}");
    check("\u{7f}", "\\x{7F}");
    check("\u{85}", "\\u{85}");
    check("fdp\u{202e}exe", "fdp\\u{202E}exe");
    check("a\u{200b}b\u{2066}", "a\\u{200B}b\\u{2066}");
    check("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}");
    check("\u{feff}a\u{ad}", "\\u{FEFF}a\\u{AD}");
    check("\u{e0041}", "\\u{E0041}");
}

#[test]
fn a_name_that_reads_like_an_escape_is_told_apart() {
    check("a\\x{0A}b", "a\\x{5C}x{0A}b");
    check("\\u{202E}", "\\x{5C}u{202E}");
    check("\\x{5C}", "\\x{5C}x{5C}");
    check("\\\\x{0A}", "\\\\x{5C}x{0A}");
    check("\\x{0A", "\\x{0A");
    check("\\x{0a}", "\\x{0a}");
    check("\\x{41}", "\\x{41}");
    check("\\u{41}", "\\u{41}");
    check("\\u{0202E}", "\\u{0202E}");
    check("\\x{0\u{202e}A}", "\\x{0\\u{202E}A}");
}

#[cfg(unix)]
#[test]
fn bytes_that_are_not_utf8_are_shown_and_taken_back() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    #[track_caller]
    fn check(name: &[u8], expected: &str) {
        let name = Path::new(OsStr::from_bytes(name));
        assert_eq!(escape(name), expected);
        assert_eq!(unescape(expected), name);
    }
    check(b"caf\xe9.txt", "caf\\x{E9}.txt");
    check(b"\xff\xfe", "\\x{FF}\\x{FE}");
    check(b"\xc3\xa9\xc3", "é\\x{C3}");
    check(b"\xed\xa0\x80", "\\x{ED}\\x{A0}\\x{80}");
    check(b"dir/\xe9/\\x{E9}", "dir/\\x{E9}/\\x{5C}x{E9}");
}
