//! A terminal for the tests of what only a person at one gets.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::client::fs_tools;

/// Longest wait for one output: only a program that hangs needs it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Both ends of a terminal.
pub(crate) struct Terminal {
    /// What a program has as its standard streams.
    pub(crate) end: File,
    shown: Receiver<Vec<u8>>,
    so_far: Vec<u8>,
}

impl Terminal {
    pub(crate) fn open() -> Self {
        let control = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&control).unwrap();
        unlockpt(&control).unwrap();
        let name = ptsname(&control, Vec::new()).unwrap();
        let end = File::options().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).unwrap();
        let (sender, shown) = channel();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            let mut control = File::from(control);
            // The read fails when the last user of the terminal is gone.
            while let Ok(read) = control.read(&mut chunk) {
                if read == 0 || sender.send(chunk[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { end, shown, so_far: Vec::new() }
    }

    /// Waits until the terminal shows `text`.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.so_far).contains(text) {
            self.so_far.extend(self.shown.recv_timeout(PATIENCE).expect("the text is shown"));
        }
    }

    /// Everything that was shown; the programs have to have ended.
    pub(crate) fn close(mut self) -> String {
        drop(self.end);
        while let Ok(chunk) = self.shown.recv_timeout(PATIENCE) {
            self.so_far.extend(chunk);
        }
        String::from_utf8(self.so_far).unwrap().replace("\r\n", "\n")
    }
}

/// Runs the binary with a terminal for all its standard streams; returns what it shows and the exit status.
pub(crate) fn on_a_terminal(root: &Path, args: &[&str], variables: &[(&str, &str)]) -> (String, Option<i32>) {
    let terminal = Terminal::open();
    let mut command = fs_tools(root);
    command.args(args).envs(variables.iter().copied());
    let end = || terminal.end.try_clone().unwrap();
    let mut child = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
    // The ends that the command keeps would hold the terminal open.
    drop(command);
    let status = child.wait().unwrap().code();
    (terminal.close(), status)
}
