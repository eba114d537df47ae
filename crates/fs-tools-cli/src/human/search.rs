//! `fs-tools search` and `fs-tools files`: the search of the workspace for people, with the exit status of grep.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum, builder::RangedU64ValueParser};
use fs_tools::search_engine::{
    Case, Error as EngineError, Ignore, Limits, NamePattern, Order, Output, Page, Pattern, Query, Span, Unit,
    What,
};
use fs_tools::{Call, Class, Find, Found, Masking, ToolError, Workspace, show_path};

use super::search_output::{Bounds, Look, Printer};
use super::{fail, has_color, refuse};
use crate::cli::Cli;
use crate::progress::{Line, Unit as Counted};
use crate::{config_file, confirm, output};

/// Arguments of `search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Regular expression of the RE2 dialect; put -- before one that starts with a dash
    pattern: String,
    /// Files and directories, as a tool takes them [default: the workspace]
    paths: Vec<PathBuf>,
    /// Match letters in either case
    #[arg(short, long)]
    ignore_case: bool,
    /// Let a match span lines; . matches line ends
    #[arg(short = 'U', long)]
    multiline: bool,
    /// Show N lines around each match
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0, conflicts_with_all = ["files_with_matches", "count"])]
    context: u32,
    /// Print the files with a match only
    #[arg(short = 'l', long, conflicts_with = "count")]
    files_with_matches: bool,
    /// Print the number of matching lines of each file with a match
    #[arg(short, long)]
    count: bool,
    /// Search only files with such a name: *.rs, src/**/*.rs, or a part of the path
    #[arg(long, value_name = "GLOB")]
    glob: Option<String>,
    /// Show at most N matching lines of each file
    #[arg(short, long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    max_count: Option<u64>,
    /// Show credentials; only for a person at a terminal
    #[arg(long)]
    no_mask: bool,
    #[command(flatten)]
    common: Common,
}

/// Arguments of `files`.
#[derive(Debug, Args)]
pub(crate) struct FilesArgs {
    /// Name pattern: *.rs, src/**/*.rs, or a part of the path [default: all files]
    pattern: Option<String>,
    /// Files and directories, as a tool takes them [default: the workspace]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Common {
    /// Stop after N rows in all
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    limit: Option<u64>,
    /// Order of the files
    #[arg(long, value_enum, default_value = "path")]
    sort: Sort,
    /// Write each path as it is on disk, with a zero byte behind it
    #[arg(short = '0', long, conflicts_with = "json")]
    null: bool,
    /// Search what ignore files leave out, too
    #[arg(long)]
    no_ignore: bool,
    /// Keep to the budgets of an agent's call: 5,000 files, 64 MiB, 10 seconds
    #[arg(long)]
    agent_limits: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// By path, component by component
    Path,
    /// Newest modification first
    Modified,
}

/// Exit status of an error, as grep has it.
const ERROR: u8 = 2;
/// Time of an agent's call.
const AGENT_TIME: Duration = Duration::from_secs(10);

/// Runs `search`.
pub(crate) fn search(cli: &Cli, args: &SearchArgs) -> anyhow::Result<ExitCode> {
    if args.no_mask && !(confirm::is_person_present() && io::stdout().is_terminal()) {
        return Ok(refuse(cli, "--no-mask is only for a person at a terminal", "leave it out"));
    }
    let query = match content_query(args) {
        Ok(query) => query,
        Err(error) => return Ok(usage(&error, cli.json)),
    };
    let masking = if args.no_mask { Masking::Raw } else { Masking::Masked };
    let per_file = args.max_count.unwrap_or(u64::MAX);
    let bounds = Bounds::new(per_file, args.context);
    Ok(status(cli, run(cli, query, masking, &args.paths, &args.common, bounds)))
}

/// Runs `files`.
pub(crate) fn files(cli: &Cli, args: &FilesArgs) -> anyhow::Result<ExitCode> {
    let names = match NamePattern::classic(args.pattern.as_deref().unwrap_or_default()) {
        Ok(names) => names,
        Err(error) => return Ok(usage(&error, cli.json)),
    };
    let bounds = Bounds::new(u64::MAX, 0);
    Ok(status(cli, run(cli, Query::names(names), Masking::Masked, &args.paths, &args.common, bounds)))
}

