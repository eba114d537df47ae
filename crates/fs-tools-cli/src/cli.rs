//! The grammar of the command line, and what each command does.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, Subcommand, ValueEnum};
use fs_tools::{Call, Origin, ToolSet};
use serde_json::Value;

use crate::output::UsageError;
use crate::progress::{Line, Unit};
use crate::{config_file, confirm, doctor, human, mcp, output, shell};

/// File tools that an AI agent can be trusted with.
#[derive(Debug, Parser)]
#[command(name = "fs-tools", version, max_term_width = 100)]
pub(crate) struct Cli {
    /// Directory that the tools work in [default: the configured one, else the current directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Configuration document [default: $FS_TOOLS_CONFIG, else fs-tools/config.json in the user's configuration
    /// directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Family of tools: classic (read_file, write_file, …) or batch (find_files, read_files, …) [default: classic]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) toolset: Option<Family>,
    /// Print machine-readable JSON, and a failure as one line of JSON on standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colour; NO_COLOR turns auto off
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Task that changes belong to, the unit of undo [default: the run]; in `history list`, the task to list
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// What the task is after; recorded with every change
    #[arg(long, global = true, value_name = "TEXT")]
    goal: Option<String>,
    /// Run that changes belong to [default: a new one for each process]
    #[arg(long, global = true, value_name = "ID")]
    run: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// A family of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Family {
    Classic,
    Batch,
}

impl Family {
    /// The words that choose this family.
    pub(crate) fn words(self) -> Vec<String> {
        let name = self.to_possible_value();
        name.map(|name| vec!["--toolset".to_owned(), name.get_name().to_owned()]).unwrap_or_default()
    }
}

/// When output has colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal that wants it
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make one tool call and print what a model would read
    ///
    /// Example: fs-tools call search_files '{"pattern": "TODO", "file_glob": "*.rs"}'
    Call {
        /// Name of the tool, as `fs-tools tools` lists it
        tool: String,
        /// Arguments: a JSON object, @FILE to read it from a file, or - for standard input
        #[arg(default_value = "{}")]
        arguments: String,
        /// Answer a confirmation for this path with yes, as a person would; may be repeated
        #[arg(long, value_name = "PATH")]
        confirm: Vec<String>,
    },
    /// List the tools with their descriptions; with --json, as MCP lists them
    ///
    /// Example: fs-tools tools
    Tools {
        /// Print the reference as Markdown
        #[arg(long, conflicts_with = "json")]
        markdown: bool,
    },
    /// Serve the tools over MCP, on standard input and output or over HTTP
    ///
    /// A client starts it: `fs-tools config init --client NAME` prints what to put into the client's configuration.
    ///
    /// Example: fs-tools --workspace ~/project mcp --lock
    Mcp(mcp::McpArgs),
    /// Search the content of files in the workspace, as a person would
    ///
    /// The answer comes in path order, credentials are masked, and .gitignore and .ignore count. The exit status is that of grep:
    /// 0 with a match, 1 without, 2 for an error.
    ///
    /// Example: fs-tools search -C 2 --glob '*.rs' 'fn \w+_file'
    Search(human::search::SearchArgs),
    /// List the files of the workspace by name
    ///
    /// Example: fs-tools files --sort modified '*.rs'
    Files(human::search::FilesArgs),
    /// Mask credentials in files or standard input, or say where they are
    ///
    /// Works on any bytes, in bounded memory. Values of the configuration are masked as well.
    ///
    /// Example: git log -p | fs-tools redact
    Redact(human::redact::RedactArgs),
    /// Check delimiters, quotes and comments of files quickly; the exit status is 1 when there is a problem
    ///
    /// JSON is checked as a whole; C, C++, Go, Python and TOML by their delimiters. Other files are not checked.
    ///
    /// Example: fs-tools check src/*.c package.json
    Check(human::check::CheckArgs),
    /// Print the text of documents: PDF, DOCX, PPTX, CSV, and text in any encoding; for a picture, its size
    ///
    /// Credentials are masked. Each document is parsed in a process of its own with limits on memory and time.
    ///
    /// Example: fs-tools document --offset 10 --limit 2 manual.pdf
    Document(human::document::DocumentArgs),
    /// Apply a V4A patch, or write one from two files
    ///
    /// Example: fs-tools patch diff old.txt new.txt | fs-tools patch apply old.txt
    #[command(subcommand)]
    Patch(human::patch::PatchCommand),
    /// List, compare, restore, undo and care for the recorded versions of files
    ///
    /// Example: fs-tools history undo fix-parser
    #[command(subcommand)]
    History(human::history::HistoryCommand),
    /// Check the configuration, show what holds and where it comes from, or print one to start from
    ///
    /// Example: fs-tools config init --client claude-code --workspace ~/project
    #[command(subcommand)]
    Config(human::config::ConfigCommand),
    /// Check what this installation and this machine can do; the exit status is 1 when something is wrong
    ///
    /// Says versions, how paths are resolved, whether the kernel can lock the server, limits, the state directory, the health of the
    /// history, and whether the server answers. Never prints a value of the environment.
    ///
    /// Example: fs-tools doctor --json
    Doctor(doctor::DoctorArgs),
    /// Print the completion script of a shell
    ///
    /// Example: fs-tools completions bash > ~/.local/share/bash-completion/completions/fs-tools
    Completions {
        /// The shell
        #[arg(value_enum, conflicts_with = "json")]
        shell: shell::Shell,
    },
    /// Print the manual page, or write one page for each command
    ///
    /// Example: fs-tools man | man -l -
    Man {
        /// Write fs-tools.1 and the pages of the commands into this directory instead
        #[arg(long, value_name = "DIR", conflicts_with = "json")]
        dir: Option<PathBuf>,
    },
}

