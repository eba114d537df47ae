//! The privacy folders of macOS, on any system: the platform and the home directory are given.

use std::path::PathBuf;

use fs_tools::{Config, Options, Platform};
use serde_json::json;

use crate::fixture::Fixture;

const TREE: &str = "\
//- /Users/u/Desktop/note.txt
needle
//- /Users/u/Library/Mail/V10/letter.txt
needle
//- /Users/u/Library/Fonts/list.txt
needle
//- /Users/u/src/main.rs
needle
//- /Users/other/Desktop/note.txt
needle
";

fn on(platform: Platform) -> Fixture {
    Fixture::open(TREE, |root: PathBuf| Options {
        home: Some(root.join("Users/u")),
        platform,
        ..Options::new(root, Config::default())
    })
}

#[track_caller]
fn check(files: &Fixture, path: &str, expected: &[&str]) {
    for args in [
        json!({"pattern": "needle", "path": path, "output_mode": "files_only"}),
        json!({"pattern": "*.{txt,rs}", "path": path, "target": "files"}),
        json!({"pattern": "", "path": path, "target": "files", "order": "modified"}),
    ] {
        let text = files.ok("search_files", args.clone());
        let mut found: Vec<&str> = text.split("\n\n").next().unwrap().lines().collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{args}");
    }
}

#[test]
fn a_search_from_above_the_home_directory_passes_them_by() {
    let files = on(Platform::MacOs);
    let rest = ["Users/other/Desktop/note.txt", "Users/u/Library/Fonts/list.txt", "Users/u/src/main.rs"];
    check(&files, ".", &rest);
    check(&files, "Users", &rest);
    check(&files, "Users/u", &rest[1..]);
    check(&files, "Users/u/Library", &rest[1..2]);
}

#[test]
fn a_search_that_is_sent_there_looks() {
    let files = on(Platform::MacOs);
    check(&files, "Users/u/Desktop", &["Users/u/Desktop/note.txt"]);
    check(&files, "Users/u/Library/Mail", &["Users/u/Library/Mail/V10/letter.txt"]);
    check(&files, "Users/u/Library/Mail/V10", &["Users/u/Library/Mail/V10/letter.txt"]);
    // Naming a file in it, and listing, are ordinary calls.
    assert!(files.ok("read_file", json!({"path": "Users/u/Desktop/note.txt"})).contains("needle"));
    assert!(files.ok("list_dir", json!({"path": "Users/u"})).contains("DIR:  Desktop\n"));
}

#[test]
fn other_systems_know_no_such_folders() {
    let files = on(Platform::Other);
    check(
        &files,
        "Users/u",
        &[
            "Users/u/Desktop/note.txt",
            "Users/u/Library/Fonts/list.txt",
            "Users/u/Library/Mail/V10/letter.txt",
            "Users/u/src/main.rs",
        ],
    );
}
