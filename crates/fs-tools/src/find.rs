//! Searching for a person or a program: rows as values, with the caller's own limits, through the same gate as the
//! tools.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use redact::OffsetMap;
use sandbox_policy::{Op, RequestPath};
use search_engine::{Ignore, Limits, LineRow, Page, Query, Role, Row, Signal, Sink, Start, Summary};

use crate::error::{Class, ToolError};
use crate::gate::Looked;
use crate::index::search_tree;
use crate::line_mask::LineMask;
use crate::render::{echo, show_name};
use crate::tool::Call;
use crate::tree::GateTree;
use crate::workspace::Workspace;

/// Whether credentials are masked in the lines that a search gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masking {
    /// Each line is masked as a whole, as `search_files` does.
    Masked,
    /// Lines are given as they are in the file. Only for what a person looks at: never for what a model reads.
    Raw,
}

/// What to look for, and where.
#[derive(Debug, Clone)]
pub struct Find<'a> {
    /// File or directory to search, as a tool takes it: `.` is the workspace.
    pub path: &'a str,
    /// The search; its start and the ignore files above the start are filled in. [`Ignore::Off`] stays off.
    pub query: Query,
    /// Which rows are wanted.
    pub page: Page,
    /// After this time the search ends with what it has.
    pub time: Option<Duration>,
    /// Whether credentials are masked.
    pub masking: Masking,
}

/// One row.
#[derive(Debug)]
#[non_exhaustive]
pub enum Found<'r> {
    /// A file whose name matches.
    Name {
        /// The path that was asked for, joined with the path below it.
        path: &'r Path,
        /// Time of the last modification in nanoseconds since 1970, known in newest-first order.
        modified_ns: Option<i64>,
    },
    /// A file with a match.
    File {
        /// The path that was asked for, joined with the path below it.
        path: &'r Path,
        /// Number of matching lines; `None` when reading ended at the first.
        count: Option<u64>,
    },
    /// A line: a match or its context.
    Line(FoundLine<'r>),
}

/// A line of a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct FoundLine<'r> {
    /// The path that was asked for, joined with the path below it.
    pub path: &'r Path,
    /// Number of the line, from 1.
    pub line: u64,
    /// Whether it matched or stands near a match.
    pub role: Role,
    /// The line without its terminator, in whatever encoding, masked unless the search is [`Masking::Raw`].
    pub text: &'r [u8],
    /// Whether the line is longer than was kept: only its first mebibyte was searched and is given.
    pub cut: bool,
    /// Whether this line does not follow the line of the row before: a new file, a gap, or the next block.
    pub starts_block: bool,
    row: &'r LineRow<'r>,
    map: Option<&'r OffsetMap>,
}

impl FoundLine<'_> {
    /// Whether a part of the line is masked.
    pub fn is_masked(&self) -> bool {
        self.map.is_some()
    }

    /// Returns where the line matches, as disjoint ranges of bytes of `text`; empty for context. A match of masked text
    /// covers the mask.
    ///
    /// # Cost
    ///
    /// Searches the line again; O(length of the line).
    pub fn matches(&self) -> Vec<Range<usize>> {
        let mut ranges = self.row.matches();
        if let Some(map) = self.map {
            for range in &mut ranges {
                *range = map.range_to_masked(range.clone());
            }
            ranges.dedup_by(|next, kept| {
                let joined = next.start < kept.end;
                if joined {
                    kept.end = kept.end.max(next.end);
                }
                joined
            });
        }
        ranges
    }
}

/// Shows a path on one line: control and bidirectional characters and bytes that are not UTF-8 are escaped, and the
/// shown form can be used as the path of a call again.
///
/// # Examples
///
/// ```
/// use std::path::Path;
///
/// assert_eq!(fs_tools::show_path(Path::new("a\nb")), "a\\x{0A}b");
/// ```
pub fn show_path(path: &Path) -> Cow<'_, str> {
    show_name(path)
}

