//! Pages, cursors and totals.

use search_engine::{
    Collected, Cursor, End, Limits, MemTree, Order, Output, Page, Query, Row, Totals, Unattended, Unit,
    search,
};

use crate::support::{files, lines, names, pattern, run_page, show};

#[test]
fn a_search_ends_when_the_page_is_full_and_it_is_known_whether_there_is_more() {
    let tree = files(&["a/1", "a/2", "b/1", "b/2"]);
    let found = run_page(&tree, &lines("needle"), &Page::first(1));
    assert_eq!(show(&found.rows), ["a/1:1: needle"]);
    assert_eq!(found.summary.coverage.files_searched, 2);
    assert_eq!((found.summary.end, found.summary.next_offset), (End::PageFull, Some(1)));
    let names = run_page(&tree, &names(""), &Page::first(1));
    assert_eq!(names.summary.coverage.files_seen, 2);
    assert_eq!(names.summary.next_offset, Some(1));
}

#[test]
fn exactly_as_many_rows_as_the_limit() {
    let tree = files(&["a", "b"]);
    for query in [lines("needle"), names(""), Query::content(pattern("needle"), Output::Files)] {
        let found = run_page(&tree, &query, &Page::first(2));
        assert_eq!(found.summary.end, End::Complete);
        assert_eq!((found.summary.next_offset, &found.summary.cursor), (None, &None));
        assert_eq!(found.summary.total_rows, Some(2));
    }
}

#[test]
fn offsets() {
    let tree = files(&["a", "b"]);
    assert_eq!(show(&run_page(&tree, &lines("needle"), &Page::at(1, 1)).rows), ["b:1: needle"]);
    let past = run_page(&tree, &lines("needle"), &Page::at(7, 1)).summary;
    assert!(past.past_end);
    assert_eq!((past.rows, past.total_rows), (0, Some(2)));
    assert!(!run_page(&tree, &lines("nothing"), &Page::at(7, 1)).summary.past_end);
}

#[test]
fn totals_when_asked_for() {
    let tree = files(&["a", "b", "c"]);
    for mut query in
        [lines("needle"), names(""), Query::content(pattern("needle"), Output::Counts { first_lines: 0 })]
    {
        query.totals = Totals::CountAll;
        let found = run_page(&tree, &query, &Page::first(1));
        assert_eq!(found.rows.len(), 1);
        assert_eq!((found.summary.total_rows, found.summary.next_offset), (Some(3), Some(1)));
        assert_eq!(found.summary.end, End::Complete);
        assert!(found.summary.cursor.is_some());
    }
}

#[test]
fn a_cursor_is_bound_to_its_query_and_checked() {
    let tree = files(&["a", "b", "c"]);
    let query = lines("needle");
    let cursor = run_page(&tree, &query, &Page::first(1)).summary.cursor.unwrap();
    let other = Collected::run(&tree, &lines("need"), &Page::after(cursor.clone(), 1), &Limits::AGENT);
    assert_eq!(other.unwrap_err().code(), "other_query");
    let text = cursor.to_string();
    assert_eq!(text.parse::<Cursor>().unwrap(), cursor);
    for i in 0..text.len() {
        let mut broken = text.clone().into_bytes();
        broken[i] = if broken[i] == b'A' { b'B' } else { b'A' };
        let broken = String::from_utf8(broken).unwrap();
        assert!(broken.parse::<Cursor>().is_err(), "{i}");
        assert!(text[..i].parse::<Cursor>().is_err(), "{i}");
    }
    assert_eq!("äöü".parse::<Cursor>().unwrap_err().code(), "bad_cursor");
}

