//! Lines longer than is kept.

use search_engine::{MemTree, Output, OwnedRow, Query, Unit};

use crate::support::{lines, matching, pattern, run};

const MIB: usize = 1 << 20;

fn line_with(at: usize, len: usize) -> Vec<u8> {
    let mut line = vec![b'x'; len];
    line[at..at + 6].copy_from_slice(b"needle");
    line
}

#[test]
fn the_first_mebibyte_of_a_line_is_searched_and_no_more() {
    assert_eq!(matching("needle", line_with(MIB / 2, 3 * MIB)), [1]);
    assert_eq!(matching("needle", line_with(5 * MIB / 2, 3 * MIB)), [0u64; 0]);
    assert_eq!(matching("needle", line_with(MIB - 6, 3 * MIB)), [1]);
    assert_eq!(matching("needle", line_with(MIB - 5, 3 * MIB)), [0u64; 0]);
}

#[test]
fn lines_after_a_long_one_keep_their_numbers() {
    for len in [MIB - 1, MIB, MIB + 1, MIB + 2, 2 * MIB, 2 * MIB + 131_072] {
        for end in ["\n", "\r\n"] {
            let mut content = b"first\n".to_vec();
            content.extend(vec![b'x'; len]);
            content.extend_from_slice(end.as_bytes());
            content.extend_from_slice(b"needle\n");
            content.extend(vec![b'x'; len]);
            content.extend_from_slice(b"\nneedle");
            assert_eq!(matching("^needle$", &content), [3, 5], "{len} {end:?}");
        }
    }
}

#[test]
fn the_cut_is_not_the_end_of_the_line() {
    let exact = line_with(MIB - 6, MIB);
    assert_eq!(matching("needle$", &exact), [1]);
    assert_eq!(matching("needle$", [&exact[..], b"\n"].concat()), [1]);
    assert_eq!(matching("needle$", [&exact[..], b"y\n"].concat()), [0u64; 0]);
    assert_eq!(matching("needle$", [&exact[..], b"y"].concat()), [0u64; 0]);
    assert_eq!(matching(r"needle\z|^x", [&exact[..], b"y"].concat()), [1]);
}

#[test]
fn a_cut_line_says_so() {
    let mut tree = MemTree::new();
    tree.file("f", [line_with(10, 2 * MIB), b"\nneedle\n".to_vec()].concat());
    let found = run(&tree, &lines("needle"));
    let cuts: Vec<_> = found.rows.iter().map(|r| matches!(r, OwnedRow::Line { cut: true, .. })).collect();
    assert_eq!(cuts, [true, false]);
    assert_eq!(found.summary.coverage.lines_cut, 1);
    assert!(!found.summary.is_exhaustive());
    let OwnedRow::Line { text, .. } = &found.rows[0] else { panic!("not a line") };
    assert_eq!(text.len(), MIB);
}

#[test]
fn long_lines_are_context_too() {
    let mut tree = MemTree::new();
    let long = vec![b'y'; MIB + 77];
    let content = [b"a\n", &long[..], b"\nneedle\n", &long[..], b"\nb\n"].concat();
    tree.file("f", content);
    let query = Query::content(pattern("needle"), Output::Lines { context: 2, unit: Unit::Block });
    let rows = run(&tree, &query).rows;
    let shape: Vec<_> = rows
        .iter()
        .map(|r| {
            if let OwnedRow::Line { line, text, cut, .. } = r {
                (*line, text.len(), *cut)
            } else {
                (0, 0, false)
            }
        })
        .collect();
    assert_eq!(shape, [(1, 1, false), (2, MIB, true), (3, 6, false), (4, MIB, true), (5, 1, false)]);
}