/// The exit status of grep, whatever went wrong.
fn status(cli: &Cli, result: anyhow::Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        output::fatal(&error, cli.json);
        ExitCode::from(ERROR)
    })
}

fn content_query(args: &SearchArgs) -> Result<Query, EngineError> {
    let case = if args.ignore_case { Case::Insensitive } else { Case::Sensitive };
    let span = if args.multiline { Span::File } else { Span::Line };
    let pattern = Pattern::new(&args.pattern, case, span)?;
    let output = if args.files_with_matches {
        Output::Files
    } else if args.count {
        Output::Counts { first_lines: 0 }
    } else {
        Output::Lines { context: args.context, unit: Unit::Line }
    };
    let mut query = Query::content(pattern, output);
    if let Some(glob) = &args.glob {
        query.names = NamePattern::classic(glob)?;
    }
    Ok(query)
}

fn usage(error: &EngineError, json: bool) -> ExitCode {
    let error = ToolError::new(Class::Usage, error.code(), error.to_string()).hint("correct the pattern");
    fail(&error, json);
    ExitCode::from(ERROR)
}

fn run(
    cli: &Cli,
    mut query: Query,
    masking: Masking,
    paths: &[PathBuf],
    common: &Common,
    bounds: Bounds,
) -> anyhow::Result<ExitCode> {
    let tools = config_file::tool_set(cli)?;
    let workspace: &Workspace = tools.workspace();
    query.order = match common.sort {
        Sort::Path => Order::Path,
        Sort::Modified => Order::Modified,
    };
    if common.no_ignore {
        query.ignore = Ignore::Off;
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (limits, time) = if common.agent_limits {
        (Limits::AGENT.with_threads(threads), Some(AGENT_TIME))
    } else {
        (Limits::LIFTED.with_threads(threads), None)
    };
    let is_terminal = io::stdout().is_terminal();
    let look = Look { json: cli.json, null: common.null, terminal: is_terminal, color: has_color(cli) };
    let stdout = io::stdout().lock();
    let mut printer = if is_terminal {
        Printer::new(stdout, look, bounds.within(common.limit))
    } else {
        Printer::new(io::BufWriter::with_capacity(64 * 1024, stdout), look, bounds.within(common.limit))
    };
    let here = [PathBuf::from(".")];
    let mut failed = false;
    let line =
        Line::start(if matches!(query.what, What::Names) { "listing" } else { "searching" }, Counted::Files);
    let confirm = confirm::Terminal::new(&[]).beside(&line);
    let call = Call { confirm: &confirm, progress: Some(&line), ..Call::plain() };
    for path in if paths.is_empty() { &here[..] } else { paths } {
        let page = match printer.rows_left() {
            Some(0) => break,
            Some(left) => Page::first(left),
            None => Page::ALL,
        };
        // Text is taken as a tool takes it, escapes included; other names have only their escaped form.
        let path = path.to_str().map_or_else(|| show_path(path), Cow::Borrowed);
        let find = Find { path: &path, query: query.clone(), page, time, masking };
        let outcome = workspace.find(&find, &limits, &call, &mut |found: &Found<'_>| {
            // A row on the same terminal does not end up inside the line of progress.
            let _held = is_terminal.then(|| line.hold());
            printer.row(found)
        });
        match outcome {
            Ok(summary) => printer.searched(&summary),
            Err(error) => {
                failed = true;
                // Rows and messages in the order in which they came.
                let _held = line.hold();
                let _ = printer.flush();
                fail(&error, cli.json);
            }
        }
        if printer.is_stopped() {
            break;
        }
    }
    drop(line);
    let found = printer.finish()?;
    Ok(if failed { ExitCode::from(ERROR) } else { ExitCode::from(u8::from(!found)) })
}

/// What the sink answers when it wants more rows, or no more.
pub(super) fn flow(go_on: bool) -> ControlFlow<()> {
    if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}
