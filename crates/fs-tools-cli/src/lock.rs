//! The self-lock of the server: what the configuration does not grant, the kernel denies to this process.

use std::path::PathBuf;

use anyhow::bail;
use clap::ValueEnum;
use fs_tools::Reach;
use landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, LandlockStatus, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, path_beneath_rules,
};

/// The newest rights over files that are asked for; an older kernel enforces those it knows.
const WANTED: ABI = ABI::V5;

/// What happens where the kernel cannot enforce everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Enforce what is possible, and say how much that is.
    BestEffort,
    /// Refuse to start.
    Require,
}

/// Locks the calling thread and every thread that it starts from now on; returns a phrase for the start-up log.
///
/// # Errors
///
/// In [`Mode::Require`], when the lock is not fully enforced or cannot express the configuration.
pub(crate) fn apply(reach: Option<Reach>, mode: Mode) -> anyhow::Result<String> {
    let Some(reach) = reach else {
        if mode == Mode::Require {
            bail!(
                "the lock cannot express this configuration: restrict_to_workspace has to be on, and every pattern of \
                 tools.allow_write_paths has to name a directory"
            );
        }
        return Ok("kernel lock: not applied, the configuration does not restrict access".into());
    };
    let status = enforce(&reach)?;
    if mode == Mode::Require && status.ruleset != RulesetStatus::FullyEnforced {
        bail!("the kernel lock is {}: this kernel cannot enforce all of it", name(&status.ruleset));
    }
    Ok(format!("kernel lock: {}", name(&status.ruleset)))
}

/// What the kernel offers and how much of the lock it enforces, found out on a thread of its own.
pub(crate) fn probe(reach: Option<Reach>) -> String {
    let Some(reach) = reach else {
        return "not applicable, the configuration does not restrict access".into();
    };
    let outcome = std::thread::spawn(move || {
        enforce(&reach).map(|status| {
            let offer = match status.landlock {
                LandlockStatus::Available { effective_abi, .. } => format!("ABI {}", effective_abi as i32),
                LandlockStatus::NotEnabled => "not enabled in this kernel".into(),
                _ => "not implemented in this kernel".into(),
            };
            format!("{} ({offer})", name(&status.ruleset))
        })
    });
    match outcome.join() {
        Ok(Ok(text)) => text,
        Ok(Err(error)) => format!("failed: {error:#}"),
        Err(_) => "failed".into(),
    }
}

fn enforce(reach: &Reach) -> anyhow::Result<landlock::RestrictionStatus> {
    let all = AccessFs::from_all(WANTED);
    // Only this program is started from here, to parse documents, so nothing else needs to be executable.
    let write = all & !AccessFs::Execute & !AccessFs::MakeChar & !AccessFs::MakeBlock & !AccessFs::MakeSock;
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .create()?
        .add_rules(path_beneath_rules(&reach.write, write))?
        .add_rules(path_beneath_rules(&reach.read, read))?
        .add_rules(path_beneath_rules(own_code(), AccessFs::ReadFile | AccessFs::Execute))?
        // Where a child's error output goes.
        .add_rules(path_beneath_rules(["/dev/null"], AccessFs::ReadFile | AccessFs::WriteFile))?
        .restrict_self()?;
    Ok(status)
}

/// The files that this program is made of: itself, the loader, and the libraries that are mapped.
fn own_code() -> Vec<PathBuf> {
    let mut files = vec![PathBuf::from("/etc/ld.so.cache")];
    files.extend(std::env::current_exe());
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    // Address, rights, offset, device, inode, and the path where there is one.
    files.extend(maps.lines().filter_map(|it| it.find('/').map(|at| PathBuf::from(&it[at..]))));
    files.sort();
    files.dedup();
    files.retain(|it| it.is_file());
    files
}

fn name(status: &RulesetStatus) -> &'static str {
    match status {
        RulesetStatus::FullyEnforced => "fully enforced",
        RulesetStatus::PartiallyEnforced => "partially enforced",
        RulesetStatus::NotEnforced => "not enforced",
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::{Mode, RulesetStatus, apply, enforce};

    #[test]
    fn a_locked_thread_reaches_what_was_granted_and_nothing_else() {
        let inside = tempfile::tempdir().unwrap();
        let readable = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        for dir in [&inside, &readable, &outside] {
            fs::write(dir.path().join("f"), "x").unwrap();
        }
        let reach = fs_tools::Reach { read: vec![readable.path().into()], write: vec![inside.path().into()] };
        let (status, results) = std::thread::scope(|scope| {
            scope
                .spawn(|| {
                    let status = enforce(&reach).unwrap().ruleset;
                    let results = [
                        fs::read(inside.path().join("f")).is_ok(),
                        fs::write(inside.path().join("g"), "y").is_ok(),
                        fs::rename(inside.path().join("g"), inside.path().join("h")).is_ok(),
                        fs::read(readable.path().join("f")).is_ok(),
                        fs::write(readable.path().join("g"), "y").is_ok(),
                        fs::read(outside.path().join("f")).is_ok(),
                        fs::write(outside.path().join("g"), "y").is_ok(),
                    ];
                    (status, results)
                })
                .join()
                .unwrap()
        });
        if status == RulesetStatus::NotEnforced {
            eprintln!("skipped: this kernel has no Landlock");
            return;
        }
        assert_eq!(results, [true, true, true, true, false, false, false]);
    }

    #[test]
    fn a_locked_thread_starts_this_program_and_no_other() {
        let inside = tempfile::tempdir().unwrap();
        let reach = fs_tools::Reach { read: Vec::new(), write: vec![inside.path().into()] };
        let own = std::env::current_exe().unwrap();
        let starts = |program: &std::path::Path| {
            Command::new(program).arg("--list").output().is_ok_and(|it| it.status.success())
        };
        let (status, own, other) = std::thread::scope(|scope| {
            scope
                .spawn(|| {
                    let status = enforce(&reach).unwrap().ruleset;
                    (status, starts(&own), starts("/bin/true".as_ref()))
                })
                .join()
                .unwrap()
        });
        if status == RulesetStatus::NotEnforced {
            eprintln!("skipped: this kernel has no Landlock");
            return;
        }
        assert_eq!((own, other), (true, false));
    }

    #[test]
    fn what_cannot_be_expressed_is_said_or_refused() {
        assert!(apply(None, Mode::BestEffort).unwrap().contains("not applied"));
        assert!(apply(None, Mode::Require).is_err());
    }
}