#[test]
fn a_cursor_stays_right_when_other_files_come_and_go_and_says_when_its_own_changed() {
    let mut tree = files(&["b", "d"]);
    tree.file("c", b"needle\nneedle\nneedle\n".to_vec());
    let query = lines("needle");
    let cursor = run_page(&tree, &query, &Page::first(2)).summary.cursor.unwrap();
    tree.file("a", b"needle\n".to_vec());
    let next = run_page(&tree, &query, &Page::after(cursor.clone(), 9));
    assert_eq!(show(&next.rows), ["c:2: needle", "c:3: needle", "d:1: needle"]);
    assert!(!next.summary.changed);
    tree.file("c", b"needle\nneedle\n".to_vec());
    assert!(run_page(&tree, &query, &Page::after(cursor.clone(), 9)).summary.changed);
    let without = files(&["b", "d"]);
    let next = run_page(&without, &query, &Page::after(cursor.clone(), 9));
    assert!(next.summary.changed);
    assert_eq!(show(&next.rows), ["d:1: needle"]);
    assert!(run_page(&files(&["b"]), &query, &Page::after(cursor, 9)).summary.changed);
}

/// A tree with two rows in `b`, one in `d`, two in `f`, and files without rows between them.
fn rows_of_five() -> MemTree {
    let mut tree = files(&["d"]);
    for (name, text) in [("b", "needle\nneedle\n"), ("c", "hay\n"), ("e", "hay\n"), ("f", "needle\nneedle\n")]
    {
        tree.file_at(name, text.as_bytes().to_vec(), 1);
    }
    tree
}

/// One change of the tree between two pages.
type Change = fn(&mut MemTree) -> &mut MemTree;

#[test]
fn a_changed_tree_is_noticed_between_pages_by_offset() {
    let cases: [(&str, u64, bool, Change); 10] = [
        ("nothing", 3, false, |tree| tree),
        ("a file with rows comes before", 3, true, |tree| tree.file("a", b"needle\n".to_vec())),
        ("a file without rows comes before", 3, false, |tree| tree.file("a", b"hay\n".to_vec())),
        ("a file with rows comes behind", 3, false, |tree| tree.file("g", b"needle\n".to_vec())),
        ("a file without rows gets one", 3, true, |tree| tree.file("c", b"needle\n".to_vec())),
        ("a file loses a row", 3, true, |tree| tree.file_at("b", b"hay\nneedle\n".to_vec(), 1)),
        ("one row for another", 3, true, |tree| tree.file_at("b", b"needle\nneedle \n".to_vec(), 1)),
        ("another time", 3, true, |tree| tree.file_at("b", b"needle\nneedle\n".to_vec(), 2)),
        ("the file that the page begins in", 4, true, |tree| {
            tree.file_at("f", b"needle\nneedle\nneedle\n".to_vec(), 1)
        }),
        ("the file that the page begins with", 3, false, |tree| tree.file_at("f", b"needle\n".to_vec(), 1)),
    ];
    for (name, offset, changed, change) in cases {
        let (query, mut tree) = (lines("needle"), rows_of_five());
        let mark = run_page(&tree, &query, &Page::first(offset)).summary.mark_at(offset);
        let next = Page { expect: Some(mark.expect("there is another page")), ..Page::at(offset, 9) };
        change(&mut tree);
        assert_eq!(run_page(&tree, &query, &next).summary.changed, changed, "{name}");
    }
}

#[test]
fn a_page_that_was_promised_and_is_gone_is_a_change() {
    let mut tree = files(&["a", "b", "c"]);
    for query in [names(""), lines("needle"), Query::content(pattern("needle"), Output::Files)] {
        let first = run_page(&tree, &query, &Page::first(2)).summary;
        let next = Page { expect: first.mark_at(2), ..Page::at(2, 2) };
        assert!(!run_page(&tree, &query, &next).summary.changed);
        let shorter = run_page(&files(&["a", "b"]), &query, &next).summary;
        assert!(shorter.changed && shorter.past_end, "{shorter:?}");
        assert!(run_page(&files(&["z"]), &query, &next).summary.changed);
        // Any place of the page can be gone on from, and a page that was not full has no place behind its last row.
        assert!((0..=2).all(|row| first.mark_at(row).is_some()));
        assert_eq!(run_page(&tree, &query, &Page::first(9)).summary.mark_at(3), None);
    }
    tree.file("0", b"needle\n".to_vec());
    let mut newest = names("");
    newest.order = Order::Modified;
    let first = run_page(&tree, &newest, &Page::first(2)).summary;
    tree.file_at("c", b"needle\n".to_vec(), 99);
    assert!(run_page(&tree, &newest, &Page { expect: first.mark_at(2), ..Page::at(2, 2) }).summary.changed);
}

