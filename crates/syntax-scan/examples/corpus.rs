//! Checks every file of a language below some directories, and reports per language what came of it.
//!
//! `cargo run --release -p syntax-scan --example corpus -- DIR...`

use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};
use syntax_scan::{Language, Outcome, scan};

#[derive(Default)]
struct Row {
    files: u64,
    bytes: u64,
    ok: u64,
    problem: u64,
    skipped: u64,
}

const LANGUAGES: [Language; 5] =
    [Language::CFamily, Language::Go, Language::Json, Language::Python, Language::Toml];

fn main() -> io::Result<()> {
    let mut rows: [Row; LANGUAGES.len()] = Default::default();
    let mut out = io::stdout().lock();
    let mut pending: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    while let Some(path) = pending.pop() {
        let Ok(meta) = fs::symlink_metadata(&path) else {
            continue;
        };
        if meta.is_dir() {
            let Ok(entries) = fs::read_dir(&path) else {
                continue;
            };
            let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            paths.sort();
            pending.extend(paths.into_iter().rev());
        } else if meta.is_file() {
            check(&path, &mut rows, &mut out)?;
        }
    }
    writeln!(
        out,
        "{:<10} {:>8} {:>13} {:>8} {:>8} {:>8}",
        "language", "files", "bytes", "ok", "problem", "skipped"
    )?;
    for (language, row) in LANGUAGES.iter().zip(&rows) {
        let Row { files, bytes, ok, problem, skipped } = row;
        let name = language.name();
        writeln!(out, "{name:<10} {files:>8} {bytes:>13} {ok:>8} {problem:>8} {skipped:>8}")?;
    }
    Ok(())
}

fn check(path: &Path, rows: &mut [Row], out: &mut impl Write) -> io::Result<()> {
    let Some(language) = Language::from_file_name(path.as_os_str().as_encoded_bytes()) else {
        return Ok(());
    };
    let Some(row) = LANGUAGES.iter().position(|known| *known == language).and_then(|at| rows.get_mut(at))
    else {
        return Ok(());
    };
    let Ok(bytes) = fs::read(path) else {
        return Ok(());
    };
    row.files += 1;
    row.bytes += bytes.len() as u64;
    match scan(language, &bytes) {
        Outcome::Ok => row.ok += 1,
        Outcome::Problem(problem) => {
            row.problem += 1;
            writeln!(out, "problem {} {}: {problem}", language.name(), path.display())?;
        }
        Outcome::Skipped(reason) => {
            row.skipped += 1;
            writeln!(out, "skipped {} {}: {reason}", language.name(), path.display())?;
        }
    }
    Ok(())
}
