//! Counts findings per megabyte below folders, with the speed: `cargo run --release -p redact --example measure -- 100 FOLDER...`.
//!
//! The first argument prints every n-th finding by place and kind, never its value.
#![allow(clippy::print_stdout, reason = "the measurement is the output")]

use redact::{Redactor, Report};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
    time::Instant,
};

fn walk(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_symlink() {
        return Ok(());
    }
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let mut names: Vec<PathBuf> =
        fs::read_dir(path)?.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    names.sort();
    names.iter().try_for_each(|name| walk(name, files))
}

fn main() -> io::Result<()> {
    let every: usize = env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100);
    let mut files = Vec::new();
    for folder in env::args_os().skip(2) {
        walk(Path::new(&folder), &mut files)?;
    }
    let redactor = Redactor::new();
    let (mut report, mut bytes, mut nanos, mut newline_nanos, mut lines) = (Report::default(), 0, 0, 0, 0);
    let mut spans = Vec::new();
    for file in files {
        let Ok(text) = fs::read(&file) else { continue };
        if text.len() > 5_000_000 || memchr::memchr(0, &text).is_some() {
            continue;
        }
        let start = Instant::now();
        redactor.find(&text, &mut spans);
        nanos += start.elapsed().as_nanos();
        let start = Instant::now();
        lines += memchr::memchr_iter(b'\n', &text).count();
        newline_nanos += start.elapsed().as_nanos();
        for (index, span) in spans.iter().enumerate() {
            if (report.count() + index) % every == 0 {
                println!(
                    "{}:{} {} {} of {} bytes",
                    file.display(),
                    span.start,
                    span.class,
                    span.kind,
                    span.end - span.start
                );
            }
        }
        report.add(&spans);
        bytes += text.len();
    }
    let megabytes = bytes as f64 / 1e6;
    for (kind, class, count) in report.by_kind() {
        println!("{class:12} {kind:28} {count:6} {:.3}/MB", count as f64 / megabytes);
    }
    let speed = |nanos: u128| bytes as f64 * 1e3 / nanos.max(1) as f64;
    println!(
        "{megabytes:.1} MB, {lines} lines, {:.3} findings/MB, {:.0} MB/s; counting lines {:.0} MB/s",
        report.count() as f64 / megabytes,
        speed(nanos),
        speed(newline_nanos)
    );
    Ok(())
}