impl Workspace {
    /// Searches a file or directory and gives the rows to `sink`, in order, on the calling thread; `Break` ends the search.
    ///
    /// What the policy hides is neither searched nor counted. An explicit file is searched even when it is ignored.
    ///
    /// # Errors
    ///
    /// Every refusal of the policy for the path, an unusable pattern or cursor with the code of the search engine,
    /// `not_a_regular_file` for a path that is neither a file nor a directory, and `cancelled`.
    ///
    /// # Cost
    ///
    /// That of [`search_engine::search`], and the masking of the lines that are given.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use fs_tools::search_engine::{Case, Limits, Output, Page, Pattern, Query, Span, Unit};
    /// use fs_tools::{Call, Config, Find, Found, Masking, Options, Workspace};
    ///
    /// let dir = tempfile::tempdir()?;
    /// std::fs::write(dir.path().join("a.txt"), "one\ntwo\n")?;
    /// let workspace = Workspace::open(Options::new(dir.path(), Config::default()))?;
    ///
    /// let pattern = Pattern::new("two", Case::Sensitive, Span::Line)?;
    /// let query = Query::content(pattern, Output::Lines { context: 0, unit: Unit::Line });
    /// let find = Find { path: ".", query, page: Page::ALL, time: None, masking: Masking::Masked };
    /// let mut rows = Vec::new();
    /// let summary = workspace.find(&find, &Limits::LIFTED, &Call::plain(), &mut |found: &Found<'_>| {
    ///     if let Found::Line(line) = found {
    ///         rows.push((line.path.to_owned(), line.line, line.matches()));
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(rows, [("a.txt".into(), 2, vec![0..3])]);
    /// assert!(summary.is_exhaustive());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(
        &self,
        find: &Find<'_>,
        limits: &Limits,
        call: &Call<'_>,
        sink: &mut dyn FnMut(&Found<'_>) -> ControlFlow<()>,
    ) -> Result<Summary, ToolError> {
        let mut query = find.query.clone();
        let (tree, is_file) = match self.gate().look(Op::Search, find.path, call)? {
            Looked::Special => {
                return Err(ToolError::new(
                    Class::Failure,
                    "not_a_regular_file",
                    "the path is neither a regular file nor a directory",
                )
                .at(echo(find.path))
                .hint("name a file or a directory"));
            }
            Looked::File(file) => {
                query.start = Start::File(file.base_name().as_os_str().to_owned());
                query.ignore = Ignore::Off;
                (GateTree::of_file(self, file), true)
            }
            Looked::Dir(dir) => {
                query.start = Start::Root;
                if let Ignore::Honour(_) = query.ignore {
                    query.ignore = Ignore::Honour(self.gate().ignore_rules_above(&dir.path));
                }
                (GateTree::of_dir(self, dir), false)
            }
        };
        let started = Instant::now();
        let progress = || {
            if let Some(progress) = call.progress {
                progress.report(tree.opened(), None, "files searched");
            }
            if call.is_cancelled() {
                Signal::Cancel
            } else if find.time.is_some_and(|time| started.elapsed() > time) {
                Signal::TimeUp
            } else {
                Signal::Continue
            }
        };
        let base = Base::new(find.path, is_file);
        let mut rows =
            Rows { mask: LineMask::new(self.redactor(), &tree), base, masking: find.masking, sink };
        let summary = search_tree(self.index(), &tree, &query, &find.page, limits, &progress, &mut rows)
            .map_err(|error| engine_error(&error, find.path))?;
        call.check()?;
        Ok(summary)
    }
}

pub(crate) fn engine_error(error: &search_engine::Error, path: &str) -> ToolError {
    let (class, hint) = match error {
        search_engine::Error::Start { .. } => (Class::Failure, "check that the path can be read"),
        search_engine::Error::InvalidRegex { .. } => {
            (Class::Usage, "correct the pattern; a literal ( [ { . * + ? | ^ $ \\ needs a backslash")
        }
        search_engine::Error::InvalidGlob { .. } => {
            (Class::Usage, "correct the name pattern; a literal * ? [ { needs a backslash")
        }
        search_engine::Error::BadCursor | search_engine::Error::OtherQuery => {
            (Class::Usage, "a cursor belongs to the same arguments")
        }
        _ => (Class::Usage, "use a shorter or simpler pattern"),
    };
    ToolError::new(class, error.code(), error.to_string()).at(echo(path)).hint(hint)
}

/// The path that was asked for, in front of every row; joined once for the rows of one file.
pub(crate) struct Base {
    asked: PathBuf,
    is_file: bool,
    below: PathBuf,
    joined: PathBuf,
}

impl Base {
    pub(crate) fn new(asked: &str, is_file: bool) -> Self {
        let parsed = RequestPath::parse(asked);
        let spelled = parsed.as_ref().map_or(Path::new(asked), RequestPath::as_path);
        let asked: PathBuf = if is_file {
            spelled.to_owned()
        } else {
            spelled.components().filter(|part| *part != Component::CurDir).collect()
        };
        Self { joined: asked.clone(), asked, is_file, below: PathBuf::new() }
    }

    pub(crate) fn join<'a>(&'a mut self, below: &'a Path) -> &'a Path {
        if self.is_file {
            return &self.joined;
        }
        if self.asked.as_os_str().is_empty() {
            return below;
        }
        // As bytes: paths compare component by component, which costs more than the rest.
        if self.below.as_os_str() != below.as_os_str() {
            below.clone_into(&mut self.below);
            self.joined.clone_from(&self.asked);
            self.joined.push(below);
        }
        &self.joined
    }
}

/// Turns the rows of the engine into those of the caller.
struct Rows<'a> {
    mask: LineMask<'a>,
    base: Base,
    masking: Masking,
    sink: &'a mut dyn FnMut(&Found<'_>) -> ControlFlow<()>,
}

impl Rows<'_> {
    fn line(&mut self, row: &LineRow<'_>) -> ControlFlow<()> {
        let masked = match self.masking {
            Masking::Raw => None,
            Masking::Masked => self.mask.mask(row),
        };
        let (text, map) = match &masked {
            Some((text, map)) => (&text[..], Some(map)),
            None => (row.text, None),
        };
        let path = self.base.join(row.path);
        (self.sink)(&Found::Line(FoundLine {
            path,
            line: row.line,
            role: row.role,
            text,
            cut: row.cut,
            starts_block: row.starts_block,
            row,
            map,
        }))
    }
}

impl Sink for Rows<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        match row {
            Row::Name(name) => {
                let path = self.base.join(name.path);
                (self.sink)(&Found::Name { path, modified_ns: name.modified_ns })
            }
            Row::File(file) => {
                let path = self.base.join(file.path);
                (self.sink)(&Found::File { path, count: file.count })
            }
            Row::Line(line) => self.line(line),
            _ => ControlFlow::Continue(()),
        }
    }
}
