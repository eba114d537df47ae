//! Breaks valid files in one place and measures how often the scan notices.
//!
//! `cargo run --release -p syntax-scan --example mutants -- [--count N] [--only GROUP] [--keep DIR] DIR...`
//!
//! One delimiter or quote of a file is deleted or doubled; the tool of the language decides whether the result is
//! broken. Only what the tool accepts before and rejects after the change counts. The choice is pseudo-random and
//! the same for the same files. With `--keep`, what was not noticed is written to that directory.

mod judge;

use crate::judge::{Group, Judge, Verdict};
use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};
use syntax_scan::{Language, Outcome, scan};

/// Larger files take the tools too long.
const MAX_BYTES: u64 = 400_000;
/// How many mutants are made of a file before the next one is chosen.
const PER_FILE: u64 = 4;
/// How many files are judged at once.
const WORKERS: usize = 2;
/// Files whose mutants are made together; the result does not depend on the number of workers.
const BATCH: usize = 32;

struct Options {
    /// How many rejected mutants are wanted per group.
    count: usize,
    only: Option<String>,
    keep: Option<PathBuf>,
    roots: Vec<PathBuf>,
}

/// A mutant that the tool rejects and the scan does not.
struct Miss {
    path: PathBuf,
    text: Vec<u8>,
    note: String,
}

#[derive(Default)]
struct Counts {
    mutants: usize,
    rejected: usize,
    problem: usize,
    skipped: usize,
    /// Mutants that the tool accepts and the scan does not: most are in text that the tool never sees.
    only_ours: usize,
    misses: Vec<Miss>,
}

fn main() -> io::Result<()> {
    let options = options()?;
    let mut files: BTreeMap<Group, Vec<(PathBuf, PathBuf)>> = BTreeMap::new();
    for root in &options.roots {
        collect(root, root, &mut files);
    }
    let mut out = io::stdout().lock();
    let mut lines = Vec::new();
    for (group, files) in &files {
        if options.only.as_ref().is_some_and(|only| only != group.name()) {
            continue;
        }
        if let Err(missing) = Judge::start(*group) {
            writeln!(out, "SKIPPED {}: {missing} is not installed", group.name())?;
            continue;
        }
        let counts = measure(*group, files, &options);
        for (at, miss) in counts.misses.iter().enumerate() {
            writeln!(out, "{} {} {}", group.name(), miss.path.display(), miss.note)?;
            if let Some(keep) = &options.keep {
                fs::create_dir_all(keep)?;
                let extension = miss.path.extension().unwrap_or_default().to_string_lossy();
                fs::write(keep.join(format!("{}-{at}.{extension}", group.name())), &miss.text)?;
            }
        }
        let Counts { mutants, rejected, problem, skipped, only_ours, .. } = counts;
        // Counts are far below the 2^53 that a float holds exactly.
        let noticed = 100.0 * problem as f64 / rejected.max(1) as f64;
        lines.push(format!(
            "{:<12} {:>7} {mutants:>8} {rejected:>9} {problem:>8} {skipped:>8} {only_ours:>9} {noticed:>8.2} %",
            group.name(),
            files.len()
        ));
    }
    writeln!(out, "group          files  mutants  rejected  problem  skipped only_ours   noticed")?;
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn options() -> io::Result<Options> {
    let mut options = Options { count: 1500, only: None, keep: None, roots: Vec::new() };
    let mut words = env::args_os().skip(1);
    while let Some(word) = words.next() {
        let mut value =
            || words.next().ok_or_else(|| io::Error::other(format!("{} wants a value", word.display())));
        match word.to_str() {
            Some("--count") => {
                let text = value()?.to_string_lossy().into_owned();
                options.count = text.parse().map_err(|_| io::Error::other("--count wants a number"))?;
            }
            Some("--only") => options.only = Some(value()?.to_string_lossy().into_owned()),
            Some("--keep") => options.keep = Some(value()?.into()),
            _ => options.roots.push(word.into()),
        }
    }
    Ok(options)
}

/// Finds the files of each group below `path`, in a fixed order.
fn collect(root: &Path, path: &Path, files: &mut BTreeMap<Group, Vec<(PathBuf, PathBuf)>>) {
    let Ok(meta) = fs::symlink_metadata(path) else { return };
    if meta.is_dir() {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(path).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            collect(root, &path, files);
        }
    } else if meta.is_file()
        && (1..=MAX_BYTES).contains(&meta.len())
        && let Some(group) = Group::of(path)
    {
        files.entry(group).or_default().push((root.to_owned(), path.to_owned()));
    }
}

