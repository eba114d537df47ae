//! `fs-tools doctor`: what this installation and this machine can do, and what to do where it is too little. Never
//! prints a value of the environment.

mod machine;
mod server;
mod state;

use std::process::ExitCode;

use clap::Args;
use fs_tools::{Config, Freshness, ToolSet};
use serde_json::{Value, json};

use crate::cli::Cli;
use crate::{config_file, lock, output};

/// Arguments of the command.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Read every recorded version back as well, which takes time
    #[arg(long)]
    deep: bool,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Ok,
    /// It works, but less well than it could.
    Warn,
    /// It does not work.
    Fail,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One line of the report.
#[derive(Debug)]
struct Check {
    name: &'static str,
    status: Status,
    summary: String,
    fix: Option<String>,
}

impl Check {
    fn ok(name: &'static str, summary: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, summary: summary.into(), fix: None }
    }

    fn warn(name: &'static str, summary: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, status: Status::Warn, summary: summary.into(), fix: Some(fix.into()) }
    }

    fn fail(name: &'static str, summary: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, status: Status::Fail, summary: summary.into(), fix: Some(fix.into()) }
    }
}

/// Runs every check and prints a line for each, or one object with `--json`. A failed check gives exit status 1.
pub(crate) fn run(cli: &Cli, args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let mut checks = vec![
        Check::ok("version", env!("CARGO_PKG_VERSION")),
        machine::system(),
        machine::threads(),
        machine::open_files(),
        machine::file_size(),
        machine::inotify(),
    ];
    match config_file::tool_set(cli) {
        Ok(tools) => installed(cli, args, &tools, &mut checks)?,
        Err(error) => {
            let error = output::as_tool_error(&error);
            let fix = error.next_step().unwrap_or("correct the configuration");
            checks.push(Check::fail("workspace", error.message(), fix));
        }
    }
    print(&checks, cli.json)
}

/// The checks that need a workspace.
fn installed(cli: &Cli, args: &DoctorArgs, tools: &ToolSet, checks: &mut Vec<Check>) -> anyhow::Result<()> {
    let workspace = tools.workspace();
    checks.push(state::configuration(cli)?);
    checks.push(Check::ok("workspace", workspace.summary()));
    checks.push(state::file_system(workspace.root()));
    checks.push(match workspace.path_resolution() {
        "openat2" => Check::ok("path_resolution", "openat2: the kernel keeps every path inside"),
        tier => Check::warn(
            "path_resolution",
            format!("{tier}: every path is walked without links, which is slower"),
            "use Linux 5.6 or later; a container's seccomp profile may forbid openat2",
        ),
    });
    let kernel_lock = lock::probe(workspace.reach());
    checks.push(if kernel_lock.starts_with("fully") {
        Check::ok("kernel_lock", kernel_lock)
    } else {
        Check::warn(
            "kernel_lock",
            kernel_lock,
            "`mcp --lock` needs a kernel with Landlock ABI 5 (Linux 6.10) and a configuration that restricts access",
        )
    });
    let names: Vec<&str> = tools.specs().map(|spec| spec.name).collect();
    checks.push(if names.is_empty() {
        Check::fail(
            "tools",
            "every tool is switched off",
            "switch one on in the configuration: tools.NAME.enabled",
        )
    } else {
        Check::ok("tools", names.join(", "))
    });
    checks.push(Check::ok("search_index", search_index(workspace.config())));
    checks.push(state::state_dir(workspace));
    state::history(workspace, args.deep, checks);
    checks.push(server::answers(cli, workspace.root()));
    Ok(())
}

/// What a server would keep of the workspace.
fn search_index(config: &Config) -> String {
    let search = &config.search;
    let how = match search.freshness {
        Freshness::Watch => "directories are watched",
        Freshness::Strict => "files are compared for each search",
        _ => return "off".into(),
    };
    if !search.index || config.match_masked {
        return "off".into();
    }
    let mib = search.index_max_bytes >> 20;
    format!("in a server, from {} files on, at most {mib} MiB; {how}", search.index_min_files)
}

fn print(checks: &[Check], json: bool) -> anyhow::Result<ExitCode> {
    let worst = checks.iter().map(|check| check.status).max().unwrap_or(Status::Ok);
    let text = if json {
        let rows: Vec<Value> = checks
            .iter()
            .map(|check| {
                json!({
                    "name": check.name, "status": check.status.word(), "summary": check.summary, "fix": check.fix,
                })
            })
            .collect();
        format!("{}\n", json!({ "status": worst.word(), "checks": rows }))
    } else {
        checks.iter().map(line).collect()
    };
    output::print(&text)?;
    Ok(ExitCode::from(u8::from(worst == Status::Fail)))
}

fn line(check: &Check) -> String {
    let mut line = format!("{:4}  {:16} {}\n", check.status.word(), check.name, check.summary);
    if let Some(fix) = &check.fix {
        line.push_str(&format!("{:23}next step: {fix}\n", ""));
    }
    line
}
