//! Puts together what the threads found: budgets, pages and coverage, decided in the order of the rows.

use std::{
    collections::VecDeque,
    ops::ControlFlow::{self, Break, Continue},
    path::{Path, PathBuf},
};

use crate::{
    Cursor, End, Error, FileRow, Limits, LineRow, NameRow, Order, Output, Page, Pattern, Query, Role, Row,
    Sink, Summary, Totals, Unit, What,
    cursor::{Place, fingerprint},
    records::{Batch, FileRec, LineRec, Outcome},
    spared::Spared,
    trail::Trail,
    walk::{Counts, compare},
};

pub(crate) struct Assembler<'a> {
    query: &'a Query,
    sink: &'a mut dyn Sink,
    fingerprint: u64,
    offset: u64,
    end: u64,
    after: Option<&'a Place>,
    start: Option<&'a Place>,
    /// What the budget has left.
    pub(crate) bytes_left: u64,
    files_left: u64,
    pub(crate) summary: Summary,
    /// Where the first row after the page is.
    overflow: Option<Place>,
    /// What the rows before the page were.
    trail: Option<Trail>,
    file: Current,
    /// Lines that may become context of a match to come.
    before: VecDeque<Line>,
    after_left: usize,
    /// Whether the line given last is the one before the next record.
    adjacent: bool,
    /// Whether the block that is being read belongs to the page.
    in_page: bool,
    /// Facts of the last file that was dealt with, for a cursor when the search is stopped.
    last: Option<(u64, i64)>,
    /// The place in a file where the search was stopped.
    done: Option<Place>,
}

/// The file whose records are being read.
#[derive(Debug, Default)]
struct Current {
    open: bool,
    accepted: bool,
    rows: u64,
    matched: u64,
    /// Rows that an earlier page has given.
    skip: u64,
    first_lines: Vec<u64>,
    path: Option<PathBuf>,
}

/// A line that is kept until it is known whether it is context.
#[derive(Debug)]
struct Line {
    number: u64,
    text: Vec<u8>,
    cut: bool,
}

/// The path of a file, made when it is needed.
pub(crate) type PathOf<'p> = &'p dyn Fn() -> PathBuf;

impl<'a> Assembler<'a> {
    pub(crate) fn new(
        query: &'a Query,
        page: &'a Page,
        limits: &Limits,
        sink: &'a mut dyn Sink,
    ) -> Result<Self, Error> {
        let fingerprint = fingerprint(query);
        let after = page.after.as_ref().map(|cursor| &cursor.0);
        if after.is_some_and(|place| place.query != fingerprint) {
            return Err(Error::OtherQuery);
        }
        // A search that was stopped before its first file starts anew.
        let after = after.filter(|place| !place.path.is_empty());
        Ok(Self {
            query,
            sink,
            fingerprint,
            offset: page.offset,
            end: page.offset.saturating_add(page.limit),
            after,
            start: after,
            bytes_left: limits.max_bytes,
            files_left: limits.max_files,
            summary: Summary::default(),
            overflow: None,
            trail: Trail::of(page),
            file: Current::default(),
            before: VecDeque::new(),
            after_left: 0,
            adjacent: false,
            in_page: false,
            last: None,
            done: None,
        })
    }

    /// Rows that can still be of use, besides the one that tells that there are more.
    pub(crate) fn want(&self) -> u64 {
        let skip = self.after.map_or(0, |place| if place.row == Place::AFTER { 0 } else { place.row });
        self.end.saturating_sub(self.summary.rows_seen).saturating_add(skip)
    }

    /// Takes a file found by name.
    pub(crate) fn name(&mut self, path: &Path, modified_ns: Option<i64>) -> ControlFlow<()> {
        let place = || Place {
            query: self.fingerprint,
            path: path.as_os_str().as_encoded_bytes().to_vec(),
            row: 0,
            size: 0,
            modified_ns: modified_ns.unwrap_or(0),
        };
        if let Some(after) = self.after.take() {
            let gone = path.as_os_str().as_encoded_bytes() != after.path;
            self.summary.changed = after.row != Place::AFTER && gone;
        }
        let row = self.summary.rows_seen;
        if let Some(trail) = &mut self.trail {
            let facts = (0, modified_ns.unwrap_or(0));
            self.summary.changed |= trail.row(row, facts, &|| path.to_owned());
            trail.end_file(facts, &|| path.to_owned());
        }
        if row >= self.end && self.overflow.is_none() {
            self.overflow = Some(place());
        }
        self.summary.rows_seen += 1;
        self.summary.files_matched += 1;
        if row >= self.end {
            return self.page_is_full();
        }
        if row >= self.offset {
            self.summary.rows += 1;
            if self.sink.row(&Row::Name(NameRow { path, modified_ns })).is_break() {
                self.done = Some(Place { row: Place::AFTER, ..place() });
                self.summary.end = End::SinkStopped;
                return Break(());
            }
        }
        Continue(())
    }

