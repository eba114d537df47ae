//! `cargo xtask fuzz`: runs the fuzz targets on their corpus, seeds and regressions.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use xshell::Shell;

use crate::flags::Fuzz;
use crate::step::{Step, heading};
use crate::{tool, workspace};

const SECS_PER_TARGET: u32 = 20;

/// An input that takes longer is a finding: every operation is linear, and inputs are small.
const INPUT_TIMEOUT_SECS: u32 = 10;

/// Runs of a target whose inputs are to be the same each time.
const SMOKE_RUNS: u32 = 2_000;

/// Whether a run looks for something new, or repeats what the last one did.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inputs {
    /// Other inputs each time: this is how something is found.
    New,
    /// The same inputs for the same program: a commit is not judged by a throw of dice.
    Same,
}

/// A target that needs more memory than this is a finding too.
const MEMORY_MIB: u32 = 2048;

pub(crate) fn run(sh: &Shell, flags: &Fuzz) -> anyhow::Result<()> {
    tool::need_nightly(sh)?;
    tool::FUZZ.ensure(sh)?;
    let all = workspace::fuzz_targets()?;
    if let Some(target) = &flags.min {
        known(&all, target)?;
        let only = only_its_crate(sh, target)?;
        return minimize(sh, target, &only);
    }
    let secs = flags.secs.unwrap_or(SECS_PER_TARGET);
    match &flags.target {
        Some(target) => {
            known(&all, target)?;
            let only = only_its_crate(sh, target)?;
            Step::new("build", "cargo +nightly fuzz build").args(only.clone()).arg(target).run(sh)?;
            fuzz(sh, target, secs, Inputs::New, &only)
        }
        None => smoke(sh, secs, Inputs::New),
    }
}

/// Fuzzes every target; a finding in one does not keep the others from running.
pub(crate) fn smoke(sh: &Shell, secs: u32, inputs: Inputs) -> anyhow::Result<()> {
    let targets = workspace::fuzz_targets()?;
    if targets.is_empty() {
        println!("there are no fuzz targets");
        return Ok(());
    }
    Step::new("build of all fuzz targets", "cargo +nightly fuzz build").run(sh)?;
    let mut findings = Vec::new();
    for target in &targets {
        if let Err(error) = fuzz(sh, target, secs, inputs, &[]) {
            println!("{error:#}");
            findings.push(target.as_str());
        }
    }
    if !findings.is_empty() {
        bail!("findings in {}", findings.join(", "));
    }
    heading(&format!("{} fuzz targets, {secs} s each: no findings", targets.len()));
    Ok(())
}

fn known(all: &[String], target: &str) -> anyhow::Result<()> {
    if !all.iter().any(|it| it == target) {
        bail!("there is no fuzz target `{target}`; there are: {}", all.join(", "));
    }
    Ok(())
}

/// The features that build the crate of one target and no other.
fn only_its_crate(sh: &Shell, target: &str) -> anyhow::Result<Vec<String>> {
    let packages = workspace::packages(sh)?;
    let cores = packages.iter().find(|it| it.name == "props").map(|it| it.features.keys());
    let feature = cores.into_iter().flatten().filter(|it| belongs(target, it)).max_by_key(|it| it.len());
    Ok(feature.map_or(Vec::new(), |it| vec!["--no-default-features".into(), "--features".into(), it.clone()]))
}

fn fuzz(sh: &Shell, target: &str, secs: u32, inputs: Inputs, build: &[String]) -> anyhow::Result<()> {
    let root = workspace::root();
    let corpus = format!("fuzz/corpus/{target}");
    fs::create_dir_all(root.join(&corpus)).with_context(|| corpus.clone())?;
    let mut step =
        Step::new(&format!("fuzz {target}"), "cargo +nightly fuzz run").args(build).args([target, &corpus]);
    // The fuzzer reads all folders and writes what it finds to the first.
    for dir in [format!("fuzz/seeds/{target}"), format!("fuzz/regressions/{target}")] {
        if root.join(&dir).is_dir() {
            step = step.arg(dir);
        }
    }
    step = step.arg("--").args([
        format!("-max_total_time={secs}"),
        format!("-timeout={INPUT_TIMEOUT_SECS}"),
        format!("-rss_limit_mb={MEMORY_MIB}"),
        "-verbosity=0".to_owned(),
        "-print_final_stats=1".to_owned(),
    ]);
    if let Some(dict) = dictionary(&root, target) {
        step = step.arg(format!("-dict={dict}"));
    }
    if inputs == Inputs::Same {
        step = step.args(["-seed=1".to_owned(), format!("-runs={SMOKE_RUNS}")]);
    }
    let log = step.run_captured(sh).with_context(|| {
        format!("{target}: move the input from fuzz/artifacts/{target}/ to fuzz/regressions/{target}/, and fix the law it breaks")
    })?;
    println!("{}", summary(&log));
    Ok(())
}

/// What a run did, out of the statistics that the fuzzer prints last.
fn summary(log: &str) -> String {
    let stat = |name: &str| {
        let line =
            log.lines().rev().find_map(|it| it.strip_prefix("stat::")?.strip_prefix(name)?.strip_prefix(':'));
        line.map_or("?", str::trim).to_owned()
    };
    let runs = stat("number_of_executed_units");
    let speed = stat("average_exec_per_sec");
    let memory = stat("peak_rss_mb");
    format!("ok: {runs} runs, {speed} per second, {memory} MiB at most")
}

/// A target is named after its crate: `redact_chunked` belongs to `redact`.
///
/// The longest name wins where one crate is called like the beginning of another.
fn belongs(target: &str, package: &str) -> bool {
    target.strip_prefix(&package.replace('-', "_")).is_some_and(|rest| rest.starts_with('_'))
}

/// The words of a format that a crate reads: `redact_chunked` uses the dictionary of `redact`.
fn dictionary(root: &Path, target: &str) -> Option<String> {
    let entries = fs::read_dir(root.join("fuzz/dict")).ok()?;
    let names = entries.filter_map(|it| it.ok()?.file_name().into_string().ok());
    let fits = |name: &String| name.strip_suffix(".dict").is_some_and(|it| belongs(target, it));
    Some(format!("fuzz/dict/{}", names.filter(fits).max_by_key(String::len)?))
}

fn minimize(sh: &Shell, target: &str, build: &[String]) -> anyhow::Result<()> {
    let corpus = format!("fuzz/corpus/{target}");
    fs::create_dir_all(workspace::root().join(&corpus)).with_context(|| corpus.clone())?;
    Step::new("smallest corpus with the same coverage", "cargo +nightly fuzz cmin")
        .args(build)
        .args([target, &corpus])
        .run(sh)
}

#[cfg(test)]
mod tests {
    use super::{belongs, summary};

    #[test]
    fn a_target_belongs_to_the_crate_it_is_named_after() {
        assert!(belongs("syntax_scan_chunked", "syntax-scan"));
        assert!(!belongs("syntax_scan_chunked", "v4a-patch"));
        assert!(!belongs("redacted_lines", "redact"));
    }

    #[test]
    fn the_last_statistics_are_summed_up() {
        let log = "noise\nstat::number_of_executed_units: 12\nstat::average_exec_per_sec:     3\n";
        assert_eq!(summary(log), "ok: 12 runs, 3 per second, ? MiB at most");
    }
}
