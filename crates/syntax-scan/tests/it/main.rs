//! Tests of `syntax-scan` through its public interface.

mod allocation;
mod c_family;
mod chunks;
mod go;
mod json;
mod language;
mod mutation;
mod oracle;
mod python;
mod toml;

use syntax_scan::{Language, Outcome, scan};

/// `expected` is `ok`, `skipped: WORD`, or the message of the problem.
#[track_caller]
fn check(language: Language, input: impl AsRef<[u8]>, expected: &str) {
    let found = match scan(language, input.as_ref()) {
        Outcome::Ok => "ok".to_owned(),
        Outcome::Problem(problem) => problem.to_string(),
        Outcome::Skipped(reason) => format!("skipped: {}", reason.code()),
    };
    assert_eq!(found, expected, "{}", String::from_utf8_lossy(input.as_ref()));
}
