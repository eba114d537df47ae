//! Trains the table of `src/tables/bigrams.rs` on the files below the given folders and prints it.
//!
//! The recipe: every distinct run of 12 to 200 token characters of every text file counts once, unless it is
//! hexadecimal or changes between letter classes and digits at more than a third of its steps; names of lock files are skipped.
//! An entry is `16 * log2(p(b|a) / 2^-6)`, where `p` is smoothed by one and the digits share one symbol.
#![allow(clippy::print_stdout, reason = "the table is the output")]

use std::{
    collections::HashSet,
    env, fs, io,
    path::{Path, PathBuf},
};

const SYMBOLS: usize = 54;

fn symbol(byte: u8) -> usize {
    match byte {
        b'a'..=b'z' => usize::from(byte - b'a'),
        b'A'..=b'Z' => 26 + usize::from(byte - b'A'),
        b'0'..=b'9' => 52,
        _ => 53,
    }
}

fn class(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/=~".contains(&byte)
}

fn is_natural(run: &[u8]) -> bool {
    let changes = run.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    !run.iter().all(u8::is_ascii_hexdigit) && changes * 3 <= run.len()
}

fn walk(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        let mut names: Vec<PathBuf> =
            fs::read_dir(path)?.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        names.sort();
        names.iter().filter(|name| !name.is_symlink()).try_for_each(|name| walk(name, files))
    } else {
        files.push(path.to_path_buf());
        Ok(())
    }
}

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for root in env::args_os().skip(1) {
        walk(Path::new(&root), &mut files)?;
    }
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let mut counts = vec![[1u64; SYMBOLS]; SYMBOLS];
    for file in files.iter().filter(|file| !file.to_string_lossy().contains("lock")) {
        let Ok(bytes) = fs::read(file) else { continue };
        if bytes.len() > 2_000_000 || memchr::memchr(0, &bytes).is_some() {
            continue;
        }
        for run in bytes.split(|&byte| !is_token(byte)) {
            if (12..=200).contains(&run.len()) && is_natural(run) && seen.insert(run.to_vec()) {
                for pair in run.windows(2) {
                    counts[symbol(pair[0])][symbol(pair[1])] += 1;
                }
            }
        }
    }
    for row in &counts {
        let sum: u64 = row.iter().sum();
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(to, &count)| {
                let width = if to == 52 {
                    10.0
                } else if to == 53 {
                    2.0
                } else {
                    1.0
                };
                let bits = (count as f64 / sum as f64 / width * 64.0).log2() * 16.0;
                (bits.round().clamp(-100.0, 100.0) as i8).to_string()
            })
            .collect();
        println!("    [{}],", cells.join(", "));
    }
    Ok(())
}
