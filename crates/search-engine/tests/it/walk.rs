//! What the walk meets.

use search_engine::{Kind, Limits, MemTree, Page, Start};

use crate::support::{check, files, lines, names, run, show};

#[test]
fn the_order_of_paths_is_that_of_their_components() {
    let tree = files(&["a.txt", "a/x", "a/b/c", "a-b", "B", "é", "a b", "a/b.c"]);
    check(&tree, &names(""), &["B", "a/b/c", "a/b.c", "a/x", "a b", "a-b", "a.txt", "é"]);
}

#[test]
fn hidden_files_are_searched_and_git_never() {
    let tree = files(&[".hidden", ".git/config", "sub/.git/x", ".github/y", "sub2/.git"]);
    check(&tree, &names(""), &[".github/y", ".hidden"]);
}

#[test]
fn links_and_special_files_are_counted_and_not_opened() {
    let mut tree = files(&["a"]);
    tree.other("link", Kind::Symlink).other("pipe", Kind::Other);
    let found = run(&tree, &lines("needle"));
    assert_eq!(show(&found.rows), ["a:1: needle"]);
    assert_eq!((found.summary.coverage.symlinks, found.summary.coverage.special), (1, 1));
    let mut query = lines("needle");
    query.start = Start::File("pipe".into());
    let found = run(&tree, &query);
    assert!(found.rows.is_empty());
    assert_eq!(found.summary.coverage.special, 1);
}

#[test]
fn hidden_entries_are_absent_from_all_totals_but_their_own() {
    let mut tree = files(&["a"]);
    tree.hidden(".env").hidden("keys/id");
    let coverage = run(&tree, &lines("needle")).summary.coverage;
    assert_eq!((coverage.files_seen, coverage.hidden), (1, 2));
}

#[test]
fn what_cannot_be_read_is_counted_and_named() {
    let mut tree = files(&["a", "d/b"]);
    tree.unreadable_file("locked");
    let found = run(&tree, &lines("needle"));
    assert_eq!(found.rows.len(), 2);
    assert_eq!(found.summary.coverage.unreadable.count, 1);
    assert_eq!(found.summary.coverage.unreadable.first[0].to_str(), Some("locked"));
    assert!(!found.summary.is_exhaustive());
}

#[test]
fn depth_is_bounded() {
    let tree = files(&["a/b/c/d", "a/b/x", "top"]);
    let limits = Limits { max_depth: 2, ..Limits::AGENT };
    let found = search_engine::Collected::run(&tree, &names(""), &Page::ALL, &limits).unwrap();
    assert_eq!(show(&found.rows), ["a/b/x", "top"]);
    assert_eq!(found.summary.coverage.too_deep.first[0].to_str(), Some("a/b/c"));
}

#[test]
fn starts() {
    let tree = files(&["a", "b/c"]);
    let mut query = names("");
    query.start = Start::RootOnly;
    check(&tree, &query, &["a"]);
    query.start = Start::File("a".into());
    check(&tree, &query, &["a"]);
    query.start = Start::File("b".into());
    check(&tree, &query, &[]);
    query.start = Start::File("gone".into());
    let error = search_engine::Collected::run(&tree, &query, &Page::ALL, &Limits::AGENT).unwrap_err();
    assert_eq!(error.code(), "start_unreadable");
    check(&MemTree::new(), &names(""), &[]);
}
