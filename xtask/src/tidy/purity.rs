//! Cores compute: they reach no disk, no environment, no process and no clock.

use std::path::Path;

use super::{is_core, packages, read, report, rust_files};
use crate::workspace;

/// Proved by the compiler: without `std` there is no way to the outside.
const NO_STD: &[&str] = &["redact", "syntax-scan", "v4a-patch"];

/// The one core that opens files.
const SHELL: &str = "rooted-fs";

/// What the `clippy.toml` of every other core must forbid.
const FORBIDDEN: &[&str] = &[
    "std::fs::",
    "std::env::",
    "std::process::Command",
    "std::time::Instant::now",
    "std::time::SystemTime::now",
];

#[test]
fn no_std_cores_are_no_std() {
    let mut problems = Vec::new();
    for name in NO_STD {
        let lib = format!("crates/{name}/src/lib.rs");
        let text = read(Path::new(&lib));
        if !text.lines().any(|it| it.trim() == "#![no_std]") {
            problems.push(format!("{lib}: `#![no_std]` is missing"));
        }
        for file in sources_of(name) {
            let mut guarded = false;
            for (at, line) in read(Path::new(&file)).lines().enumerate() {
                if line.trim().starts_with("extern crate std") && !guarded {
                    problems.push(format!(
                        "{file}:{}: `extern crate std` needs a `cfg` of tests or a feature",
                        at + 1
                    ));
                }
                guarded = line.contains("#[cfg(") && (line.contains("test") || line.contains("feature"));
            }
        }
    }
    report(&problems);
}

#[test]
fn cores_forbid_the_outside() {
    let mut problems = Vec::new();
    for package in packages().iter().filter(|it| is_core(it) && it.name != SHELL) {
        if NO_STD.contains(&package.name.as_str()) {
            continue;
        }
        let config = format!("crates/{}/clippy.toml", package.name);
        if !workspace::root().join(&config).is_file() {
            problems.push(format!("{config}: missing"));
            continue;
        }
        let text = read(Path::new(&config));
        for path in FORBIDDEN.iter().filter(|it| !text.contains(**it)) {
            problems.push(format!("{config}: does not forbid `{path}`"));
        }
        // A list of functions is never complete, so a file that names these modules must carry a reasoned exception.
        for file in sources_of(&package.name) {
            let text = read(Path::new(&file));
            let excused = excuses(&text) || excused_by_parent(&file);
            for (at, line) in text.lines().enumerate() {
                let code = line.trim_start();
                let names = ["std::fs", "std::env", "std::process"].iter().any(|it| code.contains(it));
                if names && !excused && !code.starts_with("//") {
                    problems.push(format!("{file}:{}: {}", at + 1, code));
                }
            }
        }
    }
    report(&problems);
}

/// A reasoned exception is an attribute that names the rule.
fn excuses(text: &str) -> bool {
    text.contains("clippy::disallowed_")
}

/// An exception of a module holds for the files in its folder.
fn excused_by_parent(file: &str) -> bool {
    let Some((folder, _)) = file.rsplit_once('/') else { return false };
    let candidates = [format!("{folder}/mod.rs"), format!("{folder}.rs")];
    candidates.iter().any(|it| workspace::root().join(it).is_file() && excuses(&read(Path::new(it))))
}

fn sources_of(name: &str) -> Vec<String> {
    let prefix = format!("crates/{name}/src/");
    let names = rust_files().into_iter().map(|it| it.to_string_lossy().into_owned());
    names.filter(|it| it.starts_with(&prefix)).collect()
}
