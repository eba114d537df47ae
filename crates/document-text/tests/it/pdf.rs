//! Pages of PDFs.

use std::path::Path;

use document_text::{Document, Format, Kind, Limits, Note, UnitKind};
use pdf_extract::encryption::crypt_filters::{Aes128CryptFilter, CryptFilter};
use pdf_extract::{EncryptionState, EncryptionVersion, Permissions};

use crate::make;

/// Each page as its note and its text.
fn read(bytes: &[u8]) -> Vec<(Option<Note>, String)> {
    let document = Document::open(Path::new("a.pdf"), bytes, Limits::STANDARD).unwrap();
    assert_eq!((document.kind(), document.unit()), (Kind::Binary(Format::Pdf), UnitKind::Page));
    let part = document.read(1..u64::MAX).unwrap();
    assert_eq!(part.units.len() as u64, document.count());
    assert!(part.units.iter().zip(1..).all(|(it, number)| it.number == number));
    part.units.into_iter().map(|it| (it.note, it.content.text().to_owned())).collect()
}

#[track_caller]
fn check(bytes: &[u8], expected: &[&str]) {
    let pages = read(bytes);
    assert_eq!(pages.iter().map(|it| it.1.as_str()).collect::<Vec<_>>(), expected);
    assert!(pages.iter().all(|it| it.0.is_none()), "{pages:?}");
}

#[test]
fn pages_without_text_keep_their_number_and_say_why() {
    let image = make::stream("/Type /XObject /Subtype /Image /Width 1 /Height 1", b"\0");
    let content = [&make::lines(&["one", "two"]), "", "q 9 0 0 9 0 0 cm /Im Do Q", &make::lines(&["four"])];
    let bytes = make::pages(&content.map(|it| it), "/XObject << /Im @0 >>", &[image]);
    let pages = read(&bytes);
    assert_eq!(pages[0], (None, "one\ntwo".to_owned()));
    assert_eq!(pages[1], (Some(Note::Blank), String::new()));
    assert_eq!(pages[2], (Some(Note::PicturesOnly), String::new()));
    assert_eq!(pages[3], (None, "four".to_owned()));
    assert_eq!(pages[2].0.as_ref().unwrap().to_string(), "no text, only pictures");

    let document = Document::open(Path::new("a.pdf"), &bytes, Limits::STANDARD).unwrap();
    let part = document.read(3..5).unwrap();
    assert_eq!(part.units.iter().map(|it| it.number).collect::<Vec<_>>(), [3, 4]);
    assert_eq!((part.next, document.read(9..12).unwrap().units.len()), (None, 0));
}

#[test]
fn what_shows_text_is_shown() {
    // Next line and show, with and without spacing; kerning inside a word and between words.
    let content = "BT /F1 12 Tf 14 TL 72 700 Td (a) Tj (b) ' 1 0 (c) \" [(wo) 20 (rd) -400 (next)] TJ ET";
    check(&make::pages(&[content], "", &[]), &["a\nb\ncword next"]);
    // A larger gap between letters than in words separates them; a step to the side does too.
    check(&make::pages(&["BT /F1 10 Tf 3 Tc (ab) Tj ET"], "", &[]), &["a b"]);
    check(&make::pages(&["BT /F1 10 Tf (a) Tj 20 0 Td (b) Tj 0 -40 Td (c) Tj ET"], "", &[]), &["a b\n\nc"]);
    // Letters that are drawn as one are searched for as several.
    let font = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [65 /fi 66 /ffl] >> >> >>";
    check(&make::pages(&["BT /F1 10 Tf (AxB) Tj ET"], font, &[]), &["fixffl"]);
}

#[test]
fn forms_are_read_in_their_place() {
    let inner = make::stream("/Type /XObject /Subtype /Form", b"BT /F1 10 Tf 0 0 Td (inner) Tj ET");
    let outer = make::stream(
        "/Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 -50] /Resources << /XObject << /I @0 >> /Font << /F1 3 0 R >> >>",
        b"BT /F1 10 Tf (outer) Tj ET q 1 0 0 1 0 -50 cm /I Do Q",
    );
    let content = "q 1 0 0 1 0 700 cm BT /F1 10 Tf (page) Tj ET /O Do Q";
    check(&make::pages(&[content], "/XObject << /O @1 >>", &[inner, outer]), &["page\n\nouter\n\ninner"]);
}

