//! The host's way to open a file in its default application.

use std::fmt;
use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How an attempt to open a file went.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Opened {
    /// The system's opener took it and ended.
    Done,
    /// The opener still runs after the time that a call may take: it is left alone.
    HandedOver,
    /// There is no program to open files with.
    NoOpener,
    /// The opener failed.
    Failed {
        /// Its exit status in words.
        status: String,
        /// The start of what it wrote to standard error.
        stderr: String,
    },
}

/// Opens files in their default applications.
pub trait Opener: fmt::Debug + Send + Sync {
    /// Opens `path`, which is absolute and was granted, and waits at most `wait`.
    fn open(&self, path: &Path, wait: Duration) -> Opened;
}

/// The opener of the operating system, such as `xdg-open`: started with the path as one argument, never through a shell.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemOpener;

/// How often a program is asked whether it has ended.
const POLL: Duration = Duration::from_millis(10);
/// Bytes of standard error that are kept.
const STDERR_BYTES: usize = 2_048;
/// How long the rest of standard error is waited for: a program that was started may keep it open for ever.
const STDERR_WAIT: Duration = Duration::from_millis(200);

impl Opener for SystemOpener {
    fn open(&self, path: &Path, wait: Duration) -> Opened {
        let until = Instant::now() + wait;
        // The first failure is that of the preferred opener.
        let mut failure = None;
        for mut command in open::commands(path) {
            let failed = match run(&mut command, until) {
                // Not installed: the next one may be.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    Opened::Failed { status: "could not be started".into(), stderr: error.to_string() }
                }
                Ok(failed @ Opened::Failed { .. }) => failed,
                Ok(opened) => return opened,
            };
            failure.get_or_insert(failed);
        }
        failure.unwrap_or(Opened::NoOpener)
    }
}

/// Runs one opener in a process group of its own, so that what it starts outlives this process.
fn run(command: &mut Command, until: Instant) -> io::Result<Opened> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0).spawn()?;
    let stderr = drain(&mut child);
    loop {
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(Opened::Done),
            Some(status) => {
                let stderr = stderr.recv_timeout(STDERR_WAIT).unwrap_or_default();
                return Ok(Opened::Failed { status: in_words(status), stderr });
            }
            None if Instant::now() >= until => {
                // Somebody has to wait for it in the end, or it stays as a zombie.
                thread::spawn(move || child.wait());
                return Ok(Opened::HandedOver);
            }
            None => thread::sleep(POLL),
        }
    }
}

/// Reads standard error on a thread of its own, to its end, and sends the start of it.
fn drain(child: &mut Child) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    if let Some(mut stderr) = child.stderr.take() {
        thread::spawn(move || {
            let mut kept = Vec::new();
            let _ = stderr.by_ref().take(STDERR_BYTES as u64).read_to_end(&mut kept);
            let _ = send.send(String::from_utf8_lossy(&kept).trim().to_owned());
            let _ = io::copy(&mut stderr, &mut io::sink());
        });
    }
    receive
}

fn in_words(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit status {code}"),
        None => "ended by a signal".to_owned(),
    }
}
