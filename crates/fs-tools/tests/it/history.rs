//! What the tools change is in the history before it lands.

use std::fs;

use fs_tools::file_history::{Failed, Filter, Op, Version};
use fs_tools::{Call, Config, Options, Origin};
use serde_json::{Value, json};

use crate::fixture::Fixture;

fn fixture(tree: &str) -> Fixture {
    Fixture::open(tree, |root| {
        let mut options = Options::new(&root, Config::default());
        options.state_dir = Some(root.parent().unwrap().join("state"));
        options
    })
}

fn versions(files: &Fixture, path: &str) -> Vec<Version> {
    let filter = Filter { paths: &[path.as_bytes()], failed: Failed::Hide, limit: 100, ..Filter::default() };
    let page = files.tools.workspace().history(|history| history.list(&filter));
    page.unwrap().unwrap().rows
}

fn content(files: &Fixture, version: &Version) -> String {
    let read = files.tools.workspace().history(|history| history.read(version.id));
    String::from_utf8(read.unwrap().unwrap().unwrap().bytes).unwrap()
}

#[test]
fn every_change_is_a_version_with_its_task() {
    let files = fixture("//- /f\none\n");
    let origin = Origin { task: "t1", goal: "rename one", run: "r1" };
    let call = Call { origin, ..Call::plain() };
    let run = |tool: &str, args: Value| {
        let reply = files.tools.call(tool, &args, &call);
        assert!(!reply.is_error, "{}", reply.for_model);
    };
    run("edit_file", json!({"path": "f", "old_text": "one", "new_text": "two"}));
    run("append_file", json!({"path": "f", "content": "three\n"}));
    run("write_file", json!({"path": "f", "content": "four\n", "overwrite": true}));
    run("write_file", json!({"path": "new/g", "content": "five\n"}));
    let rows = versions(&files, "f");
    let ops: Vec<Op> = rows.iter().map(|row| row.op).collect();
    assert_eq!(ops, [Op::Write, Op::Append, Op::Edit, Op::Baseline]);
    assert!(rows[..3].iter().all(|row| (row.task.as_str(), row.run.as_str()) == ("t1", "r1")));
    assert_eq!(rows[0].goal, "rename one");
    let contents: Vec<String> = rows.iter().map(|row| content(&files, row)).collect();
    assert_eq!(contents, ["four\n", "two\nthree\n", "two\n", "one\n"]);
    assert_eq!(versions(&files, "new/g")[0].op, Op::Create);
}

#[test]
fn what_changes_nothing_leaves_no_row() {
    let files = fixture("//- /f\none\n");
    files.ok("write_file", json!({"path": "f", "content": "one\n"}));
    files.ok("edit_file", json!({"path": "f", "old_text": "one", "new_text": "one"}));
    files.code("edit_file", json!({"path": "f", "old_text": "absent", "new_text": "x"}));
    files.code("write_file", json!({"path": "f", "content": "x"}));
    assert!(versions(&files, "f").is_empty());
}

#[test]
fn a_change_from_outside_is_a_version_of_its_own() {
    let files = fixture("//- /f\none\n");
    files.ok("edit_file", json!({"path": "f", "old_text": "one", "new_text": "two"}));
    files.write("f", "by somebody else\n");
    files.ok("edit_file", json!({"path": "f", "old_text": "else", "new_text": "more"}));
    let ops: Vec<Op> = versions(&files, "f").iter().map(|row| row.op).collect();
    assert_eq!(ops, [Op::Edit, Op::External, Op::Edit, Op::Baseline]);
}

#[test]
fn what_cannot_be_recorded_is_not_overwritten_but_may_be_created() {
    let files = fixture("//- /f\none\n");
    fs::write(files.outside("state"), "not a directory").unwrap();
    for (tool, args) in [
        ("edit_file", json!({"path": "f", "old_text": "one", "new_text": "two"})),
        ("append_file", json!({"path": "f", "content": "x"})),
        ("write_file", json!({"path": "f", "content": "x", "overwrite": true})),
    ] {
        assert_eq!(files.code(tool, args), "history_unavailable");
        assert_eq!(files.read("f"), "one\n");
    }
    let text = files.ok("write_file", json!({"path": "new", "content": "x"}));
    assert!(text.contains("not recorded in the history"), "{text}");
}

#[test]
fn parallel_edits_are_all_versions() {
    let files = fixture("");
    files.write("f", (0..8).map(|n| format!("line {n} old\n")).collect::<String>());
    std::thread::scope(|scope| {
        for n in 0..8 {
            let files = &files;
            scope.spawn(move || {
                let (old, new) = (format!("line {n} old"), format!("line {n} new"));
                files.ok("edit_file", json!({"path": "f", "old_text": old, "new_text": new}))
            });
        }
    });
    let rows = versions(&files, "f");
    assert_eq!(rows.iter().filter(|row| row.op == Op::Edit).count(), 8);
    assert_eq!(content(&files, &rows[0]), files.read("f"));
}

#[test]
fn the_state_directory_is_not_inside_the_workspace_and_not_for_tools() {
    let dir = tempfile::tempdir().unwrap();
    let mut options = Options::new(dir.path(), Config::default());
    options.state_dir = Some(dir.path().join("state"));
    let refused = fs_tools::Workspace::open(options);
    assert_eq!(refused.err().map(|error| error.code()), Some("state_inside_workspace"));
}
