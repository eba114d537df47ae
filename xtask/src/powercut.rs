//! `cargo xtask powercut`: cuts a file system off while the history writes to it, and looks for what is lost.
//!
//! The file system is an ext4 image on a loop device, cut off by its own shutdown call, which drops everything that has
//! not reached the device. The negative control writes without waiting for the disk: a harness that loses nothing of
//! that proves nothing.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use xshell::Shell;

use crate::flags::Powercut;
use crate::step::Step;
use crate::tool::answers;

/// Rounds by default.
const ROUNDS: u32 = 12;
/// Size of the image in bytes.
const IMAGE_BYTES: u64 = 256 * 1024 * 1024;
/// `ioctl(EXT4_IOC_SHUTDOWN, EXT4_GOING_FLAGS_NOLOGFLUSH)`: nothing more goes out, not even the journal.
const SHUTDOWN: &str = r#"open(my $dir, "<", $ARGV[0]) or die "$!"; my $how = pack("L", 2); ioctl($dir, 0x8004587d, $how) or die "$!""#;
/// Longest wait for the first acknowledged line.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn run(sh: &Shell, flags: &Powercut) -> anyhow::Result<()> {
    let place = Place::new()?;
    if let Err(why) = place.trial(sh) {
        eprintln!("SKIPPED: no power cut was made, since {why:#}");
        eprintln!("         it needs root, loop devices, mkfs.ext4 and perl");
        return Ok(());
    }
    Step::new("build the writer", "cargo build -q -p file-history --example hammer").run(sh)?;
    let target = sh.var("CARGO_TARGET_DIR").map_or_else(|_| sh.current_dir().join("target"), PathBuf::from);
    let hammer = target.join("debug/examples/hammer");
    let rounds = flags.rounds.unwrap_or(ROUNDS);
    let (mut checked, mut failed) = (0, Vec::new());
    for round in 0..rounds {
        let verdict = place.round(sh, &hammer, "write", round)?;
        println!("cut {round}: {}", verdict.said);
        checked += verdict.lines;
        if !verdict.passed {
            failed.push(round);
        }
    }
    let mut caught = false;
    for round in 0..4 {
        let verdict = place.round(sh, &hammer, "lazy", round)?;
        println!("negative control: {}", verdict.said);
        caught |= !verdict.passed;
        if caught {
            break;
        }
    }
    println!("\n{rounds} power cuts, {checked} acknowledged versions, {} rounds with a loss", failed.len());
    if !failed.is_empty() {
        bail!("rounds {failed:?} lost an acknowledged version, or left a torn or a temporary file");
    }
    if !caught {
        bail!("the negative control lost nothing: these were no power cuts");
    }
    println!("the negative control lost what it had not synced, as it should");
    Ok(())
}

/// What a round came to.
struct Verdict {
    passed: bool,
    lines: usize,
    said: String,
}

/// The image and where it is mounted; both go when this is dropped.
struct Place {
    dir: PathBuf,
}

impl Place {
    fn new() -> anyhow::Result<Self> {
        let dir = std::env::temp_dir().join(format!("fs-tools-powercut-{}", std::process::id()));
        fs::create_dir_all(dir.join("mount")).context("the temporary directory cannot be made")?;
        Ok(Self { dir })
    }

    fn image(&self) -> PathBuf {
        self.dir.join("image")
    }

    fn mount_point(&self) -> PathBuf {
        self.dir.join("mount")
    }

    /// Finds out whether this machine can do it at all.
    fn trial(&self, sh: &Shell) -> anyhow::Result<()> {
        self.format(sh)?;
        self.mount(sh)?;
        let cut = self.cut(sh);
        self.unmount(sh)?;
        cut
    }

    fn format(&self, sh: &Shell) -> anyhow::Result<()> {
        File::create(self.image())?.set_len(IMAGE_BYTES)?;
        sh.cmd("mkfs.ext4").args(["-q", "-F"]).arg(self.image()).quiet().ignore_stderr().run()?;
        Ok(())
    }

    fn mount(&self, sh: &Shell) -> anyhow::Result<()> {
        let mount = sh.cmd("mount").args(["-o", "loop"]).arg(self.image()).arg(self.mount_point());
        Ok(mount.quiet().ignore_stderr().run()?)
    }

    fn unmount(&self, sh: &Shell) -> anyhow::Result<()> {
        Ok(sh.cmd("umount").arg(self.mount_point()).quiet().ignore_stderr().run()?)
    }

    fn cut(&self, sh: &Shell) -> anyhow::Result<()> {
        Ok(sh.cmd("perl").args(["-e", SHUTDOWN]).arg(self.mount_point()).quiet().run()?)
    }

    /// Writes until the power goes, and checks what was acknowledged by then.
    fn round(&self, sh: &Shell, hammer: &Path, how: &str, round: u32) -> anyhow::Result<Verdict> {
        self.format(sh)?;
        self.mount(sh)?;
        let log = self.dir.join("acknowledged");
        let mut writer = Command::new(hammer)
            .arg(how)
            .arg(self.mount_point())
            .stdout(File::create(&log)?)
            .stderr(Stdio::null())
            .spawn()
            .context("the writer cannot be started")?;
        let started = Instant::now();
        while fs::metadata(&log)?.len() == 0 && started.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(10));
        }
        // A different moment of its work in every round.
        thread::sleep(Duration::from_millis(150 + u64::from(round) * 97 % 900));
        let cut = self.cut(sh);
        // Without a disk it fails by itself; a writer that did not notice is ended.
        let _ = writer.kill();
        writer.wait()?;
        self.unmount(sh)?;
        cut?;
        self.mount(sh)?;
        let lines = fs::read_to_string(&log)?.lines().count();
        let check =
            Command::new(hammer).arg("check").arg(self.mount_point()).stdin(File::open(&log)?).output()?;
        self.unmount(sh)?;
        let said = String::from_utf8_lossy(&check.stdout).trim().to_owned();
        Ok(Verdict { passed: check.status.success(), lines, said })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Ok(sh) = Shell::new()
            && answers(&sh, "mountpoint", &["-q", &self.mount_point().to_string_lossy()])
        {
            let _ = self.unmount(&sh);
        }
        let _ = fs::remove_dir_all(&self.dir);
    }
}
