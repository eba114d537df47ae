//! The samples are judged by the tools of their languages, where those are installed.

use crate::mutation::SAMPLES;
use std::{fs, process::Command};
use syntax_scan::{Language, Outcome, scan};

#[expect(
    clippy::print_stdout,
    reason = "a missing tool is told, so that nobody takes its silence for a pass"
)]
/// The command that accepts or rejects a file of `language`, and the extension it expects.
fn judge(language: Language) -> Option<(Command, &'static str)> {
    let (program, arguments, extension): (_, &[&str], _) = match language {
        Language::CFamily => ("g++", &["-fsyntax-only", "-std=gnu++20", "-w"], "cpp"),
        Language::Go => ("gofmt", &["-e"], "go"),
        Language::Python => {
            ("python3", &["-c", "import sys; compile(open(sys.argv[1]).read(), 'sample', 'exec')"], "py")
        }
        Language::Json => ("python3", &["-c", "import json, sys; json.load(open(sys.argv[1]))"], "json"),
        _ => ("python3", &["-c", "import sys, tomllib; tomllib.load(open(sys.argv[1], 'rb'))"], "toml"),
    };
    let mut command = Command::new(program);
    command.arg("--version");
    if program != "gofmt" && !command.output().is_ok_and(|output| output.status.success())
        || command.output().is_err()
    {
        println!("skipped: {program} is not installed");
        return None;
    }
    let mut command = Command::new(program);
    command.args(arguments);
    Some((command, extension))
}

/// No mutant that a tool accepts may be called broken.
#[test]
fn what_a_tool_accepts_is_no_problem() {
    for (language, text) in SAMPLES {
        let Some((mut command, extension)) = judge(language) else { continue };
        let path = std::env::temp_dir().join(format!("syntax-scan-{}.{extension}", std::process::id()));
        let places =
            text.bytes().enumerate().filter(|(_, byte)| b"(){}[]\"'`".contains(byte)).map(|(at, _)| at);
        let mut mutants = vec![text.to_owned()];
        mutants.extend(places.step_by(47).map(|at| format!("{}{}", &text[..at], &text[at + 1..])));
        command.arg(&path);
        for mutant in mutants {
            fs::write(&path, &mutant).unwrap();
            let output = command.output().unwrap();
            let found = scan(language, mutant.as_bytes());
            if output.status.success() {
                assert!(!matches!(found, Outcome::Problem(_)), "{found:?}\n{mutant}");
            }
        }
        fs::remove_file(&path).unwrap();
    }
}
