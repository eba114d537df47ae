//! Checks one file: `cargo run -p syntax-scan --example check -- FILE`.

use std::{
    env, fs,
    io::{self, Write},
};
use syntax_scan::{Language, Outcome, scan};

fn main() -> io::Result<()> {
    let path = env::args().nth(1).unwrap_or_else(|| "Cargo.toml".to_owned());
    let message = match Language::from_file_name(&path) {
        None => "not checked".to_owned(),
        Some(language) => match scan(language, &fs::read(&path)?) {
            Outcome::Ok => "ok".to_owned(),
            Outcome::Problem(problem) => problem.to_string(),
            Outcome::Skipped(reason) => format!("skipped: {reason}"),
        },
    };
    writeln!(io::stdout(), "{path}: {message}")
}
