//! What the machine offers: kernel, processors, limits of the process.

use rustix::process::{Resource, getrlimit};

use super::Check;

/// Each thread of a search has a file open, besides the directories above it.
const OPEN_FILES: u64 = 256;
/// Watches that a large source tree needs: one for each directory.
const WATCHES: u64 = 8192;

pub(super) fn system() -> Check {
    let uname = rustix::system::uname();
    let libc = if cfg!(target_env = "musl") { "static (musl)" } else { "dynamic (glibc)" };
    let (system, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let kernel = uname.release().to_string_lossy();
    Check::ok("system", format!("{system} {kernel}, {arch}, {libc} build"))
}

pub(super) fn threads() -> Check {
    match std::thread::available_parallelism() {
        Ok(count) => Check::ok("threads", count.to_string()),
        Err(error) => Check::warn("threads", format!("unknown, so one is used: {error}"), "none"),
    }
}

pub(super) fn open_files() -> Check {
    let limit = getrlimit(Resource::Nofile);
    let hard = limit.maximum.map_or_else(|| "none".to_owned(), |most| most.to_string());
    match limit.current {
        None => Check::ok("open_files", "no limit"),
        Some(soft) if soft >= OPEN_FILES => Check::ok("open_files", format!("limit {soft}, at most {hard}")),
        Some(soft) => Check::warn(
            "open_files",
            format!("limit {soft}, at most {hard}: too few for a search with many threads"),
            format!("raise it to {OPEN_FILES} or more: ulimit -n"),
        ),
    }
}

pub(super) fn file_size() -> Check {
    match getrlimit(Resource::Fsize).current {
        None => Check::ok("file_size", "no limit"),
        Some(bytes) => Check::warn(
            "file_size",
            format!("limit {bytes} bytes: a longer write ends the process"),
            "lift it: ulimit -f unlimited",
        ),
    }
}

pub(super) fn inotify() -> Check {
    let read = |name: &str| {
        let text = std::fs::read_to_string(format!("/proc/sys/fs/inotify/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    match (read("max_user_watches"), read("max_user_instances")) {
        (Some(watches), Some(instances)) if watches >= WATCHES => {
            Check::ok("inotify", format!("{watches} watches, {instances} instances a user"))
        }
        (Some(watches), _) => Check::warn(
            "inotify",
            format!("{watches} watches a user: too few to watch a large tree"),
            format!("raise fs.inotify.max_user_watches to {WATCHES} or more with sysctl"),
        ),
        _ => Check::warn(
            "inotify",
            "the limits cannot be read: a tree may not be watched, and is looked through each time",
            "mount /proc",
        ),
    }
}
