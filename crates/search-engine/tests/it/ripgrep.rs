//! Rows against those of ripgrep, where it is installed.

use std::{path::Path, process::Command};

use search_engine::{Collected, Limits, NamePattern, OwnedRow, Page, Query};

use crate::{
    disk::{DiskTree, write},
    support::{LINES, pattern},
};

fn rg(dir: &Path, args: &[&str]) -> Option<Vec<u8>> {
    let fixed = [
        "--no-config",
        "--no-require-git",
        "--hidden",
        "-g",
        "!.git",
        "--sort",
        "path",
        "--crlf",
        "--color=never",
    ];
    let output = Command::new("rg").args(fixed).args(args).current_dir(dir).output();
    if output.is_err() {
        eprintln!("SKIPPED: rg is not installed, so rows are not compared with it");
    }
    Some(output.ok()?.stdout)
}

fn corpus() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let code =
        "use std::io;\n\nfn main() {\n    let x = foo(1);\r\n    // TODO: needle, Needle\n}\n".repeat(40);
    let big = format!("{}needle at the end", "some text that fills the line\n".repeat(20_000));
    write(
        dir.path(),
        &[
            (".gitignore", b"target/\n*.log\n!keep.log\n"),
            ("src/main.rs", code.as_bytes()),
            ("src/a/b.rs", b"needle\n"),
            ("src.txt", b"needle\nfoo\n"),
            ("src/.hidden", b"Needle"),
            ("target/x", b"needle"),
            ("a.log", b"needle"),
            ("deep/keep.log", b"\n\nneedle\n\n"),
            ("deep/.ignore", b"*.tmp\n"),
            ("deep/x.tmp", b"needle"),
            ("big", big.as_bytes()),
            ("empty", b""),
            ("utf8", "é needle é\n".as_bytes()),
            ("bom", "\u{FEFF}needle\n".as_bytes()),
        ],
    );
    dir
}

#[test]
fn lines() {
    let dir = corpus();
    for source in [
        "needle",
        "^needle",
        "needle$",
        "(?i)needle",
        r"fn \w+\(",
        "foo|TODO",
        "^$",
        "x = .*;$",
        r"\bneed",
        "[^a-z ]{3}",
        "",
    ] {
        let Some(theirs) = rg(dir.path(), &["-n", "--with-filename", "--no-heading", source, "."]) else {
            return;
        };
        for threads in [1, 2, 4] {
            let query = Query::content(pattern(source), LINES);
            let limits = Limits::LIFTED.with_threads(threads);
            let found =
                Collected::run(&DiskTree(dir.path().to_owned()), &query, &Page::ALL, &limits).unwrap();
            let mut ours = String::new();
            for row in &found.rows {
                let OwnedRow::Line { path, line, text, .. } = row else { panic!("not a line") };
                ours.push_str(&format!("./{}:{line}:{}\n", path.display(), String::from_utf8_lossy(text)));
            }
            let theirs = String::from_utf8_lossy(&theirs).replace(['\r', '\u{FEFF}'], "");
            assert_eq!(ours, theirs, "{source}");
        }
    }
}

#[test]
fn names() {
    let dir = corpus();
    let Some(theirs) = rg(dir.path(), &["--files"]) else { return };
    let query = Query::names(NamePattern::all());
    let found =
        Collected::run(&DiskTree(dir.path().to_owned()), &query, &Page::ALL, &Limits::LIFTED).unwrap();
    let ours: String = found.rows.iter().map(|r| format!("{}\n", r.path().display())).collect();
    assert_eq!(ours, String::from_utf8_lossy(&theirs));
}