    /// Notes which file was the last, when only names are searched.
    pub(crate) fn last_name(&mut self, modified_ns: i64) {
        self.last = Some((0, modified_ns));
    }

    /// Takes what was found in one file, or in a part of it. `batch` holds its records from `lines` on.
    pub(crate) fn file(
        &mut self,
        rec: &FileRec,
        batch: &Batch,
        first_line: usize,
        path: PathOf<'_>,
    ) -> ControlFlow<()> {
        let lines = &batch.lines[first_line..rec.lines_end];
        if !self.file.open {
            self.open(rec, path)?;
        }
        self.file.open = rec.more;
        if !self.file.accepted {
            self.mark_done(rec);
            return Continue(());
        }
        let What::Content { output, pattern } = &self.query.what else { return Continue(()) };
        let stored = match *output {
            Output::Lines { context, unit } => {
                let stored = self.lines(rec, lines, batch, (context as usize, unit), pattern, path);
                if let Break(()) = stored.1 {
                    return Break(());
                }
                stored.0
            }
            Output::Files | Output::Counts { .. } => {
                self.file.first_lines.extend(lines.iter().map(|line| line.number));
                self.file.matched += rec.matched;
                0
            }
        };
        if let Output::Lines { .. } = output {
            // Rows that were counted and not kept, since no page has room for them.
            let uncounted = rec.rows - stored;
            self.file.rows += uncounted;
            self.summary.rows_seen += uncounted;
        }
        if rec.more {
            // The next part may never come.
            if self.file.rows > self.file.skip {
                self.done = Some(self.place(rec, self.file.rows, path));
            }
            return Continue(());
        }
        match rec.outcome {
            Outcome::Interrupted => {
                if self.file.rows > self.file.skip {
                    self.done = Some(self.place(rec, self.file.rows, path));
                }
                return Break(());
            }
            Outcome::TooLarge => {
                self.summary.coverage.too_large.add(&path());
                self.end_trail(rec, path);
                self.mark_done(rec);
                return Continue(());
            }
            Outcome::Unreadable => self.summary.coverage.unreadable.add(&path()),
            _ => self.summary.coverage.files_searched += 1,
        }
        self.charge(rec.bytes);
        self.summary.coverage.lines_cut += u64::from(rec.lines_cut);
        let flow = match output {
            Output::Lines { .. } if self.overflow.is_some() => self.page_is_full(),
            Output::Lines { .. } => Continue(()),
            Output::Files => self.whole_file(rec, None, path),
            Output::Counts { .. } => self.whole_file(rec, Some(self.file.matched), path),
        };
        self.end_trail(rec, path);
        self.mark_done(rec);
        flow
    }

    /// Decides about a file when its first record comes.
    fn open(&mut self, rec: &FileRec, path: PathOf<'_>) -> ControlFlow<()> {
        self.file = Current::default();
        (self.after_left, self.adjacent, self.in_page) = (0, false, false);
        self.before.clear();
        if rec.outcome == Outcome::Interrupted && !rec.more && rec.bytes == 0 {
            return Break(());
        }
        if self.files_left == 0 {
            self.summary.end = End::FileBudget;
            self.overflow.get_or_insert(self.place(rec, 0, path));
            return Break(());
        }
        if let Some(after) = self.after {
            let here = path();
            let here = here.as_os_str().as_encoded_bytes();
            let same = here == after.path;
            if same && after.row != Place::AFTER {
                self.file.skip = after.row;
                let known = after.size != 0 || after.modified_ns != 0;
                self.summary.changed |=
                    known && (after.size, after.modified_ns) != (rec.size, rec.modified_ns);
            } else if !same && after.row != Place::AFTER {
                // The file that held the next row is not there any more, or has moved in a newest-first order.
                self.summary.changed |=
                    self.query.order == Order::Modified || compare(here, &after.path).is_gt();
            }
            self.after = None;
        }
        if rec.outcome == Outcome::OverBudget || rec.cost > self.bytes_left {
            self.summary.coverage.budget_skipped.add(&path());
            return Continue(());
        }
        match rec.outcome {
            Outcome::Binary => {
                self.files_left -= 1;
                self.charge(rec.bytes);
                self.summary.coverage.binary.add(&path());
            }
            Outcome::Unreadable if rec.bytes == 0 => self.summary.coverage.unreadable.add(&path()),
            _ => {
                self.files_left -= 1;
                self.file.accepted = true;
            }
        }
        Continue(())
    }

    /// Tells whether more parts of a file are to come.
    pub(crate) fn is_in_file(&self) -> bool {
        self.file.open
    }

