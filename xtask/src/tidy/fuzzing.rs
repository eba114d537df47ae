//! Fuzz targets: three lines that call a property, with seeds to start from.

use std::path::Path;

use super::{read, report};
use crate::workspace;

/// Fewer leave the fuzzer to guess the shape of the input.
const MIN_SEEDS: usize = 3;

#[test]
fn targets_call_a_property_and_nothing_else() {
    let mut problems = Vec::new();
    for target in targets() {
        let file = format!("fuzz/fuzz_targets/{target}.rs");
        let text = read(Path::new(&file));
        let code: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|it| !it.is_empty() && !it.starts_with("//") && *it != "#![no_main]")
            .collect();
        let code = code.join(" ");
        let one_call = code.matches("fuzz_target!").count() == 1
            && code.matches(';').count() <= 2
            && code.matches("props::").count() == 1
            && code.contains("|data: &[u8]|");
        if !one_call {
            problems.push(format!(
                "{file}: must be one `fuzz_target!` that calls one function of `props` on `&[u8]`"
            ));
        }
    }
    report(&problems);
}

#[test]
fn targets_have_seeds_and_an_entry() {
    let manifest = read(Path::new("fuzz/Cargo.toml"));
    let mut problems = Vec::new();
    for target in targets() {
        let seeds = workspace::root().join("fuzz/seeds").join(&target);
        let count = seeds.read_dir().map_or(0, |it| it.flatten().filter(|it| it.path().is_file()).count());
        if count < MIN_SEEDS {
            problems.push(format!("fuzz/seeds/{target}: {count} seeds, at least {MIN_SEEDS}"));
        }
        if !manifest.contains(&format!("\nname = \"{target}\"\npath = \"fuzz_targets/{target}.rs\"\n")) {
            problems.push(format!("fuzz/Cargo.toml: no `[[bin]]` for {target}"));
        }
    }
    report(&problems);
}

#[test]
fn inputs_and_dictionaries_belong_to_a_target() {
    let targets = targets();
    let mut problems = Vec::new();
    for file in workspace::files() {
        let parts: Vec<String> = file.iter().map(|it| it.to_string_lossy().into_owned()).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["fuzz", "seeds" | "regressions", target, _] if !targets.iter().any(|it| it == target) => {
                problems.push(format!("{}: there is no such target", file.display()));
            }
            ["fuzz", "dict", name] => {
                let prefix = name.strip_suffix(".dict").map(|it| format!("{}_", it.replace('-', "_")));
                if !prefix.is_some_and(|it| targets.iter().any(|target| target.starts_with(&it))) {
                    problems.push(format!("{}: no target uses it", file.display()));
                }
            }
            _ => {}
        }
    }
    report(&problems);
}

fn targets() -> Vec<String> {
    workspace::fuzz_targets().expect("the folder of the targets can be read")
}
