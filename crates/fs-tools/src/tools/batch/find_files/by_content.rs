//! Content searched: one query as the engine pages it, several merged file by file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use search_engine::{
    Case, End, LineRow, NamePattern, Output, Page, Patterns, Query, Reach, Role, Row, Span, Summary, Totals,
    Unit, window,
};
use serde_json::{Value, json};

use super::hits::{Place, deadline, run, run_page};
use super::{Failures, FindFilesArgs, FindOutput, FindQuery, Found, PageText};
use crate::error::ToolError;
use crate::find::{Base, engine_error};
use crate::limits;
use crate::line_mask::LineMask;
use crate::pages::Listing;
use crate::render::show_name;
use crate::tool::Call;
use crate::tools::coverage::gaps;
use crate::workspace::Workspace;

/// Every file, when a search names none.
const ALL_FILES: &str = "**/*";

/// Searches, with the patterns of earlier calls at hand.
#[derive(Default)]
pub(super) struct Searcher {
    patterns: Mutex<Patterns>,
}

/// One query, ready to run.
struct Job<'w> {
    place: Place<'w>,
    query: Query,
    source: String,
}

/// What the rows of a page are, and how many.
struct Wanted {
    output: FindOutput,
    offset: u64,
    limit: u64,
    context: u32,
}

impl Wanted {
    fn of(args: &FindFilesArgs) -> (Self, Option<String>) {
        let asked = args.context.unwrap_or(0);
        let context = asked.min(u64::from(Output::MAX_CONTEXT)) as u32;
        let note = (asked > u64::from(context))
            .then(|| format!("[context {asked} is over the maximum: {context} is used]"));
        let wanted = Self {
            output: args.output.unwrap_or_default(),
            offset: args.offset.unwrap_or(0),
            limit: args.limit.filter(|limit| *limit > 0).unwrap_or(limits::FIND_ROWS),
            context,
        };
        (wanted, note)
    }

    fn engine(&self) -> Output {
        match self.output {
            FindOutput::Files => Output::Counts { first_lines: limits::FIND_FIRST_LINES },
            FindOutput::Content => Output::Lines { context: self.context, unit: Unit::Line },
        }
    }

    /// How rows are called in the last line of a page.
    fn unit(&self) -> &'static str {
        match self.output {
            FindOutput::Files => "files",
            FindOutput::Content => "lines",
        }
    }
}

impl Searcher {
    pub(super) fn search(
        &self,
        workspace: &Workspace,
        args: &FindFilesArgs,
        call: &Call<'_>,
    ) -> Result<Found, ToolError> {
        let (wanted, note) = Wanted::of(args);
        let until = deadline();
        let mut failures = Failures::of(args);
        let mut jobs = Vec::new();
        for query in &args.queries {
            call.check()?;
            let job = self.job(workspace, args, query, &wanted, call, until);
            jobs.extend(failures.keep(query, job));
        }
        failures.whole()?;
        let mut text = PageText::new();
        for row in &failures.rows {
            text.add(row, false);
        }
        let mut answer = match jobs.as_slice() {
            [only] => single(workspace, args, only, &wanted, call, text)?,
            several => merged(workspace, args, several, &wanted, call, text)?,
        };
        if let Some(note) = note {
            answer.notes.push(note);
        }
        Ok(answer.finish(&wanted))
    }

    fn job<'w>(
        &self,
        workspace: &'w Workspace,
        args: &FindFilesArgs,
        query: &FindQuery,
        wanted: &Wanted,
        call: &Call<'_>,
        until: Instant,
    ) -> Result<Job<'w>, ToolError> {
        let failed = |error| engine_error(&error, query.dir());
        let source = query.pattern.clone().unwrap_or_default();
        let span = if args.multiline.unwrap_or(false) { Span::File } else { Span::Line };
        let pattern = {
            let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
            patterns.get(&source, Case::Sensitive, span).map_err(failed)?
        };
        let glob = query.file_pattern().unwrap_or(ALL_FILES);
        let reach = if query.file_pattern().is_some() { query.reach() } else { Reach::AnyDepth };
        let names = NamePattern::glob(glob, reach).map_err(failed)?;
        let place = Place::open(workspace, query.dir(), call, until)?;
        let mut engine = place.apply(Query::content(pattern, wanted.engine()));
        // A file that is named as the place is searched whatever its name.
        if !place.is_file() {
            engine.names = names;
        }
        engine.totals = Totals::CountAll;
        Ok(Job { place, query: engine, source })
    }
}

