//! What the walk meets.

use search_engine::{Kind, Limits, MemTree, Page, Start};

use crate::support::{check, files, lines, names, run, run_page, show};

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

#[test]
fn a_large_tree_is_the_same_to_any_number_of_threads() {
    let mut tree = MemTree::new();
    let mut expected = Vec::new();
    for a in 0..12 {
        for b in 0..25 {
            let path = format!("d{a:02}/e{b:02}/{}f.txt", if b % 7 == 0 { "deep/down/" } else { "" });
            tree.file(&*path, Vec::new());
            if a != 3 && b % 5 != 1 {
                expected.push(path);
            }
        }
        tree.file(format!("d{a:02}/.gitignore"), b"e?1\ne?6/\n".to_vec());
    }
    tree.file(".gitignore", b"d03/\n.gitignore\n".to_vec());
    assert_eq!(show(&run(&tree, &names("")).rows), expected);
    assert_eq!(show(&run(&tree, &names("**/e24/*.txt")).rows).len(), 11);
    for limit in [1, 100, 200] {
        let page = run_page(&tree, &names(""), &Page::first(limit));
        assert_eq!(show(&page.rows), expected[..limit as usize]);
        let cursor = page.summary.cursor.unwrap();
        let rest = run_page(&tree, &names(""), &Page::after(cursor, 1_000));
        assert_eq!(show(&rest.rows), expected[limit as usize..]);
    }
}
