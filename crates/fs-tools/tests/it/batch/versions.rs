//! `edit_file` remove and restore, and `file_history`. The numbers are those of the vectors in
//! `docs/conformance-batch.md`.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use fs_tools::{Call, Origin, Reply};
use serde_json::{Value, json};

use crate::fixture::Fixture;

fn of_task(task: &str) -> Call<'_> {
    Call { origin: Origin { task, goal: "the goal", run: "r" }, ..Call::plain() }
}

fn call(files: &Fixture, task: &str, tool: &str, args: Value) -> Reply {
    files.tools.call(tool, &args, &of_task(task))
}

#[track_caller]
fn ok(files: &Fixture, task: &str, tool: &str, args: Value) -> String {
    let reply = call(files, task, tool, args);
    assert!(!reply.is_error, "{}", reply.for_model);
    reply.for_model
}

#[track_caller]
fn code(files: &Fixture, task: &str, args: Value) -> String {
    let reply = call(files, task, "edit_file", args);
    reply.error.unwrap_or_else(|| panic!("succeeded: {}", reply.for_model)).code().to_owned()
}

fn see(files: &Fixture, path: &str) {
    ok(files, "reader", "read_files", json!({"files": [{"path": path}]}));
}

#[track_caller]
fn write(files: &Fixture, task: &str, path: &str, content: &str) {
    ok(files, task, "edit_file", json!({"path": path, "content": content}));
}

#[test]
fn v151_and_v152_a_removed_file_comes_back() {
    let files = Fixture::batch_recorded("//- /f\nold\n");
    fs::set_permissions(files.path("f"), fs::Permissions::from_mode(0o750)).unwrap();
    let text = ok(&files, "t", "edit_file", json!({"path": "f", "mode": "remove"}));
    assert_eq!(text, "Removed f. To bring it back: mode restore with version 2.");
    assert!(!files.path("f").exists());
    let text = ok(&files, "t", "edit_file", json!({"mode": "restore", "version": 2}));
    assert!(text.contains("restored f, content of version 2"), "{text}");
    assert_eq!(files.read("f"), "old\n", "151");
    assert_eq!(fs::metadata(files.path("f")).unwrap().mode() & 0o777, 0o750, "151");
    assert_eq!(code(&files, "t", json!({"path": "missing", "mode": "remove"})), "not_found", "152");
}

#[test]
fn v153_to_v158_a_task_is_taken_back() {
    let files = Fixture::batch_recorded("//- /g\nold g\n//- /h\nold h\n//- /twice\n0\n");
    for path in ["g", "twice"] {
        see(&files, path);
    }
    write(&files, "t", "f", "new\n");
    write(&files, "t", "g", "new g\n");
    write(&files, "t", "twice", "1\n");
    write(&files, "t", "twice", "2\n");
    ok(&files, "t", "edit_file", json!({"path": "h", "mode": "remove"}));
    let text = ok(&files, "u", "edit_file", json!({"mode": "restore", "task_id": "t", "path": "g"}));
    assert!(
        text.contains("1 restored") && files.read("g") == "old g\n" && files.path("f").exists(),
        "157: {text}"
    );
    let text = ok(&files, "u", "edit_file", json!({"mode": "restore", "task_id": "t"}));
    assert!(
        !files.path("f").exists() && files.read("g") == "old g\n" && files.read("h") == "old h\n",
        "154: {text}"
    );
    assert_eq!(files.read("twice"), "0\n", "153: the original, not the state between");
    let again = ok(&files, "u", "edit_file", json!({"mode": "restore", "task_id": "t"}));
    assert!(again.contains("[nothing:"), "155: {again}");
    let text = ok(&files, "u", "file_history", json!({"path": "f", "limit": 24}));
    let version: u64 =
        text.trim_start_matches('v').split([' ', '|']).find_map(|word| word.parse().ok()).unwrap();
    let text = ok(&files, "u", "edit_file", json!({"mode": "restore", "version": version}));
    assert!(files.path("f").exists() || text.contains("already"), "156: {text}");
    assert_eq!(code(&files, "", json!({"mode": "restore", "task_id": "current"})), "no_current_task", "158");
    write(&files, "now", "k", "k\n");
    ok(&files, "now", "edit_file", json!({"mode": "restore", "task_id": "current"}));
    assert!(!files.path("k").exists(), "current is the task of the call");
}