impl Cli {
    /// On whose behalf this process works.
    pub(crate) fn whose(&self) -> Whose {
        let run = self.run.clone().unwrap_or_else(fresh_run);
        let task = self.task.clone().unwrap_or_else(|| run.clone());
        Whose { task, goal: self.goal.clone().unwrap_or_default(), run }
    }
}

/// On whose behalf a process works, recorded with every change.
#[derive(Debug, Clone)]
pub(crate) struct Whose {
    pub(crate) task: String,
    pub(crate) goal: String,
    pub(crate) run: String,
}

impl Whose {
    /// The same as part of a call.
    pub(crate) fn origin(&self) -> Origin<'_> {
        Origin { task: &self.task, goal: &self.goal, run: &self.run }
    }
}

/// A name that no other process gets: when it started, and its number.
fn fresh_run() -> String {
    let started = chrono::Utc::now().format("%Y%m%d-%H%M%S-%3f");
    format!("run-{started}-{}", std::process::id())
}

/// Runs the command that the arguments ask for.
pub(crate) fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    match &cli.command {
        Command::Call { tool, arguments, confirm } => call(cli, tool, arguments, confirm),
        Command::Tools { markdown } => {
            let tools = config_file::tool_set(cli)?;
            let specs: Vec<_> = tools.specs().collect();
            if *markdown {
                output::print(&fs_tools::tools_markdown(&specs))
            } else if cli.json {
                let list: Vec<Value> = specs.iter().map(|spec| spec.to_json()).collect();
                output::print(&format!("{:#}\n", Value::Array(list)))
            } else {
                output::print(&output::tools_text(&specs))
            }
        }
        Command::Mcp(args) => mcp::run(cli, args),
        Command::Search(args) => human::search::search(cli, args),
        Command::Files(args) => human::search::files(cli, args),
        Command::Redact(args) => human::redact::run(cli, args),
        Command::Check(args) => human::check::run(cli, args),
        Command::Patch(command) => human::patch::run(cli, command),
        Command::History(command) => human::history::run(cli, command),
        Command::Document(args) => human::document::run(cli, args),
        Command::Config(command) => human::config::run(cli, command),
        Command::Doctor(args) => doctor::run(cli, args),
        Command::Completions { shell } => shell::completions(*shell),
        Command::Man { dir } => shell::man(dir.as_deref()),
    }
}

/// What the line of progress calls a tool call.
const CALLING: &str = "calling";

fn call(cli: &Cli, tool: &str, arguments: &str, confirmed: &[String]) -> anyhow::Result<ExitCode> {
    let arguments = read_arguments(arguments)?;
    let tools: ToolSet = config_file::tool_set(cli)?;
    let line = Line::start(CALLING, Unit::Files);
    let confirm = confirm::Terminal::new(confirmed).beside(&line);
    let whose = cli.whose();
    if tools.specs().any(|spec| spec.name == tool && !spec.annotations.read_only) {
        // What an earlier process did not live to record; a history that cannot be opened refuses the change itself.
        let _ = tools.workspace().recover_history();
    }
    let call = Call { confirm: &confirm, origin: whose.origin(), progress: Some(&line), ..Call::plain() };
    let reply = tools.call(tool, &arguments, &call);
    drop(line);
    output::reply(&reply, cli.json)
}

/// Reads the arguments from the word itself, a file or standard input. A byte order mark is passed over.
fn read_arguments(word: &str) -> anyhow::Result<Value> {
    /// Twice the largest text argument: JSON escapes may double it.
    const MAX_BYTES: u64 = 128 * 1024 * 1024;
    let mut text = String::new();
    let source: &str = match word {
        "-" => {
            std::io::stdin()
                .lock()
                .take(MAX_BYTES)
                .read_to_string(&mut text)
                .context("the arguments on standard input cannot be read")?;
            &text
        }
        _ => match word.strip_prefix('@') {
            Some(file) => {
                std::fs::File::open(file)
                    .and_then(|open| open.take(MAX_BYTES).read_to_string(&mut text))
                    .with_context(|| format!("the arguments in {file} cannot be read"))?;
                &text
            }
            None => word,
        },
    };
    let source = source.trim_start_matches('\u{feff}');
    serde_json::from_str(source).map_err(|error| {
        let message = format!("the arguments are not valid JSON: {error}");
        UsageError::new("arguments_not_json", message, "pass one JSON object, @FILE, or - for standard input")
            .into()
    })
}
