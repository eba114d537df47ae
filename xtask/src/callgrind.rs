//! Instruction counts of the benches: the same on every run, so that a change of three per cent can be seen.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::bench::Results;
use crate::step::heading;
use crate::{tool, workspace};

/// Counts the instructions of one iteration of each benchmark. What building the inputs costs is counted once per
/// bench, by a run that selects nothing, and is subtracted.
pub(crate) fn count(
    sh: &Shell,
    benches: &[String],
    features: &[String],
    filter: Option<&str>,
) -> anyhow::Result<Results> {
    if !tool::answers(sh, "valgrind", &["--version"]) {
        bail!("counting needs valgrind, which this machine does not have");
    }
    let out = workspace::target_dir(sh)?.join("callgrind.out");
    let mut results = Results::new();
    for program in programs(sh, benches, features)? {
        heading(&format!("counting {}", program.display()));
        let ids = ids(sh, &program)?;
        let setup = instructions(sh, &program, "no benchmark has this name", &out)?;
        for id in ids.iter().filter(|it| filter.is_none_or(|filter| it.contains(filter))) {
            let whole = instructions(sh, &program, id, &out)?;
            let (scenario, function) = id.rsplit_once('/').unwrap_or((id, "ours"));
            let count = whole.saturating_sub(setup);
            println!("{id}: {count}");
            // Counts of one iteration are far below the 2^53 that a float holds exactly.
            results.entry(scenario.to_owned()).or_default().insert(function.to_owned(), count as f64);
        }
    }
    Ok(results)
}

/// Builds the benches and returns their executables.
fn programs(sh: &Shell, benches: &[String], features: &[String]) -> anyhow::Result<Vec<PathBuf>> {
    let chosen = benches.iter().flat_map(|it| ["--bench", it]);
    let messages =
        cmd!(sh, "cargo bench -q -p benches {features...} {chosen...} --no-run --message-format=json")
            .read()?;
    let mut programs = Vec::new();
    for line in messages.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        let is_bench = message["target"]["kind"][0] == "bench";
        if let (true, Some(program)) = (is_bench, message["executable"].as_str()) {
            programs.push(PathBuf::from(program));
        }
    }
    Ok(programs)
}

fn ids(sh: &Shell, program: &Path) -> anyhow::Result<Vec<String>> {
    let list = cmd!(sh, "{program} --bench --list --format terse").quiet().read()?;
    Ok(list.lines().filter_map(|it| Some(it.strip_suffix(": benchmark")?.to_owned())).collect())
}

/// Runs one benchmark once under callgrind.
fn instructions(sh: &Shell, program: &Path, id: &str, out: &Path) -> anyhow::Result<u64> {
    cmd!(sh, "valgrind -q --tool=callgrind --callgrind-out-file={out} {program} --bench --test --exact {id}")
        .quiet()
        .ignore_stdout()
        .ignore_stderr()
        .run()
        .with_context(|| format!("callgrind of {id}"))?;
    let report = fs::read_to_string(out).context("callgrind report")?;
    let totals =
        report.lines().find_map(|it| it.strip_prefix("totals: ").or_else(|| it.strip_prefix("summary: ")));
    totals.and_then(|it| it.trim().parse().ok()).context("callgrind report: totals")
}