    /// Counts files that were not read, since nothing in them matches.
    pub(crate) fn spare(&mut self, spared: &Spared) {
        let coverage = &mut self.summary.coverage;
        coverage.files_searched += spared.texts;
        coverage.binary.count += spared.binaries;
        let room = crate::Skipped::MAX_NAMED.saturating_sub(coverage.binary.first.len());
        coverage.binary.first.extend(spared.named.iter().take(room).cloned());
    }

    fn charge(&mut self, bytes: u64) {
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
        self.summary.coverage.bytes_read += bytes;
    }

    /// Notes that a file is done with; its path is only asked for when the search is stopped.
    fn mark_done(&mut self, rec: &FileRec) {
        if !rec.more {
            self.last = Some((rec.size, rec.modified_ns));
            self.done = None;
        }
    }

    fn end_trail(&mut self, rec: &FileRec, path: PathOf<'_>) {
        if let Some(trail) = &mut self.trail {
            trail.end_file((rec.size, rec.modified_ns), path);
        }
    }

    fn place(&self, rec: &FileRec, row: u64, path: PathOf<'_>) -> Place {
        Place {
            query: self.fingerprint,
            path: path().into_os_string().into_encoded_bytes(),
            row,
            size: rec.size,
            modified_ns: rec.modified_ns,
        }
    }

    /// Counts the next row of the current file and tells whether it is on the page; `None` when an earlier page gave it.
    fn count_row(&mut self, rec: &FileRec, path: PathOf<'_>) -> Option<bool> {
        let row_of_file = self.file.rows;
        self.file.rows += 1;
        if row_of_file < self.file.skip {
            return None;
        }
        if row_of_file == self.file.skip {
            self.summary.files_matched += 1;
        }
        let row = self.summary.rows_seen;
        if let Some(trail) = &mut self.trail {
            self.summary.changed |= trail.row(row, (rec.size, rec.modified_ns), path);
        }
        self.summary.rows_seen += 1;
        if row >= self.end && self.overflow.is_none() {
            self.overflow = Some(self.place(rec, row_of_file, path));
        }
        let on_page = row >= self.offset && row < self.end;
        self.summary.rows += u64::from(on_page);
        Some(on_page)
    }

    fn whole_file(&mut self, rec: &FileRec, count: Option<u64>, path: PathOf<'_>) -> ControlFlow<()> {
        if self.file.matched == 0 {
            return Continue(());
        }
        let on_page = self.count_row(rec, path);
        if on_page == Some(true) {
            let path = path();
            let first_lines = &self.file.first_lines;
            if self.sink.row(&Row::File(FileRow { path: &path, count, first_lines })).is_break() {
                self.mark_done(rec);
                self.summary.end = End::SinkStopped;
                return Break(());
            }
        }
        if self.overflow.is_some() { self.page_is_full() } else { Continue(()) }
    }

    fn page_is_full(&mut self) -> ControlFlow<()> {
        if self.query.totals == Totals::CountAll {
            return Continue(());
        }
        self.summary.end = End::PageFull;
        Break(())
    }

    /// Reads the lines of a part of a file; returns how many rows they make.
    fn lines(
        &mut self,
        rec: &FileRec,
        lines: &[LineRec],
        batch: &Batch,
        (context, unit): (usize, Unit),
        pattern: &Pattern,
        path: PathOf<'_>,
    ) -> (u64, ControlFlow<()>) {
        let blocks = unit == Unit::Block && context > 0;
        let mut rows = 0;
        if !lines.is_empty() && self.file.path.is_none() {
            self.file.path = Some(path());
        }
        for line in lines {
            let text = &batch.text[line.start..line.start + line.len];
            let is_row = if blocks { line.starts_block } else { line.role == Role::Match };
            if is_row {
                rows += 1;
                self.in_page = self.count_row(rec, path) == Some(true);
            }
            if line.starts_block {
                self.adjacent = false;
                if !blocks {
                    self.before.clear();
                    self.after_left = 0;
                }
            }
            let past_page = self.overflow.is_some();
            let flow = if blocks {
                if self.in_page { self.give(line, line.role, text, pattern) } else { Continue(()) }
            } else if is_row && self.in_page {
                self.after_left = context;
                match self.give_before(pattern) {
                    Continue(()) => self.give(line, Role::Match, text, pattern),
                    Break(()) => Break(()),
                }
            } else if self.after_left > 0 {
                self.after_left -= 1;
                self.give(line, Role::Context, text, pattern)
            } else {
                if context == 0 || self.before.len() >= context {
                    self.before.pop_front();
                    self.adjacent = false;
                }
                if context > 0 && !past_page {
                    self.before.push_back(Line { number: line.number, text: text.to_vec(), cut: line.cut });
                }
                Continue(())
            };
            if flow.is_break() {
                self.summary.end = End::SinkStopped;
                self.done = Some(Place { ..self.place(rec, self.file.rows, path) });
                self.summary.coverage.files_searched += 1;
                self.charge(line.end_offset.min(rec.size));
                return (rows, Break(()));
            }
            if past_page && self.after_left == 0 && self.query.totals == Totals::UntilPageFull {
                self.summary.coverage.files_searched += 1;
                self.charge(line.end_offset.min(rec.size.max(rec.bytes)));
                self.summary.coverage.lines_cut += u64::from(rec.lines_cut);
                return (rows, self.page_is_full());
            }
        }
        (rows, Continue(()))
    }

