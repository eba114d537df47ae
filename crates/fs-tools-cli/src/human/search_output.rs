//! The rows of a search as a person, a pipe or a program reads them.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use fs_tools::search_engine::{Coverage, End, Role, Skipped, Summary};
use fs_tools::{Found, FoundLine, show_path};
use serde_json::{Map, Value, json};

use super::insert_bytes;
use super::search::flow;
use crate::output::note;

/// How rows look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) json: bool,
    pub(super) null: bool,
    pub(super) terminal: bool,
    pub(super) color: bool,
}

/// How many rows are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    per_file: u64,
    context: u64,
    total: u64,
}

impl Bounds {
    pub(super) fn new(per_file: u64, context: u32) -> Self {
        Self { per_file, context: u64::from(context), total: u64::MAX }
    }

    pub(super) fn within(self, limit: Option<u64>) -> Self {
        Self { total: limit.unwrap_or(u64::MAX), ..self }
    }
}

const PATH: &str = "35";
const LINE: &str = "32";
const MATCH: &str = "1;31";
const SEPARATOR: &str = "36";

/// Prints rows and remembers what to say at the end.
pub(super) struct Printer<'w> {
    out: Box<dyn Write + 'w>,
    look: Look,
    bounds: Bounds,
    failure: Option<io::Error>,
    /// Rows that count: files, or matching lines.
    rows: u64,
    /// The file of the last row, as it is shown.
    path: PathBuf,
    shown_path: Vec<u8>,
    printed_any: bool,
    /// The next row begins the search of another path, which may be the same file again.
    starts_path: bool,
    /// Matching lines of that file, and the last of them.
    in_file: u64,
    last_match: u64,
    /// Lines of which a part was masked.
    masked: u64,
    /// There was more than was asked for.
    is_cut: bool,
    totals: Totals,
}

/// The summaries of all paths together.
#[derive(Default)]
struct Totals {
    end: End,
    files_matched: u64,
    coverage: Coverage,
    exhaustive: Option<bool>,
}

impl<'w> Printer<'w> {
    pub(super) fn new(out: impl Write + 'w, look: Look, bounds: Bounds) -> Self {
        Self {
            out: Box::new(out),
            look,
            bounds,
            failure: None,
            rows: 0,
            path: PathBuf::new(),
            shown_path: Vec::new(),
            printed_any: false,
            starts_path: true,
            in_file: 0,
            last_match: 0,
            masked: 0,
            is_cut: false,
            totals: Totals::default(),
        }
    }

    /// Rows that the engine may give; `None` when it is for the printer to count.
    pub(super) fn rows_left(&self) -> Option<u64> {
        if self.bounds.total == u64::MAX {
            return None;
        }
        let left = self.bounds.total - self.rows;
        // With a bound for each file the engine would count lines that are not shown.
        (self.bounds.per_file == u64::MAX || left == 0).then_some(left)
    }

    /// Whether nobody reads any more, or everything that was asked for is there.
    pub(super) fn is_stopped(&self) -> bool {
        self.failure.is_some() || self.is_cut
    }

    /// Takes one row.
    pub(super) fn row(&mut self, found: &Found<'_>) -> ControlFlow<()> {
        let result = match found {
            Found::Name { path, modified_ns } => self.name(path, *modified_ns),
            Found::File { path, count } => self.file(path, *count),
            Found::Line(line) => return self.line(line),
            _ => Ok(()),
        };
        let outcome = self.outcome(result);
        if self.is_cut { flow(false) } else { outcome }
    }

    fn outcome(&mut self, result: io::Result<()>) -> ControlFlow<()> {
        if let Err(error) = result {
            self.failure = Some(error);
        }
        flow(self.failure.is_none())
    }

