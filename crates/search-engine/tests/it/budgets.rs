//! Budgets and what is said about them.

use std::sync::atomic::{AtomicU32, Ordering};

use search_engine::{Collected, End, Limits, MemTree, Output, Page, Query, Signal, Totals, search};

use crate::support::{files, lines, names, pattern, show};

#[track_caller]
fn run(tree: &MemTree, query: &Query, limits: &Limits) -> Collected {
    let one = Collected::run(tree, query, &Page::ALL, limits).unwrap();
    for threads in [2, 4] {
        assert_eq!(
            Collected::run(tree, query, &Page::ALL, &limits.clone().with_threads(threads)).unwrap(),
            one
        );
    }
    one
}

#[test]
fn the_search_ends_after_its_files_and_goes_on_from_there() {
    let paths: Vec<String> = (0..6_431).map(|i| format!("d{}/f{i:05}", i % 7)).collect();
    let tree = files(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    let query = lines("nothing");
    let found = run(&tree, &query, &Limits::AGENT);
    assert_eq!(found.summary.end, End::FileBudget);
    assert_eq!(found.summary.coverage.files_searched, 5_000);
    assert!(!found.summary.is_exhaustive());
    assert_eq!(found.summary.total_rows, None);
    let cursor = found.summary.cursor.unwrap();
    let rest = Collected::run(&tree, &query, &Page::after(cursor, 50), &Limits::AGENT).unwrap();
    assert_eq!(rest.summary.end, End::Complete);
    assert_eq!(rest.summary.coverage.files_searched, 1_431);
    assert!(!rest.summary.changed);
}

#[test]
fn a_file_that_does_not_fit_is_skipped_alone() {
    let mut tree = MemTree::new();
    tree.file("a", b"needle\n".to_vec()).file("b", vec![b'x'; 100]).file("c", b"needle\n".to_vec());
    let found = run(&tree, &lines("needle"), &Limits { max_bytes: 50, ..Limits::AGENT });
    assert_eq!(show(&found.rows), ["a:1: needle", "c:1: needle"]);
    assert_eq!(found.summary.coverage.budget_skipped.count, 1);
    assert_eq!(found.summary.coverage.budget_skipped.first[0].to_str(), Some("b"));
    assert_eq!(found.summary.coverage.bytes_read, 14);
    assert_eq!(found.summary.end, End::Complete);
    assert!(!found.summary.is_exhaustive());
}

#[test]
fn only_bytes_that_were_read_count() {
    let mut tree = MemTree::new();
    tree.file("a", [b"\0".to_vec(), vec![b'x'; 100_000]].concat()).file("b", vec![b'x'; 91_000]);
    let found = run(&tree, &lines("x"), &Limits { max_bytes: 101_000, ..Limits::AGENT });
    assert_eq!(found.summary.coverage.binary.count, 1);
    assert_eq!(found.summary.coverage.bytes_read, 8_192 + 91_000);
}

#[test]
fn skipped_paths_are_named_up_to_a_few() {
    let mut tree = MemTree::new();
    for i in 0..9 {
        tree.file(format!("f{i}"), vec![b'x'; 100]);
    }
    let skipped =
        run(&tree, &lines("x"), &Limits { max_bytes: 50, ..Limits::AGENT }).summary.coverage.budget_skipped;
    assert_eq!((skipped.count, skipped.first.len()), (9, 5));
}

#[test]
fn the_time_is_up() {
    let paths: Vec<String> = (0..2_000).map(|i| format!("f{i:04}")).collect();
    let tree = files(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    for (signal, end) in [(Signal::TimeUp, End::TimeUp), (Signal::Cancel, End::Cancelled)] {
        for threads in [1, 2, 4] {
            for query in [lines("needle"), names("")] {
                let asked = AtomicU32::new(0);
                let clock =
                    || if asked.fetch_add(1, Ordering::Relaxed) < 6 { Signal::Continue } else { signal };
                let mut rows = Vec::new();
                let limits = Limits::AGENT.with_threads(threads);
                let mut sink = |row: &search_engine::Row<'_>| {
                    rows.push(search_engine::OwnedRow::from(row));
                    std::ops::ControlFlow::Continue(())
                };
                let summary = search(&tree, &query, &Page::ALL, &limits, &clock, &mut sink).unwrap();
                assert_eq!(summary.end, end);
                assert_eq!(summary.rows as usize, rows.len());
                // The rest follows from the cursor, without a gap.
                let cursor = summary.cursor.unwrap();
                let page = Page::after(cursor, u64::MAX);
                rows.extend(Collected::run(&tree, &query, &page, &limits).unwrap().rows);
                assert_eq!(rows.len(), 2_000);
                assert!(rows.is_sorted_by_key(|r| r.path().to_owned()));
            }
        }
    }
}

#[test]
fn the_time_is_up_in_the_middle_of_a_large_file() {
    let mut tree = MemTree::new();
    tree.file("big", b"needle\n".repeat(1 << 20));
    for threads in [1, 2] {
        let asked = AtomicU32::new(0);
        let clock =
            || if asked.fetch_add(1, Ordering::Relaxed) < 8 { Signal::Continue } else { Signal::TimeUp };
        let mut first = 0;
        let limits = Limits::AGENT.with_threads(threads);
        let summary =
            search(&tree, &lines("needle"), &Page::ALL, &limits, &clock, &mut |_: &search_engine::Row<
                '_,
            >| {
                first += 1;
                std::ops::ControlFlow::Continue(())
            });
        let summary = summary.unwrap();
        assert_eq!(summary.end, End::TimeUp);
        assert!(first > 0 && first < 1 << 20, "{first}");
        let page = Page { after: summary.cursor, ..Page::first(1) };
        let mut query = lines("needle");
        query.totals = Totals::CountAll;
        let rest = Collected::run(&tree, &query, &page, &limits).unwrap();
        assert_eq!(rest.summary.rows_seen + first, 1 << 20);
    }
}

#[test]
fn a_search_that_was_stopped_at_once_starts_anew() {
    let tree = files(&["a", "b"]);
    for query in [lines("needle"), names("")] {
        let stop = || Signal::TimeUp;
        let mut none = |_: &search_engine::Row<'_>| panic!("no row is ready");
        let summary = search(&tree, &query, &Page::ALL, &Limits::AGENT, &stop, &mut none).unwrap();
        assert_eq!((summary.end, summary.rows), (End::TimeUp, 0));
        let page = Page::after(summary.cursor.unwrap(), 9);
        let found = Collected::run(&tree, &query, &page, &Limits::AGENT).unwrap();
        assert_eq!(found.rows.len(), 2);
        assert!(!found.summary.changed);
    }
}

#[test]
fn the_walk_is_bounded() {
    let tree = files(&["a", "b", "c/d", "e"]);
    let limits = Limits { max_entries: 3, ..Limits::AGENT };
    let found = run(&tree, &names(""), &limits);
    assert_eq!(show(&found.rows), ["a", "b"]);
    assert_eq!(found.summary.end, End::EntryLimit);
    let found = run(&tree, &Query::content(pattern("needle"), Output::Files), &limits);
    assert_eq!(found.summary.end, End::EntryLimit);
}
