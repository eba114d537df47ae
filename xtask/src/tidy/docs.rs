//! Documents that are generated say what the program says.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use super::read;
use crate::{r#gen, workspace};

/// Uses the program that this build left beside the tests. `cargo xtask test` asks cargo for a fresh one as well.
#[test]
fn tools_and_clients_are_documented_as_they_are() {
    let tests = std::env::current_exe().expect("a test has a path");
    let Some(program) =
        tests.ancestors().nth(2).map(|it| it.join(format!("fs-tools{}", std::env::consts::EXE_SUFFIX)))
    else {
        return;
    };
    if !is_fresh(&program) {
        // Written past the capture of the test runner: a skipped check must be seen.
        let note = format!("SKIPPED: {} is missing or older than the sources\n", program.display());
        std::io::stderr().write_all(note.as_bytes()).expect("standard error is open");
        return;
    }
    for (document, words) in
        [(r#gen::TOOLS, &["tools", "--markdown"][..]), (r#gen::CLIENTS, &["config", "init", "--markdown"])]
    {
        let out = Command::new(&program).args(words).output().expect("the program starts");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let fresh = r#gen::whole(document, &out.stdout).expect("the marks are in order");
        assert!(
            read(Path::new(document)).as_bytes() == fresh,
            "{document} is stale; write it with: cargo xtask gen"
        );
    }
}

/// A program older than a source file may say something else than the sources.
fn is_fresh(program: &Path) -> bool {
    let Some(built) = modified(program) else { return false };
    let root = workspace::root();
    let sources =
        workspace::files().into_iter().filter(|it| it.starts_with("crates") && it.components().count() > 2);
    sources
        .filter(|it| it.iter().nth(2).is_some_and(|dir| dir == "src"))
        .all(|it| modified(&root.join(it)).is_some_and(|it| it <= built))
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}