    fn name(&mut self, path: &Path, modified_ns: Option<i64>) -> io::Result<()> {
        self.rows += 1;
        if self.look.json {
            let mut object = json!({ "type": "name", "path": show_path(path) });
            if let Some(time) = modified_ns {
                object["modified_ns"] = time.into();
            }
            return writeln!(self.out, "{object}");
        }
        self.set_path(path);
        self.write_path()?;
        self.out.write_all(if self.look.null { b"\0" } else { b"\n" })
    }

    fn file(&mut self, path: &Path, count: Option<u64>) -> io::Result<()> {
        let count = count.map(|count| count.min(self.bounds.per_file));
        if self.rows == self.bounds.total {
            // The engine leaves the counting to us when files have a bound.
            self.is_cut = true;
            return Ok(());
        }
        self.rows += 1;
        if self.look.json {
            let mut object = json!({ "type": "file", "path": show_path(path) });
            if let Some(count) = count {
                object["count"] = count.into();
            }
            return writeln!(self.out, "{object}");
        }
        self.set_path(path);
        self.write_path()?;
        match count {
            Some(count) if self.look.null => writeln!(self.out, "\0{count}"),
            Some(count) => {
                self.styled(SEPARATOR, b":")?;
                writeln!(self.out, "{count}")
            }
            None => self.out.write_all(if self.look.null { b"\0" } else { b"\n" }),
        }
    }

    fn line(&mut self, line: &FoundLine<'_>) -> ControlFlow<()> {
        let is_new_file = self.starts_path || self.path != line.path;
        if is_new_file {
            self.starts_path = false;
            if self.rows == self.bounds.total {
                self.is_cut = true;
                return flow(false);
            }
            self.set_path(line.path);
            self.in_file = 0;
            self.last_match = 0;
        }
        let mut role = line.role;
        let is_full = self.in_file == self.bounds.per_file || self.rows == self.bounds.total;
        if is_full {
            if role == Role::Match && self.rows == self.bounds.total {
                self.is_cut = true;
            }
            if line.line > self.last_match + self.bounds.context {
                return flow(!self.is_cut);
            }
            role = Role::Context;
        }
        if role == Role::Match {
            self.in_file += 1;
            self.rows += 1;
            self.last_match = line.line;
        }
        self.masked += u64::from(line.is_masked());
        let result =
            if self.look.json { self.json_line(line, role) } else { self.text_line(line, role, is_new_file) };
        self.printed_any = true;
        self.outcome(result)
    }

    fn json_line(&mut self, line: &FoundLine<'_>, role: Role) -> io::Result<()> {
        let mut object = Map::new();
        object.insert("type".into(), if role == Role::Match { "match" } else { "context" }.into());
        object.insert("path".into(), show_path(line.path).into());
        object.insert("line".into(), line.line.into());
        insert_bytes(&mut object, "text", line.text);
        if role == Role::Match {
            object.insert(
                "matches".into(),
                line.matches().iter().map(|at| json!([at.start, at.end])).collect(),
            );
        }
        object.insert("cut".into(), line.cut.into());
        writeln!(self.out, "{}", Value::Object(object))
    }

    fn text_line(&mut self, line: &FoundLine<'_>, role: Role, is_new_file: bool) -> io::Result<()> {
        let headings = self.look.terminal && !self.look.null;
        let mark: &[u8] = if role == Role::Match { b":" } else { b"-" };
        if is_new_file && headings {
            if self.printed_any {
                self.out.write_all(b"\n")?;
            }
            self.write_path()?;
            self.out.write_all(b"\n")?;
        } else if line.starts_block && self.printed_any && self.bounds.context > 0 {
            self.styled(SEPARATOR, b"--")?;
            self.out.write_all(b"\n")?;
        }
        if !headings {
            self.write_path()?;
            if self.look.null {
                self.out.write_all(b"\0")?;
            } else {
                self.styled(SEPARATOR, mark)?;
            }
        }
        if self.look.color {
            self.styled(LINE, line.line.to_string().as_bytes())?;
        } else {
            write!(self.out, "{}", line.line)?;
        }
        self.styled(SEPARATOR, mark)?;
        let matches = if self.look.color && role == Role::Match { line.matches() } else { Vec::new() };
        self.text(line.text, &matches)?;
        self.out.write_all(b"\n")
    }

