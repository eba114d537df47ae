//! What content search finds in files of all sorts.

use search_engine::{MemTree, NamePattern, Output, OwnedRow, Query};

use crate::support::{check, files, lines, matching, pattern, run};

#[test]
fn empty_lines_and_the_empty_pattern() {
    assert_eq!(matching("^$", "a\n\n\nb\n"), [2, 3]);
    assert_eq!(matching("", "a\n\nb"), [1, 2, 3]);
    assert_eq!(matching("", ""), [0u64; 0]);
    assert_eq!(matching("x*", "a\n\n"), [1, 2]);
    assert_eq!(matching("^$", "\n"), [1]);
    assert_eq!(matching("$", "a"), [1]);
    assert_eq!(matching(r"\z", "a\nb\n"), [1, 2]);
    assert_eq!(matching(r"\A", "a\nb\n"), [1, 2]);
}

#[test]
fn a_carriage_return_before_the_line_feed_is_not_part_of_the_line() {
    assert_eq!(matching("needle$", "needle\r\nneedle\nneedle\r"), [1, 2, 3]);
    assert_eq!(matching("^$", "\r\n\n\r\r\n"), [1, 2]);
    assert_eq!(matching(r"\r", "a\r\nb\rc\n\r\r\n"), [2, 3]);
    assert_eq!(matching(r"a$", "a\rb\n"), [0u64; 0]);
    assert_eq!(matching(r"^b", "a\rb\n"), [0u64; 0]);
    assert_eq!(matching(r"a.b$", "a\rb\r\n"), [1]);
    assert_eq!(matching(r"a[^b]$", "a\r\na\r\r\nac\r\n"), [2, 3]);
    assert_eq!(matching(r"a\s", "a\r\na \r\n"), [2]);
    assert_eq!(matching(r"\bneedle\b$", "needle\r\n"), [1]);
}

#[test]
fn byte_order_marks() {
    assert_eq!(matching("^needle", "\u{FEFF}needle\nneedle"), [1, 2]);
    for utf16 in [u16::to_le_bytes, u16::to_be_bytes] {
        let text: Vec<u8> = "\u{FEFF}one\r\nneedle é😀\n".encode_utf16().flat_map(utf16).collect();
        assert_eq!(matching("^needle é😀$", &text), [2]);
        assert_eq!(matching("^one$", &text), [1]);
        let mut odd = text.clone();
        odd.extend([0x00, 0xD8, 0x41]);
        assert_eq!(matching("needle", &odd), [2]);
    }
    // Without a mark the NUL bytes make it binary, and so does UTF-32.
    let bare: Vec<u8> = "needle".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(matching("needle", &bare), [0u64; 0]);
    assert_eq!(matching("n", b"\xFF\xFE\0\0n\0\0\0"), [0u64; 0]);
}

#[test]
fn bytes_that_are_not_utf8() {
    assert_eq!(matching("needle", b"caf\xE9 needle\n"), [1]);
    assert_eq!(matching("caf. needle", b"caf\xE9 needle\n"), [1]);
    assert_eq!(matching("café", b"caf\xE9\n"), [0u64; 0]);
    assert_eq!(matching("^a..b$", "aéb\n"), [0u64; 0]);
    assert_eq!(matching("^a..b$", b"a\xC3\xC3b\n"), [1]);
    assert_eq!(matching("^a.b$", "aéb\na\u{FFFD}b\n"), [1, 2]);
    assert_eq!(matching("^[^x]{2}$", b"\xFF\xFE\xFD\n"), [0u64; 0]);
    assert_eq!(matching("^[^x]{3}$", b"\xF0\x9F\x98\n"), [1]);
    assert_eq!(matching(r"\x{FFFD}", b"a\xFF\n\xEF\xBF\xBD\n"), [1, 2]);
    assert_eq!(matching("(?i)É", "é\n"), [1]);
}

#[test]
fn matches_in_odd_lines_are_places_in_the_line() {
    let mut tree = MemTree::new();
    tree.file("f", b"\xE9a\xE9b\xE9\n".to_vec());
    let rows = run(&tree, &lines("[ab].")).rows;
    let OwnedRow::Line { matches, .. } = &rows[0] else { panic!("not a line") };
    assert_eq!(matches, &[1..3, 3..5]);
}

#[test]
fn only_a_nul_byte_near_the_start_makes_a_file_binary() {
    let mut tree = MemTree::new();
    tree.file("late", [vec![b'x'; 9_000], b"\0\nneedle\n".to_vec()].concat());
    tree.file("early", b"needle\n\0needle\n".to_vec());
    tree.file("edge", [vec![b'\n'; 8_191], b"\0needle\n".to_vec()].concat());
    tree.file("past", [vec![b'\n'; 8_192], b"\0needle\n".to_vec()].concat());
    let found = run(&tree, &Query::content(pattern("needle"), Output::Files));
    let paths: Vec<_> = found.rows.iter().map(|r| r.path().display().to_string()).collect();
    assert_eq!(paths, ["late", "past"]);
    assert_eq!(found.summary.coverage.binary.count, 2);
    assert_eq!(found.summary.coverage.files_searched, 2);
}

#[test]
fn output_modes() {
    let tree = MemTree::parse("//- /a.txt\nneedle\nx\nneedle needle\n//- /b.txt\nneedle\n//- /c.txt\nx\n");
    check(&tree, &lines("needle"), &["a.txt:1: needle", "a.txt:3: needle needle", "b.txt:1: needle"]);
    check(&tree, &Query::content(pattern("needle"), Output::Files), &["a.txt", "b.txt"]);
    let counts = Query::content(pattern("needle"), Output::Counts { first_lines: 5 });
    check(&tree, &counts, &["a.txt: 2", "b.txt: 1"]);
    let rows = run(&tree, &counts).rows;
    assert!(matches!(&rows[0], OwnedRow::File { first_lines, .. } if first_lines == &[1, 3]));
}

#[test]
fn files_are_chosen_by_name() {
    let tree = files(&["a.go", "b.md", "sub/c.go"]);
    let mut query = lines("needle");
    query.names = NamePattern::classic("*.go").unwrap();
    check(&tree, &query, &["a.go:1: needle", "sub/c.go:1: needle"]);
    let summary = run(&tree, &query).summary;
    assert_eq!((summary.coverage.files_seen, summary.coverage.files_named), (3, 2));
}

#[test]
fn every_match_of_a_line_is_given() {
    let tree = MemTree::parse("//- /f\nab b ab\n");
    let rows = run(&tree, &lines("a?b")).rows;
    assert!(matches!(&rows[0], OwnedRow::Line { matches, .. } if matches == &[0..2, 3..4, 5..7]));
}

#[test]
fn the_end_of_a_large_file_is_searched() {
    let mut content = b"2026-01-01 nothing here\n".repeat(65_000);
    content.extend_from_slice(b"needle");
    assert_eq!(matching("^needle$", &content), [65_001]);
}

#[test]
fn rows_at_the_edges_of_blocks_are_found_once() {
    // Lines of every length around the size of a block, so that a line break falls on each edge.
    for extra in 0..40 {
        let mut content = vec![b'x'; (128 << 10) - 20 + extra];
        content.extend_from_slice(b"\nneedle\n\nneedle\n");
        assert_eq!(matching("^needle$", &content), [2, 4], "{extra}");
        assert_eq!(matching("^$", &content), [3], "{extra}");
    }
}

#[test]
fn a_stray_alternative_with_a_line_break_does_not_take_the_others_with_it() {
    assert_eq!(matching("foo|x\\ny|bar", "foo\nx\ny\nbar\n"), [1, 4]);
}
