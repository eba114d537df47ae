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
fn on_a_nearly_full_disk_nothing_is_overwritten_but_files_may_be_created() {
    // No disk has this much left.
    let wish = r#"{"fs_tools": {"history": {"min_free_mib": 1000000000000}}}"#;
    let config = Config::load(wish, &|_| None).unwrap().config;
    let files = Fixture::open("//- /f\none\n", |root| {
        let mut options = Options::new(&root, config);
        options.state_dir = Some(root.parent().unwrap().join("state"));
        options
    });
    for (tool, args) in [
        ("edit_file", json!({"path": "f", "old_text": "one", "new_text": "two"})),
        ("append_file", json!({"path": "f", "content": "x"})),
        ("write_file", json!({"path": "f", "content": "x", "overwrite": true})),
    ] {
        let reply = files.call(tool, args);
        let error = reply.error.unwrap();
        assert_eq!(error.code(), "history_unavailable");
        assert!(error.next_step().unwrap().contains("fs_tools.history.min_free_mib"), "{error}");
        assert!(error.to_string().contains("MiB are left"), "{error}");
        assert_eq!(files.read("f"), "one\n");
    }
    let removed = files.tools.workspace().remove("f", "test", &Call::plain()).unwrap_err();
    assert_eq!((removed.code(), files.read("f").as_str()), ("history_unavailable", "one\n"));
    let text = files.ok("write_file", json!({"path": "new", "content": "x"}));
    assert!(text.contains("not recorded in the history"), "{text}");
}

#[test]
fn a_history_keeps_to_the_size_that_is_configured() {
    let limit = r#"{"fs_tools": {"history": {"max_mib": 1}}}"#;
    let config = Config::load(limit, &|_| None).unwrap().config;
    let files = Fixture::open("", |root| {
        let mut options = Options::new(&root, config);
        options.state_dir = Some(root.parent().unwrap().join("state"));
        options
    });
    let noise = |n: u32| -> String {
        (0..30_000_u32).map(|i| format!("{:08x}", (i + n * 100_000).wrapping_mul(2_654_435_761))).collect()
    };
    // A process looks at its first change, and every 256 changes: each one here is a new process.
    for n in 0..8 {
        let options = {
            let mut options = Options::new(files.path(""), files.tools.workspace().config().clone());
            options.state_dir = Some(files.outside("state"));
            options
        };
        let tools = fs_tools::ToolSet::classic(fs_tools::Workspace::open(options).unwrap());
        let task = format!("t{n}");
        let call = Call { origin: Origin { task: &task, goal: "", run: "r" }, ..Call::plain() };
        let args = json!({"path": format!("f{n}"), "content": noise(n)});
        assert!(!tools.call("write_file", &args, &call).is_error);
        let args = json!({"path": format!("f{n}"), "content": "small", "overwrite": true});
        assert!(!tools.call("write_file", &args, &call).is_error);
        for entry in fs::read_dir(files.outside("state/history/v1")).unwrap() {
            let _ = fs::remove_file(entry.unwrap().path().join("PRUNED"));
        }
    }
    let size = files.tools.workspace().history(|history| history.stats()).unwrap().unwrap();
    assert!(size.stored_bytes <= (1 << 20) + 300_000 && size.stored_bytes > 100_000, "{size:?}");
    assert!(size.changes < 16, "{size:?}");
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
