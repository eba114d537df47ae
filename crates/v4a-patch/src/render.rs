//! Turns placed hunks into byte edits: endings of added lines, and the state of the final newline.

use alloc::vec::Vec;

use crate::lines::Lines;
use crate::locate::Run;
use crate::plan::{HunkReport, Plan, Report, Splice};

/// Builds the plan. A line that is added takes its ending from the line it replaces or stands beside, and a file
/// without final newline stays so.
pub(crate) fn plan<'f>(
    lines: &Lines<'f>,
    mut runs: Vec<Run<'_>>,
    mut reports: Vec<HunkReport>,
    steps: u64,
) -> Plan<'f> {
    // Stable: lines appended at the end keep the order of the patch.
    runs.sort_by_key(|run| (run.start, run.end, run.append));
    new_lines(&runs, &mut reports, lines.len());
    let total = lines.len();
    let file = lines.file();
    let tail = runs.iter().position(|run| run.end == total).unwrap_or(runs.len());
    let last_adding = runs[tail..].iter().rposition(|run| !run.added.is_empty()).map(|at| at + tail);
    // The run that holds the last line of the new text, when that line must not be terminated.
    let unterminated = if lines.unterminated() { last_adding } else { None };
    let size = runs.iter().flat_map(|run| &run.added).map(|text| text.len() + 2).sum::<usize>() + 2;
    let mut buffer = Vec::with_capacity(size);
    let mut splices: Vec<Splice> = Vec::with_capacity(runs.len());
    for (at, run) in runs.iter().enumerate() {
        let from = buffer.len();
        let first_of_tail = at == tail && unterminated.is_some();
        if first_of_tail && run.start == total && total > 0 {
            // The last line of the old text is no longer the last one.
            buffer.extend_from_slice(lines.real_ending(total - 1));
        }
        for (index, text) in run.added.iter().enumerate() {
            buffer.extend_from_slice(text.as_bytes());
            if unterminated != Some(at) || index + 1 < run.added.len() {
                buffer.extend_from_slice(ending(lines, run, index));
            }
        }
        let range = lines.start(run.start)..lines.start(run.end);
        let text = from..buffer.len();
        match splices.last_mut() {
            // Neighbours are joined, so that the edits of a plan are disjoint and separated.
            Some(last) if last.range.end == range.start => {
                last.range.end = range.end;
                last.text.end = text.end;
            }
            _ => splices.push(Splice { range, text }),
        }
    }
    let report = Report { hunks: reports, changed: false };
    let mut plan = Plan { file, splices, buffer, report, steps };
    plan.report.changed = differs(&plan);
    plan
}

/// Returns whether the new text differs from the old one. Edits that are different one by one may still give the same
/// text together, such as a line removed here and added there among equal ones.
fn differs(plan: &Plan<'_>) -> bool {
    if plan.new_len() != plan.file.len() {
        return true;
    }
    let mut rest = plan.file;
    plan.slices().any(|slice| {
        let (head, tail) = rest.split_at(slice.len().min(rest.len()));
        rest = tail;
        head != slice
    })
}

/// The ending of added line `index` of a run.
fn ending(lines: &Lines<'_>, run: &Run<'_>, index: usize) -> &'static [u8] {
    let removed = run.end - run.start;
    if removed > 0 {
        lines.real_ending(run.start + index.min(removed - 1))
    } else if run.start > 0 {
        lines.real_ending(run.start - 1)
    } else if lines.len() > 0 {
        lines.real_ending(0)
    } else {
        b"\n"
    }
}

/// Fills in where each hunk is in the new text. `runs` are sorted.
fn new_lines(runs: &[Run<'_>], reports: &mut [HunkReport], total: usize) {
    let mut delta = Vec::with_capacity(runs.len() + 1);
    let (mut added, mut removed) = (0, 0);
    delta.push((0, 0));
    for run in runs {
        added += run.added.len();
        removed += run.end - run.start;
        delta.push((added, removed));
    }
    for report in reports {
        let line = report.line - 1;
        let mut before = runs.partition_point(|run| run.start < line);
        while let Some(run) = runs.get(before)
            && run.start == line
            && run.end == line
            && run.hunk + 1 != report.hunk
            && (report.matched > 0 || run.hunk + 1 < report.hunk || line < total || !run.append)
        {
            before += 1;
        }
        let (added, removed) = delta[before];
        report.new_line = report.line + added - removed;
    }
}