    fn text(&mut self, text: &[u8], matches: &[Range<usize>]) -> io::Result<()> {
        let mut at = 0;
        for found in matches.iter().filter(|found| !found.is_empty()) {
            let (start, end) = (found.start.clamp(at, text.len()), found.end.clamp(at, text.len()));
            self.plain(&text[at..start])?;
            write!(self.out, "\x1b[{MATCH}m")?;
            self.plain(&text[start..end])?;
            self.out.write_all(b"\x1b[0m")?;
            at = end;
        }
        self.plain(&text[at..])
    }

    /// Writes file content. On a terminal nothing in it can move the cursor or hide itself.
    fn plain(&mut self, text: &[u8]) -> io::Result<()> {
        if !self.look.terminal {
            return self.out.write_all(text);
        }
        for (index, part) in text.split(|byte| *byte == b'\t').enumerate() {
            if index > 0 {
                self.out.write_all(b"\t")?;
            }
            self.out.write_all(show_path(Path::new(OsStr::from_bytes(part))).as_bytes())?;
        }
        Ok(())
    }

    fn styled(&mut self, style: &str, text: &[u8]) -> io::Result<()> {
        if !self.look.color {
            return self.out.write_all(text);
        }
        write!(self.out, "\x1b[{style}m")?;
        self.out.write_all(text)?;
        self.out.write_all(b"\x1b[0m")
    }

    fn set_path(&mut self, path: &Path) {
        path.clone_into(&mut self.path);
        self.shown_path.clear();
        if self.look.null {
            self.shown_path.extend_from_slice(path.as_os_str().as_bytes());
        } else {
            self.shown_path.extend_from_slice(show_path(path).as_bytes());
        }
    }

    fn write_path(&mut self) -> io::Result<()> {
        if !self.look.color {
            return self.out.write_all(&self.shown_path);
        }
        write!(self.out, "\x1b[{PATH}m")?;
        self.out.write_all(&self.shown_path)?;
        self.out.write_all(b"\x1b[0m")
    }

    /// Takes what the search of one path says about itself.
    pub(super) fn searched(&mut self, summary: &Summary) {
        self.starts_path = true;
        let totals = &mut self.totals;
        if totals.end == End::Complete {
            totals.end = summary.end;
        }
        if self.is_cut {
            totals.end = End::PageFull;
        }
        totals.files_matched += summary.files_matched;
        totals.exhaustive = Some(totals.exhaustive.unwrap_or(true) && summary.is_exhaustive());
        add(&mut totals.coverage, &summary.coverage);
    }

    /// Passes on what was printed.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Ends the output and tells whether there was a row. A closed pipe is success: the reader has seen enough.
    pub(super) fn finish(mut self) -> io::Result<bool> {
        let mut result = self.failure.take().map_or(Ok(()), Err);
        if result.is_ok() && self.look.json {
            result = writeln!(self.out, "{}", self.summary());
        }
        match result.and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(true),
            result => result?,
        }
        drop(self.out);
        if !self.look.json {
            if self.masked > 0 {
                note(&format!(
                    "fs-tools: note: values masked in {} line(s); the files on disk are unchanged",
                    self.masked
                ));
            }
            for gap in gaps(&self.totals, self.rows) {
                note(&format!("fs-tools: note: {gap}"));
            }
        }
        Ok(self.rows > 0)
    }

    fn summary(&self) -> Value {
        let Totals { end, files_matched, coverage, exhaustive } = &self.totals;
        json!({
            "type": "summary", "rows": self.rows, "files_matched": files_matched, "end": end_word(*end),
            "exhaustive": exhaustive.unwrap_or(false), "masked_lines": self.masked,
            "coverage": {
                "files_seen": coverage.files_seen, "files_named": coverage.files_named,
                "files_searched": coverage.files_searched, "bytes_read": coverage.bytes_read,
                "binary": coverage.binary.count, "budget_skipped": coverage.budget_skipped.count,
                "too_large": coverage.too_large.count, "unreadable": coverage.unreadable.count,
                "too_deep": coverage.too_deep.count, "ignored_files": coverage.ignored_files,
                "ignored_dirs": coverage.ignored_dirs, "symlinks": coverage.symlinks, "special": coverage.special,
                "hidden": coverage.hidden, "lines_cut": coverage.lines_cut,
            },
        })
    }
}