/// A page of rows, and what is to be said about it.
struct Answer {
    text: PageText,
    total: u64,
    /// Whether the total may be larger: not everything was looked at.
    partial: bool,
    searched: u64,
    masked: u64,
    notes: Vec<String>,
}

impl Answer {
    fn finish(self, wanted: &Wanted) -> Found {
        let (shown, total, unit) = (self.text.rows, self.total, wanted.unit());
        let mut out = self.text.text;
        let of = if self.partial { format!("at least {total}") } else { total.to_string() };
        let last = wanted.offset.saturating_add(shown);
        let more = if self.partial { " so far" } else { "" };
        if total == 0 {
            out.push_str(&format!("no files found{more} ({} files searched)", self.searched));
        } else if wanted.offset >= total {
            out.push_str(&format!("[{unit} 0 of {of}; offset {} is past the end]", wanted.offset));
        } else {
            let first = wanted.offset + 1;
            let end = if last < total { format!("next offset={last}") } else { format!("last page{more}") };
            out.push_str(&format!("[{unit} {first}-{last} of {of}; {end}]"));
        }
        if self.text.full && last < total {
            out.push_str("\n[the page is cut at 128 KiB]");
        }
        if self.masked > 0 {
            out.push_str(&format!(
                "\n[values masked in {} line(s); the files on disk are unchanged]",
                self.masked
            ));
        }
        for note in &self.notes {
            out.push('\n');
            out.push_str(note);
        }
        Found { text: out, is_negative: total == 0 }
    }
}

