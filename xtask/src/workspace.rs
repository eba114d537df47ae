//! What the tree holds: its root, its files, its packages. Every list that a task needs is read from here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::Value;
use xshell::{Shell, cmd};

/// One package of the workspace.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The folder of the package.
    pub(crate) dir: PathBuf,
    pub(crate) features: BTreeMap<String, Vec<String>>,
    /// Packages of this workspace that it depends on, for any reason.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the rule about edges asks"))]
    pub(crate) internal: Vec<String>,
    pub(crate) published: bool,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The packages of the workspace, in order of their names.
pub(crate) fn packages(sh: &Shell) -> anyhow::Result<Vec<Package>> {
    let json = cmd!(sh, "cargo metadata --format-version 1 --no-deps").quiet().read()?;
    let json: Value = serde_json::from_str(&json).context("cargo metadata")?;
    let mut packages: Vec<Package> = array(&json["packages"])
        .iter()
        .map(package)
        .collect::<Option<_>>()
        .context("cargo metadata: a package")?;
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

fn package(json: &Value) -> Option<Package> {
    let features = json["features"].as_object()?.iter().map(|(name, turns_on)| {
        (name.clone(), array(turns_on).iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect())
    });
    Some(Package {
        name: json["name"].as_str()?.to_owned(),
        dir: Path::new(json["manifest_path"].as_str()?).parent()?.to_path_buf(),
        features: features.collect(),
        internal: array(&json["dependencies"])
            .iter()
            .filter(|it| it["path"].is_string())
            .filter_map(|it| Some(it["name"].as_str()?.to_owned()))
            .collect(),
        // `null` is any registry, `[]` is none.
        published: json["publish"].as_array().is_none_or(|it| !it.is_empty()),
    })
}

fn array(json: &Value) -> &[Value] {
    json.as_array().map_or(&[], Vec::as_slice)
}

/// The folder that cargo builds into.
pub(crate) fn target_dir(sh: &Shell) -> anyhow::Result<PathBuf> {
    let json = cmd!(sh, "cargo metadata --format-version 1 --no-deps").quiet().read()?;
    let json: Value = serde_json::from_str(&json).context("cargo metadata")?;
    Ok(json["target_directory"].as_str().context("cargo metadata: target_directory")?.into())
}

/// The names of the fuzz targets, in order.
pub(crate) fn fuzz_targets() -> anyhow::Result<Vec<String>> {
    let dir = root().join("fuzz/fuzz_targets");
    let mut targets = Vec::new();
    if dir.is_dir() {
        for entry in fs::read_dir(&dir).with_context(|| dir.display().to_string())? {
            let path = entry?.path();
            if path.extension().is_some_and(|it| it == "rs") {
                targets.extend(path.file_stem().and_then(|it| Some(it.to_str()?.to_owned())));
            }
        }
    }
    targets.sort();
    Ok(targets)
}

/// The names of the benches, in order: one file per crate.
pub(crate) fn benches() -> anyhow::Result<Vec<String>> {
    let dir = root().join("benches/benches");
    let mut benches = Vec::new();
    for entry in fs::read_dir(&dir).with_context(|| dir.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "rs") {
            benches.extend(path.file_stem().and_then(|it| Some(it.to_str()?.to_owned())));
        }
    }
    benches.sort();
    Ok(benches)
}

/// Every file that belongs to the repository, relative to its root, in order: what git tracks or would track. Without git
/// (an unpacked archive) it is a walk that leaves out what builds and fuzzers write.
#[cfg(test)]
pub(crate) fn files() -> Vec<PathBuf> {
    let root = root();
    let mut files = git_files(&root).unwrap_or_else(|| {
        let mut found = Vec::new();
        walk(&root, Path::new(""), &mut found);
        found
    });
    files.retain(|it| root.join(it).is_file());
    files.sort();
    files.dedup();
    files
}

#[cfg(test)]
fn git_files(root: &Path) -> Option<Vec<PathBuf>> {
    if !root.join(".git").exists() {
        return None;
    }
    let out = std::process::Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    if !out.status.success() {
        return None;
    }
    let names = String::from_utf8_lossy(&out.stdout);
    Some(names.split('\0').filter(|it| !it.is_empty()).map(PathBuf::from).collect())
}

#[cfg(test)]
fn walk(root: &Path, below: &Path, found: &mut Vec<PathBuf>) {
    const GENERATED: &[&str] = &[".git", "fuzz/corpus", "fuzz/artifacts", "fuzz/coverage"];
    let Ok(entries) = fs::read_dir(root.join(below)) else { return };
    for entry in entries.flatten() {
        let path = below.join(entry.file_name());
        let is_target = entry.file_name().to_string_lossy().starts_with("target");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                let skip = is_target || GENERATED.iter().any(|it| path == Path::new(it));
                if !skip {
                    walk(root, &path, found);
                }
            }
            Ok(kind) if kind.is_file() => found.push(path),
            _ => {}
        }
    }
}
