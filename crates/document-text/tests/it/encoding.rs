//! Encodings of whole files.

use document_text::{Editable, Encoding, decode, detect};

#[track_caller]
fn check(bytes: &[u8], encoding: &str, text: &str) {
    let found = detect(bytes);
    let decoded = decode(bytes, found);
    assert_eq!((found.name(), decoded.text.as_ref(), decoded.malformed), (encoding, text, false));
}

#[test]
fn marks_decide_and_are_no_text() {
    check(b"\xEF\xBB\xBFabc", "UTF-8", "abc");
    check(b"\xFF\xFEa\0\xe9\0", "UTF-16LE", "aé");
    check(b"\xFE\xFF\0a\0\xe9", "UTF-16BE", "aé");
    check(b"\xFF\xFE\0\0a\0\0\0", "UTF-32LE", "a");
    check(b"\0\0\xFE\xFF\0\x01\xF6\0", "UTF-32BE", "😀");
    check(b"\xEF\xBB\xBF", "UTF-8", "");
    // Only the first mark is one.
    check(b"\xEF\xBB\xBF\xEF\xBB\xBFa", "UTF-8", "\u{feff}a");
}

#[test]
fn utf8_is_the_default() {
    check(b"", "UTF-8", "");
    check(b"ascii", "UTF-8", "ascii");
    check("日本語 😀".as_bytes(), "UTF-8", "日本語 😀");
    check(b"a\0b", "UTF-8", "a\0b");
}

#[test]
fn utf16_without_a_mark() {
    check(b"h\0e\0l\0l\0o\0\r\0\n\0", "UTF-16LE", "hello\r\n");
    check(b"\0h\0e\0l\0l\0o\0\r\0\n", "UTF-16BE", "hello\r\n");
    let long: Vec<u8> = "line of text\n".repeat(200).encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(detect(&long), Encoding::Utf16Le);
    // An odd number of bytes is no sequence of units.
    assert_eq!(detect(b"h\0e\0l\0l\0o"), Encoding::Utf8);
    // A surrogate pair on the edge of the window is cut, not wrong.
    let edge: Vec<u8> = ("a".repeat(255) + "😀 and more").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(detect(&edge), Encoding::Utf16Le);
}

#[test]
fn legacy_encodings_are_guessed() {
    check(b"d\xe9j\xe0 vu, \x93quoted\x94\n", "windows-1252", "déjà vu, “quoted”\n");
    check(b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0", "windows-1251", "Привет, мир");
    check(
        b"\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\n",
        "Shift_JIS",
        "日本語のテキスト\n",
    );
    check(b"\xd6\xd0\xce\xc4\xce\xc4\xb1\xbe\xb2\xe2\xca\xd4\n", "GBK", "中文文本测试\n");
}

#[test]
fn the_guess_finds_a_late_first_character() {
    let mut bytes = b"plain line\n".repeat(20_000);
    bytes.extend_from_slice(b"caf\xe9 cr\xe8me, d\xe9j\xe0 vu\n");
    assert_eq!(detect(&bytes).name(), "windows-1252");
}

#[test]
fn damaged_utf8_stays_utf8() {
    let bytes = ["é".repeat(8).as_bytes(), b"\xff", "日".repeat(8).as_bytes()].concat();
    let decoded = decode(&bytes, detect(&bytes));
    assert_eq!(detect(&bytes), Encoding::Utf8);
    assert!(decoded.malformed);
    assert_eq!(decoded.text.matches('\u{fffd}').count(), 1);
}

#[test]
fn places_without_a_meaning_are_marked() {
    for bytes in [&b"\xFF\xFEa\0\x00\xD8"[..], b"\xFF\xFEa", b"\xFF\xFE\0\0\0\0\x11\0", b"\0\0\xFE\xFFab"] {
        let decoded = decode(bytes, detect(bytes));
        assert!(decoded.malformed, "{bytes:?}");
        assert!(decoded.text.ends_with('\u{fffd}'), "{bytes:?}: {:?}", decoded.text);
    }
}

#[test]
fn utf8_is_borrowed() {
    let bytes = "naïve".as_bytes();
    assert!(matches!(decode(bytes, detect(bytes)).text, std::borrow::Cow::Borrowed(_)));
    assert!(detect(bytes).is_utf8());
    assert!(!detect(b"\xFF\xFEa\0").is_utf8());
}

#[test]
fn a_text_leads_back_to_its_bytes_and_an_edit_leaves_the_others() {
    let wide =
        |text: &str, unit: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(unit).collect() };
    type Case = (Vec<u8>, &'static str, &'static str, Option<Vec<u8>>);
    let cases: [Case; 7] = [
        (b"caf\xE9 cr\xE8me\n".to_vec(), "crème", "thé", Some(b"caf\xE9 th\xE9\n".to_vec())),
        (b"caf\xE9 cr\xE8me\n".to_vec(), "crème", "日", None),
        ("\u{feff}a b".into(), "b", "日", Some("\u{feff}a 日".into())),
        (
            wide("\u{feff}a 😀 b\n", u16::to_le_bytes),
            "b",
            "日",
            Some(wide("\u{feff}a 😀 日\n", u16::to_le_bytes)),
        ),
        (wide("\u{feff}one two", u16::to_be_bytes), "one", "", Some(wide("\u{feff} two", u16::to_be_bytes))),
        (
            b"\x82\xa0\x82\xa2\x81\x5c\\ \x82\xa4\x82\xa6\n".to_vec(),
            "う",
            "あ",
            Some(b"\x82\xa0\x82\xa2\x81\x5c\\ \x82\xa0\x82\xa6\n".to_vec()),
        ),
        ("plain".into(), "plain", "", Some(Vec::new())),
    ];
    for (bytes, old, new, expected) in cases {
        let encoding = detect(&bytes);
        let open = Editable::open(&bytes, encoding).unwrap();
        let at = open.text().find(old).unwrap_or_else(|| panic!("{:?} in {encoding:?}", open.text()));
        assert_eq!(open.splice([(at..at + old.len(), new)]), expected, "{encoding:?}");
        assert_eq!(open.splice([]), Some(bytes.clone()), "{encoding:?}");
    }
    // A lone surrogate does not survive decoding.
    let broken = [0xFF, 0xFE, 0x00, 0xD8, 0x61, 0x00];
    assert_eq!(Editable::open(&broken, detect(&broken)), None);
}
