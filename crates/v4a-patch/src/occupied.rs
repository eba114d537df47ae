//! Which file lines the hunks placed so far hold, so that no line is changed twice.

use alloc::collections::BTreeMap;

use crate::locate::Run;
use crate::patch::{Hunk, LineKind};

/// Lines and gaps that are taken.
#[derive(Debug, Default)]
pub(crate) struct Occupied {
    /// Removed lines: start to (end, hunk); disjoint.
    removed: BTreeMap<usize, (usize, usize)>,
    /// Matched lines, context included: start to (end, a hunk that covers the start); disjoint.
    covered: BTreeMap<usize, (usize, usize)>,
    /// Gaps where a hunk inserts without removing: the line behind the gap, and the hunk.
    gaps: BTreeMap<usize, usize>,
}

impl Occupied {
    /// Takes the lines of hunk `at`, placed at `start..end`.
    pub(crate) fn add(&mut self, at: usize, start: usize, end: usize, runs: &[Run<'_>]) {
        for run in runs {
            if run.start < run.end {
                self.removed.insert(run.start, (run.end, at));
            } else {
                self.gaps.insert(run.start, at);
            }
        }
        // Keep the covered ranges disjoint: cut the new one around what is covered already.
        let mut from = start;
        if let Some((_, &(other_end, _))) = self.covered.range(..=start).next_back() {
            from = from.max(other_end);
        }
        let mut inside = self.covered.range(start + 1..).next().map(|(&at, &(to, _))| (at, to));
        while from < end {
            match inside {
                Some((next, next_end)) if next < end => {
                    if from < next {
                        self.covered.insert(from, (next, at));
                    }
                    from = from.max(next_end);
                    inside = self.covered.range(next + 1..).next().map(|(&at, &(to, _))| (at, to));
                }
                _ => {
                    self.covered.insert(from, (end, at));
                    from = end;
                }
            }
        }
    }

    /// Returns whether the lines `start..end` and the gaps around them are untouched by any hunk.
    pub(crate) fn is_free(&self, start: usize, end: usize) -> bool {
        self.covered.is_empty()
            || (hit(&self.covered, start, end).is_none() && self.gaps.range(start..=end).next().is_none())
    }

    /// Returns the hunk and the line that keep `hunk` from being placed at `start`.
    pub(crate) fn conflict(&self, hunk: &Hunk<'_>, start: usize) -> Option<(usize, usize)> {
        let mut line = start;
        let mut run_start = start;
        let mut run = (false, false); // has removed lines, has added lines
        let mut first = None;
        for hunk_line in &hunk.lines {
            match hunk_line.kind {
                LineKind::Context => {
                    first = first.or_else(|| self.run_conflict(run_start, line, run));
                    line += 1;
                    run_start = line;
                    run = (false, false);
                }
                LineKind::Removed => {
                    run.0 = true;
                    line += 1;
                }
                LineKind::Added => run.1 = true,
            }
        }
        first = first.or_else(|| self.run_conflict(run_start, line, run));
        // A line that another hunk removes is not even available as context.
        hit(&self.removed, start, line).or(first)
    }

    fn run_conflict(&self, start: usize, end: usize, run: (bool, bool)) -> Option<(usize, usize)> {
        match run {
            (true, _) => hit(&self.covered, start, end),
            (false, true) => self.gaps.get(&start).map(|&hunk| (hunk, start)),
            (false, false) => None,
        }
    }
}

/// Returns the first range that meets `start..end`: its hunk and the first common line.
fn hit(ranges: &BTreeMap<usize, (usize, usize)>, start: usize, end: usize) -> Option<(usize, usize)> {
    if let Some((_, &(to, hunk))) = ranges.range(..=start).next_back()
        && to > start
        && start < end
    {
        return Some((hunk, start));
    }
    ranges.range(start..end).next().map(|(&from, &(_, hunk))| (hunk, from))
}