#[test]
fn encodings_from_before_unicode_are_known() {
    let font = |encoding: &str| {
        format!(
            "/Font << /F1 << /Type /Font /Subtype /Type0 /BaseFont /Gothic /Encoding /{encoding} /DescendantFonts \
             [<< /Type /Font /Subtype /CIDFontType0 /FontDescriptor << >> /W [1 [500 500] 10 20 500] >>] >> >>"
        )
    };
    for (encoding, hex) in [
        ("90ms-RKSJ-H", "93fa967b"),
        ("UniJIS-UCS2-H", "65e5672c"),
        ("GBK-EUC-H", "c8d5b1be"),
        ("EUC-H", "c6fccbdc"),
    ] {
        let bytes = make::pages(&[&format!("BT /F1 10 Tf <{hex}> Tj ET")], &font(encoding), &[]);
        let pages = read(&bytes);
        assert_eq!(pages[0].1, "日本", "{encoding}");
    }
    // Glyph numbers of a font say nothing about characters.
    let pages = read(&make::pages(&["BT /F1 10 Tf <00010002> Tj ET"], &font("Identity-H"), &[]));
    assert_eq!(pages, [(Some(Note::UnknownFont), String::new())]);
}

#[test]
fn a_damaged_font_costs_what_it_says_and_nothing_else() {
    let broken = make::stream("", b"this is no table of characters <");
    let font = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Odd /ToUnicode @0 /FirstChar (x) /LastChar 9 \
                /Widths [1 (two) /Three] /Encoding << /BaseEncoding /Nothing /Differences [999 /a (b) 300 /c -4 /d] >> >> >>";
    let pages = read(&make::pages(
        &["BT /F1 10 Tf (abc) Tj ET", "BT (none) Tj /F2 1 Tf (none) Tj (x) Tf 1 2 Td ET"],
        font,
        &[broken],
    ));
    assert_eq!(pages[0].1.replace(' ', ""), "abc");
    assert_eq!(pages[1], (Some(Note::Blank), String::new()));
}

#[test]
fn a_wrong_extension_and_a_late_header_do_not_matter() {
    let bytes = make::pages(&[&make::lines(&["text"])], "", &[]);
    for name in ["a.txt", "a", "a.docx"] {
        let document = Document::open(Path::new(name), &bytes, Limits::STANDARD).unwrap();
        assert_eq!(document.read(1..2).unwrap().units[0].content.text(), "text", "{name}");
    }
    let late = [&b"HTTP/1.1 200 OK\r\n\r\n"[..], &bytes].concat();
    check(&late, &["text"]);
}

/// The same document behind a password, AES-128.
fn locked(user_password: &str) -> Vec<u8> {
    let bytes = make::pages(&[&make::lines(&["secret"])], "", &[]);
    let mut document = pdf_extract::Document::load_mem(&bytes).unwrap();
    let id = pdf_extract::Object::string_literal("0123456789abcdef");
    document.trailer.set("ID", vec![id.clone(), id]);
    let filter: std::sync::Arc<dyn CryptFilter> = std::sync::Arc::new(Aes128CryptFilter);
    let state = EncryptionState::try_from(EncryptionVersion::V4 {
        document: &document,
        encrypt_metadata: true,
        crypt_filters: [(b"StdCF".to_vec(), filter)].into(),
        stream_filter: b"StdCF".to_vec(),
        string_filter: b"StdCF".to_vec(),
        owner_password: "owner",
        user_password,
        permissions: Permissions::all(),
    })
    .unwrap();
    document.encrypt(&state).unwrap();
    let mut out = Vec::new();
    document.save_to(&mut out).unwrap();
    out
}

#[test]
fn a_password_is_asked_for_and_an_empty_one_opens() {
    let error = Document::open(Path::new("a.pdf"), &locked("user"), Limits::STANDARD).unwrap_err();
    assert_eq!(error.code(), "document_encrypted");
    check(&locked(""), &["secret"]);
}