/// Mutates files of one group until enough mutants have been rejected.
fn measure(group: Group, files: &[(PathBuf, PathBuf)], options: &Options) -> Counts {
    let mut total = Counts::default();
    let budget = options.count.saturating_mul(20) / PER_FILE as usize;
    let mut first = 0;
    while total.rejected < options.count && first < budget {
        let next = AtomicUsize::new(first);
        let mut parts: Vec<(usize, Counts)> = thread::scope(|scope| {
            let work = || {
                let mut parts = Vec::new();
                let Ok(mut judge) = Judge::start(group) else { return parts };
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= first + BATCH {
                        return parts;
                    }
                    let mut random = Random(at as u64 + 1);
                    if let Some((root, path)) = files.get(random.below(files.len())) {
                        parts.push((at, mutate(group, root, path, &mut judge, &mut random)));
                    }
                }
            };
            let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
        });
        parts.sort_by_key(|(at, _)| *at);
        for (_, part) in parts {
            total.mutants += part.mutants;
            total.rejected += part.rejected;
            total.problem += part.problem;
            total.skipped += part.skipped;
            total.only_ours += part.only_ours;
            total.misses.extend(part.misses);
        }
        first += BATCH;
    }
    total
}

/// Makes and judges the mutants of one file.
fn mutate(group: Group, root: &Path, path: &Path, judge: &mut Judge, random: &mut Random) -> Counts {
    let mut counts = Counts::default();
    let Some(language) = Language::from_file_name(path.as_os_str().as_encoded_bytes()) else {
        return counts;
    };
    let Ok(text) = fs::read(path) else { return counts };
    let places: Vec<usize> = (0..text.len()).filter(|at| group.delimiters().contains(&text[*at])).collect();
    if places.is_empty() || judge.judge(root, path, &text) != Verdict::Accepted {
        return counts;
    }
    for _ in 0..PER_FILE {
        let at = places[random.below(places.len())];
        let is_deleted = random.below(2) == 0;
        let (before, after) = (&text[..at], &text[at + 1..]);
        let byte = text[at];
        let middle: &[u8] = if is_deleted { &[] } else { &[byte, byte] };
        let mutant = [before, middle, after].concat();
        let outcome = scan(language, &mutant);
        counts.mutants += 1;
        match (judge.judge(root, path, &mutant), outcome) {
            (Verdict::Accepted, Outcome::Problem(_)) => counts.only_ours += 1,
            (Verdict::Accepted, _) | (Verdict::Unknown, _) => {}
            (Verdict::Rejected, Outcome::Problem(_)) => {
                counts.rejected += 1;
                counts.problem += 1;
            }
            (Verdict::Rejected, outcome) => {
                counts.rejected += 1;
                counts.skipped += usize::from(matches!(outcome, Outcome::Skipped(_)));
                let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                let how = if is_deleted { "without" } else { "doubled" };
                let found = match outcome {
                    Outcome::Skipped(reason) => reason.code(),
                    _ => "missed",
                };
                let note = format!("line {line}, byte {at}: {how} `{}`: {found}", char::from(byte));
                counts.misses.push(Miss { path: path.to_owned(), text: mutant, note });
            }
        }
    }
    counts
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap_or_default()
    }
}
