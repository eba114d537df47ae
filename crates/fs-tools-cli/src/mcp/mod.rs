//! The MCP server: one adapter between the protocol and the tools, and the only place with an async runtime.

mod server;
mod transport;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use fs_tools::ToolSet;
use rmcp::ServiceExt as _;

use crate::cli::Whose;
use crate::output::note;

/// Calls that run at the same time; more wait their turn.
const CONCURRENT_CALLS: usize = 16;
/// How often the server looks whether its parent is still the one that started it.
const PARENT_CHECK: Duration = Duration::from_secs(2);

/// Serves until the input ends or the parent is gone. `lock` says what the kernel's lock came to, if one was asked for.
/// Changes are recorded for `whose`, unless a request says otherwise.
pub(crate) fn serve(tools: ToolSet, lock: Option<&str>, whose: Whose) -> anyhow::Result<ExitCode> {
    let lock = lock.map(|status| format!("; {status}")).unwrap_or_default();
    note(&format!("fs-tools: serving {}{lock}", tools.workspace().summary()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(CONCURRENT_CALLS)
        .build()
        .context("the runtime cannot be started")?;
    // What an earlier process did not live to record is found out before the first write.
    recover(&tools);
    let tools = Arc::new(tools);
    let served = Arc::clone(&tools);
    runtime.block_on(async {
        let service = server::Server::new(tools, whose).serve(transport::Lines::over_stdio());
        let session = async {
            // A client that only probes hangs up before the first request: that is a normal end.
            if let Ok(running) = service.await {
                let _ = running.waiting().await;
            }
        };
        tokio::select! {
            () = session => {}
            () = parent_change() => note("fs-tools: the parent process is gone: stopping"),
        }
    });
    note(&format!("fs-tools: {}", served.workspace().index_state()));
    // A call that is still running must not hold the process: writes are atomic.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
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

async fn parent_change() {
    let first = rustix::process::getppid();
    let mut interval = tokio::time::interval(PARENT_CHECK);
    loop {
        interval.tick().await;
        if rustix::process::getppid() != first {
            return;
        }
    }
}
