//! Context lines: merging, blocks, pages.

use search_engine::{MemTree, Output, Page, Query, Unit};

use crate::support::{pattern, run, run_page, show};

fn numbered(lines: u32, hits: &[u32]) -> MemTree {
    let text: String = (1..=lines).map(|n| if hits.contains(&n) { "hit\n" } else { "x\n" }).collect();
    let mut tree = MemTree::new();
    tree.file("f", text.into_bytes());
    tree
}

/// Line numbers with `:` for a match and `-` for context; `|` starts a block.
#[track_caller]
fn check(tree: &MemTree, context: u32, unit: Unit, page: &Page, expected: &str) {
    let query = Query::content(pattern("hit"), Output::Lines { context, unit });
    let found = run_page(tree, &query, page);
    let mut got = String::new();
    for row in &found.rows {
        let search_engine::OwnedRow::Line { line, role, starts_block, .. } = row else {
            panic!("not a line")
        };
        let mark = if *role == search_engine::Role::Match { ':' } else { '-' };
        let block = if *starts_block { "|" } else { "" };
        got.push_str(&format!("{block}{line}{mark}"));
    }
    assert_eq!(got, expected);
}

#[test]
fn ranges_that_overlap_or_touch_are_one_block() {
    check(&numbered(8, &[3, 5]), 2, Unit::Block, &Page::ALL, "|1-2-3:4-5:6-7-");
    check(&numbered(9, &[2, 5, 9]), 1, Unit::Block, &Page::ALL, "|1-2:3-4-5:6-|8-9:");
    check(&numbered(9, &[2, 6]), 1, Unit::Block, &Page::ALL, "|1-2:3-|5-6:7-");
    check(&numbered(3, &[1, 2, 3]), 1, Unit::Block, &Page::ALL, "|1:2:3:");
}

#[test]
fn a_block_is_cut_after_fifty_lines() {
    let tree = numbered(60, &(1..=60).collect::<Vec<_>>());
    let query = Query::content(pattern("hit"), Output::Lines { context: 1, unit: Unit::Block });
    let found = run(&tree, &query);
    assert_eq!(found.summary.rows, 2);
    let second = run_page(&tree, &query, &Page::at(1, 1));
    assert_eq!(show(&second.rows)[0], "f:51: hit");
    assert_eq!(second.rows.len(), 10);
}

#[test]
fn pages_of_blocks_never_repeat_a_line() {
    let tree = numbered(30, &[3, 5, 20]);
    check(&tree, 2, Unit::Block, &Page::first(1), "|1-2-3:4-5:6-7-");
    check(&tree, 2, Unit::Block, &Page::at(1, 1), "|18-19-20:21-22-");
    check(&tree, 2, Unit::Block, &Page::at(2, 1), "");
}

#[test]
fn pages_of_lines_take_their_context_along() {
    let tree = numbered(12, &[3, 4, 5, 10]);
    check(&tree, 1, Unit::Line, &Page::first(1), "|2-3:4-");
    check(&tree, 1, Unit::Line, &Page::at(1, 1), "|3-4:5-");
    check(&tree, 1, Unit::Line, &Page::at(2, 2), "|4-5:6-|9-10:11-");
    check(&tree, 2, Unit::Line, &Page::first(1), "|1-2-3:4-5-");
    check(&tree, 0, Unit::Block, &Page::at(1, 2), "|4:5:");
}

#[test]
fn context_crosses_the_edges_of_blocks_of_the_buffer() {
    for extra in 0..30 {
        let mut text = b"y\n".repeat((64 << 10) - 8);
        text.extend(vec![b'z'; extra]);
        text.extend_from_slice(b"\nhit\nb1\nb2\nb3\nhit\n");
        let hit = (64 << 10) - 8 + 2;
        let mut tree = MemTree::new();
        tree.file("f", text);
        let expected =
            format!("|{}-{}-{hit}:{}-{}-{}-{}:", hit - 2, hit - 1, hit + 1, hit + 2, hit + 3, hit + 4);
        check(&tree, 2, Unit::Block, &Page::ALL, &expected);
    }
}
