//! `edit_file`: write and patch, and the guard in front of them. The numbers are those of the vectors in
//! `docs/conformance-batch.md`.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::time::{Duration, UNIX_EPOCH};

use expect_test::{Expect, expect};
use fs_tools::{Call, Config, Options, Origin, ToolSet, Toolset, Workspace};
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// One file `f` with this content, read by the run.
fn fresh(content: impl AsRef<[u8]>) -> Fixture {
    let files = Fixture::batch("//- /f\nx\n");
    files.write("f", content);
    files.ok("read_files", json!({"files": [{"path": "f"}]}));
    files
}

fn pair(old: &str, new: &str) -> Value {
    json!({"old_string": old, "new_string": new})
}

fn patch(files: &Fixture, targets: &[Value]) -> fs_tools::Reply {
    files.call("edit_file", json!({"path": "f", "targets": targets}))
}

/// A patch that works, and what becomes of the file.
#[track_caller]
fn gives(content: impl AsRef<[u8]>, targets: &[Value], expected: impl AsRef<[u8]>) {
    let files = fresh(content);
    let reply = patch(&files, targets);
    assert!(!reply.is_error, "{}", reply.for_model);
    let got = fs::read(files.path("f")).unwrap();
    assert_eq!(String::from_utf8_lossy(&got), String::from_utf8_lossy(expected.as_ref()));
    assert_eq!(got, expected.as_ref());
}

/// A patch that is refused: nothing is written. Returns the whole refusal.
#[track_caller]
fn refuses(content: impl AsRef<[u8]>, targets: &[Value], code: &str) -> String {
    let files = fresh(&content);
    let reply = patch(&files, targets);
    let error = reply.error.unwrap_or_else(|| panic!("succeeded: {}", reply.for_model));
    assert_eq!(error.code(), code, "{error}");
    assert!(error.next_step().is_some(), "{error}");
    assert_eq!(fs::read(files.path("f")).unwrap(), content.as_ref());
    error.to_string()
}

