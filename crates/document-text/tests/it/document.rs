//! Parts of documents.

use std::path::Path;

use document_text::{Document, Error, Format, Kind, Limits, LineEnd, Part, Stop, UnitKind};

const SMALL: Limits = Limits { max_bytes: 1000, max_unit_bytes: 8, max_part_bytes: 20, ..Limits::STANDARD };

fn open<'d>(name: &str, bytes: &'d [u8], limits: Limits) -> Document<'d> {
    Document::open(Path::new(name), bytes, limits).unwrap()
}

#[track_caller]
fn check_lines(text: &str, expected: &[&str]) {
    let document = open("a.txt", text.as_bytes(), Limits::STANDARD);
    let part = document.read(1..u64::MAX).unwrap();
    assert_eq!(part.units.iter().map(|it| it.content.text()).collect::<Vec<_>>(), expected);
    assert_eq!(document.count(), expected.len() as u64);
}

#[track_caller]
fn check_rows(name: &str, text: &str, expected: &[&[&str]]) {
    let document = open(name, text.as_bytes(), Limits::STANDARD);
    let part = document.read(1..u64::MAX).unwrap();
    let mut rows: Vec<&[String]> = vec![document.header().unwrap()];
    rows.extend(part.units.iter().map(|it| it.content.fields()));
    assert_eq!(rows, expected);
    assert_eq!(document.count() + 1, expected.len() as u64);
}

#[track_caller]
fn check_refused(name: &str, bytes: &[u8], expected: &Error, code: &str, text: &str) {
    let error = Document::open(Path::new(name), bytes, SMALL).unwrap_err();
    assert_eq!((&error, error.code(), error.to_string().as_str()), (expected, code, text));
}

fn numbers(part: &Part<'_>) -> Vec<u64> {
    part.units.iter().map(|it| it.number).collect()
}

#[test]
fn lines_end_as_the_text_says() {
    check_lines("", &[]);
    check_lines("\n", &[""]);
    check_lines("a", &["a"]);
    check_lines("a\n", &["a"]);
    check_lines("a\n\nb", &["a", "", "b"]);
    check_lines("a\r\nb\r\n", &["a", "b"]);
    // A lone CR is content where lines end with LF, also at the very end.
    check_lines("a\rb\nc\r", &["a\rb", "c\r"]);
    check_lines("a\r\r\n", &["a\r"]);
    // Without any LF it ends a line.
    check_lines("a\rb\r\rc", &["a", "b", "", "c"]);
    assert_eq!(open("a", b"a\rb", SMALL).line_end(), Some(LineEnd::Cr));
    assert_eq!(open("a", b"a\r\nb", SMALL).line_end(), Some(LineEnd::Lf));
    assert_eq!(open("a", b"", SMALL).line_end(), Some(LineEnd::Lf));
}

#[test]
fn rows_follow_the_quotes() {
    check_rows(
        "a.csv",
        "id,name\n1,\"a\nb\"\n2,\"say \"\"hi\"\"\"\n",
        &[&["id", "name"], &["1", "a\nb"], &["2", "say \"hi\""]],
    );
    check_rows("A.TSV", "a\tb\r\n1,5\t2\r\n", &[&["a", "b"], &["1,5", "2"]]);
    check_rows("a.tab", "a\tb", &[&["a", "b"]]);
    // Rows of any length, empty lines left out, CR alone, no header beyond the first row.
    check_rows("a.csv", "a,b\n\n1\n1,2,3\n,\n", &[&["a", "b"], &["1"], &["1", "2", "3"], &["", ""]]);
    check_rows("a.csv", "a\rb\r", &[&["a"], &["b"]]);
    check_rows("a.csv", "\u{feff}a,b\n1,2", &[&["a", "b"], &["1", "2"]]);
    check_rows("a.csv", "a;b\n", &[&["a;b"]]);
    // A quote that is never closed takes the rest, and loses nothing.
    check_rows("a.csv", "a\n\"b\nc,d", &[&["a"], &["b\nc,d"]]);
}

#[test]
fn tables_in_other_encodings() {
    let utf16: Vec<u8> = "\u{feff}ä,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let table = open("a.csv", &utf16, Limits::STANDARD);
    assert_eq!(table.header().unwrap(), ["ä", "b"]);
    assert_eq!((table.unit(), table.count(), table.line_end()), (UnitKind::Row, 1, None));
}

#[test]
fn empty_files_have_no_units() {
    let document = open("a.txt", b"", SMALL);
    assert_eq!((document.kind(), document.count()), (Kind::Empty, 0));
    let part = document.read(1..10).unwrap();
    assert_eq!((part.units.len(), part.stop, part.next), (0, Stop::End, None));
    let table = open("a.csv", b"", SMALL);
    assert_eq!((table.header(), table.count()), (Some(&[][..]), 0));
}