fn end_word(end: End) -> &'static str {
    match end {
        End::Complete => "complete",
        End::PageFull | End::SinkStopped => "limit",
        End::FileBudget => "file_budget",
        End::EntryLimit => "entry_limit",
        End::TimeUp => "time_up",
        _ => "cancelled",
    }
}

fn add(sum: &mut Coverage, other: &Coverage) {
    let skipped = |sum: &mut Skipped, other: &Skipped| {
        sum.count += other.count;
        let room = Skipped::MAX_NAMED.saturating_sub(sum.first.len());
        sum.first.extend(other.first.iter().take(room).cloned());
    };
    skipped(&mut sum.binary, &other.binary);
    skipped(&mut sum.budget_skipped, &other.budget_skipped);
    skipped(&mut sum.too_large, &other.too_large);
    skipped(&mut sum.unreadable, &other.unreadable);
    skipped(&mut sum.too_deep, &other.too_deep);
    for (sum, other) in [
        (&mut sum.files_seen, other.files_seen),
        (&mut sum.files_named, other.files_named),
        (&mut sum.files_searched, other.files_searched),
        (&mut sum.bytes_read, other.bytes_read),
        (&mut sum.ignored_files, other.ignored_files),
        (&mut sum.ignored_dirs, other.ignored_dirs),
        (&mut sum.symlinks, other.symlinks),
        (&mut sum.special, other.special),
        (&mut sum.hidden, other.hidden),
        (&mut sum.lines_cut, other.lines_cut),
    ] {
        *sum += other;
    }
}

/// Sentences about what was not searched, so that no answer is silently incomplete.
fn gaps(totals: &Totals, rows: u64) -> Vec<String> {
    let coverage = &totals.coverage;
    let mut gaps = Vec::new();
    match totals.end {
        End::PageFull | End::SinkStopped => gaps.push("there is more: raise --limit to see it".to_owned()),
        End::FileBudget => gaps.push("the budget of files is used up; the rest was not searched".to_owned()),
        End::EntryLimit => gaps.push("the tree has too many entries; the rest was not searched".to_owned()),
        End::TimeUp => gaps.push("the time is over; the rest was not searched".to_owned()),
        _ => {}
    }
    if coverage.all_ignored() {
        let count = coverage.ignored_files + coverage.ignored_dirs;
        gaps.push(format!("no file is visible, {count} ignored by .gitignore or .ignore: try --no-ignore"));
    }
    let mut skipped = |what: &str, skipped: &Skipped| {
        if skipped.count > 0 {
            let names: Vec<_> = skipped.first.iter().take(3).map(|path| show_path(path)).collect();
            let dots = if skipped.count > names.len() as u64 { ", …" } else { "" };
            gaps.push(format!("not searched, {what}: {} ({}{dots})", skipped.count, names.join(", ")));
        }
    };
    skipped("over the budget of bytes", &coverage.budget_skipped);
    skipped("too large", &coverage.too_large);
    skipped("unreadable", &coverage.unreadable);
    skipped("too deep", &coverage.too_deep);
    // Binary files are everywhere; they matter to somebody who found nothing.
    if rows == 0 {
        skipped("binary", &coverage.binary);
    }
    if coverage.lines_cut > 0 {
        gaps.push(format!(
            "{} file(s) have lines over 1 MiB: only their start was searched",
            coverage.lines_cut
        ));
    }
    gaps
}
