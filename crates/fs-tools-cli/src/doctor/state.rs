//! What lies on disk: the configuration, the workspace's file system, the state directory, the history.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use fs_tools::file_history::Keep;
use fs_tools::{Scope, Workspace, file_history, show_path};
use rustix::fs::{Access, AtFlags};

use super::Check;
use crate::cli::Cli;
use crate::config_file;
use crate::progress::{Line, Unit};

/// Less than this is soon full of versions.
const FREE_BYTES: u64 = 256 * 1024 * 1024;
/// Group and others.
const OTHERS: u32 = 0o077;
/// Group and others may write.
const OTHERS_WRITE: u32 = 0o022;

/// Magic numbers of file systems that are no local disk, from the header files of Linux.
const REMOTE: [(u64, &str); 4] =
    [(0x6969, "NFS"), (0x6573_5546, "FUSE"), (0x0102_1997, "9p"), (0xff53_4d42, "CIFS")];

/// Where the configuration comes from, and whether others can change it.
pub(super) fn configuration(cli: &Cli) -> anyhow::Result<Check> {
    const NAME: &str = "configuration";
    let Some(path) = config_file::document(cli)?.path else {
        return Ok(Check::ok(NAME, "none: the defaults hold"));
    };
    let shown = show_path(&path).into_owned();
    Ok(match std::fs::metadata(&path) {
        Ok(file) if file.permissions().mode() & OTHERS_WRITE != 0 => {
            Check::warn(NAME, format!("{shown} can be changed by other users"), format!("chmod go-w {shown}"))
        }
        _ => Check::ok(NAME, shown),
    })
}

/// The file system of the workspace, and how much of it is free.
pub(super) fn file_system(root: &Path) -> Check {
    const NAME: &str = "file_system";
    let kind = rustix::fs::statfs(root).ok().map(|found| found.f_type as u64 & 0xffff_ffff);
    let free = free_bytes(root)
        .map_or_else(|| "free space unknown".to_owned(), |free| format!("{} MiB free", free >> 20));
    match kind.and_then(|kind| REMOTE.iter().find(|(magic, _)| *magic == kind)) {
        Some((_, name)) => Check::ok(NAME, format!("{name}, {free}")),
        None => Check::ok(NAME, free),
    }
}

/// The directory that keeps the history: whose it is, who may read it, how much room there is.
pub(super) fn state_dir(workspace: &Workspace) -> Check {
    const NAME: &str = "state_directory";
    let Some(dir) = workspace.state_dir() else {
        return Check::warn(
            NAME,
            "none: nothing is recorded, so nothing can be undone",
            "set HOME or XDG_STATE_HOME, and keep fs_tools.history.enabled",
        );
    };
    let shown = show_path(dir);
    let Some(existing) = dir.ancestors().find(|above| above.exists()) else {
        return Check::fail(
            NAME,
            format!("{shown} cannot be reached"),
            "set XDG_STATE_HOME to a directory of yours",
        );
    };
    let can_write =
        rustix::fs::accessat(rustix::fs::CWD, existing, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
            .is_ok();
    if !can_write {
        return Check::fail(
            NAME,
            format!("{} is not writable for you, so that no change can be recorded", show_path(existing)),
            "make it writable, or set XDG_STATE_HOME to a directory of yours",
        );
    }
    if existing == dir
        && let Ok(found) = std::fs::metadata(dir)
    {
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Check::fail(
                NAME,
                format!("{shown} belongs to another user"),
                "set XDG_STATE_HOME to a directory of yours",
            );
        }
        if found.mode() & OTHERS != 0 {
            return Check::warn(
                NAME,
                format!("{shown} can be read by others: mode {:o}", found.mode() & 0o777),
                format!("chmod 700 {shown}"),
            );
        }
    }
    match free_bytes(existing) {
        Some(free) if free < FREE_BYTES => Check::warn(
            NAME,
            format!("{shown} has {} MiB left", free >> 20),
            "make room: `fs-tools history purge` forgets versions",
        ),
        Some(free) => Check::ok(NAME, format!("{shown}, yours alone, {} MiB free", free >> 20)),
        None => Check::ok(NAME, format!("{shown}, yours alone")),
    }
}

fn free_bytes(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// How the two histories are: that of the workspace, and that of files outside it.
pub(super) fn history(workspace: &Workspace, deep: bool, checks: &mut Vec<Check>) {
    if workspace.state_dir().is_none() {
        return;
    }
    let kept = match workspace.keeps_of_sensitive() {
        Some(Keep::Seal) => "sealed",
        Some(Keep::Content) => "kept in the open",
        _ => "not kept, so that it cannot be undone",
    };
    checks.push(Check::ok("sensitive_files", format!("content of sensitive files is {kept}")));
    for (name, scope) in [("history", Scope::Workspace), ("history_outside", Scope::Outside)] {
        checks.push(history_in(workspace, name, scope, deep));
    }
}

fn history_in(workspace: &Workspace, name: &'static str, scope: Scope, deep: bool) -> Check {
    let flag = if scope == Scope::Outside { " --outside" } else { "" };
    let line = if deep { Line::start("reading the history back", Unit::None) } else { Line::none() };
    let found =
        workspace.history_in(scope, |history: &mut file_history::History<file_history::SqliteStore>| {
            let verified = if deep { Some(history.verify()?) } else { None };
            let store = history.store();
            Ok((history.stats()?, history.interrupted()?, store.has_wal(), store.was_tightened(), verified))
        });
    drop(line);
    let (size, interrupted, has_wal, was_tightened, verified) = match found {
        Ok(Some(found)) => found,
        Ok(None) => return Check::ok(name, "nothing is recorded yet"),
        Err(error) => {
            let fix = error.next_step().unwrap_or("free or repair the state directory");
            return Check::fail(name, format!("it cannot be used: {}", error.message()), fix);
        }
    };
    let mut summary = format!(
        "{} changes, {} contents, {} KiB on disk",
        size.changes,
        size.blobs,
        size.stored_bytes / 1024
    );
    if let Some(found) = verified {
        if !found.is_sound() {
            let damaged = found.damaged.len() + found.problems.len();
            return Check::fail(
                name,
                format!("{summary}; damaged in {damaged} places"),
                format!("`fs-tools history verify{flag}` lists them"),
            );
        }
        summary.push_str(", all of them read back");
    }
    if let Some((set, _, done, all)) = interrupted.first() {
        return Check::warn(
            name,
            format!("{summary}; an undo was interrupted after {done} of {all} files"),
            format!("fs-tools history undo{flag} --resume {set}, or --rollback {set}"),
        );
    }
    if was_tightened {
        summary.push_str("; others could read it until now");
    }
    if !has_wal {
        return Check::warn(
            name,
            format!("{summary}; without a write-ahead log, so that readers and writers wait for each other"),
            "keep the state directory on a local disk",
        );
    }
    Check::ok(name, summary)
}
