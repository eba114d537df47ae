//! `read_file` in both modes.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::fixture::Fixture;

const LINES: &str = r#"{"tools": {"read_file": {"mode": "lines"}}}"#;

#[track_caller]
fn check(files: &Fixture, args: Value, expected: Expect) {
    expected.assert_eq(&files.text("read_file", args));
}

#[test]
fn byte_pages_say_where_they_are_and_how_to_go_on() {
    let files = Fixture::new("//- /f.txt\nabcdefghijklmnopqrstuvwxyz");
    check(
        &files,
        json!({"path": "f.txt", "length": 10}),
        expect![[r#"
        [file: f.txt | total: 26 bytes | read: bytes 0-9]
        [TRUNCATED - file has more content. Call read_file again with offset=10.]

        abcdefghij
        [bytes 0-9 of 26; next offset=10]"#]],
    );
    check(
        &files,
        json!({"path": "f.txt", "offset": 20, "length": 10}),
        expect![[r#"
        [file: f.txt | total: 26 bytes | read: bytes 20-25]
        [END OF FILE - no further content.]

        uvwxyz"#]],
    );
    check(
        &files,
        json!({"path": "f.txt", "offset": 100}),
        expect!["[END OF FILE - no content at this offset]"],
    );
    files.write("empty", "");
    check(
        &files,
        json!({"path": "empty"}),
        expect!["[END OF FILE - no content at this offset: the file is empty]"],
    );
}

#[test]
fn a_page_that_ends_exactly_at_the_end_is_the_last() {
    let files = Fixture::new("//- /f\nabcdef");
    let page = files.ok("read_file", json!({"path": "f", "offset": 3, "length": 3}));
    assert!(page.contains("[END OF FILE") && !page.contains("TRUNCATED"), "{page}");
}

#[test]
fn byte_pages_end_on_characters_and_name_the_true_next_offset() {
    let files = Fixture::new("//- /f\né日x");
    check(
        &files,
        json!({"path": "f", "length": 1}),
        expect![[r#"
        [file: f | total: 6 bytes | read: bytes 0-1]
        [TRUNCATED - file has more content. Call read_file again with offset=2.]

        é
        [bytes 0-1 of 6; next offset=2]"#]],
    );
    check(
        &files,
        json!({"path": "f", "length": 4}),
        expect![[r#"
        [file: f | total: 6 bytes | read: bytes 0-1]
        [TRUNCATED - file has more content. Call read_file again with offset=2.]

        é
        [bytes 0-1 of 6; next offset=2]"#]],
    );
}

#[test]
fn a_length_over_the_page_size_is_clamped() {
    let files = Fixture::with("", r#"{"tools": {"read_file": {"max_read_file_size": 8}}}"#);
    files.write("f", "0123456789");
    let page = files.ok("read_file", json!({"path": "f", "length": 999_999}));
    assert!(page.contains("bytes 0-7]") && page.contains("offset=8"), "{page}");
}

#[test]
fn binary_bytes_come_as_a_bounded_hex_dump() {
    let files = Fixture::new("");
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.resize(5_000_000, 7);
    files.write("i.png", png);
    let page = files.ok("read_file", json!({"path": "i.png", "length": 16}));
    assert!(
        page.starts_with("[file: i.png | total: 5000000 bytes | read: bytes 0-15 | binary: PNG image"),
        "{page}"
    );
    assert!(page.contains("89 50 4e 47"), "{page}");
    let page = files.ok("read_file", json!({"path": "i.png"}));
    assert!(page.chars().count() < 20_000, "{} characters", page.chars().count());
}

#[test]
fn utf_16_is_shown_as_text_in_byte_mode() {
    let files = Fixture::new("");
    let bytes: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("héllo\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    files.write("w.txt", bytes);
    let page = files.ok("read_file", json!({"path": "w.txt"}));
    assert!(page.contains("the file is UTF-16") && page.ends_with("héllo\n"), "{page}");
}

#[test]
fn numbered_lines_say_where_they_are_and_how_to_go_on() {
    let files = Fixture::with("//- /f.txt\nline 1\nline 2\nline 3\n", LINES);
    check(
        &files,
        json!({"path": "f.txt", "max_lines": 2}),
        expect![[r#"
        [file: f.txt | read: lines 1-2 (1-indexed) | file_bytes: 14 | output_bytes: 18]
        [PARTIAL - more lines follow. Call read_file again with start_line=3 and max_lines=2.]

        1|line 1
        2|line 2
        [lines 1-2; Call read_file again with start_line=3 and max_lines=2.]"#]],
    );
    check(
        &files,
        json!({"path": "f.txt", "start_line": 3, "max_lines": 5}),
        expect![[r#"
        [file: f.txt | read: lines 3-3 (1-indexed) | file_bytes: 7 | output_bytes: 9]
        [END OF FILE - no further content.]

        3|line 3
    "#]],
    );
    check(
        &files,
        json!({"path": "f.txt", "start_line": 100}),
        expect!["[END OF FILE - no content at or after start_line=100]"],
    );
    files.write("crlf", "a\r\nb\r\n");
    assert_eq!(
        files.ok("read_file", json!({"path": "crlf"})),
        "[file: crlf | read: lines 1-2 (1-indexed) | file_bytes: 6 | output_bytes: 10 | line ends: CRLF]\n\
         [END OF FILE - no further content.]\n\n1|a\r\n2|b\r\n"
    );
}

#[test]
fn a_budget_that_a_line_fills_exactly_keeps_the_line_whole() {
    let files = Fixture::with(
        "//- /f\n1234567\nsecond line\n",
        r#"{"tools": {"read_file": {"mode": "lines", "max_read_file_size": 10}}}"#,
    );
    check(
        &files,
        json!({"path": "f"}),
        expect![[r#"
        [file: f | read: lines 1-1 (1-indexed) | file_bytes: 8 | output_bytes: 10]
        [TRUNCATED - the byte budget of 10 is reached. Call read_file again with start_line=2.]

        1|1234567
        [lines 1-1; Call read_file again with start_line=2.]"#]],
    );
}

#[test]
fn a_budget_that_ends_inside_a_line_is_reported() {
    let files = Fixture::with(
        "//- /f\nab\nsecond line\n",
        r#"{"tools": {"read_file": {"mode": "lines", "max_read_file_size": 12}}}"#,
    );
    let page = files.ok("read_file", json!({"path": "f"}));
    assert!(page.contains("line 2 was cut mid-line") && page.contains("start_line=2"), "{page}");
    assert!(page.contains("1|ab\n2|secon\n"), "{page}");
}

#[test]
fn long_lines_are_cut_and_the_read_goes_on() {
    let files = Fixture::with("", LINES);
    files.write("f", format!("first\n{}\nlast\n", "x".repeat(300_000)));
    let page = files.ok("read_file", json!({"path": "f"}));
    assert!(page.contains(&format!("\n2|{} … [truncated]\n3|last\n", "x".repeat(2_000))), "{page}");
    assert!(page.contains("[END OF FILE"), "{page}");
}

#[test]
fn max_lines_is_clamped_to_the_configured_maximum() {
    let files = Fixture::with(
        "",
        r#"{"tools": {"read_file": {"mode": "lines", "max_lines": 3}, "max_inline_result_chars": 99999}}"#,
    );
    files.write("f", "x\n".repeat(10));
    let page = files.ok("read_file", json!({"path": "f", "max_lines": 9999}));
    assert!(page.contains("lines 1-3 ") && page.contains("start_line=4"), "{page}");
}

#[test]
fn each_mode_refuses_the_arguments_of_the_other() {
    let files = Fixture::with("//- /f\nx\n", LINES);
    for name in ["offset", "length", "limit"] {
        let text = files.text("read_file", json!({"path": "f", name: 1}));
        assert!(
            text.starts_with("error (invalid_arguments)") && text.contains("not supported in line mode"),
            "{text}"
        );
    }
    let files = Fixture::new("//- /f\nx\n");
    for name in ["start_line", "max_lines", "limit"] {
        assert_eq!(files.code("read_file", json!({"path": "f", name: 1})), "invalid_arguments");
    }
}

#[test]
fn line_mode_refuses_binary_files_with_the_facts() {
    let files = Fixture::with("", LINES);
    files.write("b", b"\0\x01A");
    files.write("p.pdf", b"%PDF-1.4\nplain looking head\n");
    let text = files.text("read_file", json!({"path": "b"}));
    assert!(text.contains("binary") && text.contains("switch read_file mode to 'bytes'"), "{text}");
    let text = files.text("read_file", json!({"path": "p.pdf"}));
    assert!(text.contains("PDF") && text.contains("28 bytes"), "{text}");
}

#[test]
fn bytes_that_are_not_utf_8_are_shown_with_replacement() {
    let files = Fixture::with("", LINES);
    files.write("f", b"abc \xff\xfe def\n");
    assert!(files.ok("read_file", json!({"path": "f"})).contains("1|abc \u{fffd}\u{fffd} def\n"));
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let files = Fixture::new("//- /d/f\nx\n");
    assert_eq!(files.code("read_file", json!({"path": "d"})), "is_a_directory");
    assert_eq!(files.code("read_file", json!({"path": "d/f/x"})), "not_a_directory");
    assert_eq!(files.code("read_file", json!({"path": ""})), "empty_path");
    assert_eq!(files.code("read_file", json!({"path": "missing"})), "not_found");
    assert!(files.text("read_file", json!({"path": "d/g"})).contains("did you mean \"d/f\"?"));
    let text = files.text("read_file", json!({"path": "d/f/"}));
    assert!(
        text.starts_with("error (not_a_directory)") && text.ends_with("leave out the slash at the end"),
        "{text}"
    );
    for (tool, args) in [
        ("write_file", json!({"path": "d/f/", "content": "x", "overwrite": true})),
        ("append_file", json!({"path": "d/f/", "content": "x"})),
        ("edit_file", json!({"path": "d/f/", "old_text": "x", "new_text": "y"})),
        ("list_dir", json!({"path": "d/f/"})),
        ("search_files", json!({"pattern": "x", "path": "d/f/"})),
    ] {
        assert_eq!(files.code(tool, args), "not_a_directory", "{tool}");
    }
    assert_eq!(files.read("d/f"), "x\n");
}
