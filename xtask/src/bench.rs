//! `cargo xtask bench`: runs the benches and compares each with the baselines of its group, measured in the same run.
//!
//! A group is one scenario, `<crate>/<operation>/<input>`. Functions named `baseline_*` or `peer_*` in it are what the others are
//! compared with. Seconds of two machines or two days are not comparable, ratios within one run are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context as _, bail};
use serde_json::Value;
use xshell::Shell;

use crate::flags::Bench;
use crate::step::{Step, heading};
use crate::{bench_mcp, bench_search, callgrind, workspace};

/// Measured values by scenario and function.
pub(crate) type Results = BTreeMap<String, BTreeMap<String, f64>>;

pub(crate) fn run(sh: &Shell, flags: &Bench) -> anyhow::Result<()> {
    if let Some(dir) = &flags.dir {
        return match flags.filter.as_deref() {
            Some("search") if flags.warm => bench_search::warm(sh, dir, flags.runs),
            Some("search") => bench_search::run(sh, dir, flags.runs),
            other => {
                bail!("`bench search DIR` compares on a folder; `{}` does not", other.unwrap_or_default())
            }
        };
    }
    if flags.filter.as_deref() == Some("mcp") {
        return bench_mcp::run(sh, flags.runs);
    }
    let benches = selected(flags)?;
    if flags.counts {
        let counts = callgrind::count(sh, &benches, &features(flags), flags.filter.as_deref())?;
        heading("instructions, and their ratio to the baselines");
        return print(&counts, "instructions");
    }
    let started = SystemTime::now();
    let mut step = Step::new("benches", "cargo bench -p benches").args(features(flags));
    for bench in &benches {
        step = step.arg("--bench").arg(bench);
    }
    step = step.arg("--");
    if flags.quick {
        step = step.arg("--quick");
    }
    if let Some(filter) = &flags.filter {
        step = step.arg(filter);
    }
    step.run(sh)?;
    let mut results = Results::new();
    collect(&workspace::target_dir(sh)?.join("criterion"), started, &mut results)?;
    heading("medians, and their ratio to the baselines");
    print(&results, "ns")
}

/// The benches to run: the one of a crate, or all.
fn selected(flags: &Bench) -> anyhow::Result<Vec<String>> {
    let all = workspace::benches()?;
    match &flags.package {
        None => Ok(all),
        Some(package) => {
            let name = package.replace('-', "_");
            if !all.contains(&name) {
                bail!("there is no bench of `{package}`; there are: {}", all.join(", "));
            }
            Ok(vec![name])
        }
    }
}

/// The bench of one crate builds that crate only: the feature is named like it.
fn features(flags: &Bench) -> Vec<String> {
    match &flags.package {
        None => vec!["--all-features".to_owned()],
        Some(package) => vec!["--features".to_owned(), package.replace('_', "-")],
    }
}

/// Finds what criterion wrote since `started`: `benchmark.json` names it and `estimates.json` beside it has the times.
fn collect(dir: &Path, started: SystemTime, results: &mut Results) -> anyhow::Result<()> {
    let Ok(entries) = fs::read_dir(dir) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if !path.is_dir() {
            continue;
        }
        let estimates = path.join("estimates.json");
        let is_new = path.file_name().is_some_and(|it| it == "new")
            && fs::metadata(&estimates).and_then(|it| it.modified()).is_ok_and(|it| it >= started);
        if !is_new {
            collect(&path, started, results)?;
            continue;
        }
        let name = json(&path.join("benchmark.json"))?;
        let median =
            json(&estimates)?["median"]["point_estimate"].as_f64().context("estimates.json: median")?;
        let group = name["group_id"].as_str().context("benchmark.json: group_id")?;
        let value = name["value_str"].as_str().map_or(String::new(), |it| format!("/{it}"));
        let function = name["function_id"].as_str().unwrap_or("ours");
        results.entry(format!("{group}{value}")).or_default().insert(function.to_owned(), median);
    }
    Ok(())
}

fn json(path: &Path) -> anyhow::Result<Value> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

fn print(results: &Results, unit: &str) -> anyhow::Result<()> {
    if results.is_empty() {
        bail!("no benchmark ran");
    }
    for (scenario, functions) in results {
        println!("{scenario}");
        for line in lines(functions, unit) {
            println!("  {line}");
        }
    }
    Ok(())
}

/// One line per function: its value, and for one of ours its ratio to each reference.
fn lines(functions: &BTreeMap<String, f64>, unit: &str) -> Vec<String> {
    let references: Vec<(&String, &f64)> = functions.iter().filter(|(name, _)| is_reference(name)).collect();
    let mut lines = Vec::new();
    for (name, value) in functions {
        let mut line = format!("{name:<28} {value:>16.0} {unit}");
        if !is_reference(name) {
            for &(reference, of) in &references {
                line.push_str(&format!("  {:.2} x {reference}", value / of));
            }
            if references.is_empty() {
                line.push_str("  (no baseline in this group)");
            }
        }
        lines.push(line);
    }
    lines
}

fn is_reference(function: &str) -> bool {
    function.starts_with("baseline") || function.starts_with("peer")
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn ours_is_compared_with_each_reference() {
        let values = [("ours", 300.0), ("baseline_memchr", 100.0), ("peer_other", 600.0)];
        let functions = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let lines = lines(&functions, "ns");
        assert_eq!(lines.len(), 3);
        assert!(lines[1].contains("3.00 x baseline_memchr  0.50 x peer_other"), "{}", lines[1]);
    }
}