    fn give_before(&mut self, pattern: &Pattern) -> ControlFlow<()> {
        for line in std::mem::take(&mut self.before) {
            let path = self.file.path.as_deref().unwrap_or(Path::new(""));
            let starts_block = !std::mem::replace(&mut self.adjacent, true);
            let row = LineRow {
                path,
                line: line.number,
                role: Role::Context,
                text: &line.text,
                cut: line.cut,
                starts_block,
                first: None,
                pattern,
            };
            self.sink.row(&Row::Line(row))?;
        }
        Continue(())
    }

    fn give(&mut self, line: &LineRec, role: Role, text: &[u8], pattern: &Pattern) -> ControlFlow<()> {
        let path = self.file.path.as_deref().unwrap_or(Path::new(""));
        let starts_block = !std::mem::replace(&mut self.adjacent, true);
        let first = line.first.map(|(from, to)| from..to);
        let cut = line.cut;
        self.sink.row(&Row::Line(LineRow {
            path,
            line: line.number,
            role,
            text,
            cut,
            starts_block,
            first,
            pattern,
        }))
    }

    /// Puts the counts of the walk into the summary.
    pub(crate) fn walked(&mut self, counts: &Counts, unreadable: &[PathBuf], too_deep: &[PathBuf]) {
        let coverage = &mut self.summary.coverage;
        coverage.files_seen = counts.files_seen;
        coverage.files_named = counts.files_named;
        coverage.ignored_files = counts.ignored_files;
        coverage.ignored_dirs = counts.ignored_dirs;
        coverage.symlinks = counts.symlinks;
        coverage.special = counts.special;
        coverage.hidden = counts.hidden;
        coverage.ignore_files_incomplete = counts.ignore_files_incomplete;
        coverage.too_deep.count = counts.too_deep;
        coverage.too_deep.first = first(too_deep, counts.too_deep);
        let mut names = first(unreadable, counts.unreadable);
        names.append(&mut coverage.unreadable.first);
        names.sort_by(|a, b| compare(a.as_os_str().as_encoded_bytes(), b.as_os_str().as_encoded_bytes()));
        names.truncate(crate::Skipped::MAX_NAMED);
        coverage.unreadable.first = names;
        coverage.unreadable.count += counts.unreadable;
    }

    /// Ends the search; `last_path` is the path of the last file that was dealt with.
    pub(crate) fn finish(mut self, stopped: End, last_path: Option<PathBuf>) -> Summary {
        let mut summary = self.summary;
        if summary.end == End::Complete {
            summary.end = stopped;
        }
        let complete = summary.end == End::Complete;
        if let Some(place) = self.after.take()
            && complete
            && place.row != Place::AFTER
        {
            // Nothing came, not even the file that held the next row.
            summary.changed = true;
        }
        if let Some(trail) = self.trail.take() {
            // A row was promised at this offset, and everything was looked at without finding it.
            let ended = matches!(summary.end, End::Complete | End::FileBudget | End::EntryLimit);
            summary.changed |= ended && trail.is_missing();
            summary.marks = trail.into_marks();
        }
        let query = self.fingerprint;
        let first_place = Place { query, path: Vec::new(), row: 0, size: 0, modified_ns: i64::MAX };
        let last = self.last.zip(last_path).map(|((size, modified_ns), path)| {
            let path = path.into_os_string().into_encoded_bytes();
            Place { query, path, row: Place::AFTER, size, modified_ns }
        });
        let stopped_at = self.done.or(last).or_else(|| self.start.cloned());
        let more_rows = self.overflow.is_some() && summary.rows_seen > self.end;
        if more_rows {
            summary.next_offset = Some(self.end);
        }
        summary.past_end = self.offset > 0 && summary.rows == 0 && summary.rows_seen > 0 && !more_rows;
        summary.total_rows = (complete && self.start.is_none()).then_some(summary.rows_seen);
        summary.cursor = match (self.overflow, complete) {
            (Some(place), _) => Some(Cursor(place)),
            (None, true) => None,
            (None, false) => Some(Cursor(stopped_at.unwrap_or(first_place))),
        };
        summary
    }
}

fn first(names: &[PathBuf], count: u64) -> Vec<PathBuf> {
    names.iter().take(usize::try_from(count).unwrap_or(usize::MAX)).cloned().collect()
}
