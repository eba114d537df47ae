//! Finds the one place of each hunk in a file, or says why there is none.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::error::{Error, HunkError, HunkErrorKind, LocateError};
use crate::explain;
use crate::lines::Lines;
use crate::occupied::Occupied;
use crate::options::{Headers, Options};
use crate::patch::{Hunk, LineKind};
use crate::plan::{HunkReport, Plan};
use crate::render;
use crate::search::{Steps, Symbols, Tier, TooManySteps};

/// Most failed hunks that are reported at once.
pub(crate) const MAX_FAILURES: usize = 5;
/// Most places that are listed for one hunk.
pub(crate) const MAX_CANDIDATES: usize = 5;

/// A run of changed lines: file lines `start..end` give way to `lines[added]` of the hunk's text.
#[derive(Debug, Clone)]
pub(crate) struct Run<'p> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) added: Vec<&'p str>,
    pub(crate) hunk: usize,
    pub(crate) append: bool,
}

/// Where a hunk goes.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: usize,
    tier: Tier,
    fallback: bool,
    by_header: bool,
    also_at: Option<usize>,
}

/// Finds the place of each hunk in `file`. All hunks match the original text.
///
/// A hunk is searched from the end of the previous one on, and in the whole file when it is not there; exactly first,
/// then ignoring trailing whitespace. It has to have one place. Hunks may share context lines; a line that one hunk
/// changes is not available to another. A hunk that only adds lines is appended at the end; the parser lets such a hunk
/// pass only with `*** End of File`.
///
/// # Errors
///
/// [`Error::Locate`] with up to five failed hunks, each with a diagnosis; [`Error::LimitExceeded`].
///
/// # Cost
///
/// O(file + patch) time for hunks with a distinctive line; at worst one more pass over the lines of the file per
/// hunk, never the product of file and hunk length. Eight bytes per file line.
pub fn locate<'f>(file: &'f [u8], hunks: &[Hunk<'_>], options: &Options<'_>) -> Result<Plan<'f>, Error> {
    locate_in(file, hunks, "", options)
}

/// As [`locate`], with the path for the errors.
pub(crate) fn locate_in<'f>(
    file: &'f [u8],
    hunks: &[Hunk<'_>],
    path: &str,
    options: &Options<'_>,
) -> Result<Plan<'f>, Error> {
    let limits = &options.limits;
    let max_bytes = limits.max_file_bytes.min(u32::MAX as usize - 1);
    if file.len() > max_bytes {
        return Err(limit("file_bytes", file.len() as u64, max_bytes as u64));
    }
    let lines = Lines::new(file);
    if lines.len() > limits.max_lines {
        return Err(limit("file_lines", lines.len() as u64, limits.max_lines as u64));
    }
    let mut search = Search {
        symbols: Symbols::new(&lines, hunks),
        lines,
        hunks,
        headers: options.headers,
        steps: Steps { used: 0, max: limits.max_steps },
        occupied: Occupied::default(),
        runs: Vec::new(),
        reports: Vec::with_capacity(hunks.len()),
        cursor: 0,
    };
    let mut failures: Vec<(usize, HunkErrorKind)> = Vec::new();
    for at in 0..hunks.len() {
        match search.place(at) {
            Ok(Ok(())) => {}
            Ok(Err(kind)) => {
                failures.push((at, kind));
                if failures.len() == MAX_FAILURES {
                    break;
                }
            }
            Err(TooManySteps) => return Err(limit("search_steps", search.steps.used, limits.max_steps)),
        }
    }
    if failures.is_empty() {
        let Search { lines, runs, reports, steps, .. } = search;
        return Ok(render::plan(&lines, runs, reports, steps.used));
    }
    let diagnoses = explain::diagnose_all(&search.lines, hunks, &failures);
    let failures = failures
        .into_iter()
        .zip(diagnoses)
        .map(|((at, kind), diagnosis)| HunkError {
            kind,
            path: String::from(path),
            hunk: at + 1,
            patch_line: hunks[at].patch_line,
            patch_last_line: hunks[at].lines.last().map_or(hunks[at].patch_line, |line| line.patch_line),
            diagnosis: Box::new(diagnosis),
        })
        .collect();
    Err(LocateError { failures }.into())
}

fn limit(limit: &'static str, value: u64, max: u64) -> Error {
    Error::LimitExceeded { limit, value, max }
}

struct Search<'f, 'p, 'h> {
    lines: Lines<'f>,
    symbols: Symbols,
    hunks: &'h [Hunk<'p>],
    headers: Headers,
    steps: Steps,
    occupied: Occupied,
    runs: Vec<Run<'p>>,
    reports: Vec<HunkReport>,
    /// The end of the block of the previous hunk.
    cursor: usize,
}

