//! What a file is, by its first bytes.

use std::path::Path;

use document_text::{Class, Encoding, Format, Kind, READ_SNIFF_BYTES, SEARCH_SNIFF_BYTES, classify, has_nul};

#[track_caller]
fn check(name: &str, head: &[u8], expected: Kind) {
    assert_eq!(classify(Path::new(name), head), expected, "{name}");
}

#[track_caller]
fn check_binary(head: &[u8], expected: Format) {
    check("file", head, Kind::Binary(expected));
}

#[track_caller]
fn check_text(head: &[u8], expected: &str) {
    match classify(Path::new("file"), head) {
        Kind::Text(encoding) => assert_eq!(encoding.name(), expected),
        other => panic!("{other:?}, not text"),
    }
}

/// A local file header of a ZIP archive, with the stored bytes of its entry.
fn entry(name: &str, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(name.len()).expect("names are short").to_le_bytes();
    [b"PK\x03\x04", &[0; 22][..], &length, &[0, 0], name.as_bytes(), body].concat()
}

#[test]
fn nothing_is_empty() {
    check("a.txt", b"", Kind::Empty);
    check("a.pdf", b"", Kind::Empty);
}

#[test]
fn plain_text() {
    check_text(b"fn main() {}\n", "UTF-8");
    check_text("日本語、naïve".as_bytes(), "UTF-8");
    check_text(b"\xEF\xBB\xBFhello", "UTF-8");
    check_text(b"caf\xE9 cr\xE8me", "windows-1252");
    // A few control characters are text: a log with colours, a form feed, a backspace.
    check_text(b"\x1b[31mfailed\x1b[0m: no such file or directory", "UTF-8");
    check_text(b"a\x08b\x0cc", "UTF-8");
}

#[test]
fn a_character_cut_by_the_window_is_no_damage() {
    for pad in 0..8 {
        for length in [READ_SNIFF_BYTES, SEARCH_SNIFF_BYTES] {
            let mut text = "a".repeat(pad) + &"日本語".repeat(length);
            text.truncate(text.floor_char_boundary(length + 4));
            check("file", text.as_bytes(), Kind::Text(Encoding::Utf8));
            check("file", &text.as_bytes()[..length], Kind::Text(Encoding::Utf8));
        }
    }
}

#[test]
fn zero_bytes_within_512_make_binary() {
    let mut head = vec![b'a'; 600];
    head[511] = 0;
    check_binary(&head, Format::Unknown);
    head[511] = b'a';
    head[512] = 0;
    check("file", &head, Kind::Text(Encoding::Utf8));
}

#[test]
fn control_characters_make_binary_beyond_a_tenth() {
    let head = |controls: usize| [vec![1; controls], vec![b'a'; 100 - controls]].concat();
    check("file", &head(10), Kind::Text(Encoding::Utf8));
    check_binary(&head(11), Format::Unknown);
    // With bytes that are no UTF-8, one is enough.
    check_binary(b"caf\xE9 \x01", Format::Unknown);
}

#[test]
fn search_looks_for_zero_bytes_within_8_kib() {
    let mut head = vec![b'a'; 9000];
    assert!(!has_nul(&head));
    head[8192] = 0;
    assert!(!has_nul(&head));
    head[8191] = 0;
    assert!(has_nul(&head));
    assert!(!has_nul(b""));
    assert!(has_nul(b"\xFF\xFEa\0"));
}

#[test]
fn utf16_and_utf32_are_text() {
    let le = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let be = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    check("f", &[b"\xFF\xFE", &le("héllo")[..]].concat(), Kind::Text(Encoding::Utf16LeBom));
    check("f", &[b"\xFE\xFF", &be("日本")[..]].concat(), Kind::Text(Encoding::Utf16BeBom));
    check("f", &le("no mark, but text\r\n"), Kind::Text(Encoding::Utf16Le));
    check("f", &be("no mark, but text\r\n"), Kind::Text(Encoding::Utf16Be));
    check("f", b"\xFF\xFE\0\0h\0\0\0", Kind::Text(Encoding::Utf32LeBom));
    check("f", b"\0\0\xFE\xFF\0\0\0h", Kind::Text(Encoding::Utf32BeBom));
    // Numbers that happen to be small are no text, and neither is a mark before noise.
    check_binary(b"\x01\0\x02\0\x03\0\x04\0\x05\0", Format::Unknown);
    check_binary(&[b"\xFF\xFE", &[0xD8; 100][..]].concat(), Format::Unknown);
    // Too short to tell.
    check_binary(b"a\0b\0", Format::Unknown);
}

