//! Pages of very large files: memory does not depend on the size, and reads by byte not on the offset.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Session, text};

const GIB: u64 = 1 << 30;
/// How much more memory a page of a large file may take than one of a small file, in KiB.
const GROWTH_KIB: u64 = 16 * 1024;

fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    fs::write(dir.path().join("lines.json"), r#"{"tools": {"read_file": {"mode": "lines"}}}"#).unwrap();
    (dir, root)
}

fn by_lines(root: &Path) -> Session {
    let config = root.parent().unwrap().join("lines.json");
    Session::start(root, &["--config", config.to_str().unwrap()]).shake_hands()
}

/// A gibibyte: text, a hole in the middle, and text.
fn sparse(root: &Path) {
    let file = File::create(root.join("sparse")).unwrap();
    file.set_len(GIB).unwrap();
    file.write_all_at("the first lines\n".repeat(2_000).as_bytes(), 0).unwrap();
    file.write_all_at(b"\nthe last line\n", GIB - 15).unwrap();
}

/// 96 MiB of numbered lines.
fn dense(root: &Path) -> u64 {
    let mut file = std::io::BufWriter::new(File::create(root.join("dense")).unwrap());
    let lines = 96 * 1024 * 1024 / 16;
    for n in 0..lines {
        writeln!(file, "line {n:010}").unwrap();
    }
    lines
}

#[track_caller]
fn page(session: &mut Session, args: Value) -> String {
    let result = session.call("read_file", args);
    assert_eq!(result["isError"], false, "{result}");
    text(&result).to_owned()
}

#[test]
fn memory_does_not_grow_with_the_file() {
    let (_dir, root) = place();
    sparse(&root);
    let lines = dense(&root);
    // A small file whose pages are as large as those of the others.
    fs::write(root.join("small"), "line 0000000000\n".repeat(10_000)).unwrap();
    let mut bytes = Session::open(&root);
    page(&mut bytes, json!({"path": "small"}));
    let small = bytes.peak_kib();
    for offset in [0, GIB / 2, GIB - 15] {
        page(&mut bytes, json!({"path": "sparse", "offset": offset}));
    }
    for offset in [0, lines * 8, (lines - 1) * 16] {
        let shown = page(&mut bytes, json!({"path": "dense", "offset": offset}));
        assert!(shown.contains(&format!("line {:010}", offset / 16)), "{offset}");
    }
    let large = bytes.peak_kib();
    assert!(large <= small + GROWTH_KIB, "by bytes: {small} KiB, then {large} KiB");

    let mut numbered = by_lines(&root);
    page(&mut numbered, json!({"path": "small"}));
    let small = numbered.peak_kib();
    let first = page(&mut numbered, json!({"path": "sparse", "start_line": 1_990, "max_lines": 5}));
    assert!(first.contains("1990|the first lines\n"), "{first}");
    // The line in the middle is nearly a gibibyte long.
    let last = page(&mut numbered, json!({"path": "sparse", "start_line": 2_000, "max_lines": 3}));
    assert!(last.contains("2000|the first lines\n") && last.contains("2002|the last line\n"), "{last}");
    for line in [1, lines / 2, lines] {
        let shown = page(&mut numbered, json!({"path": "dense", "start_line": line, "max_lines": 1}));
        assert!(shown.contains(&format!("{line}|line {:010}\n", line - 1)), "{shown}");
    }
    let large = numbered.peak_kib();
    assert!(large <= small + GROWTH_KIB, "by lines: {small} KiB, then {large} KiB");
}

#[test]
fn a_byte_page_reads_the_same_at_every_offset() {
    let (_dir, root) = place();
    sparse(&root);
    let mut session = Session::open(&root);
    page(&mut session, json!({"path": "sparse", "offset": 0, "length": 4_096}));
    if session.has_read().is_none() {
        eprintln!("skipped: this system does not count what a process reads");
        return;
    }
    let mut cost = |offset: u64| {
        let (bytes_before, calls_before) = session.has_read().unwrap();
        page(&mut session, json!({"path": "sparse", "offset": offset, "length": 4_096}));
        let (bytes, calls) = session.has_read().unwrap();
        (bytes - bytes_before, calls - calls_before)
    };
    // The page, what surrounds it for masking, the head of the file, and the request itself.
    for offset in [0, 1 << 20, GIB / 2, GIB - 4_096] {
        let (bytes, calls) = cost(offset);
        assert!(bytes <= 256 * 1024 && calls <= 64, "at {offset}: {bytes} bytes in {calls} calls");
    }
}