#[test]
fn ranges_count_from_one_and_are_half_open() {
    let document = open("a", b"1\n2\n3\n4\n5\n", Limits::STANDARD);
    let part = document.read(2..4).unwrap();
    assert_eq!((numbers(&part), part.stop, part.next), (vec![2, 3], Stop::Range, Some(4)));
    let part = document.read(4..6).unwrap();
    assert_eq!((numbers(&part), part.stop, part.next), (vec![4, 5], Stop::End, None));
    let part = document.read(4..7).unwrap();
    assert_eq!((numbers(&part), part.stop, part.next), (vec![4, 5], Stop::End, None));
    let part = document.read(3..3).unwrap();
    assert_eq!((numbers(&part), part.stop, part.next), (vec![], Stop::Range, Some(3)));
    let part = document.read(9..12).unwrap();
    assert_eq!((numbers(&part), part.stop, part.next), (vec![], Stop::End, None));
    assert_eq!(document.read(0..3).unwrap_err(), Error::BadRange { start: 0, end: 3 });
    #[expect(clippy::reversed_empty_ranges, reason = "the case under test")]
    let reversed = document.read(3..2).unwrap_err();
    assert_eq!(reversed.code(), "bad_range");
}

#[test]
fn every_number_is_found_again() {
    let text: String = (1..=1000).map(|it| format!("{it}\n")).collect();
    let lines = open("a", text.as_bytes(), Limits::STANDARD);
    let table = format!("h\n{text}");
    let rows = open("a.csv", table.as_bytes(), Limits::STANDARD);
    for number in 1..=1000 {
        let expected = number.to_string();
        assert_eq!(lines.read(number..number + 1).unwrap().units[0].content.text(), expected);
        assert_eq!(rows.read(number..number + 1).unwrap().units[0].content.fields(), [expected]);
    }
}

#[test]
fn budgets_end_a_part_on_a_whole_unit() {
    let document = open("a", b"12345678\n12345678\n12345678\n", SMALL);
    let part = document.read(1..u64::MAX).unwrap();
    assert_eq!((numbers(&part), part.stop, part.next), (vec![1, 2], Stop::Budget, Some(3)));
    let tight = Limits { max_part_bytes: 0, ..SMALL };
    let part = open("a", b"abc\nd\n", tight).read(1..9).map(|it| (numbers(&it), it.stop, it.next));
    assert_eq!(part, Ok((vec![1], Stop::Budget, Some(2))));
}

#[test]
fn long_units_are_cut_at_a_character() {
    let document = open("a", "aääääää\n".as_bytes(), SMALL);
    let part = document.read(1..2).unwrap();
    assert_eq!((part.units[0].content.text(), part.units[0].cut_bytes), ("aäää", 6));
    let table = open("a.csv", b"h\n12345,67890,x\n", SMALL);
    let part = table.read(1..2).unwrap();
    assert_eq!(
        (part.units[0].content.fields().join("|").as_str(), part.units[0].cut_bytes),
        ("12345|678|", 3)
    );
}

#[test]
fn malformed_text_says_so() {
    assert!(!open("a", "ä".as_bytes(), SMALL).is_malformed());
    let damaged = ["é".repeat(8).as_bytes(), b"\xff"].concat();
    assert!(open("a", &damaged, SMALL).is_malformed());
}

#[test]
fn what_is_no_text_is_named() {
    check_refused(
        "a.txt",
        &[b'a'; 1001],
        &Error::TooLarge { bytes: 1001, max: 1000 },
        "document_too_large",
        "the document has 1001 bytes, 1000 are allowed",
    );
    check_refused(
        "a.tiff",
        b"II*\0\x08",
        &Error::NotAvailable { format: Format::Tiff, bytes: 5 },
        "not_available",
        "reading this kind of file is not available: TIFF image, 5 bytes",
    );
    check_refused(
        "a.pdf",
        b"words",
        &Error::WrongExtension { format: Format::Pdf, found: "text" },
        "wrong_extension",
        "the name says PDF document, but the content is text; give the file the right extension to read it",
    );
    check_refused(
        "a.mp4",
        b"\0\0\0\x18ftypisom",
        &Error::NotAvailable { format: Format::Mp4, bytes: 12 },
        "not_available",
        "reading this kind of file is not available: MP4 video, 12 bytes",
    );
    check_refused(
        "a",
        b"\x7fELF\x02",
        &Error::Binary { format: Format::Elf, bytes: 5 },
        "binary_file",
        "the file is binary: ELF executable, 5 bytes",
    );
    check_refused(
        "a.csv",
        b"\0\0\0\0\0",
        &Error::Binary { format: Format::Unknown, bytes: 5 },
        "binary_file",
        "the file is binary: unknown format, 5 bytes",
    );
}
