//! Reading the command line: what `clap` alone leaves out, and wrong usage in the form that was asked for.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, ColorChoice, Command, CommandFactory as _, FromArgMatches as _};
use fs_tools::{Class, ToolError};

use crate::cli::Cli;
use crate::output;

/// Reads the words of the command line, the name of the program first.
///
/// # Errors
///
/// The exit status, after help, version or a complaint was printed.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Cli, ExitCode> {
    let color = match asked(&words, "--color") {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    };
    let json = asked(&words, "--json").is_some();
    let mut command = Cli::command().color(color);
    let read = command
        .try_get_matches_from_mut(words)
        .and_then(|matches| {
            command.build();
            conflict(&mut command, &matches).map_or(Ok(matches), Err)
        })
        .and_then(|matches| Cli::from_arg_matches(&matches));
    read.map_err(|error| report(&error, json))
}

/// The grammar, for what is written from it.
pub(crate) fn grammar() -> Command {
    Cli::command()
}

/// Whether a flag stands among the words, and the value behind it: for what has to be known before the words are
/// understood.
fn asked<'w>(words: &'w [OsString], flag: &str) -> Option<&'w str> {
    let mut words = words.iter().skip(1).take_while(|word| *word != OsStr::new("--"));
    while let Some(word) = words.next() {
        let word = word.to_str().unwrap_or_default();
        if word == flag {
            return Some(words.next().and_then(|value| value.to_str()).unwrap_or_default());
        }
        if let Some(value) = word.strip_prefix(flag).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value);
        }
    }
    None
}

/// Finds two arguments that exclude each other. `clap` looks for them at each level alone, before a global argument
/// reaches the level of the command, and so does not see those that stand in front of the command.
fn conflict(command: &mut Command, matches: &ArgMatches) -> Option<clap::Error> {
    if let Some((name, below)) = matches.subcommand()
        && let Some(command) = command.find_subcommand_mut(name)
    {
        return conflict(command, below);
    }
    let given = |id: &str| {
        matches.try_contains_id(id).unwrap_or(false)
            && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    let pair = command.get_arguments().filter(|arg| given(arg.get_id().as_str())).find_map(|arg| {
        let others = command.get_arg_conflicts_with(arg);
        let other = others.into_iter().find(|other| given(other.get_id().as_str()))?;
        Some((arg.to_string(), other.to_string()))
    });
    let (arg, other) = pair?;
    let message =
        format!("the argument '{arg}' cannot be used with '{other}'\n\n  tip: leave one of them out");
    Some(command.error(ErrorKind::ArgumentConflict, message))
}

/// Prints what the parser has to say, and returns the exit status.
fn report(error: &clap::Error, json: bool) -> ExitCode {
    let status = u8::try_from(error.exit_code()).unwrap_or(Class::Usage.exit_status());
    if json && status != 0 {
        return output::failure(&wrong_usage(&error.render().to_string()), json);
    }
    // A reader that has seen enough of the help is no failure.
    let _ = error.print();
    ExitCode::from(status)
}

/// The complaint of the parser as an error with a next step.
fn wrong_usage(text: &str) -> ToolError {
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(first);
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = |prefix: &str| text.lines().find_map(|line| line.trim_start().strip_prefix(prefix));
    let hint = match (line("tip: "), line("Usage: ")) {
        (Some(tip), _) => tip.to_owned(),
        (None, Some(usage)) => format!("the usage is `{usage}`"),
        (None, None) => "`fs-tools --help` lists the commands, and each has a --help of its own".to_owned(),
    };
    ToolError::new(Class::Usage, "invalid_arguments", message).hint(hint)
}
