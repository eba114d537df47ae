//! Manifests: one place for versions, a reason for each dependency, and everything that a published crate needs.

use std::path::Path;

use super::{packages, read, report};
use crate::workspace;

/// More packages than this in the lock file are a decision: raise it in a commit of its own, with the reason.
/// Of the 327, PDF brings 32, an HTTP client with TLS 20, pictures and archives 16, and the sealing of versions 9.
const MAX_PACKAGES: usize = 340;

#[test]
fn every_dependency_has_a_reason() {
    let mut problems = Vec::new();
    let mut section = String::new();
    let mut has_reason = false;
    for (at, line) in read(Path::new("Cargo.toml")).lines().enumerate() {
        let line = line.trim();
        match line.chars().next() {
            None => has_reason = false,
            Some('#') => has_reason = true,
            Some('[') => section = line.to_owned(),
            Some(_) if section == "[workspace.dependencies]" && line.contains('=') && !has_reason => {
                problems.push(format!("Cargo.toml:{}: no comment above says what for: {line}", at + 1));
            }
            Some(_) => {}
        }
    }
    report(&problems);
}

#[test]
fn members_take_versions_from_the_workspace() {
    let mut problems = Vec::new();
    for package in packages() {
        let manifest = package.dir.join("Cargo.toml");
        let mut in_dependencies = false;
        for (at, line) in read(&manifest).lines().enumerate() {
            let line = line.trim();
            if line.starts_with('[') {
                in_dependencies = line.trim_end_matches(']').ends_with("dependencies");
                if line.contains("dependencies.") {
                    problems.push(format!("{}: write `{line}` as one line", package.name));
                }
            } else if in_dependencies && line.contains('=') && !line.starts_with('#') {
                let inherits = line.contains(".workspace = true") || line.contains("{ workspace = true");
                if !inherits {
                    problems.push(format!("{}/Cargo.toml:{}: {line}", package.name, at + 1));
                }
            }
        }
    }
    report(&problems);
}

#[test]
fn the_lock_file_stays_small() {
    let lock = read(Path::new("Cargo.lock"));
    let count = lock.lines().filter(|it| *it == "[[package]]").count();
    assert!(count <= MAX_PACKAGES, "{count} packages in Cargo.lock, {MAX_PACKAGES} are allowed");
}

#[test]
fn published_crates_are_complete() {
    const FILES: &[&str] = &["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
    let mut problems = Vec::new();
    for package in packages().iter().filter(|it| it.published) {
        for file in FILES.iter().filter(|it| !package.dir.join(it).is_file()) {
            problems.push(format!("{}: {file} is missing", package.name));
        }
        if !read(&package.dir.join("CHANGELOG.md")).contains("## Unreleased") {
            problems.push(format!("{}: CHANGELOG.md has no section `## Unreleased`", package.name));
        }
        let has_lib = package.dir.join("src/lib.rs").is_file();
        let has_example = package.dir.join("examples").read_dir().is_ok_and(|mut it| it.next().is_some());
        if has_lib && !has_example {
            problems.push(format!("{}: there is no example", package.name));
        }
        let tests = package.dir.join("tests");
        for entry in tests.read_dir().into_iter().flatten().flatten() {
            if entry.path().extension().is_some_and(|it| it == "rs") {
                problems.push(format!(
                    "{}: {} is a second test binary",
                    package.name,
                    entry.path().display()
                ));
            }
        }
    }
    report(&problems);
}

#[test]
fn fuzz_is_a_workspace_of_its_own() {
    let manifest = read(Path::new("fuzz/Cargo.toml"));
    assert!(
        manifest.lines().any(|it| it.trim() == "[workspace]"),
        "fuzz/Cargo.toml: `[workspace]` is missing"
    );
    assert!(workspace::root().join("fuzz").is_dir());
}