#[test]
fn magic_numbers() {
    check_binary(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Format::Png);
    check_binary(b"\xff\xd8\xff\xe0\0\x10JFIF", Format::Jpeg);
    check_binary(b"GIF89a\x01\0\x01\0", Format::Gif);
    check_binary(b"RIFF\x24\0\0\0WEBPVP8 ", Format::Webp);
    check_binary(b"RIFF\x24\0\0\0WAVEfmt ", Format::Wav);
    check_binary(b"RIFF\x24\0\0\0AVI LIST", Format::Avi);
    check_binary(b"%PDF-1.7\n", Format::Pdf);
    check_binary(b"PK\x03\x04", Format::Zip);
    check_binary(b"PK\x05\x06", Format::Zip);
    check_binary(b"\x7fELF\x02\x01\x01\0", Format::Elf);
    check_binary(b"\x1f\x8b\x08\0", Format::Gzip);
    check_binary(b"\x28\xb5\x2f\xfd\x04", Format::Zstd);
    check_binary(b"\xfd7zXZ\0\0", Format::Xz);
    check_binary(b"BZh91AY&SY", Format::Bzip2);
    check_binary(b"SQLite format 3\0\x10\0", Format::Sqlite);
    check_binary(b"\0asm\x01\0\0\0", Format::Wasm);
    check_binary(b"\xcf\xfa\xed\xfe\x07\0\0\x01", Format::MachO);
    check_binary(b"\xca\xfe\xba\xbe\0\0\0\x02", Format::MachO);
    check_binary(b"\xca\xfe\xba\xbe\0\0\0\x41", Format::JavaClass);
    check_binary(b"OggS\0\x02", Format::Ogg);
    check_binary(b"fLaC\0\0\0\x22", Format::Flac);
    check_binary(b"ID3\x04\0\0\0\0\x01\x00", Format::Mp3);
    check_binary(b"\0\0\0\x18ftypisom\0\0\x02\0", Format::Mp4);
    check_binary(b"\0\0\0\x18ftypM4A \0\0\x02\0", Format::M4a);
    check_binary(b"\0\0\0\x1cftypheic\0\0\0\0", Format::Heif);
    check_binary(b"\0\0\0\x14ftypqt  \0\0\0\0", Format::Mov);
    check_binary(b"\x1a\x45\xdf\xa3\x9f", Format::Matroska);
    check_binary(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Format::Ole);
    check_binary(b"wOF2\0\x01\0\0", Format::Woff2);
    check_binary(b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0", Format::Bmp);
    check_binary(&[b"a.txt", &[0; 252][..], b"ustar\x0000"].concat(), Format::Tar);
}

#[test]
fn magic_numbers_that_need_a_second_look() {
    let mut pe = [b"MZ", &[0; 58][..], b"\x40\0\0\0PE\0\0"].concat();
    check_binary(&pe, Format::Pe);
    pe[64] = b'N';
    check_binary(&pe, Format::Unknown);
    // 128 kbit/s at 44.1 kHz is a frame of 417 bytes.
    let frame = [b"\xff\xfb\x90\0", &[0; 413][..]].concat();
    check_binary(&[&frame[..], &frame].concat(), Format::Mp3);
    // Beginnings of words are not formats.
    check_text(b"BMW makes cars and this is a text", "UTF-8");
    check_text(b"MZ is how the line starts", "UTF-8");
    check_text(b"ID3 tags explained", "UTF-8");
    check_text(b"RIFF is a container, WEBP uses it", "UTF-8");
    check_text(b"PACKAGES=one", "UTF-8");
    check_text(b"BZh is bzip2", "UTF-8");
    check_text(b"see %PDF-1.7", "UTF-8");
}

#[test]
fn a_pdf_is_binary_even_when_its_head_is_text() {
    let head = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n".repeat(20);
    check_binary(&head, Format::Pdf);
    check_binary(&[b"\xEF\xBB\xBF\r\n", &head[..]].concat(), Format::Pdf);
    check("notes.txt", &head, Kind::Binary(Format::Pdf));
    // The name alone makes nothing binary.
    check("notes.pdf", b"just words", Kind::Text(Encoding::Utf8));
}

#[test]
fn zip_archives_by_content_then_by_name() {
    let content = entry("[Content_Types].xml", b"..");
    for (member, format) in [
        ("word/document.xml", Format::Docx),
        ("ppt/presentation.xml", Format::Pptx),
        ("xl/workbook.xml", Format::Xlsx),
    ] {
        check_binary(&[&content[..], &entry(member, b"")].concat(), format);
    }
    check_binary(&entry("mimetype", b"application/epub+zip"), Format::Epub);
    check_binary(&entry("mimetype", b"application/vnd.oasis.opendocument.text"), Format::OpenDocument);
    check_binary(&entry("META-INF/MANIFEST.MF", b""), Format::Jar);
    check_binary(&entry("src/main.rs", b""), Format::Zip);
    check("a.DOCX", &entry("other.xml", b""), Kind::Binary(Format::Docx));
    check("a.pptx", &entry("other.xml", b""), Kind::Binary(Format::Pptx));
    check("a.xlsx", &entry("word/document.xml", b""), Kind::Binary(Format::Docx));
    // An entry name that runs over the end of the head.
    check_binary(&entry("word/document.xml", b"")[..35], Format::Zip);
}

#[test]
fn every_format_has_a_name_of_its_own() {
    let mut names: Vec<&str> = Format::ALL.iter().map(|it| it.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Format::ALL.len());
    assert!(Format::ALL.iter().all(|it| it.mime().split('/').count() == 2));
    assert_eq!(Format::Pdf.class(), Class::Document);
    assert_eq!(Format::Unknown.class(), Class::Other);
}
