//! Replays every seed and every regression input of the fuzz targets on stable, without a fuzzer.
//!
//! Each module of `props` lists its targets in `TARGETS`. The list and the files in `fuzz/` must name the same targets:
//! a target that is not listed is never replayed, and a listed one without a file is never fuzzed.

use std::collections::BTreeSet;
use std::fs;
use std::panic;
use std::path::{Path, PathBuf};

/// Fewer seeds than this leave the fuzzer to guess the shape of the input.
const MIN_SEEDS: usize = 3;

type Property = fn(&[u8]);

struct Module {
    name: &'static str,
    /// `None` when the feature of the module is off, so that its properties are not compiled in.
    targets: Option<&'static [(&'static str, Property)]>,
}

/// One line per module of `props`: its feature and its name.
macro_rules! modules {
    ($($feature:literal => $module:ident,)*) => {
        fn modules() -> Vec<Module> {
            vec![$(Module {
                name: stringify!($module),
                #[cfg(feature = $feature)]
                targets: Some(props::$module::TARGETS),
                #[cfg(not(feature = $feature))]
                targets: None,
            },)*]
        }
    };
}

modules! {
    "document-text" => document_text,
    "file-history" => file_history,
    "fs-tools" => fs_tools,
    "redact" => redact,
    "rooted-fs" => rooted_fs,
    "sandbox-policy" => sandbox_policy,
    "search-engine" => search_engine,
    "syntax-scan" => syntax_scan,
    "v4a-patch" => v4a_patch,
}

#[test]
fn every_input_on_file_keeps_the_laws() {
    let mut broken = Vec::new();
    let mut replayed = 0;
    for module in modules() {
        for &(target, property) in module.targets.unwrap_or_default() {
            for file in inputs(target) {
                let bytes = fs::read(&file).expect("an input file can be read");
                replayed += 1;
                if panic::catch_unwind(|| property(&bytes)).is_err() {
                    broken.push(file.display().to_string());
                }
            }
        }
    }
    println!("{replayed} inputs replayed");
    assert!(broken.is_empty(), "laws broken by:\n{}", broken.join("\n"));
}

#[test]
fn targets_and_registry_agree() {
    let files = target_files();
    let modules = modules();
    let mut problems = Vec::new();
    for file in &files {
        match modules.iter().find(|it| belongs(file, it.name)) {
            None => problems.push(format!("{file}: no module of `props` has this prefix")),
            Some(module) => {
                let listed = module.targets.is_none_or(|it| it.iter().any(|(name, _)| name == file));
                if !listed {
                    problems.push(format!("{file}: missing in `props::{}::TARGETS`", module.name));
                }
            }
        }
    }
    for module in &modules {
        let mut seen = BTreeSet::new();
        for &(target, _) in module.targets.unwrap_or_default() {
            if !belongs(target, module.name) {
                problems.push(format!("{target}: must start with `{}_`", module.name));
            }
            if !seen.insert(target) {
                problems.push(format!("{target}: listed twice"));
            }
            if !files.contains(target) {
                problems.push(format!("{target}: no file fuzz/fuzz_targets/{target}.rs"));
            }
            let seeds = files_below(&fuzz_dir().join("seeds").join(target)).len();
            if seeds < MIN_SEEDS {
                problems.push(format!("{target}: {seeds} seeds, at least {MIN_SEEDS} are needed"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn belongs(target: &str, module: &str) -> bool {
    target.strip_prefix(module).is_some_and(|rest| rest.starts_with('_'))
}

fn fuzz_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn target_files() -> BTreeSet<String> {
    files_below(&fuzz_dir().join("fuzz_targets"))
        .iter()
        .filter(|it| it.extension().is_some_and(|ext| ext == "rs"))
        .filter_map(|it| Some(it.file_stem()?.to_str()?.to_owned()))
        .collect()
}

fn inputs(target: &str) -> Vec<PathBuf> {
    let mut all = files_below(&fuzz_dir().join("seeds").join(target));
    all.extend(files_below(&fuzz_dir().join("regressions").join(target)));
    all
}

/// The files directly in `dir`, in order of their names; none when there is no such folder.
fn files_below(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        entries.filter_map(|it| Some(it.ok()?.path())).filter(|it| it.is_file()).collect();
    files.sort();
    files
}
