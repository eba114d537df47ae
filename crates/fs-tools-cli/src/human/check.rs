//! `fs-tools check`: the quick syntax check of files.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use fs_tools::syntax_scan::{Language, Outcome, Scanner};
use fs_tools::{ToolError, show_path};
use serde_json::{Value, json};

use super::{fail, open, read_some};
use crate::cli::Cli;
use crate::output;

/// Arguments of the command.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Files to check; the name tells the language
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// What the check of one file came to.
enum Checked {
    /// No language of ours.
    Not,
    By(Language, Outcome),
}

/// Runs the command.
pub(crate) fn run(cli: &Cli, args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let mut problems = false;
    let mut failed = None;
    for path in &args.files {
        match check(path) {
            Ok(checked) => {
                problems |= matches!(checked, Checked::By(_, Outcome::Problem(_)));
                let line =
                    if cli.json { to_json(path, &checked).to_string() } else { to_text(path, &checked) };
                output::print(&format!("{line}\n"))?;
            }
            Err(error) => failed = Some(fail(&error, cli.json)),
        }
    }
    Ok(failed.unwrap_or_else(|| ExitCode::from(u8::from(problems))))
}

fn check(path: &Path) -> Result<Checked, ToolError> {
    let mut input = open(path)?;
    let mut chunk = vec![0; 64 * 1024];
    let mut read = read_some(path, &mut input, &mut chunk)?;
    let Some(language) = Language::from_file_name(path.as_os_str().as_encoded_bytes()) else {
        return Ok(Checked::Not);
    };
    let mut scanner = Scanner::new(language);
    while read > 0 {
        scanner.push(&chunk[..read]);
        read = read_some(path, &mut input, &mut chunk)?;
    }
    Ok(Checked::By(language, scanner.finish()))
}

fn to_text(path: &Path, checked: &Checked) -> String {
    let path = show_path(path);
    match checked {
        Checked::By(_, Outcome::Ok) => format!("{path}: ok"),
        Checked::By(_, Outcome::Problem(problem)) => {
            format!("{path}:{}:{}: {problem}", problem.line, problem.column)
        }
        Checked::By(_, Outcome::Skipped(reason)) => format!("{path}: skipped ({reason})"),
        Checked::Not => format!("{path}: not checked"),
    }
}

fn to_json(path: &Path, checked: &Checked) -> Value {
    let file = show_path(path);
    match checked {
        Checked::Not => json!({ "file": file, "outcome": "not_checked" }),
        Checked::By(language, Outcome::Ok) => {
            json!({ "file": file, "outcome": "ok", "language": language.name() })
        }
        Checked::By(language, Outcome::Skipped(reason)) => json!({
            "file": file, "outcome": "skipped", "language": language.name(),
            "code": reason.code(), "reason": reason.to_string(),
        }),
        Checked::By(language, Outcome::Problem(problem)) => json!({
            "file": file, "outcome": "problem", "language": language.name(),
            "code": problem.code(), "message": problem.to_string(),
            "line": problem.line, "column": problem.column, "offset": problem.offset,
            "opened_at": problem.opened_at.map(|at| json!({ "line": at.line, "column": at.column, "offset": at.offset })),
        }),
    }
}
