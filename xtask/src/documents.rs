//! `cargo xtask documents`: our text of PDFs beside that of `pdftotext`, on the manuals of this machine.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use xshell::Shell;

use crate::flags::Documents;
use crate::step::{Step, heading, skip};
use crate::{tool, workspace};

/// Where Debian's packages put their manuals.
const MANUALS: &str = "/usr/share/doc";

/// Each program runs so often on each file, in turn; the fastest run counts, since only noise makes one slower.
const RUNS: u32 = 3;

/// Words that both must have, and of which the rest are looked at by hand.
const EXPECTED: f64 = 0.95;

pub(crate) fn run(sh: &Shell, flags: &Documents) -> anyhow::Result<()> {
    if !tool::answers(sh, "pdftotext", &["-v"]) {
        skip("comparison of documents", "pdftotext is missing (package poppler-utils): nothing was compared");
        return Ok(());
    }
    let files = if flags.file.is_empty() { manuals(Path::new(MANUALS)) } else { flags.file.clone() };
    if files.is_empty() {
        skip("comparison of documents", "there is no PDF in /usr/share/doc, and none was named");
        return Ok(());
    }
    let build = "cargo build --release -q -p document-text --example pages";
    Step::new("our program", build).run(sh)?;
    let target = workspace::target_dir(sh)?;
    let ours = target.join("release/examples/pages");
    let place = target.join("documents");
    fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    let runs = flags.runs.unwrap_or(RUNS);
    heading("ours beside `pdftotext -layout`");
    println!("| file | pages | recall | precision | time, whole | time, first page | memory |");
    println!("|---|---|---|---|---|---|---|");
    let mut below = Vec::new();
    for file in files {
        let name = file.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        let pdf = unpacked(&file, &place)?;
        let row = compare(&ours, &pdf, runs).with_context(|| file.display().to_string())?;
        println!("| {name} | {row}");
        if row.recall < EXPECTED || row.precision < EXPECTED {
            below.push(name);
        }
    }
    if !below.is_empty() {
        println!("\nbelow {EXPECTED}: {}", below.join(", "));
    }
    Ok(())
}

struct Row {
    pages: usize,
    recall: f64,
    precision: f64,
    whole: f64,
    first: f64,
    memory_mib: u64,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Row { pages, recall, precision, whole, first, memory_mib } = self;
        write!(f, "{pages} | {recall:.3} | {precision:.3} | {whole:.2} | {first:.2} | {memory_mib} MiB |")
    }
}

fn compare(ours: &Path, pdf: &Path, runs: u32) -> anyhow::Result<Row> {
    let ours = |flags: &[&str]| {
        let mut command = Command::new(ours);
        command.args(flags).arg(pdf);
        command
    };
    let theirs = |flags: &[&str]| {
        let mut command = Command::new("pdftotext");
        command.arg("-layout").args(flags).arg(pdf).arg("-");
        command
    };
    let mut times = [Duration::MAX; 4];
    let mut texts = [String::new(), String::new()];
    for _ in 0..runs.max(1) {
        let commands = [ours(&[]), theirs(&[]), ours(&["--first"]), theirs(&["-f", "1", "-l", "1"])];
        for (at, mut command) in commands.into_iter().enumerate() {
            let started = Instant::now();
            let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output()?;
            times[at] = times[at].min(started.elapsed());
            if !output.status.success() {
                bail!("{command:?} ended with {}", output.status);
            }
            if let Some(text) = texts.get_mut(at) {
                *text = String::from_utf8_lossy(&output.stdout).into_owned();
            }
        }
    }
    let [text, reference] = &texts;
    let is_mark = |it: &&str| it.starts_with("--- page ") && it.ends_with(" ---");
    let pages = text.lines().filter(is_mark).count();
    let text: Vec<&str> = text.lines().filter(|it| !is_mark(it)).collect();
    let (found, expected) = (words(&text.join("\n")), words(reference));
    let shared: usize =
        expected.iter().map(|(word, count)| (*count).min(found.get(word).copied().unwrap_or(0))).sum();
    // Of no words, none is missing.
    let share = |of: &HashMap<String, usize>| match of.values().sum::<usize>() {
        0 => 1.0,
        all => shared as f64 / all as f64,
    };
    let measured = ours(&["--measure"]).output()?;
    let measured = String::from_utf8_lossy(&measured.stdout).into_owned();
    let memory = measured.trim_end().rsplit('\t').next().and_then(|it| it.parse::<u64>().ok());
    Ok(Row {
        pages,
        recall: share(&expected),
        precision: share(&found),
        whole: times[0].as_secs_f64() / times[1].as_secs_f64(),
        first: times[2].as_secs_f64() / times[3].as_secs_f64(),
        memory_mib: memory.unwrap_or(0) / 1024,
    })
}

/// How often each word occurs. Letters that are drawn as one count as several: only one of the two writes them so.
fn words(text: &str) -> HashMap<String, usize> {
    const LIGATURES: [(&str, &str); 5] = [
        ("\u{fb00}", "ff"),
        ("\u{fb01}", "fi"),
        ("\u{fb02}", "fl"),
        ("\u{fb03}", "ffi"),
        ("\u{fb04}", "ffl"),
    ];
    let mut counts = HashMap::new();
    for word in text.split_whitespace() {
        let mut word = word.to_owned();
        for (one, several) in LIGATURES {
            if word.contains(one) {
                word = word.replace(one, several);
            }
        }
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

/// A file that Debian packed is unpacked into a folder of the build.
fn unpacked(file: &Path, place: &Path) -> anyhow::Result<PathBuf> {
    if file.extension().is_none_or(|it| it != "gz") {
        return Ok(file.to_owned());
    }
    let output = Command::new("gzip").arg("-dc").arg(file).output()?;
    let name = file.file_stem().context("a file without a name")?;
    let pdf = place.join(name);
    fs::write(&pdf, output.stdout)?;
    Ok(pdf)
}

/// Every PDF below a folder, each once, in order.
fn manuals(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            // A link is a second name of a manual.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(kind) if kind.is_file() => {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    if name.ends_with(".pdf") || name.ends_with(".pdf.gz") {
                        found.push(path);
                    }
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_counted_as_they_are_searched_for() {
        let counts = words("of\u{fb01}ce office\n of");
        assert_eq!((counts.get("office"), counts.get("of"), counts.len()), (Some(&2), Some(&1), 2));
    }
}