/// What one pass over a region found.
#[derive(Default)]
struct Found {
    /// Places that are free; all of them where the headers may decide, else at most [`MAX_CANDIDATES`].
    free: Vec<usize>,
    total: usize,
    /// The first place that another hunk holds.
    taken: Option<(usize, usize)>,
}

/// Looks whether places of one hunk are free, and counts the lines that this compares.
struct Claims<'a, 'p> {
    hunk: &'a Hunk<'p>,
    matched: usize,
    occupied: &'a Occupied,
    steps: usize,
    max: u64,
}

impl<'a, 'p> Claims<'a, 'p> {
    fn new(hunk: &'a Hunk<'p>, occupied: &'a Occupied, max: u64) -> Self {
        Self { hunk, matched: hunk.old_lines().count(), occupied, steps: 0, max }
    }

    fn conflict(&mut self, start: usize) -> Option<(usize, usize)> {
        if self.occupied.is_free(start, start + self.matched) {
            return None;
        }
        self.steps += self.hunk.lines.len();
        self.occupied.conflict(self.hunk, start)
    }

    /// Stops a search that is over its bound; adding the steps then says so.
    fn go_on(&self) -> ControlFlow<()> {
        if self.steps as u64 > self.max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

type Outcome<T> = Result<Result<T, HunkErrorKind>, TooManySteps>;

impl<'p> Search<'_, 'p, '_> {
    /// Places hunk `at`, or says why it has no place.
    fn place(&mut self, at: usize) -> Outcome<()> {
        let hunk = &self.hunks[at];
        let matched = hunk.old_lines().count();
        let total = self.lines.len();
        let append = matched == 0;
        let place = if append {
            // The parser lets a hunk without old lines pass only when it is closed by `*** End of File`.
            Place { start: total, tier: Tier::Exact, fallback: false, by_header: false, also_at: None }
        } else if hunk.end_of_file {
            match self.at_end(at, matched)? {
                Ok(place) => place,
                Err(kind) => return Ok(Err(kind)),
            }
        } else {
            match self.anywhere(at)? {
                Ok(place) => place,
                Err(kind) => return Ok(Err(kind)),
            }
        };
        let runs = runs(hunk, at, place.start, append);
        if !append {
            self.occupied.add(at, place.start, place.start + matched, &runs);
        }
        self.reports.push(HunkReport {
            hunk: at + 1,
            patch_line: hunk.patch_line,
            line: place.start + 1,
            new_line: 0,
            matched,
            tier: place.tier,
            fallback: place.fallback,
            end_of_file: hunk.end_of_file,
            by_header: place.by_header,
            also_at: place.also_at,
            removed: hunk.count(LineKind::Removed),
            added: hunk.count(LineKind::Added),
        });
        self.runs.extend(runs);
        self.cursor = place.start + matched;
        Ok(Ok(()))
    }

    fn at_end(&mut self, at: usize, matched: usize) -> Outcome<Place> {
        self.steps.add(matched)?;
        if let Some(start) = self.lines.len().checked_sub(matched) {
            for tier in [Tier::Exact, Tier::TrailingWhitespace] {
                if self.symbols.matches(at, start, tier) {
                    if let Some((other, line)) = self.conflict(at, start) {
                        return Ok(Err(overlap(other, line)));
                    }
                    let fallback = start < self.cursor;
                    return Ok(Ok(Place { start, tier, fallback, by_header: false, also_at: None }));
                }
            }
        }
        let mut elsewhere = Vec::new();
        for tier in [Tier::Exact, Tier::TrailingWhitespace] {
            if elsewhere.is_empty() {
                self.symbols.each(at, tier, 0, usize::MAX, &mut self.steps, |start| {
                    elsewhere.push(start + 1);
                    if elsewhere.len() < MAX_CANDIDATES {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                })?;
            }
        }
        Ok(Err(HunkErrorKind::EofMismatch { elsewhere, file_lines: self.lines.len() }))
    }

    fn anywhere(&mut self, at: usize) -> Outcome<Place> {
        let mut taken = None;
        let regions: &[usize] = if self.cursor == 0 { &[0] } else { &[self.cursor, 0] };
        for &from in regions {
            for tier in [Tier::Exact, Tier::TrailingWhitespace] {
                if tier == Tier::TrailingWhitespace && !self.symbols.tolerant() {
                    continue;
                }
                let found = self.collect(at, tier, from)?;
                taken = taken.or(found.taken);
                if found.total == 0 {
                    continue;
                }
                if found.total > 1 && self.headers == Headers::Disambiguate {
                    self.steps.add(2 * self.lines.len())?;
                }
                let (start, by_header) = if found.total == 1 {
                    (found.free[0], false)
                } else if let Some(start) = self.by_header(at, &found.free) {
                    (start, true)
                } else {
                    let candidates = found.free.iter().take(MAX_CANDIDATES).map(|start| start + 1).collect();
                    return Ok(Err(HunkErrorKind::ContextAmbiguous { candidates, total: found.total }));
                };
                let fallback = start < self.cursor;
                let also_at = if from > 0 && !fallback { self.earlier(at, tier, from)? } else { None };
                return Ok(Ok(Place { start, tier, fallback, by_header, also_at }));
            }
        }
        Ok(Err(match taken {
            Some((other, line)) => overlap(other, line),
            None => HunkErrorKind::ContextNotFound,
        }))
    }

    /// Collects the places of hunk `at` that start at line `from` or later.
    fn collect(&mut self, at: usize, tier: Tier, from: usize) -> Result<Found, TooManySteps> {
        let keep = if self.headers == Headers::Disambiguate { usize::MAX } else { MAX_CANDIDATES };
        let mut claims = Claims::new(&self.hunks[at], &self.occupied, self.steps.max);
        let mut found = Found::default();
        self.symbols.each(at, tier, from, usize::MAX, &mut self.steps, |start| {
            match claims.conflict(start) {
                Some(conflict) => found.taken = found.taken.or(Some(conflict)),
                None => {
                    found.total += 1;
                    if found.free.len() < keep {
                        found.free.push(start);
                    }
                }
            }
            claims.go_on()
        })?;
        self.steps.add(claims.steps)?;
        Ok(found)
    }

    /// Returns the first free place of hunk `at` before line `end`, counted from 1.
    fn earlier(&mut self, at: usize, tier: Tier, end: usize) -> Result<Option<usize>, TooManySteps> {
        let mut claims = Claims::new(&self.hunks[at], &self.occupied, self.steps.max);
        let mut first = None;
        self.symbols.each(at, tier, 0, end - 1, &mut self.steps, |start| {
            if claims.conflict(start).is_some() {
                return claims.go_on();
            }
            first = Some(start + 1);
            ControlFlow::Break(())
        })?;
        self.steps.add(claims.steps)?;
        Ok(first)
    }

    fn conflict(&self, at: usize, start: usize) -> Option<(usize, usize)> {
        self.occupied.conflict(&self.hunks[at], start)
    }

    /// Chooses between `places` by the text after `@@`, if that is wanted and leaves exactly one.
    ///
    /// The header lines have to occur in order; each occurrence of the last one chooses the first place at or below
    /// it. An occurrence inside a place, other than on its first line, does not count.
    fn by_header(&self, at: usize, places: &[usize]) -> Option<usize> {
        if self.headers != Headers::Disambiguate {
            return None;
        }
        let hunk = &self.hunks[at];
        let matched = hunk.old_lines().count();
        let mut chain = hunk
            .headers
            .iter()
            .map(|header| crate::grammar::trim(header.text.as_bytes()))
            .filter(|text| !text.is_empty())
            .peekable();
        let mut line = 0;
        let last = loop {
            let text = chain.next()?;
            if chain.peek().is_none() {
                break text;
            }
            line = self.header_at(text, line)? + 1;
        };
        let mut chosen = None;
        while let Some(occurrence) = self.header_at(last, line) {
            line = occurrence + 1;
            let next = places.partition_point(|&place| place < occurrence);
            let inside = next > 0 && places[next - 1] + matched > occurrence;
            if inside && places.get(next) != Some(&occurrence) {
                continue;
            }
            let Some(&place) = places.get(next) else { break };
            if chosen.is_some_and(|chosen| chosen != place) {
                return None;
            }
            chosen = Some(place);
        }
        chosen
    }

    fn header_at(&self, text: &[u8], from: usize) -> Option<usize> {
        (from..self.lines.len()).find(|&line| crate::grammar::trim(self.lines.content(line)) == text)
    }
}

fn overlap(other: usize, line: usize) -> HunkErrorKind {
    HunkErrorKind::OverlappingHunks { other: other + 1, line: line + 1 }
}

/// Splits a placed hunk into its runs of changed lines.
fn runs<'p>(hunk: &Hunk<'p>, at: usize, start: usize, append: bool) -> Vec<Run<'p>> {
    let mut out: Vec<Run<'p>> = Vec::new();
    let mut line = start;
    let mut open = false;
    for hunk_line in &hunk.lines {
        if hunk_line.kind == LineKind::Context {
            line += 1;
            open = false;
            continue;
        }
        if !open {
            out.push(Run { start: line, end: line, added: Vec::new(), hunk: at, append });
            open = true;
        }
        if let Some(run) = out.last_mut() {
            if hunk_line.kind == LineKind::Removed {
                line += 1;
                run.end = line;
            } else {
                run.added.push(hunk_line.text);
            }
        }
    }
    out
}