#[test]
fn v159_to_v164_versions() {
    let files = Fixture::batch_recorded("//- /f\none\n//- /other\nx\n");
    see(&files, "f");
    write(&files, "t", "f", "two\n");
    ok(&files, "t", "edit_file", json!({"mode": "restore", "version": 1, "task_id": "unknown"}));
    assert_eq!(files.read("f"), "one\n", "159: the version wins");
    assert_eq!(code(&files, "t", json!({"mode": "restore", "version": 99})), "unknown_version", "160");
    assert_eq!(code(&files, "t", json!({"mode": "restore", "task_id": "nobody"})), "unknown_task", "160");
    let other = json!({"mode": "restore", "version": 1, "path": "other"});
    assert_eq!(code(&files, "t", other), "version_of_another_file");
    files.write("f", "damaged\n");
    ok(&files, "t", "edit_file", json!({"mode": "restore", "version": 2}));
    assert_eq!(files.read("f"), "two\n", "161");
    let history = ok(&files, "t", "file_history", json!({"path": "f", "limit": 24}));
    assert!(history.contains("outside the tools"), "161: the damage is recorded: {history}");
    ok(
        &files,
        "t",
        "edit_file",
        json!({"path": "f", "targets": [{"old_string": "two", "new_string": "three"}]}),
    );
    assert_eq!(files.read("f"), "three\n", "164: what was restored needs no read");
}

#[test]
fn v162_and_v163_what_stands_in_the_way_and_large_binaries() {
    let mut bytes = vec![0u8; 2 << 20];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = (index * 31 % 251) as u8;
    }
    let files = Fixture::batch_recorded("//- /bin\nx\n//- /d\nx\n");
    files.write("bin", &bytes);
    see(&files, "bin");
    see(&files, "d");
    write(&files, "t", "bin", "text now\n");
    write(&files, "t", "d", "y\n");
    fs::remove_file(files.path("d")).unwrap();
    fs::create_dir(files.path("d")).unwrap();
    assert_eq!(
        code(&files, "u", json!({"mode": "restore", "task_id": "t"})),
        "undo_refused",
        "162: design D18"
    );
    assert_eq!(files.read("bin"), "text now\n");
    let reply =
        call(&files, "u", "edit_file", json!({"mode": "restore", "task_id": "t", "on_conflict": "skip"}));
    assert!(
        reply.for_model.contains("d: blocked") && reply.for_model.contains("restored bin"),
        "162: {}",
        reply.for_model
    );
    assert_eq!(fs::read(files.path("bin")).unwrap(), bytes, "163");
    assert!(files.path("d").is_dir());
}

#[test]
fn v165_to_v168_the_history_is_listed() {
    let files = Fixture::batch_recorded("//- /f\n0\n");
    see(&files, "f");
    for n in 1..30 {
        write(&files, "t", "f", &format!("{n}\n"));
    }
    let rows = |text: &str| text.lines().filter(|line| line.contains(" f ") || line.contains("| f")).count();
    let default = ok(&files, "t", "file_history", json!({"path": "f"}));
    let most = ok(&files, "t", "file_history", json!({"path": "f", "limit": 100}));
    assert_eq!((rows(&default), rows(&most)), (3, 24), "165: {default}\n{most}");
    let reply = call(&files, "t", "file_history", json!({"from": "yesterday"}));
    assert!(reply.is_error && reply.for_model.contains("YYYY-MM-DD"), "167: {}", reply.for_model);
    let read = ok(&files, "t", "file_history", json!({"paths": ["never", "f"]}));
    assert!(read.contains("== never\n[no recorded changes]") && read.contains("+29"), "168: {read}");
    assert!(default.contains("the goal"), "what the task was after: {default}");
}

#[test]
fn v170_without_a_history_nothing_is_destroyed() {
    let files = Fixture::batch("//- /f\nx\n");
    let code = files.code("edit_file", json!({"path": "f", "mode": "remove"}));
    assert_eq!(code, "history_off");
    assert!(files.path("f").exists());
    assert_eq!(files.code("edit_file", json!({"mode": "restore", "version": 1})), "history_off");
}

#[test]
fn a_refusal_names_the_rows_that_changed_from_the_history_of_an_earlier_process() {
    let files = Fixture::batch_recorded("//- /f\na\nb\nc\n");
    see(&files, "f");
    write(&files, "t", "f", "a\nB\nc\n");
    // Another process of the same run: what was read is only in the history.
    let root = files.path("");
    let mut options = fs_tools::Options {
        toolset: fs_tools::Toolset::Batch,
        ..fs_tools::Options::new(&root, fs_tools::Config::default())
    };
    options.state_dir = Some(files.outside("state"));
    let second = fs_tools::ToolSet::new(fs_tools::Workspace::open(options).unwrap());
    files.write("f", "a\nB\nX\n");
    let reply = second.call("edit_file", &json!({"path": "f", "content": "y\n"}), &of_task("t"));
    assert_eq!(reply.error.as_ref().unwrap().code(), "stale");
    assert!(reply.for_model.contains("nothing was written: row 3"), "{}", reply.for_model);
}