#[test]
fn cursors_in_the_order_of_time() {
    let mut tree = MemTree::new();
    for (i, name) in ["a", "b", "c", "d/e", "d/f"].iter().enumerate() {
        tree.file_at(name, b"needle\nneedle\n".to_vec(), [5, 9, 5, 7, 5][i]);
    }
    let mut by_name = names("");
    by_name.order = Order::Modified;
    assert_eq!(show(&run_page(&tree, &by_name, &Page::ALL).rows), ["b", "d/e", "a", "c", "d/f"]);
    let mut by_line = lines("needle");
    by_line.order = Order::Modified;
    for query in [by_name, by_line] {
        let all = run_page(&tree, &query, &Page::ALL);
        let mut rows = Vec::new();
        let mut page = Page::first(3);
        loop {
            let part = run_page(&tree, &query, &page);
            assert!(!part.summary.changed);
            rows.extend(show(&part.rows));
            let Some(cursor) = part.summary.cursor else { break };
            page = Page::after(cursor, 3);
        }
        assert_eq!(rows, show(&all.rows));
    }
}

#[test]
fn the_sink_can_stop() {
    let tree = files(&["a", "b", "c"]);
    for query in [lines("needle"), names(""), Query::content(pattern("needle"), Output::Files)] {
        for threads in [1, 2] {
            let mut taken = 0;
            let limits = Limits::AGENT.with_threads(threads);
            let summary = search(&tree, &query, &Page::ALL, &limits, &Unattended, &mut |_: &Row<'_>| {
                taken += 1;
                std::ops::ControlFlow::Break(())
            });
            let summary = summary.unwrap();
            assert_eq!((summary.end, taken), (End::SinkStopped, 1));
            let rest =
                Collected::run(&tree, &query, &Page::after(summary.cursor.unwrap(), 9), &limits).unwrap();
            assert_eq!(rest.rows.len(), 2);
        }
    }
}

#[test]
fn results_that_are_handed_over_in_parts_stay_in_order() {
    let mut tree = MemTree::new();
    for i in 0..9 {
        tree.file(format!("f{i}"), b"needle\n".repeat(if i % 2 == 0 { 30_000 } else { 10 }));
    }
    let query = lines("needle");
    for threads in [1, 2, 4] {
        for stop_after in [u64::MAX, 40_000] {
            let mut rows = 0;
            let mut last = (String::new(), 0);
            let limits = Limits::AGENT.with_threads(threads);
            let summary = search(&tree, &query, &Page::ALL, &limits, &Unattended, &mut |row: &Row<'_>| {
                let Row::Line(row) = row else { panic!("not a line") };
                let next = (row.path.display().to_string(), row.line);
                assert!(next > last && (next.0 != last.0 || next.1 == last.1 + 1));
                last = next;
                rows += 1;
                if rows < stop_after {
                    std::ops::ControlFlow::Continue(())
                } else {
                    std::ops::ControlFlow::Break(())
                }
            });
            assert_eq!(summary.unwrap().rows, rows);
            assert_eq!(rows, stop_after.min(150_040));
        }
    }
}

#[test]
fn a_page_of_no_rows() {
    let tree = files(&["a"]);
    let found = run_page(&tree, &lines("needle"), &Page::first(0));
    assert_eq!((found.rows.len(), found.summary.next_offset), (0, Some(0)));
}

#[test]
fn rows_are_the_same_for_any_number_of_threads_however_many_there_are() {
    let mut tree = MemTree::new();
    for i in 0..400 {
        let text: String =
            (0..i % 90).map(|n| if n % 3 == 0 { "needle and more text\n" } else { "x\n" }).collect();
        tree.file(format!("d{}/e{}/f{i}", i % 3, i % 11), text.into_bytes());
    }
    for output in
        [Output::Lines { context: 0, unit: Unit::Line }, Output::Lines { context: 1, unit: Unit::Block }]
    {
        let query = Query::content(pattern("needle"), output);
        for page in [Page::ALL, Page::first(50), Page::at(1_000, 50), Page::at(99_999, 1)] {
            for _ in 0..5 {
                run_page(&tree, &query, &page);
            }
        }
    }
}
