//! The rules of this repository that no compiler checks, as ordinary tests.

mod conformance;
mod docs;
mod edges;
mod fuzzing;
mod manifests;
mod purity;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

use xshell::Shell;

use crate::workspace::{self, Package};

/// Fails with all problems at once, so that one run is enough to fix them.
#[track_caller]
fn report(problems: &[String]) {
    assert!(problems.is_empty(), "{} problems:\n{}\n", problems.len(), problems.join("\n"));
}

fn read(path: &Path) -> String {
    let path = workspace::root().join(path);
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn packages() -> Vec<Package> {
    let sh = Shell::new().expect("there is a working directory");
    sh.change_dir(workspace::root());
    workspace::packages(&sh).expect("cargo metadata works in a workspace that cargo just built")
}

/// Source files, without the inputs and expected outputs of tests.
fn rust_files() -> Vec<PathBuf> {
    workspace::files()
        .into_iter()
        .filter(|it| it.extension().is_some_and(|ext| ext == "rs"))
        .filter(|it| !it.to_string_lossy().contains("/data/"))
        .collect()
}

/// Crates that compute, each on its own: all but the facade, the front end, and what is never published.
fn is_core(package: &Package) -> bool {
    package.published && !matches!(package.name.as_str(), "fs-tools" | "fs-tools-cli")
}
