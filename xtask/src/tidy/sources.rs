//! Source files: documented, of a size to read, and with tests that always run.

use super::{read, report, rust_files};
use crate::workspace;

/// A longer file holds more than one idea.
const MAX_LINES: usize = 800;

#[test]
fn the_first_line_says_what_the_file_is_for() {
    let problems: Vec<String> = rust_files()
        .iter()
        .filter(|it| {
            let text = read(it);
            let first = text.lines().next().unwrap_or_default();
            first.strip_prefix("//!").is_none_or(|it| it.trim().is_empty())
        })
        .map(|it| format!("{}: line 1 must be a `//!` sentence", it.display()))
        .collect();
    report(&problems);
}

#[test]
fn files_are_short_enough() {
    let mut problems = Vec::new();
    for file in rust_files() {
        let lines = read(&file).lines().count();
        if lines > MAX_LINES {
            problems.push(format!("{}: {lines} lines, at most {MAX_LINES}", file.display()));
        }
    }
    report(&problems);
}

#[test]
fn tests_always_run_and_never_wait() {
    let mut problems = Vec::new();
    for file in rust_files() {
        let name = file.to_string_lossy().into_owned();
        let is_test = name.contains("/tests/") || name.ends_with("tests.rs") || name.contains("/props/");
        for (at, line) in read(&file).lines().enumerate() {
            let code = line.trim_start();
            if code.starts_with("#[ignore") || code.starts_with("#[should_panic") {
                problems.push(format!("{name}:{}: {code}", at + 1));
            }
            if is_test && code.contains("thread::sleep") && !code.starts_with("//") {
                problems.push(format!("{name}:{}: a test must not sleep", at + 1));
            }
        }
    }
    report(&problems);
}

#[test]
fn no_file_names_a_place_on_this_machine() {
    let root = workspace::root();
    let mut places = Vec::new();
    // A root such as `/src` is a word that occurs elsewhere too.
    if root.components().count() > 2 {
        places.push(format!("{}/", root.display()));
    }
    if let Some(home) = std::env::home_dir() {
        places.push(format!("{}/registry/src/", home.join(".cargo").display()));
    }
    let mut problems = Vec::new();
    for file in workspace::files() {
        let text = read(&file);
        for (at, line) in text.lines().enumerate() {
            if places.iter().any(|it| line.contains(it.as_str())) {
                problems.push(format!("{}:{}: {line}", file.display(), at + 1));
            }
        }
    }
    report(&problems);
}
