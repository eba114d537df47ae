//! The typed interface and the one of models give the same answers, since they are one.

use std::fs;

use fs_tools::classic::{
    AppendFileArgs, EditFileArgs, EntryKind, ListDirArgs, Order, OutputMode, ReadFileArgs, ReadRange,
    SearchFilesArgs, Target, WriteAction, WriteFileArgs,
};
use fs_tools::{Call, Reply, ToolError};
use serde_json::{Value, json};

use crate::fixture::Fixture;

const TREE: &str = "//- /a.txt\none\ntwo\nthree\n//- /src/main.rs\nfn main() {}\n//- /.env\nKEY=1\n";

/// Makes the same call both ways on two equal workspaces and compares the replies.
#[track_caller]
fn same<R: Into<Reply>>(
    config: &str,
    tool: &str,
    args: Value,
    typed: impl FnOnce(&Fixture) -> Result<R, ToolError>,
) {
    let (by_json, by_type) = (Fixture::with(TREE, config), Fixture::with(TREE, config));
    let expected = by_json.call(tool, args.clone());
    let found = typed(&by_type).map_or_else(Reply::failure, Into::into);
    assert_eq!(by_type.portable(&found.for_model), by_json.portable(&expected.for_model), "{tool} {args}");
    assert_eq!(found.for_user, expected.for_user, "{tool} {args}");
    assert_eq!(found.is_negative, expected.is_negative, "{tool} {args}");
    assert_eq!(found.attachments, expected.attachments, "{tool} {args}");
    let portable = |files: &Fixture, reply: &Reply| {
        reply.structured.as_ref().map(|value| files.portable(&value.to_string()))
    };
    assert_eq!(portable(&by_type, &found), portable(&by_json, &expected), "{tool} {args}");
    let code = |reply: &Reply| reply.error.as_ref().map(|error| error.code().to_owned());
    assert_eq!(code(&found), code(&expected), "{tool} {args}");
}

const DEFAULT: &str = "{}";
const LINES: &str = r#"{"tools": {"read_file": {"mode": "lines"}}}"#;
const SMALL: &str = r#"{"tools": {"max_inline_result_chars": 60}}"#;

#[test]
fn reads() {
    let read = |path: &'static str, range: ReadRange| {
        move |files: &Fixture| {
            files.tools.workspace().read_file(&ReadFileArgs { path: path.into(), range }, &Call::plain())
        }
    };
    let bytes = |offset, length| ReadRange::Bytes { offset, length };
    let lines = |start_line, max_lines| ReadRange::Lines { start_line, max_lines };
    same(DEFAULT, "read_file", json!({"path": "a.txt"}), read("a.txt", bytes(0, None)));
    same(SMALL, "read_file", json!({"path": "a.txt"}), read("a.txt", bytes(0, None)));
    let part = json!({"path": "a.txt", "offset": 4, "length": 3});
    same(DEFAULT, "read_file", part, read("a.txt", bytes(4, Some(3))));
    same(DEFAULT, "read_file", json!({"path": "a.txt", "length": 0}), read("a.txt", bytes(0, Some(0))));
    for path in [".env", "missing", "src", "", "../x"] {
        same(DEFAULT, "read_file", json!({"path": path}), read(path, bytes(0, None)));
    }
    same(LINES, "read_file", json!({"path": "a.txt", "max_lines": 2}), read("a.txt", lines(1, Some(2))));
    same(LINES, "read_file", json!({"path": "a.txt", "start_line": 9}), read("a.txt", lines(9, None)));
    same(LINES, "read_file", json!({"path": "a.txt", "start_line": 0}), read("a.txt", lines(0, None)));
    same(LINES, "read_file", json!({"path": "a.txt", "max_lines": 0}), read("a.txt", lines(1, Some(0))));
}

#[test]
fn writes() {
    let write = |args: WriteFileArgs| {
        move |files: &Fixture| files.tools.workspace().write_file(&args, &Call::plain())
    };
    let new = WriteFileArgs::new("new.json", "{}");
    same(DEFAULT, "write_file", json!({"path": "new.json", "content": "{}"}), write(new));
    same(
        DEFAULT,
        "write_file",
        json!({"path": "a.txt", "content": "x"}),
        write(WriteFileArgs::new("a.txt", "x")),
    );
    let over = WriteFileArgs { overwrite: true, ..WriteFileArgs::new("a.txt", "x") };
    same(DEFAULT, "write_file", json!({"path": "a.txt", "content": "x", "overwrite": true}), write(over));
    let append = |args: AppendFileArgs| {
        move |files: &Fixture| files.tools.workspace().append_file(&args, &Call::plain())
    };
    for (path, content) in [("a.txt", "four\n"), ("new", "x"), ("a.txt", ""), ("src", "x")] {
        let args = json!({"path": path, "content": content});
        same(DEFAULT, "append_file", args, append(AppendFileArgs::new(path, content)));
    }
}

#[test]
fn edits() {
    let edit =
        |args: EditFileArgs| move |files: &Fixture| files.tools.workspace().edit_file(&args, &Call::plain());
    for (old, new) in [("two", "2"), ("zzz", "x"), ("o", "x"), ("one", "one"), ("", "x")] {
        let args = json!({"path": "a.txt", "old_text": old, "new_text": new});
        same(DEFAULT, "edit_file", args, edit(EditFileArgs::exact("a.txt", old, new)));
    }
    for patch in ["@@\n-two\n+2\n", "@@\n-zzz\n+2\n"] {
        let args = json!({"path": "a.txt", "patch": patch});
        same(DEFAULT, "edit_file", args, edit(EditFileArgs::patch("a.txt", patch)));
    }
    let neither = EditFileArgs { patch: None, ..EditFileArgs::patch("a.txt", "") };
    same(DEFAULT, "edit_file", json!({"path": "a.txt"}), edit(neither));
}

