//! The MCP server: one adapter between the protocol and the tools, and the only place with an async runtime.
#![expect(
    deprecated,
    reason = "roots and logging are on their way out of the protocol, and today's clients have them"
)]

mod admission;
mod args;
mod call;
mod http;
mod log;
mod question;
mod random;
mod roots;
mod server;
#[cfg(test)]
mod tests;
mod token;
mod transport;
mod uri;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use fs_tools::ToolSet;
use rmcp::ServiceExt as _;
use rustix::process::Pid;

pub(crate) use args::McpArgs;

use crate::cli::Cli;
use crate::output::{UsageError, note};
use crate::{config_file, lock};
use roots::{Roots, Workspaces};
use server::{Desk, Server};

/// How often the server looks whether its parent is still the one that started it.
const PARENT_CHECK: Duration = Duration::from_secs(2);
/// Threads for what is no call: opening a workspace for roots.
const OTHER_THREADS: usize = 2;

/// Serves until the input ends or the parent is gone; over HTTP, until the process is ended.
pub(crate) fn run(cli: &Cli, args: &McpArgs) -> anyhow::Result<ExitCode> {
    // Known before anything else happens: a parent that ends during the start must be missed, too.
    let parent = rustix::process::getppid();
    let tools = config_file::tool_set(cli)?;
    config_file::make_state_dir(tools.workspace());
    let within = directories(&args.roots_within)?;
    let prepared = if within.is_empty() { None } else { Some(config_file::prepare(cli)?) };
    let bound = args.http.map(|address| http::Bound::new(args, address)).transpose()?;
    // Before any thread exists: the lock holds for the calling thread and those that it starts.
    let status = match args.lock {
        Some(mode) => {
            let mut reach = tools.workspace().reach();
            if let Some(reach) = &mut reach {
                reach.write.extend(within.iter().cloned());
            }
            format!("; {}", lock::apply(reach, mode)?)
        }
        None => String::new(),
    };
    note(&format!("fs-tools: serving {}{status}", tools.workspace().summary()));
    // What an earlier process did not live to record is found out before the first write.
    recover(&tools);
    let roots = prepared.map(|prepared| {
        let open: roots::OpenAt = Box::new(move |first, others| {
            let tools = prepared.tools_at(first, others)?;
            config_file::make_state_dir(tools.workspace());
            recover(&tools);
            Ok(tools)
        });
        Roots { within, open }
    });
    let own = Arc::new(tools);
    let served = Arc::clone(&own);
    let workspaces = Workspaces { own, roots };
    let patience = Duration::from_secs(args.confirm_timeout);
    let desk = Arc::new(Desk::new(workspaces, cli.whose(), patience));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(admission::RUNNING + OTHER_THREADS)
        .build()
        .context("the runtime cannot be started")?;
    let ended = runtime.block_on(async {
        match bound {
            Some(bound) => bound.serve(desk).await,
            None => {
                over_stdio(desk, parent).await;
                Ok(())
            }
        }
    });
    note(&format!("fs-tools: {}", served.workspace().index_state()));
    // A call that is still running must not hold the process: writes are atomic.
    runtime.shutdown_background();
    ended.map(|()| ExitCode::SUCCESS)
}

async fn over_stdio(desk: Arc<Desk>, parent: Option<Pid>) {
    let service = Server::new(desk).serve(transport::Lines::over_stdio());
    let session = async {
        // A client that only probes hangs up before the first request: that is a normal end.
        if let Ok(running) = service.await {
            let _ = running.waiting().await;
        }
    };
    tokio::select! {
        () = session => {}
        () = change_of(parent) => note("fs-tools: the parent process is gone: stopping"),
    }
}

/// The canonical form of the directories in which roots may lie.
fn directories(asked: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let canonical = |dir: &PathBuf| match dir.canonicalize() {
        Ok(found) if found.is_dir() => Ok(found),
        Ok(_) => Err(bad_directory(dir, "this is no directory").into()),
        Err(error) => Err(bad_directory(dir, &error.to_string()).into()),
    };
    asked.iter().map(canonical).collect()
}

fn bad_directory(dir: &Path, why: &str) -> UsageError {
    UsageError::new(
        "invalid_arguments",
        format!("--roots-within {}: {why}", dir.display()),
        "name a directory that exists",
    )
}

/// Settles what was interrupted, and says what wants a person's decision.
fn recover(tools: &ToolSet) {
    match tools.workspace().recover_history() {
        Ok(found) => {
            for (set, done, all) in found.iter().flat_map(|found| &found.interrupted) {
                note(&format!(
                    "fs-tools: an undo was interrupted after {done} of {all} files: `fs-tools history undo --resume {set}` \
                     or `--rollback {set}`"
                ));
            }
        }
        Err(error) => {
            note(&format!("fs-tools: warning: the history could not be checked: {}", error.message()))
        }
    }
}

/// Waits until the parent is another than the one that started this process.
async fn change_of(parent: Option<Pid>) {
    let mut interval = tokio::time::interval(PARENT_CHECK);
    loop {
        interval.tick().await;
        if rustix::process::getppid() != parent {
            return;
        }
    }
}
