//! The line of progress: on a terminal, and gone at the end.

use std::io::Write as _;
use std::process::Stdio;

use crate::client::fs_tools;
use crate::terminal::Terminal;

#[test]
fn long_work_says_how_far_it_is_and_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::open();
    let mut child = fs_tools(dir.path())
        .arg("redact")
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(terminal.end.try_clone().unwrap())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"some words\n").unwrap();
    // The work lasts until its input ends.
    terminal.wait_for("fs-tools: masking 11 bytes, ");
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"some words\n"[..]));
    let shown = terminal.close();
    assert!(shown.starts_with("\r\x1b[Kfs-tools: masking ") && shown.ends_with(" s\r\x1b[K"), "{shown:?}");
}
