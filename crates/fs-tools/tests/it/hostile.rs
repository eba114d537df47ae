//! A hostile tree: nothing hangs, panics, leaks or grows.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::fixture::Fixture;

/// FIFO, socket, link loop, links out, empty, binary, one line of 5 MB, a name that is not UTF-8, a deep directory.
fn hostile() -> Fixture {
    let files = Fixture::new("//- /plain.txt\nneedle\n");
    fs::write(files.outside("secret"), "canary needle\n").unwrap();
    mknodat(CWD, files.path("fifo"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let _ = std::os::unix::net::UnixListener::bind(files.path("socket")).unwrap();
    symlink("loop-b", files.path("loop-a")).unwrap();
    symlink("loop-a", files.path("loop-b")).unwrap();
    symlink("../secret", files.path("out")).unwrap();
    symlink("..", files.path("out-dir")).unwrap();
    symlink(".", files.path("self")).unwrap();
    files.write("empty", "");
    files.write("binary", [0u8, 159, 146, 150].repeat(1_000));
    files.write("line", format!("{}needle{}", "x".repeat(2_500_000), "y".repeat(2_500_000)));
    fs::write(files.path("").join(OsStr::from_bytes(b"bad\xff\x1b[31m")), "needle\n").unwrap();
    let mut deep = files.path("deep");
    for _ in 0..120 {
        deep.push("d");
    }
    fs::create_dir_all(&deep).unwrap();
    files
}

const NAMES: [&str; 13] = [
    "fifo",
    "socket",
    "loop-a",
    "out",
    "out-dir/secret",
    "self/self/self/plain.txt",
    "empty",
    "binary",
    "line",
    "bad\\x{FF}\\x{1B}[31m",
    "deep",
    "missing",
    "",
];

#[test]
fn every_tool_answers_every_object() {
    let files = hostile();
    for name in NAMES {
        for (tool, args) in [
            ("read_file", json!({"path": name})),
            ("read_file", json!({"path": name, "offset": u64::MAX, "length": u64::MAX})),
            ("list_dir", json!({"path": name})),
            ("search_files", json!({"pattern": "needle", "path": name})),
            ("search_files", json!({"pattern": "", "target": "files", "path": name})),
            ("edit_file", json!({"path": name, "old_text": "absent", "new_text": "x"})),
            ("edit_file", json!({"path": name, "patch": "@@\n-absent\n+x\n"})),
            ("write_file", json!({"path": name, "content": "x"})),
        ] {
            if tool == "write_file" && matches!(name, "missing" | "empty") {
                continue;
            }
            let reply = files.call(tool, args.clone());
            assert!(!reply.for_model.contains("canary"), "{tool} {args}: {}", reply.for_model);
            assert!(!reply.for_model.contains('\u{1b}'), "{tool} {args}: {}", reply.for_model);
            assert!(reply.for_model.chars().count() <= 70_000, "{tool} {args}");
            if let Some(error) = &reply.error {
                assert!(!error.code().is_empty() && error.next_step().is_some(), "{tool} {args}: {error}");
                assert_ne!(error.code(), "internal", "{tool} {args}: {error}");
            }
        }
    }
}

#[test]
fn a_walk_passes_over_what_it_must_not_open() {
    let files = hostile();
    let text = files.ok("search_files", json!({"pattern": "needle|canary"}));
    assert!(text.contains("plain.txt:1: needle") && !text.contains("canary"), "{text}");
    assert!(text.contains("bad\\x{FF}\\x{1B}[31m:1: needle"), "{text}");
    let text = files.ok("list_dir", json!({"path": "."}));
    assert!(text.contains("OTHER: fifo (FIFO)\n") && text.contains("LINK: out\n"), "{text}");
    assert_eq!(files.text("search_files", json!({"pattern": "x", "path": "fifo"})).lines().count(), 1);
}

#[test]
fn refusals_of_special_objects_have_their_codes() {
    let files = hostile();
    for (name, code) in [
        ("fifo", "not_a_regular_file"),
        ("socket", "not_a_regular_file"),
        ("loop-a", "symlink_loop"),
        ("out", "outside_workspace"),
        ("deep", "is_a_directory"),
        ("missing", "not_found"),
        ("", "empty_path"),
    ] {
        assert_eq!(files.code("read_file", json!({"path": name})), code, "read {name}");
        if name != "missing" {
            assert_eq!(
                files.code("append_file", json!({"path": name, "content": "x"})),
                code,
                "append {name}"
            );
        }
    }
}

#[test]
fn the_last_byte_of_a_long_line_is_reachable() {
    let files = hostile();
    let page = files.ok("read_file", json!({"path": "line", "offset": 5_000_000}));
    assert!(page.ends_with("\nyyyyyy"), "{page}");
}
