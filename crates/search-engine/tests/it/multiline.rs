//! Patterns that span lines.

use search_engine::{Case, Limits, MemTree, Output, Page, Pattern, Query, Span};

use crate::support::{LINES, run, show};

#[track_caller]
fn check(pattern: &str, content: &str, expected: &[&str]) {
    let pattern = Pattern::new(pattern, Case::Sensitive, Span::File).unwrap();
    let mut tree = MemTree::new();
    tree.file("f", content.as_bytes().to_vec());
    let rows = show(&run(&tree, &Query::content(pattern, LINES)).rows);
    assert_eq!(rows.iter().map(|r| r.trim_start_matches("f:")).collect::<Vec<_>>(), expected);
}

#[test]
fn every_row_that_a_match_spans_is_a_row() {
    check("b.c", "a\nb\nc\nd\n", &["2: b", "3: c"]);
    check("a\\n", "a\nb\n", &["1: a"]);
    check("(?-s)a.*", "a1\na2\n", &["1: a1", "2: a2"]);
    check("^b$", "a\nb\nc", &["2: b"]);
    check("foo$", "foo\r\nbar\n", &["1: foo"]);
    check(r"\Aa", "a\na\n", &["1: a"]);
    check(r"(?-m)a$", "a\na", &["2: a"]);
    check("x+", "x x x\n", &["1: x x x"]);
    check("", "a\n\nb\n", &["1: a", "2: ", "3: b"]);
    check("z*$", "a\n", &["1: a"]);
    check("b.*c", "a\nb1\nmid\nc1 c\n", &["2: b1", "3: mid", "4: c1 c"]);
}

#[test]
fn matches_that_share_a_row_count_it_once() {
    check("a\\nb|c\\nd", "a\nb c\nd\n", &["1: a", "2: b c", "3: d"]);
}

#[test]
fn ranges_are_cut_to_the_row() {
    let pattern = Pattern::new("b.c", Case::Sensitive, Span::File).unwrap();
    let tree = MemTree::parse("//- /f\nab\ncd\n");
    let rows = run(&tree, &Query::content(pattern, LINES)).rows;
    let first = |r: &search_engine::OwnedRow| match r {
        search_engine::OwnedRow::Line { matches, .. } => matches[0].clone(),
        _ => 0..0,
    };
    assert_eq!(rows.iter().map(first).collect::<Vec<_>>(), [1..2, 0..1]);
}

#[test]
fn a_file_that_is_too_large_is_counted() {
    let mut tree = MemTree::new();
    tree.file("big", b"needle\n".repeat(1_000)).file("small", b"needle\n".to_vec());
    let pattern = Pattern::new("needle", Case::Sensitive, Span::File).unwrap();
    let query = Query::content(pattern, Output::Counts { first_lines: 1 });
    let limits = Limits { max_whole_file_bytes: 100, ..Limits::AGENT };
    let found = search_engine::Collected::run(&tree, &query, &Page::ALL, &limits).unwrap();
    assert_eq!(show(&found.rows), ["small: 1"]);
    assert_eq!(found.summary.coverage.too_large.count, 1);
    assert!(!found.summary.is_exhaustive());
}

#[test]
fn a_file_larger_than_the_buffer() {
    let mut content = "x\n".repeat(200_000);
    content.push_str("a\nb\n");
    check("a\nb", &content, &["200001: a", "200002: b"]);
}
