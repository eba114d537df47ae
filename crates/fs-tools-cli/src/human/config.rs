//! `fs-tools config`: whether the configuration is what was meant, and what holds.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use fs_tools::{Config, Loaded, Options, Source, Workspace, show_path};
use serde_json::{Value, json};

use crate::cli::Cli;
use crate::config_file::{self, ChosenBy};
use crate::{config_init, output};

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Check the document: syntax, types, keys that are not known, patterns of the allow lists
    ///
    /// Prints one line for each problem, and exits with 1 when there is any. A tool call with such a document stops at
    /// an error, and goes on with what is left as it is after a warning.
    Check,
    /// Show the effective value of every key and where it comes from: default, file, environment or flag
    Show,
    /// Print a commented configuration to start from; with --client, what a client needs to start the server
    ///
    /// Nothing is written anywhere: the text goes to standard output, and where it belongs to standard error. --workspace and
    /// --toolset become part of the client's command.
    ///
    /// Example: fs-tools config init --client zed --workspace ~/project
    Init(config_init::InitArgs),
}

/// Runs a command of the group.
pub(crate) fn run(cli: &Cli, command: &ConfigCommand) -> anyhow::Result<ExitCode> {
    match command {
        ConfigCommand::Check => check(cli),
        ConfigCommand::Show => show(cli),
        ConfigCommand::Init(args) => config_init::run(cli, args),
    }
}

/// Something that is wrong or looks so.
struct Problem {
    severity: &'static str,
    code: &'static str,
    key: Option<String>,
    place: Option<(usize, usize)>,
    message: String,
}

impl Problem {
    fn error(code: &'static str, message: String) -> Self {
        Self { severity: "error", code, key: None, place: None, message }
    }

    fn warning(message: &str) -> Self {
        let message = message.to_owned();
        Self { severity: "warning", code: "config_warning", key: None, place: None, message }
    }

    fn to_json(&self) -> Value {
        let (line, column) = self.place.unzip();
        json!({"severity": self.severity, "code": self.code, "key": self.key, "line": line, "column": column,
            "message": self.message})
    }
}

fn check(cli: &Cli) -> anyhow::Result<ExitCode> {
    let document = config_file::document(cli)?;
    let problems = match config_file::read(&document.text) {
        Ok(loaded) => problems_of(cli, document.path.as_deref(), &loaded),
        Err(error) => vec![Problem {
            key: error.key().map(str::to_owned),
            place: error.place(),
            ..Problem::error(error.code(), error.to_string())
        }],
    };
    let name = document.path.as_deref().map(|path| show_path(path).into_owned());
    if cli.json {
        let list: Vec<Value> = problems.iter().map(Problem::to_json).collect();
        output::print(&format!("{}\n", json!({"file": name, "ok": problems.is_empty(), "problems": list})))?;
    } else {
        let name = name.as_deref().unwrap_or("no document, the defaults");
        let mut text = String::new();
        for problem in &problems {
            let place = problem.place.map_or_else(String::new, |(line, column)| format!(":{line}:{column}"));
            text.push_str(&format!("{name}{place}: {}: {}\n", problem.severity, problem.message));
        }
        if problems.is_empty() {
            text.push_str(&format!("{name}: ok\n"));
        }
        output::print(&text)?;
    }
    Ok(ExitCode::from(u8::from(!problems.is_empty())))
}

/// What only shows when the configuration is put to use: patterns, the workspace, the place of the document.
fn problems_of(cli: &Cli, file: Option<&Path>, loaded: &Loaded) -> Vec<Problem> {
    let mut problems: Vec<Problem> = loaded.warnings.iter().map(|text| Problem::warning(text)).collect();
    let workspace = config_file::workspace(cli, &loaded.config);
    // Patterns are judged for some place, also where none is chosen here.
    let root = match &workspace {
        Ok((root, _)) => root.clone(),
        Err(_) => PathBuf::from("/"),
    };
    if let (Ok((root, _)), Some(file)) = (&workspace, file)
        && let Err(error) = config_file::keep_apart(file, root)
    {
        problems.push(Problem::error("config_inside_workspace", error.to_string()));
    }
    if loaded.config.workspace.is_some()
        && let Err(error) = &workspace
    {
        problems.push(Problem::error("workspace_unavailable", error.to_string()));
    }
    let options = Options { home: config_file::home(), ..Options::new(root, loaded.config.clone()) };
    match Workspace::open(options) {
        Ok(opened) => problems.extend(opened.warnings().iter().map(|text| Problem::warning(text))),
        Err(error) => problems.push(Problem::error(error.code(), error.to_string())),
    }
    problems
}

fn show(cli: &Cli) -> anyhow::Result<ExitCode> {
    let document = config_file::document(cli)?;
    let loaded = config_file::load(&document)?;
    let mut settings: Vec<(&str, Value, Value, String)> = loaded
        .settings()
        .into_iter()
        .map(|setting| {
            let (source, shown) = describe(&setting.source);
            (setting.key, setting.value, source, shown)
        })
        .collect();
    effective_workspace(cli, &loaded.config, &mut settings);
    let name = document.path.as_deref().map(|path| show_path(path).into_owned());
    if cli.json {
        let list: Vec<Value> = settings
            .into_iter()
            .map(|(key, value, source, _)| json!({"key": key, "value": value, "source": source}))
            .collect();
        let chosen = document.chosen_by.name();
        return output::print(&format!(
            "{:#}\n",
            json!({"file": name, "file_from": chosen, "settings": list})
        ));
    }
    let mut text = match name {
        Some(name) => format!("# {name} ({})\n", document.chosen_by.name()),
        None => "# no document\n".to_owned(),
    };
    let width = settings.iter().map(|(key, ..)| key.len()).max().unwrap_or(0);
    let values: Vec<String> = settings.iter().map(|(_, value, ..)| value.to_string()).collect();
    let value_width = values.iter().map(String::len).filter(|len| *len <= 40).max().unwrap_or(0);
    for ((key, _, _, source), value) in settings.iter().zip(&values) {
        text.push_str(&format!("{key:width$}  {value:value_width$}  {source}\n"));
    }
    output::print(&text)
}

/// Puts the directory that the tools would work in, and who chose it, in the place of the configured one.
fn effective_workspace(cli: &Cli, config: &Config, settings: &mut [(&str, Value, Value, String)]) {
    let Some(row) = settings.iter_mut().find(|(key, ..)| *key == "agents.defaults.workspace") else { return };
    match config_file::workspace(cli, config) {
        Ok((root, by)) => {
            row.1 = json!(root.to_string_lossy());
            if by != ChosenBy::Document {
                row.2 = json!({"from": by.name()});
                row.3 = by.name().to_owned();
            }
        }
        Err(error) => output::note(&format!("fs-tools: warning: {error}")),
    }
}

/// A source as an object, and in words.
fn describe(source: &Source) -> (Value, String) {
    match source {
        Source::Default => (json!({"from": "default"}), "default".into()),
        Source::File { line, column } => {
            (json!({"from": "file", "line": line, "column": column}), format!("file, line {line}"))
        }
        Source::Environment { name } => {
            (json!({"from": "environment", "name": name}), format!("environment, {name}"))
        }
        _ => (json!({"from": "elsewhere"}), "elsewhere".into()),
    }
}
