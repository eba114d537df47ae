//! The child: binds itself, reads one request, answers, and ends.

use std::io::{self, Read as _, Write as _};
use std::panic;
use std::path::Path;
use std::process::ExitCode;

use fs_tools::{DocumentReader as _, DocumentRequest, InProcess};

use super::frame;
use super::limits::WorkerLimits;

/// Runs the hidden command.
pub(crate) fn run(limits: WorkerLimits) -> anyhow::Result<ExitCode> {
    limits.enforce();
    // A panic of a parser is an answer, and its message may quote the document.
    panic::set_hook(Box::new(|_| {}));
    let mut bytes = Vec::new();
    io::stdin().lock().take(frame::MAX_REQUEST).read_to_end(&mut bytes)?;
    let Some((head, document)) = frame::read_request(&bytes) else {
        anyhow::bail!("the request is not usable");
    };
    let outcome = InProcess.read(&DocumentRequest {
        name: Path::new(&head.name),
        bytes: document,
        first: head.first,
        count: head.count,
        max_bytes: head.max_bytes,
    });
    let mut out = io::stdout().lock();
    out.write_all(&frame::answer(&outcome)?)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
