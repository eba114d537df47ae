//! The MCP server: one adapter between the protocol and the tools, and the only place with an async runtime.

mod server;
mod transport;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use fs_tools::ToolSet;
use rmcp::ServiceExt as _;

use crate::output::note;

/// Calls that run at the same time; more wait their turn.
const CONCURRENT_CALLS: usize = 16;
/// How often the server looks whether its parent is still the one that started it.
const PARENT_CHECK: Duration = Duration::from_secs(2);

/// Serves until the input ends or the parent is gone. `lock` says what the kernel's lock came to, if one was asked for.
pub(crate) fn serve(tools: ToolSet, lock: Option<&str>) -> anyhow::Result<ExitCode> {
    let lock = lock.map(|status| format!("; {status}")).unwrap_or_default();
    note(&format!("fs-tools: serving {}{lock}", tools.workspace().summary()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(CONCURRENT_CALLS)
        .build()
        .context("the runtime cannot be started")?;
    let tools = Arc::new(tools);
    runtime.block_on(async {
        let service = server::Server::new(tools).serve(transport::Lines::over_stdio());
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
    // A call that is still running must not hold the process: writes are atomic.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
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