#[test]
fn v98_to_v108_write() {
    let files = Fixture::batch("//- /f\nold\n");
    let write =
        |path: &str, content: &str| files.text("edit_file", json!({"path": path, "content": content}));
    assert_eq!(
        write("new/dir/g.txt", "one\ntwo\nthree\n"),
        "Created new/dir/g.txt (14 bytes, 3 lines).\n1\tone\n...\n3\tthree",
        "98"
    );
    expect![[r#"
        error (not_read): the file has not been read in this run; nothing was written
        path: f
        next step: read it with read_files, then repeat the call"#]]
    .assert_eq(&write("f", "new\n"));
    assert_eq!(files.read("f"), "old\n", "99");
    assert_eq!(
        write("new/dir/g.txt", "four\n"),
        "Updated new/dir/g.txt (5 bytes, 1 lines).\n1\tfour",
        "103: what was written needs no read"
    );
    files.ok("read_files", json!({"files": [{"path": "f"}]}));
    files.write("f", "old\nappended\n");
    expect![[r#"
        error (stale): the file changed on disk since it was read; nothing was written: row 2
        path: f
        next step: read it again with read_files, then make the change on what is there now"#]]
    .assert_eq(&write("f", "new\n"));
    assert_eq!(files.read("f"), "old\nappended\n", "100");
    assert_eq!(write("e1", ""), "Created e1 (0 bytes, 0 lines).", "107");
    assert_eq!(
        files.ok("edit_file", json!({"path": "e2", "mode": "write", "content": ""})),
        "Created e2 (0 bytes, 0 lines).",
        "106"
    );
    assert_eq!(write("f", "old\nappended\n"), "Unchanged: f has this content already.", "108");
    assert!(write("f", "x\n").starts_with("Updated f"), "what is unchanged was seen");
}

#[test]
fn v101_and_v102_freshness_goes_by_content() {
    let touch = |files: &Fixture, seconds: u64| {
        let at = UNIX_EPOCH + Duration::from_secs(seconds);
        File::options()
            .write(true)
            .open(files.path("f"))
            .unwrap()
            .set_times(FileTimes::new().set_modified(at))
            .unwrap();
    };
    let files = fresh("a\n");
    touch(&files, 1_000);
    assert!(!patch(&files, &[pair("a", "b")]).is_error, "101: only touched");
    let strict = Fixture::batch_with("//- /f\na\n", r#"{"fs_tools": {"strict_mtime": true}}"#);
    strict.ok("read_files", json!({"files": [{"path": "f"}]}));
    touch(&strict, 1_000);
    let reply = patch(&strict, &[pair("a", "b")]);
    assert_eq!(reply.error.unwrap().code(), "stale", "101: strict_mtime");
    let files = fresh("a\n");
    let before = fs::metadata(files.path("f")).unwrap().modified().unwrap();
    files.write("f", "b\n");
    File::options()
        .write(true)
        .open(files.path("f"))
        .unwrap()
        .set_times(FileTimes::new().set_modified(before))
        .unwrap();
    assert_eq!(patch(&files, &[pair("b", "c")]).error.unwrap().code(), "stale", "102");
    // A fresh read is enough after any refusal.
    files.ok("read_files", json!({"files": [{"path": "f"}]}));
    assert!(!patch(&files, &[pair("b", "c")]).is_error);
}

#[test]
fn v104_a_ledger_belongs_to_a_run_and_survives_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("ws");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("f"), "a\n").unwrap();
    let open = || {
        let mut options = Options { toolset: Toolset::Batch, ..Options::new(&root, Config::default()) };
        options.state_dir = Some(dir.path().join("state"));
        ToolSet::new(Workspace::open(options).unwrap())
    };
    let call = |run: &'static str| Call { origin: Origin { task: "t", goal: "", run }, ..Call::plain() };
    let (read, edit) = (json!({"files": [{"path": "f"}]}), json!({"path": "f", "targets": [pair("a", "b")]}));
    let first = open();
    assert!(!first.call("read_files", &read, &call("one")).is_error);
    assert_eq!(first.call("edit_file", &edit, &call("two")).error.unwrap().code(), "not_read", "104");
    let second = open();
    assert!(!second.call("edit_file", &edit, &call("one")).is_error, "the same run in another process");
    assert_eq!(second.call("edit_file", &edit, &call("two")).error.unwrap().code(), "not_read");
    // The first process learns what the second wrote for the same run.
    let again = json!({"path": "f", "targets": [pair("b", "c")]});
    assert!(!first.call("edit_file", &again, &call("one")).is_error);
    let mode = fs::metadata(dir.path().join("state/runs")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn v105_to_v113_what_stays_as_it_is() {
    let files = Fixture::batch("//- /real\na\n");
    symlink("real", files.path("link")).unwrap();
    files.ok("read_files", json!({"files": [{"path": "link"}]}));
    files.ok("edit_file", json!({"path": "./real", "content": "b\n"}));
    assert!(fs::symlink_metadata(files.path("link")).unwrap().is_symlink(), "105");
    files.ok("edit_file", json!({"path": "link", "content": "c\n"}));
    assert!(fs::symlink_metadata(files.path("link")).unwrap().is_symlink(), "105");
    assert_eq!(files.read("real"), "c\n", "105");
    let files = fresh("a\n");
    fs::set_permissions(files.path("f"), fs::Permissions::from_mode(0o755)).unwrap();
    files.write("f.tmp", "mine");
    fs::hard_link(files.path("f"), files.path("other")).unwrap();
    let text = files.ok("edit_file", json!({"path": "f", "targets": [pair("a", "b")]}));
    assert_eq!(fs::metadata(files.path("f")).unwrap().mode() & 0o777, 0o755, "109");
    assert_eq!(files.read("f.tmp"), "mine", "111");
    assert_eq!(
        (files.read("f").as_str(), files.read("other").as_str()),
        ("b\n", "a\n"),
        "113: a replaced file is a new inode"
    );
    assert!(text.contains("1 other name(s) (hard links) keep the old content"), "113: {text}");
    let names: Vec<_> =
        fs::read_dir(files.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "110: no temporary file is left: {names:?}");
}

#[test]
fn v114_to_v119_targets_are_located_in_the_original() {
    let a = "a\nb\nc\n";
    gives(a, &[pair("b", "B")], "a\nB\nc\n");
    gives(a, &[pair("a", "x"), pair("c", "y")], "x\nb\ny\n");
    refuses(a, &[pair("a", "b"), pair("b", "z")], "shadowed");
    gives(a, &[pair("b", "z"), pair("a", "b")], "b\nz\nc\n");
    let overlap = refuses(a, &[pair("a\nb", "x"), pair("b\nc", "y")], "overlap");
    assert!(overlap.contains("line 2") && overlap.contains("2\tb"), "118: {overlap}");
    refuses(a, &[pair("a", "x"), pair("a", "x")], "overlap");
}

#[test]
fn v120_to_v130_how_often_and_what_is_left() {
    let all = |old: &str, new: &str| json!({"old_string": old, "new_string": new, "replace_all": true});
    let ambiguous = refuses("x\ny\nx\nx\n", &[pair("x", "z")], "ambiguous");
    assert!(
        ambiguous.contains('1') && ambiguous.contains('3') && ambiguous.contains("replace_all"),
        "120: {ambiguous}"
    );
    gives("x\ny\nx\nx\n", &[all("x", "z")], "z\ny\nz\nz\n");
    gives("aaaa\n", &[all("aa", "b")], "bb\n");
    refuses("a\nb\nc\n", &[pair("a", "x"), pair("missing", "y")], "text_not_found");
    refuses("a\n", &[pair("", "x")], "empty_anchor");
    let files = fresh("a\n");
    let before = fs::metadata(files.path("f")).unwrap().modified().unwrap();
    let reply = patch(&files, &[pair("a", "a")]);
    assert_eq!(reply.for_model, "No change: every new_string in f equals its old_string.", "124");
    assert_eq!(fs::metadata(files.path("f")).unwrap().modified().unwrap(), before, "124");
    let files = fresh("a\nb\n");
    let text = patch(&files, &[pair("a", "a"), pair("b", "c")]).for_model;
    assert!(text.contains("[skipped, old_string equals new_string: targets[0]]"), "125: {text}");
    gives("a\nb\nc\n", &[pair("b", "")], "a\nc\n");
    gives("head tail\nnext\n", &[pair("tail", "")], "head \nnext\n");
    refuses("foo bar\nfoo\n", &[pair("foo", "")], "ambiguous");
    gives("a\nb\n", &[pair("a", "a\nnew")], "a\nnew\nb\n");
    refuses("a\nb\n", &[pair("a\nb\n", "")], "would_be_empty");
}

#[test]
fn v131_to_v140_why_a_text_is_not_found_and_what_survives() {
    let rows = refuses("a\nb\nc\n", &[pair("3\tc", "x")], "text_not_found");
    assert!(rows.contains("row number"), "131: {rows}");
    gives("a\r\nb\r\nc\r\n", &[pair("a\nb", "x\ny")], "x\r\ny\r\nc\r\n");
    gives("a\r\nb\nc\r\n", &[pair("b", "B")], "a\r\nB\nc\r\n");
    gives("a\nb", &[pair("a", "A")], "A\nb");
    gives("\u{feff}a\nb\n", &[pair("a\nb", "x")], "\u{feff}x\n");
    gives(b"caf\xe9\nx\n", &[pair("x", "y")], b"caf\xe9\ny\n");
    gives(b"caf\xe9 cr\xe8me\nx\n", &[pair("crème", "thé")], b"caf\xe9 th\xe9\nx\n");
    refuses(b"caf\xe9 cr\xe8me\nx\n", &[pair("crème", "日")], "not_encodable");
    gives("a\n", &[pair("a", r"$& $1 $$ \1")], "$& $1 $$ \\1\n");
    let tabs = refuses("\tx = 1\n", &[pair("    x = 1", "y")], "text_not_found");
    assert!(tabs.to_lowercase().contains("tab"), "139: {tabs}");
    let blank = refuses("a\u{a0}b\n", &[pair("a b", "y")], "text_not_found");
    assert!(blank.contains("U+00A0"), "140: {blank}");
}

#[test]
fn v141_to_v147_quotes() {
    gives("don\u{2019}t\n", &[pair("don't", "don't do")], "don\u{2019}t do\n");
    gives("say \u{201c}hi\u{201d}\n", &[pair("say \"hi\"", "say \"hello\"")], "say \u{201c}hello\u{201d}\n");
    gives("\"x\"\n", &[pair("\u{201c}x\u{201d}", "\u{201c}y\u{201d}")], "\"y\"\n");
    gives("it's it\u{2019}s\n", &[pair("it's", "IS")], "IS it\u{2019}s\n");
    refuses("it\u{2019}s it\u{2019}s\n", &[pair("it's", "IS")], "ambiguous");
    gives("\"x\"\n", &[pair("\"x\"", "\u{201c}x\u{201d}")], "\u{201c}x\u{201d}\n");
    let nfd = refuses("cafe\u{301}\n", &[pair("caf\u{e9}", "x")], "text_not_found");
    assert!(nfd.contains("NFC") || nfd.contains("NFD") || nfd.contains("normal"), "147: {nfd}");
}

#[test]
fn v148_to_v150_odd_calls() {
    let files = Fixture::batch("//- /f\na\n");
    let reply = files.call("edit_file", json!({"path": "missing", "targets": [pair("a", "b")]}));
    let error = reply.error.unwrap();
    assert_eq!(error.code(), "not_found", "148");
    assert!(error.next_step().unwrap().contains("mode write creates it"), "148: {error}");
    let mut long = "x".repeat(5_000_000);
    long.replace_range(2_500_000..2_500_006, "needle");
    gives(&long, &[pair("needle", "thread")], long.replace("needle", "thread"));
    let files = fresh("a\n");
    let text = json!([pair("a", "b")]).to_string();
    files.ok("edit_file", json!({"path": "f", "targets": text}));
    assert_eq!(files.read("f"), "b\n", "150");
}

#[test]
fn other_encodings_are_edited_in_place() {
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    gives(
        wide("\u{feff}one 😀\r\ntwo\r\n"),
        &[pair("two", "zwölf\n日")],
        wide("\u{feff}one 😀\r\nzwölf\r\n日\r\n"),
    );
    let files = fresh(wide("\u{feff}one\n"));
    let reply = patch(&files, &[pair("one", "two")]);
    assert!(
        reply.for_model.contains("[edited as UTF-16LE]") && reply.for_model.contains("-one\n+two\n"),
        "{}",
        reply.for_model
    );
    let text = files.ok("edit_file", json!({"path": "f", "content": "plain\n"}));
    assert!(text.contains("[the file was in UTF-16LE; it is UTF-8 now]"), "{text}");
    refuses([0xFF, 0xFE, 0x00, 0xD8, 0x61, 0x00], &[pair("a", "b")], "not_editable");
    refuses(b"\0\x01\x02", &[pair("a", "b")], "binary_file");
}

#[test]
fn the_mode_follows_from_the_arguments() {
    let files = fresh("a\n");
    let cases: [(Value, &str); 7] = [
        (json!({"path": "f"}), "nothing to do"),
        (json!({"path": "f", "content": "x", "targets": [pair("a", "b")]}), "not both"),
        (json!({"path": "f", "mode": "write"}), "content is required"),
        (json!({"path": "f", "mode": "patch"}), "targets are required"),
        (json!({"path": "f", "mode": "remove", "content": ""}), "mode remove takes no content"),
        (json!({"path": "f", "content": "x", "version": 3}), "mode write takes no version"),
        (json!({"mode": "restore"}), "needs a version or a task_id"),
    ];
    for (args, expected) in cases {
        let text = files.text("edit_file", args);
        assert!(text.starts_with("error (invalid_arguments)") && text.contains(expected), "{text}");
    }
    assert_eq!(files.read("f"), "a\n");
}

#[track_caller]
fn check(files: &Fixture, args: Value, expected: Expect) {
    expected.assert_eq(&files.text("edit_file", args));
}

#[test]
fn a_patch_returns_its_diff_and_masks_what_it_did_not_write() {
    let key = format!("{}{}", "ghp_", "0123456789abcdefghijABCDEFGHIJ012345");
    let files = fresh(format!("token {key}\nbee\n"));
    check(
        &files,
        json!({"path": "f", "targets": [pair("bee", "cat")]}),
        expect![[r#"
            Updated f
            --- a/f
            +++ b/f
            @@ -1,2 +1,2 @@
             token [FILTERED]
            -bee
            +cat
        "#]],
    );
    assert_eq!(files.read("f"), format!("token {key}\ncat\n"));
    let masked = json!({"path": "f", "targets": [pair("cat", "token [FILTERED]")]});
    assert_eq!(files.code("edit_file", masked), "masked_value");
    let missing = files.text("edit_file", json!({"path": "f", "targets": [pair("token x", "y")]}));
    assert!(missing.contains("text_not_found") && !missing.contains(&key), "{missing}");
}

#[test]
fn v110_a_directory_that_cannot_be_written_keeps_everything() {
    let files = fresh("a\n");
    fs::create_dir(files.path("ro")).unwrap();
    let reply = files.call("edit_file", json!({"path": "f/x", "content": "x"}));
    assert!(reply.is_error, "{}", reply.for_model);
    let reply = files.call("edit_file", json!({"path": "ro", "content": "x"}));
    assert_eq!(reply.error.unwrap().code(), "is_a_directory");
}

#[test]
fn the_output_directory_is_said_and_can_be_written() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out+put");
    fs::create_dir(&out).unwrap();
    let config = json!({"fs_tools": {"output_dir": out}}).to_string();
    let files = Fixture::batch_with("//- /f\nx\n", &config);
    let spec = files.tools.specs().find(|spec| spec.name == "edit_file").unwrap();
    let place = format!("A file made for the user with no location asked for goes to {}.", out.display());
    assert!(spec.description.contains(&place), "{}", spec.description);
    let path = out.join("report.txt");
    files.ok("edit_file", json!({"path": path, "content": "x\n"}));
    assert_eq!(files.ok("read_files", json!({"files": [{"path": path}]})), "1\tx");
    let beside = dir.path().join("out+put2/x");
    assert_eq!(files.code("edit_file", json!({"path": beside, "content": "x\n"})), "outside_workspace");
}

#[test]
fn the_row_form_is_refused() {
    let files = fresh("a\nb\n");
    let args = json!({"path": "f", "targets": [{"row": 1, "insert_string": "x"}]});
    let text = files.text("edit_file", args);
    assert!(text.starts_with("error (invalid_arguments): unexpected property \"targets[0].row\""), "{text}");
    assert_eq!(files.read("f"), "a\nb\n");
}
