//! Prints the text of documents, or measures: `pages [--first] [--measure] FILE...`.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "an example reads files and the clock, and prints"
)]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use document_text::{Document, Limits};

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|it| it.starts_with("--"));
    let has = |flag: &str| flags.iter().any(|it| it == flag);
    for file in files {
        let bytes = std::fs::read(&file)?;
        let started = Instant::now();
        let limits = Limits { max_part_bytes: usize::MAX, ..Limits::STANDARD };
        let document = Document::open(Path::new(&file), &bytes, limits)?;
        let part = document.read(1..if has("--first") { 2 } else { u64::MAX })?;
        if has("--measure") {
            // What the process has held at most, in KiB; only Linux says.
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let memory = status.lines().find_map(|it| it.strip_prefix("VmHWM:")).unwrap_or_default();
            let memory = memory.trim().trim_end_matches(" kB");
            println!("{file}\t{}\t{} us\t{memory}", document.count(), started.elapsed().as_micros());
            continue;
        }
        for unit in &part.units {
            let note = unit.note.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
            println!("--- {} {}/{}{note} ---", document.unit().name(), unit.number, document.count());
            println!("{}{}", unit.content.text(), unit.content.fields().join("\t"));
        }
    }
    Ok(())
}