#[test]
fn lists_and_searches() {
    let list = |path: &'static str| {
        move |files: &Fixture| files.tools.workspace().list_dir(&ListDirArgs::new(path), &Call::plain())
    };
    for path in [".", "src", "a.txt", "missing"] {
        same(DEFAULT, "list_dir", json!({"path": path}), list(path));
    }
    let search = |args: SearchFilesArgs| {
        move |files: &Fixture| files.tools.workspace().search_files(&args, &Call::plain())
    };
    for pattern in ["o", "zzz", "("] {
        same(DEFAULT, "search_files", json!({"pattern": pattern}), search(SearchFilesArgs::content(pattern)));
    }
    let names = json!({"pattern": "*.rs", "target": "files"});
    same(DEFAULT, "search_files", names, search(SearchFilesArgs::names("*.rs")));
    let all = SearchFilesArgs {
        pattern: "o".into(),
        target: Some(Target::Content),
        path: Some(".".into()),
        file_glob: Some("*.txt".into()),
        limit: Some(1),
        offset: Some(1),
        order: Some(Order::Modified),
        output_mode: Some(OutputMode::Content),
        context: Some(99),
        after: None,
    };
    let args = json!({"pattern": "o", "target": "content", "path": ".", "file_glob": "*.txt", "limit": 1, "offset": 1,
        "order": "modified", "output_mode": "content", "context": 99});
    same(DEFAULT, "search_files", args, search(all));
}

#[test]
fn a_tool_that_is_off_is_off_for_programs_too() {
    let off = r#"{"tools": {"read_file": {"enabled": false}, "write_file": {"enabled": false},
        "edit_file": {"enabled": false}, "append_file": {"enabled": false}, "search_files": {"enabled": false}}}"#;
    let args = json!({"path": "a.txt"});
    same(off, "read_file", args, |files| {
        files.tools.workspace().read_file(&ReadFileArgs::bytes("a.txt"), &Call::plain())
    });
    let files = Fixture::with(TREE, off);
    let error =
        files.tools.workspace().write_file(&WriteFileArgs::new("x", "y"), &Call::plain()).unwrap_err();
    assert_eq!(error.code(), "tool_disabled");
    assert_eq!(error.next_step(), Some("do not try again; available are list_dir"));
}

#[test]
fn replies_have_the_facts() {
    let files = Fixture::new(TREE);
    let workspace = files.tools.workspace();
    let call = Call::plain();
    let page = ReadFileArgs { path: "a.txt".into(), range: ReadRange::Bytes { offset: 4, length: Some(3) } };
    let read = workspace.read_file(&page, &call).unwrap();
    assert_eq!((read.content.as_str(), read.bytes.clone(), read.file_bytes), ("two", 4..7, 14));
    assert_eq!((read.next, read.lines.clone()), (Some(ReadRange::Bytes { offset: 7, length: None }), None));
    let lines =
        ReadFileArgs { path: "a.txt".into(), range: ReadRange::Lines { start_line: 2, max_lines: Some(1) } };
    let read = workspace.read_file(&lines, &call).unwrap();
    assert_eq!(
        (read.content.as_str(), read.bytes.clone(), read.lines.clone()),
        ("2|two\n", 4..8, Some(2..3))
    );
    assert_eq!(read.next, Some(ReadRange::Lines { start_line: 3, max_lines: Some(1) }));
    let next = ReadFileArgs { path: "a.txt".into(), range: read.next.unwrap() };
    assert_eq!(workspace.read_file(&next, &call).unwrap().next, None);
    files.write("b", b"\0\x01");
    let binary = workspace.read_file(&ReadFileArgs::bytes("b"), &call).unwrap();
    assert!(binary.binary.is_some() && binary.content.contains("00 01"));
    let wrote = workspace.write_file(&WriteFileArgs::new("n.json", "{"), &call).unwrap();
    assert_eq!((wrote.action, wrote.bytes_written, wrote.verified), (WriteAction::Created, 1, true));
    assert!(wrote.syntax_error.is_some() && wrote.text().starts_with("{\"success\":true,"));
    let edited = workspace.edit_file(&EditFileArgs::exact("n.json", "{", "{}"), &call).unwrap();
    assert!(edited.changed && edited.for_user.is_some());
    let appended = workspace.append_file(&AppendFileArgs::new("n.json", "\n"), &call).unwrap();
    assert_eq!((appended.offset, appended.bytes_written), (2, 1));
    fs::create_dir(files.path("d")).unwrap();
    let listed = workspace.list_dir(&ListDirArgs::new("."), &call).unwrap();
    let entries: Vec<_> =
        listed.entries.iter().map(|entry| (entry.name.to_str().unwrap(), entry.kind, entry.bytes)).collect();
    assert_eq!(
        entries,
        [
            ("a.txt", EntryKind::File, Some(14)),
            ("b", EntryKind::File, Some(2)),
            ("d", EntryKind::Directory, None),
            ("n.json", EntryKind::File, Some(3)),
            ("src", EntryKind::Directory, None),
        ]
    );
    assert_eq!((listed.total, listed.next_offset), (5, None));
    let one = SearchFilesArgs { limit: Some(1), ..SearchFilesArgs::content("^t") };
    let found = workspace.search_files(&one, &call).unwrap();
    assert_eq!((found.results, found.next_offset, found.is_negative), (1, Some(1), false));
}
