//! Speech to text by a program on this machine.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use super::{Sound, TranscribeLimits, Transcriber, check_size, failed, timed_out, unusable};
use crate::error::ToolError;

/// Stands for the file in the words of the command.
const INPUT: &str = "{input}";

/// Runs a program with the file as an argument; what it prints is the text. No shell is involved.
#[derive(Debug, Clone)]
pub struct CommandTranscriber {
    words: Vec<String>,
    limits: TranscribeLimits,
}

impl CommandTranscriber {
    /// The program and its arguments; each `{input}` in an argument becomes the path of a private copy of the file.
    pub fn new(words: &[String], limits: TranscribeLimits) -> Self {
        Self { words: words.to_vec(), limits }
    }

    fn start(&self, input: &Path) -> Result<Child, ToolError> {
        let Some((program, arguments)) = self.words.split_first() else {
            return Err(failed("fs_tools.transcribe.command names no program"));
        };
        let mut command = Command::new(program);
        for word in arguments {
            match word.split_once(INPUT) {
                None => command.arg(word),
                Some((before, after)) => {
                    let mut argument = std::ffi::OsString::from(before);
                    argument.push(input);
                    argument.push(after);
                    command.arg(argument)
                }
            };
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().map_err(|error| {
            failed(format!(
                "its program cannot be started ({}); check fs_tools.transcribe.command",
                error.kind()
            ))
        })
    }

    /// What the program prints, within the limits. It is dead when this returns.
    fn output(&self, mut child: Child) -> Result<Vec<u8>, ToolError> {
        let started = Instant::now();
        let max = self.limits.max_answer_bytes;
        let stdout = child.stdout.take();
        let (done, waiting) = channel();
        thread::spawn(move || {
            let mut out = Vec::new();
            let read = stdout.map(|it| it.take(max as u64 + 1).read_to_end(&mut out));
            // Nobody listens any more after a time-out.
            let _ = done.send(read.transpose().map(|_| out));
        });
        let out = match waiting.recv_timeout(self.limits.timeout) {
            Ok(out) => out.map_err(|error| failed(error.kind())),
            Err(RecvTimeoutError::Timeout) => Err(timed_out(self.limits)),
            Err(RecvTimeoutError::Disconnected) => Err(failed("its output cannot be read")),
        };
        let out = out.and_then(|out| match out.len() > max {
            true => Err(unusable(format!("it is longer than {max} bytes"))),
            false => Ok(out),
        });
        if out.is_err() {
            let _ = child.kill();
        }
        // A program may close its output and go on.
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if started.elapsed() < self.limits.timeout => thread::sleep(POLL),
                Ok(None) => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break Err(timed_out(self.limits));
                }
                Err(error) => break Err(failed(error.kind())),
            }
        };
        let out = out?;
        let status = status?;
        if !status.success() {
            return Err(failed(format!("its program ended with {status}")));
        }
        Ok(out)
    }
}

/// How often a program that has closed its output is looked at.
const POLL: std::time::Duration = std::time::Duration::from_millis(10);

impl Transcriber for CommandTranscriber {
    fn transcribe(&self, sound: &Sound<'_>) -> Result<String, ToolError> {
        check_size(sound, self.limits)?;
        let copy = Copy::new(sound)?;
        let out = self.output(self.start(&copy.file)?)?;
        let text = String::from_utf8(out).map_err(|_| unusable("it is not UTF-8"))?;
        Ok(text.trim().to_owned())
    }
}

/// A copy of the file that only this user can read, with the extension that engines look at; gone when it is dropped.
struct Copy {
    dir: PathBuf,
    file: PathBuf,
}

impl Copy {
    fn new(sound: &Sound<'_>) -> Result<Self, ToolError> {
        let write = || {
            let dir = private_dir()?;
            let extension = Path::new(sound.name).extension().and_then(|it| it.to_str()).unwrap_or("bin");
            let is_plain = extension.len() <= 8 && extension.chars().all(|it| it.is_ascii_alphanumeric());
            let file = dir.join(format!("sound.{}", if is_plain { extension } else { "bin" }));
            // From here on the directory is removed whatever happens.
            let copy = Copy { dir, file };
            let mut open =
                fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&copy.file)?;
            open.write_all(sound.bytes)?;
            Ok(copy)
        };
        write().map_err(|error: std::io::Error| {
            failed(format!("no copy of the file for it can be made ({})", error.kind()))
        })
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
        let _ = fs::remove_dir(&self.dir);
    }
}

/// A new directory of this user alone.
fn private_dir() -> std::io::Result<PathBuf> {
    use std::os::unix::fs::DirBuilderExt;
    let mut random = [0_u8; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut random)?;
    let name: String = random.iter().map(|it| format!("{it:02x}")).collect();
    let dir = std::env::temp_dir().join(format!("fs-tools-{name}"));
    fs::DirBuilder::new().mode(0o700).create(&dir)?;
    Ok(dir)
}
