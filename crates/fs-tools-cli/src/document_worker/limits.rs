//! What a worker may use, and how it binds itself to that.

use std::time::Duration;

use clap::Args;
use landlock::{ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _};
use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

use super::SLACK;

/// The newest rights over files that are given up; an older kernel takes those it knows.
const ABI_FILES: ABI = ABI::V5;

/// What one document may cost.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct WorkerLimits {
    /// Address space, in MiB
    #[arg(long = "worker-memory-mib", value_name = "N", default_value_t = 512, hide = true)]
    pub(crate) memory_mib: u64,
    /// Processor time, in seconds
    #[arg(long = "worker-cpu-seconds", value_name = "N", default_value_t = 8, hide = true)]
    pub(crate) cpu_seconds: u64,
}

impl Default for WorkerLimits {
    fn default() -> Self {
        Self { memory_mib: 512, cpu_seconds: 8 }
    }
}

impl WorkerLimits {
    /// How long to wait for an answer.
    pub(super) fn timeout(self) -> Duration {
        Duration::from_secs(self.cpu_seconds) + SLACK
    }

    pub(super) fn arguments(self) -> [String; 2] {
        [
            format!("--worker-memory-mib={}", self.memory_mib),
            format!("--worker-cpu-seconds={}", self.cpu_seconds),
        ]
    }

    /// Binds this process for good. Whatever the system does not offer is left out: the document is still read in a
    /// process of its own.
    pub(super) fn enforce(self) {
        let bound = |resource, value: u64| {
            let _ = setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) });
        };
        bound(Resource::As, self.memory_mib << 20);
        bound(Resource::Cpu, self.cpu_seconds);
        // Nothing is written to a file, neither on purpose nor by a crash, and nothing is opened.
        bound(Resource::Fsize, 0);
        bound(Resource::Core, 0);
        bound(Resource::Nofile, 16);
        // A server that is killed takes its workers with it.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        let _ = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(ABI_FILES))
            .and_then(|it| it.create())
            .and_then(|it| it.restrict_self());
    }
}