/// One query: the engine's own page.
fn single(
    workspace: &Workspace,
    args: &FindFilesArgs,
    job: &Job<'_>,
    wanted: &Wanted,
    call: &Call<'_>,
    mut text: PageText,
) -> Result<Answer, ToolError> {
    let listing = Listing::of(&FindFilesArgs { limit: None, offset: None, ..args.clone() });
    let page = Page {
        expect: workspace.pages().before(listing, wanted.offset),
        ..Page::at(wanted.offset, wanted.limit)
    };
    let mut base = Base::new(&job.place.asked, job.place.is_file());
    let mut mask = LineMask::new(workspace.redactor(), &job.place.tree);
    let mut masked = 0;
    let summary = run_page(&job.place, &job.query, &page, call, &mut |row| {
        // A page that is full goes on being counted: the total is part of the answer.
        match row {
            Row::File(file) => {
                let path = show_name(base.join(file.path)).into_owned();
                text.add(&file_row(&path, file.count.unwrap_or(0), file.first_lines), true);
            }
            Row::Line(line) if !text.full => {
                let path = show_name(base.join(line.path)).into_owned();
                let (shown, is_masked) = shown_line(&mut mask, line);
                masked += u64::from(is_masked);
                text.add(&line_row(&path, line.line, &shown, line.role), line.role == Role::Match);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    let next = wanted.offset + text.rows;
    if next < summary.rows_seen
        && let Some(mark) = summary.mark_at(text.rows)
    {
        workspace.pages().ended(listing, next, mark);
    }
    let mut notes = gaps(&summary);
    notes.extend(incomplete(&summary));
    Ok(Answer {
        text,
        total: summary.rows_seen,
        partial: summary.end != End::Complete,
        searched: summary.coverage.files_searched,
        masked,
        notes,
    })
}

/// What to do about a search that ran out of time.
fn incomplete(summary: &Summary) -> Option<String> {
    (summary.end == End::TimeUp)
        .then(|| "[narrow dir or file_pattern to search the rest within the time]".to_owned())
}

/// What queries found in one file.
struct Hit {
    shown: String,
    /// Of each query: which it is, how many lines match, and the first of them.
    by: Vec<(usize, u64, Vec<u64>)>,
}

/// Several queries: the files of all of them, in path order, each once.
fn merged(
    workspace: &Workspace,
    args: &FindFilesArgs,
    jobs: &[Job<'_>],
    wanted: &Wanted,
    call: &Call<'_>,
    mut text: PageText,
) -> Result<Answer, ToolError> {
    let mut hits: BTreeMap<PathBuf, Hit> = BTreeMap::new();
    let (mut searched, mut partial) = (0, false);
    let mut notes = BTreeSet::new();
    for (index, job) in jobs.iter().enumerate() {
        let mut base = Base::new(&job.place.asked, job.place.is_file());
        let mut counts = job.query.clone();
        if let search_engine::What::Content { output, .. } = &mut counts.what {
            *output = Output::Counts { first_lines: limits::FIND_FIRST_LINES };
        }
        let summary = run(&job.place, &counts, call, &mut |row| {
            if let Row::File(file) = row {
                let hit = hits.entry(job.place.absolute(file.path)).or_insert_with(|| Hit {
                    shown: show_name(base.join(file.path)).into_owned(),
                    by: Vec::new(),
                });
                // Two queries that ask the same of one file have one answer.
                if !hit.by.iter().any(|(other, ..)| jobs[*other].source == job.source) {
                    hit.by.push((index, file.count.unwrap_or(0), file.first_lines.to_vec()));
                }
            }
            ControlFlow::Continue(())
        })?;
        searched += summary.coverage.files_searched;
        partial |= summary.end != End::Complete;
        notes.extend(gaps(&summary));
        notes.extend(incomplete(&summary));
    }
    let mut masked = 0;
    let mut total = 0;
    let listing = Listing::of(&FindFilesArgs { limit: None, offset: None, ..args.clone() });
    let mut trail = Listing::of(&"");
    let mut changed = false;
    let expect = workspace.pages().digest_before(listing, wanted.offset);
    let mut marks = Vec::new();
    for (path, hit) in &hits {
        call.check()?;
        let rows = match wanted.output {
            FindOutput::Files => 1,
            FindOutput::Content => match hit.by.as_slice() {
                [(_, count, _)] => *count,
                _ => union(workspace, jobs, hit, u64::MAX, call)?.len() as u64,
            },
        };
        trail = Listing::of(&(trail.value(), path, rows));
        let is_first = total <= wanted.offset && wanted.offset < total + rows;
        changed |= is_first && expect.is_some_and(|known| known != trail.value());
        marks.push((total, trail));
        let end = wanted.offset.saturating_add(wanted.limit);
        if total < end && wanted.offset < total + rows && !text.full {
            let from = wanted.offset.saturating_sub(total);
            let to = rows.min(end - total);
            match wanted.output {
                FindOutput::Files => {
                    let row = match hit.by.as_slice() {
                        [(_, count, lines)] => file_row(&hit.shown, *count, lines),
                        _ => {
                            let lines = union(workspace, jobs, hit, u64::MAX, call)?;
                            let first: Vec<u64> =
                                lines.iter().copied().take(limits::FIND_FIRST_LINES).collect();
                            file_row(&hit.shown, lines.len() as u64, &first)
                        }
                    };
                    text.add(&row, true);
                }
                FindOutput::Content => {
                    masked += lines_of(workspace, jobs, hit, (from, to), wanted.context, call, &mut text)?;
                }
            }
        }
        total += rows;
    }
    let next = wanted.offset + text.rows;
    if expect.is_some() && wanted.offset >= total {
        changed = true;
    }
    if next < total
        && let Some((_, mark)) = marks.iter().rev().find(|(start, _)| *start <= next)
    {
        workspace.pages().digest_ended(listing, next, mark.value());
    }
    let mut notes: Vec<String> = notes.into_iter().collect();
    if changed {
        notes.push(crate::tools::coverage::CHANGED.to_owned());
    }
    Ok(Answer { text, total, partial, searched, masked, notes })
}

/// The numbers of the lines that match any of the queries, up to `most` of each.
fn union(
    workspace: &Workspace,
    jobs: &[Job<'_>],
    hit: &Hit,
    most: u64,
    call: &Call<'_>,
) -> Result<BTreeSet<u64>, ToolError> {
    let mut rows = BTreeSet::new();
    for (index, ..) in &hit.by {
        each_line(workspace, &jobs[*index], &hit.shown, 0, most, call, &mut |line, _| {
            rows.insert(line.line);
        })?;
    }
    Ok(rows)
}

/// Searches one file again, for its lines.
fn each_line(
    workspace: &Workspace,
    job: &Job<'_>,
    path: &str,
    context: u32,
    most: u64,
    call: &Call<'_>,
    take: &mut dyn FnMut(&LineRow<'_>, &mut LineMask<'_>),
) -> Result<(), ToolError> {
    let place = match Place::open(workspace, path, call, job.place.until()) {
        Ok(place) => place,
        // A file that went away meanwhile has no lines; the next page says that the tree changed.
        Err(error) if error.class() == crate::error::Class::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut query = place.apply(job.query.clone());
    query.names = NamePattern::all();
    query.totals = Totals::UntilPageFull;
    if let search_engine::What::Content { output, .. } = &mut query.what {
        *output = Output::Lines { context, unit: Unit::Line };
    }
    let mut mask = LineMask::new(workspace.redactor(), &place.tree);
    let _page_of_one_file = run_page(&place, &query, &Page::first(most), call, &mut |row| {
        if let Row::Line(line) = row {
            take(line, &mut mask);
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}

/// Adds the matching lines `from..to` of one file with their context; returns how many lines were masked.
fn lines_of(
    workspace: &Workspace,
    jobs: &[Job<'_>],
    hit: &Hit,
    (from, to): (u64, u64),
    context: u32,
    call: &Call<'_>,
    text: &mut PageText,
) -> Result<u64, ToolError> {
    /// A line as it is shown, whether it matches, whether it was masked.
    type Shown = (String, bool, bool);
    let mut lines: BTreeMap<u64, Shown> = BTreeMap::new();
    for (index, ..) in &hit.by {
        each_line(workspace, &jobs[*index], &hit.shown, context, to, call, &mut |line, mask| {
            let is_match = line.role == Role::Match;
            let known = lines.get(&line.line).is_some_and(|(_, known, _)| *known || !is_match);
            if !known {
                let (shown, is_masked) = shown_line(mask, line);
                lines.insert(line.line, (shown, is_match, is_masked));
            }
        })?;
    }
    let matching: Vec<u64> =
        lines.iter().filter(|(_, (_, is_match, _))| *is_match).map(|(line, _)| *line).collect();
    let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(matching.len());
    let page = &matching[index(from)..index(to)];
    let near = |line: u64| {
        let at = page.partition_point(|row| *row < line);
        let close = |row: Option<&u64>| row.is_some_and(|row| row.abs_diff(line) <= u64::from(context));
        close(page.get(at)) || at.checked_sub(1).is_some_and(|before| close(page.get(before)))
    };
    let mut masked = 0;
    for (line, (shown, is_match, is_masked)) in &lines {
        let on_page = *is_match && page.binary_search(line).is_ok();
        if !on_page && !near(*line) {
            continue;
        }
        let role = if on_page { Role::Match } else { Role::Context };
        if !text.add(&line_row(&hit.shown, *line, shown, role), on_page) {
            break;
        }
        masked += u64::from(*is_masked);
    }
    Ok(masked)
}

fn file_row(path: &str, count: u64, lines: &[u64]) -> String {
    json!({ "path": path, "count": count, "lines": lines }).to_string()
}

fn line_row(path: &str, line: u64, text: &str, role: Role) -> String {
    let mut row = json!({ "path": path, "line": line, "text": text });
    if role == Role::Context {
        row["context"] = Value::Bool(true);
    }
    row.to_string()
}

/// A line masked as a whole, then cut around its match; and whether a part of it was masked.
fn shown_line(mask: &mut LineMask<'_>, line: &LineRow<'_>) -> (String, bool) {
    let masked = mask.mask(line);
    let found = line.first_match().unwrap_or(0..0);
    let view = match &masked {
        None => window(line.text, found, limits::FIND_LINE_BYTES),
        Some((text, map)) => window(text, map.range_to_masked(found), limits::FIND_LINE_BYTES),
    };
    (String::from_utf8_lossy(&view.text).into_owned(), masked.is_some())
}
