//! The list of what proves the classic tools is complete, and what it names exists.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{read, report, rust_files};

const DOCUMENT: &str = "docs/conformance-classic.md";
const VECTORS: &str = "crates/fs-tools/tests/it/vectors";

/// The groups of vectors, and how many each has.
const GROUPS: [(&str, usize); 18] = [
    ("RB", 26),
    ("RL", 30),
    ("WF", 30),
    ("AT", 8),
    ("ED", 16),
    ("DF", 12),
    ("PA", 26),
    ("AP", 11),
    ("LD", 9),
    ("SE", 34),
    ("SN", 13),
    ("GI", 16),
    ("SB", 16),
    ("PR", 5),
    ("RX", 23),
    ("NZ", 12),
    ("VA", 10),
    ("SY", 12),
];

/// Rows of the table below a heading, each as its cells.
fn rows(document: &str, heading: &str) -> Vec<Vec<String>> {
    let mut lines = document.lines().skip_while(|line| *line != format!("## {heading}")).skip(1);
    let section = lines.by_ref().take_while(|line| !line.starts_with("## "));
    section
        .filter(|line| line.starts_with('|') && !line.starts_with("|---"))
        .skip(1)
        .map(|line| line.replace("\\|", "\u{0}"))
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect())
        .collect()
}

/// Ids in the first cells of a table; with each, what its row says in the second.
fn listed(document: &str, heading: &str) -> Vec<(String, String)> {
    let mut ids = Vec::new();
    for row in rows(document, heading) {
        for id in row[0].split_whitespace() {
            ids.push((id.to_owned(), row.get(1).cloned().unwrap_or_default()));
        }
    }
    ids
}

/// Source files of the vectors, as one text.
fn vectors() -> String {
    rust_files().iter().filter(|it| it.starts_with(VECTORS)).map(|it| read(it)).collect()
}

#[test]
fn every_vector_is_proven_in_one_place() {
    let document = read(Path::new(DOCUMENT));
    let source = vectors();
    let has_case = |id: &str| source.contains(&format!("\"{id}\""));
    let mut places: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut problems = Vec::new();
    for (heading, is_case) in [
        ("Vectors with a case of their own", true),
        ("Vectors that another test proves", false),
        ("Vectors about what is not there", false),
    ] {
        for (id, _) in listed(&document, heading) {
            if has_case(&id) != is_case {
                let not = if is_case { "no" } else { "a" };
                problems.push(format!("{id} is listed under `{heading}` and has {not} case in {VECTORS}"));
            }
            places.entry(id).or_default().push(heading);
        }
    }
    for (group, count) in GROUPS {
        for number in 1..=count {
            let id = format!("{group}{number}");
            match places.remove(&id).as_deref() {
                None => problems.push(format!("{id} is not listed in {DOCUMENT}")),
                Some([_]) => {}
                Some(several) => problems.push(format!("{id} is listed several times: {several:?}")),
            }
        }
    }
    problems.extend(places.keys().map(|id| format!("{id} is listed and is no vector")));
    for (id, _) in listed(&document, "Vectors that a design decision changes") {
        if !has_case(&id) {
            problems.push(format!("{id} is changed by a decision, which no case asserts"));
        }
    }
    report(&problems);
}

/// Sections whose second column is no test.
const WITHOUT_TESTS: [&str; 2] =
    ["Vectors that a design decision changes", "Vectors about what is not there"];

#[test]
fn every_statement_names_a_test_that_exists() {
    let document = read(Path::new(DOCUMENT));
    let files = rust_files();
    let mut problems = Vec::new();
    let headings = document.lines().filter_map(|line| line.strip_prefix("## "));
    for heading in headings.filter(|it| !WITHOUT_TESTS.contains(it)) {
        for row in rows(&document, heading) {
            let cell = row.get(1).map_or("", String::as_str);
            let names: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
            if names.is_empty() && !cell.starts_with("declined: ") {
                problems.push(format!("{heading}: `{}` has no test", row[0]));
            }
            problems.extend(
                names
                    .iter()
                    .filter(|name| !exists(name, &files))
                    .map(|name| format!("{name} does not exist")),
            );
        }
    }
    report(&problems);
}

/// Whether there is a test `crate: module::test`, or `module::test` of the facade.
fn exists(name: &str, files: &[PathBuf]) -> bool {
    let (package, path) = name.split_once(": ").unwrap_or(("fs-tools", name));
    let Some((module, test)) = path.rsplit_once("::") else { return false };
    let stem = module.rsplit("::").next().unwrap_or(module);
    let declared = format!("fn {test}(");
    files.iter().any(|file| {
        file.starts_with(Path::new("crates").join(package))
            && file.file_stem().is_some_and(|it| it == stem)
            && read(file).contains(&declared)
    })
}
