//! Several writers at once: nothing is lost without a word.

use std::thread;

use serde_json::json;

use crate::fixture::Fixture;

#[test]
fn thirty_edits_of_one_file_all_survive() {
    let files = Fixture::with("", r#"{"fs_tools": {"durability": "none"}}"#);
    files.write("f", (0..30).map(|n| format!("line {n} old\n")).collect::<String>());
    thread::scope(|scope| {
        for n in 0..30 {
            let files = &files;
            scope.spawn(move || {
                let (old, new) = (format!("line {n} old"), format!("line {n} new"));
                files.ok("edit_file", json!({"path": "f", "old_text": old, "new_text": new}))
            });
        }
    });
    assert_eq!(files.read("f"), (0..30).map(|n| format!("line {n} new\n")).collect::<String>());
}

#[test]
fn thirty_appends_all_survive() {
    let files = Fixture::with("", r#"{"fs_tools": {"durability": "none"}}"#);
    thread::scope(|scope| {
        for n in 0..30 {
            let files = &files;
            scope.spawn(move || {
                files.ok("append_file", json!({"path": "log", "content": format!("entry {n}\n")}))
            });
        }
    });
    let mut lines: Vec<String> = files.read("log").lines().map(str::to_owned).collect();
    lines.sort();
    let mut expected: Vec<String> = (0..30).map(|n| format!("entry {n}")).collect();
    expected.sort();
    assert_eq!(lines, expected);
}

#[test]
fn of_ten_creators_one_wins() {
    for _ in 0..20 {
        let files = Fixture::with("", r#"{"fs_tools": {"durability": "none"}}"#);
        let created: usize = thread::scope(|scope| {
            let calls: Vec<_> = (0..10)
                .map(|n| {
                    let files = &files;
                    scope.spawn(move || {
                        files.call("write_file", json!({"path": "f", "content": format!("by {n}\n")}))
                    })
                })
                .collect();
            let replies: Vec<_> = calls.into_iter().map(|call| call.join().unwrap()).collect();
            for reply in replies.iter().filter(|reply| reply.is_error) {
                assert_eq!(reply.error.as_ref().unwrap().code(), "file_exists");
            }
            replies.iter().filter(|reply| !reply.is_error).count()
        });
        assert_eq!(created, 1);
    }
}
