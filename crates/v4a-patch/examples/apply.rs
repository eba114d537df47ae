//! Applies a patch to a file and prints the new text: `apply FILE PATCH > NEW`.
#![allow(clippy::print_stderr, reason = "an example talks to its user")]

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use v4a_patch::{Options, apply};

fn main() -> io::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, patch] = arguments.as_slice() else {
        eprintln!("usage: apply FILE PATCH");
        return Ok(ExitCode::from(2));
    };
    let (file, patch) = (fs::read(path)?, fs::read(patch)?);
    match apply(&file, &patch, path, &Options::default()) {
        Ok(done) => {
            for hunk in &done.report.hunks {
                eprintln!("hunk {} applied at line {}", hunk.hunk, hunk.line);
            }
            io::stdout().write_all(&done.bytes)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            let show = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
            eprintln!("{}: {error}", error.code());
            for failure in error.failures() {
                eprintln!("{}", failure.describe(&file, &patch, show));
            }
            Ok(ExitCode::FAILURE)
        }
    }
}
