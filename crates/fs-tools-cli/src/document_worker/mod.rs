//! Documents are parsed in a process of their own: a crash, a bomb or a hang costs one answer, never the server.
//!
//! For each document the binary starts itself again with a hidden command. The child bounds itself before it reads anything,
//! takes the document from its standard input, and writes one answer to its standard output.

mod child;
mod frame;
mod limits;

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use clap::Parser;
use fs_tools::{DocumentError, DocumentPart, DocumentReader, DocumentRequest};

pub(crate) use limits::WorkerLimits;

/// The name of the hidden command: no part of the grammar, so that no help, completion or manual offers it.
const COMMAND: &str = "document-worker";

/// The words behind the hidden command.
#[derive(Debug, Parser)]
struct Words {
    #[command(flatten)]
    limits: WorkerLimits,
}

/// Whether this process was started as a worker.
pub(crate) fn is_meant(words: &[OsString]) -> bool {
    words.get(1).is_some_and(|word| word == COMMAND)
}

/// Parses one document from standard input.
pub(crate) fn main(words: Vec<OsString>) -> ExitCode {
    match Words::try_parse_from(words.into_iter().skip(1)) {
        Ok(words) => child::run(words.limits).unwrap_or_else(|error| crate::output::fatal(&error, false)),
        Err(error) => {
            let _ = error.print();
            ExitCode::from(2)
        }
    }
}

/// What an answer may have besides the text that was asked for: JSON escapes it, and a picture follows.
const ANSWER_FACTOR: usize = 6;
const ANSWER_EXTRA: usize = 32 << 20;

/// How long a child may take, beyond the processor time that it may use: it also waits for others.
const SLACK: Duration = Duration::from_secs(2);

/// Reads documents in a child process.
#[derive(Debug, Clone)]
pub(crate) struct Worker {
    program: PathBuf,
    arguments: Vec<String>,
    limits: WorkerLimits,
}

impl Worker {
    /// A worker that is this program.
    pub(crate) fn of_this_program(limits: WorkerLimits) -> Self {
        // The link leads to the running file, also after an update has replaced it.
        let linked = PathBuf::from("/proc/self/exe");
        let program = if linked.exists() { linked } else { std::env::current_exe().unwrap_or(linked) };
        let arguments = std::iter::once(COMMAND.to_owned()).chain(limits.arguments()).collect();
        Self { program, arguments, limits }
    }

    fn start(&self) -> io::Result<Child> {
        Command::new(&self.program)
            .args(&self.arguments)
            // Nothing of the surroundings is of use to a parser, and some of it is secret.
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    }

    /// What the child answers, as far as the limits allow, and how it ended. It is dead when this returns.
    fn exchange(&self, request: &DocumentRequest<'_>) -> Result<(Vec<u8>, ExitStatus), DocumentError> {
        let unavailable = |error: io::Error| {
            DocumentError::new(
                "document_reader_unavailable",
                format!(
                    "the document could not be read: its reader cannot be started ({}); try again",
                    error.kind()
                ),
            )
        };
        let mut child = self.start().map_err(unavailable)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let max = request.max_bytes.saturating_mul(ANSWER_FACTOR).saturating_add(ANSWER_EXTRA);
        let received = thread::scope(|scope| {
            let (done, waiting) = channel();
            scope.spawn(move || {
                // A child that ends early closes the pipe; what it answered is still worth reading.
                if let Some(mut stdin) = stdin {
                    let _ = frame::write_request(&mut stdin, request);
                }
            });
            scope.spawn(move || {
                let mut answer = Vec::new();
                let read = stdout.map(|it| it.take(max as u64 + 1).read_to_end(&mut answer));
                let _ = done.send(read.transpose().map(|_| answer));
            });
            let received = waiting.recv_timeout(self.limits.timeout());
            // Ends both threads, whichever of them still waits.
            let _ = child.kill();
            received
        });
        let status = child.wait().map_err(unavailable)?;
        match received {
            Ok(Ok(answer)) if answer.len() <= max => Ok((answer, status)),
            Ok(Ok(_)) => Err(garbled()),
            Ok(Err(error)) => Err(unavailable(error)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(self.timed_out()),
        }
    }

    fn timed_out(&self) -> DocumentError {
        DocumentError::new(
            "document_time_out",
            format!(
                "the document could not be read: it takes more than {} s; ask for fewer pages at a time",
                self.limits.timeout().as_secs()
            ),
        )
    }

    /// Why a child ended without an answer.
    fn ended(&self, status: ExitStatus) -> DocumentError {
        use std::os::unix::process::ExitStatusExt;
        // SIGXCPU: the kernel counts what the child spends.
        const CPU_TIME: i32 = 24;
        if status.signal() == Some(CPU_TIME) {
            return self.timed_out();
        }
        DocumentError::new(
            "document_reader_crashed",
            format!(
                "the document could not be read: its reader crashed or needed more than {} MiB of memory; the file may be damaged",
                self.limits.memory_mib
            ),
        )
    }
}

fn garbled() -> DocumentError {
    DocumentError::new(
        "document_reader_garbled",
        "the document could not be read: its reader gave no usable answer; the file may be damaged",
    )
}

impl DocumentReader for Worker {
    fn read(&self, request: &DocumentRequest<'_>) -> Result<DocumentPart, DocumentError> {
        let (answer, status) = self.exchange(request)?;
        match frame::read_answer(&answer) {
            Some(outcome) => outcome,
            None if answer.is_empty() => Err(self.ended(status)),
            None => Err(garbled()),
        }
    }
}

#[cfg(test)]
mod tests;
