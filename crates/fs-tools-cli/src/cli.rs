//! The grammar of the command line, and what each command does.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use fs_tools::{Call, ToolSet};
use serde_json::Value;

use crate::{config_file, confirm, doctor, lock, mcp, output};

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
    /// Print machine-readable JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
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
    Tools {
        /// Print the reference as Markdown
        #[arg(long, conflicts_with = "json")]
        markdown: bool,
    },
    /// Serve the tools over MCP on standard input and output
    Mcp {
        /// Let the kernel (Landlock) deny this process everything that the configuration does not grant; `require`
        /// refuses to start where that is not fully possible
        #[arg(long, value_name = "MODE", num_args = 0..=1, default_missing_value = "best-effort", require_equals = true)]
        lock: Option<lock::Mode>,
    },
    /// Say what this installation and this machine can do
    Doctor,
}

/// Runs the command that the arguments ask for.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let cli = Cli::parse();
    match &cli.command {
        Command::Call { tool, arguments, confirm } => call(&cli, tool, arguments, confirm),
        Command::Tools { markdown } => {
            let tools = config_file::tool_set(&cli)?;
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
        Command::Mcp { lock } => {
            let tools = config_file::tool_set(&cli)?;
            // Before any thread exists: the lock holds for the calling thread and those that it starts.
            let status = match lock {
                Some(mode) => Some(lock::apply(tools.workspace().reach(), *mode)?),
                None => None,
            };
            mcp::serve(tools, status.as_deref())
        }
        Command::Doctor => doctor::report(&config_file::tool_set(&cli)?, cli.json),
    }
}

fn call(cli: &Cli, tool: &str, arguments: &str, confirmed: &[String]) -> anyhow::Result<ExitCode> {
    let arguments = read_arguments(arguments)?;
    let tools: ToolSet = config_file::tool_set(cli)?;
    let confirm = confirm::Terminal::new(confirmed);
    let reply = tools.call(tool, &arguments, &Call { confirm: &confirm, ..Call::plain() });
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
    serde_json::from_str(source)
        .map_err(|error| output::UsageError(format!("the arguments are not valid JSON: {error}")).into())
}
