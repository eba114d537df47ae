//! `search_files`: content by regular expression, or file names by pattern.

mod rows;

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use sandbox_policy::Op;
use schemars::JsonSchema;
use search_engine::{
    Case, Cursor, End, Ignore, Limits, NamePattern, Output, Page, Query, Signal, Span, Start, Summary, Unit,
};
use serde::Deserialize;
use serde_json::Value;

use crate::args;
use crate::error::{Class, ToolError};
use crate::gate::Looked;
use crate::index::search_tree;
use crate::limits;
use crate::pages::Listing;
use crate::render::{Guard, echo, show_name};
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::tools::coverage::gaps;
use crate::tree::GateTree;
use crate::workspace::Workspace;
use rows::Rows;

const NAME: &str = "search_files";

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// Lines of files.
    #[default]
    Content,
    /// Names of files.
    Files,
}

/// The order of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Path order.
    #[default]
    Discovery,
    /// Newest modification first; scans the whole tree.
    Modified,
}

/// What a result of a content search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputMode {
    /// A matching line, or a block of lines with context.
    #[default]
    Content,
    /// A file with a match.
    FilesOnly,
    /// A file with its number of matching lines.
    Count,
}

/// Arguments of [`Workspace::search_files`] and of the tool.
///
/// # Examples
///
/// ```
/// use fs_tools::classic::SearchFilesArgs;
///
/// let content = SearchFilesArgs { context: Some(2), ..SearchFilesArgs::content("fn main") };
/// let names = SearchFilesArgs { path: Some("src".into()), ..SearchFilesArgs::names("*.rs") };
/// # assert_ne!(content, names);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Deserialize, JsonSchema)]
pub struct SearchFilesArgs {
    /// Regular expression (RE2; empty matches every line), or a file name pattern for target files
    pub pattern: String,
    /// Search file contents (default) or file names
    pub target: Option<Target>,
    /// File or directory to search (default ".")
    pub path: Option<String>,
    /// Only files with such a name, for a content search
    pub file_glob: Option<String>,
    /// Results to return (default 50, maximum 200)
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Results to skip (default 0)
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// Path order (default) or newest first
    pub order: Option<Order>,
    /// What a content search returns
    pub output_mode: Option<OutputMode>,
    /// Lines around each match (default 0, maximum 20)
    #[schemars(range(min = 0))]
    pub context: Option<u64>,
    /// Cursor from a search that reached its budget, to go on behind it
    pub after: Option<String>,
}

impl SearchFilesArgs {
    /// Lines that match a regular expression, in all of the workspace.
    pub fn content(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), ..Self::default() }
    }

    /// Files whose name matches a pattern, in all of the workspace.
    pub fn names(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), target: Some(Target::Files), ..Self::default() }
    }
}

/// Answer of [`Workspace::search_files`]: one page as text. [`Workspace::find`] gives rows as values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct SearchFilesReply {
    /// What a model reads: the rows, what was not searched, and how to go on; bounded.
    pub text: String,
    /// Results on this page: lines, blocks of lines, or files.
    pub results: u64,
    /// Files that were searched, or whose names were looked at.
    pub files_scanned: u64,
    /// The offset of the next page, when more results are known.
    pub next_offset: Option<u64>,
    /// The cursor behind what a search that reached its budget has seen.
    pub after: Option<String>,
    /// Whether nothing matches anywhere, as far as it was searched.
    pub is_negative: bool,
}

impl From<SearchFilesReply> for Reply {
    fn from(reply: SearchFilesReply) -> Self {
        Self { is_negative: reply.is_negative, ..Self::text(reply.text) }
    }
}

impl Workspace {
    /// Searches the content or the names of files: what the tool `search_files` does.
    ///
    /// # Errors
    ///
    /// [`ToolError`] with its stable code: a bad pattern or cursor, a path that leads nowhere or outside or is protected.
    /// No match is no error.
    ///
    /// # Examples
    ///
    /// ```
    /// use fs_tools::classic::SearchFilesArgs;
    /// use fs_tools::{Call, Config, Options, Workspace};
    ///
    /// let dir = tempfile::tempdir()?;
    /// std::fs::write(dir.path().join("f"), "one\ntwo\n")?;
    /// let workspace = Workspace::open(Options::new(dir.path(), Config::default()))?;
    /// let page = workspace.search_files(&SearchFilesArgs::content("^t"), &Call::plain())?;
    /// assert_eq!(page.results, 1);
    /// assert!(page.text.starts_with("f:2: two\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn search_files(
        &self,
        args: &SearchFilesArgs,
        call: &Call<'_>,
    ) -> Result<SearchFilesReply, ToolError> {
        self.typed(NAME, || {
            let found = SearchFiles::search(self, args, call)?;
            let text = self.finish_inline(found.text, Guard::Base64).for_model;
            Ok(SearchFilesReply { text, ..found })
        })
    }
}

/// The tool.
pub(super) struct SearchFiles {
    spec: ToolSpec,
}

impl SearchFiles {
    pub(super) fn new() -> Self {
        let spec = ToolSpec {
            name: NAME,
            title: "Search files",
            description: "Search file contents by regular expression, or find files by name (target files): a name \
                          pattern without * ? [ { matches as a substring of the path, *.rs the base name, src/**/*.rs \
                          the path, and the empty pattern all files. Ignore files are honoured, .git and binary files \
                          are skipped, credentials are masked. Prefer it to grep, find and ls -R. \
                          Example: {\"pattern\": \"fn main\", \"file_glob\": \"*.rs\", \"context\": 2}"
                .into(),
            input_schema: schema::portable::<SearchFilesArgs>(),
            output_schema: None,
            annotations: Annotations { read_only: true, destructive: false, idempotent: true, open_world: false },
            mistaken: &[
                ("query", "use `pattern`"),
                ("regex", "use `pattern`"),
                ("glob", "use `file_glob`, or `pattern` with target \"files\""),
                ("include", "use `file_glob`"),
                ("max_results", "use `limit`"),
                ("include_ignored", "name the path of what is ignored: it is searched then"),
                ("case_insensitive", "put (?i) at the start of the pattern"),
            ],
        };
        Self { spec }
    }

    fn search(
        workspace: &Workspace,
        args: &SearchFilesArgs,
        call: &Call<'_>,
    ) -> Result<SearchFilesReply, ToolError> {
        let asked = args.path.as_deref().unwrap_or(".");
        let (query, mut page, notes) = Self::query(workspace, args)?;
        let listing = Listing::of(&SearchFilesArgs { limit: None, offset: None, ..args.clone() });
        page.expect = workspace.pages().before(listing, page.offset);
        let (tree, query) = match workspace.gate().look(Op::Search, asked, call)? {
            Looked::Special => return Ok(nothing(args, "it is not a regular file or directory")),
            Looked::File(file) => {
                let mut query = query;
                query.start = Start::File(file.base_name().as_os_str().to_owned());
                query.ignore = Ignore::Off;
                (GateTree::of_file(workspace, file), query)
            }
            Looked::Dir(dir) => {
                let mut query = query;
                query.ignore = Ignore::Honour(workspace.gate().ignore_rules_above(&dir.path));
                (GateTree::of_dir(workspace, dir), query)
            }
        };
        let is_file = matches!(query.start, Start::File(_));
        let started = Instant::now();
        let progress = || {
            if let Some(progress) = call.progress {
                progress.report(tree.opened(), None, "files searched");
            }
            if call.is_cancelled() {
                Signal::Cancel
            } else if started.elapsed() > Duration::from_millis(limits::SEARCH_MILLIS) {
                Signal::TimeUp
            } else {
                Signal::Continue
            }
        };
        let threads = available_parallelism().map_or(1, usize::from);
        let budget = Limits::AGENT.with_threads(threads);
        let max_bytes = limits::SEARCH_OUTPUT_BYTES.min(workspace.config().max_inline_result_chars);
        let mut rows = Rows::new(workspace, &tree, Shown { asked, is_file }, args, max_bytes);
        let summary = search_tree(workspace.index(), &tree, &query, &page, &budget, &progress, &mut rows)
            .map_err(|error| engine_error(&error, args))?;
        call.check()?;
        rows.finish(&summary)?;
        if let Some(next) = rows.next_offset(args, &summary)
            && let Some(mark) = summary.mark_at(next - page.offset)
        {
            workspace.pages().ended(listing, next, mark);
        }
        Ok(found(args, &summary, rows, &notes))
    }

    fn query(workspace: &Workspace, args: &SearchFilesArgs) -> Result<(Query, Page, Vec<String>), ToolError> {
        let mut notes = Vec::new();
        let mut clamp = |name: &str, value: Option<u64>, default: usize, max: usize| {
            let value = value.unwrap_or(default as u64);
            if value > max as u64 {
                notes.push(format!("[{name} {value} is over the maximum: {max} is used]"));
            }
            value.min(max as u64)
        };
        let limit = clamp("limit", args.limit, limits::SEARCH_LIMIT.0, limits::SEARCH_LIMIT.1);
        let context = clamp("context", args.context, 0, limits::SEARCH_CONTEXT) as u32;
        let named = |error| engine_error(&error, args);
        let mut query = match args.target.unwrap_or_default() {
            Target::Files => Query::names(NamePattern::classic(&args.pattern).map_err(named)?),
            Target::Content => {
                let output = match args.output_mode.unwrap_or_default() {
                    OutputMode::Content => Output::Lines { context, unit: Unit::Block },
                    OutputMode::FilesOnly => Output::Files,
                    OutputMode::Count => Output::Counts { first_lines: 0 },
                };
                let pattern =
                    workspace.patterns().get(&args.pattern, Case::Sensitive, Span::Line).map_err(named)?;
                let mut query = Query::content(pattern, output);
                if let Some(glob) = args.file_glob.as_deref().filter(|glob| !glob.is_empty()) {
                    query.names = NamePattern::classic(glob).map_err(named)?;
                }
                query
            }
        };
        query.order = match args.order.unwrap_or_default() {
            Order::Discovery => search_engine::Order::Path,
            Order::Modified => search_engine::Order::Modified,
        };
        let after = match &args.after {
            None => None,
            Some(text) => Some(text.parse::<Cursor>().map_err(named)?),
        };
        let page = Page { offset: args.offset.unwrap_or(0), limit, after, expect: None };
        Ok((query, page, notes))
    }
}

impl Tool for SearchFiles {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        args::typed(args)
            .and_then(|args| workspace.search_files(&args, call))
            .map_or_else(Reply::failure, Reply::from)
    }
}

/// How paths are shown: joined to the path that was asked for.
struct Shown<'a> {
    asked: &'a str,
    is_file: bool,
}

impl Shown<'_> {
    fn path(&self, relative: &Path) -> String {
        if self.is_file {
            return echo_path(self.asked);
        }
        let base = Path::new(self.asked);
        let mut joined = PathBuf::new();
        for part in base.components().filter(|part| *part != std::path::Component::CurDir) {
            joined.push(part);
        }
        show_name(&joined.join(relative)).into_owned()
    }
}

/// The asked path on one line.
fn echo_path(asked: &str) -> String {
    show_name(Path::new(asked)).into_owned()
}

fn nothing(args: &SearchFilesArgs, why: &str) -> SearchFilesReply {
    SearchFilesReply {
        text: format!("{} (0 files scanned): {why}.", no_match(args)),
        results: 0,
        files_scanned: 0,
        next_offset: None,
        after: None,
        is_negative: true,
    }
}

fn found(args: &SearchFilesArgs, summary: &Summary, rows: Rows<'_>, notes: &[String]) -> SearchFilesReply {
    let coverage = &summary.coverage;
    let scanned = match args.target.unwrap_or_default() {
        Target::Content => coverage.files_searched,
        Target::Files => coverage.files_seen,
    };
    let next = rows.next_offset(args, summary);
    let stopped = next.is_none() && stopped_early(summary.end);
    let reply = SearchFilesReply {
        text: String::new(),
        results: rows.count(),
        files_scanned: scanned,
        next_offset: next,
        after: summary.cursor.as_ref().filter(|_| stopped).map(ToString::to_string),
        is_negative: false,
    };
    let mut footer: Vec<String> = notes.to_vec();
    if rows.masked() > 0 {
        footer.push(format!("[values masked in {} line(s); the files on disk are unchanged]", rows.masked()));
    }
    footer.extend(gaps(summary));
    if let Some(next) = next {
        footer.push(format!("[more results: call search_files again with offset={next}]"));
    } else if let Some(cursor) = &reply.after {
        footer.push(format!(
            "[the rest was not searched: call search_files again with after=\"{cursor}\" and offset=0, or narrow \
             path or file_glob]"
        ));
    }
    let shown = rows.count();
    if shown == 0 {
        let text = if summary.past_end {
            format!(
                "No more results: {} in all, offset {} is behind the last ({scanned} files scanned).",
                summary.rows_seen,
                args.offset.unwrap_or(0)
            )
        } else {
            format!("{} ({scanned} files scanned).", no_match(args))
        };
        footer.insert(0, text);
        return SearchFilesReply { text: footer.join("\n"), is_negative: !summary.past_end, ..reply };
    }
    let unit = match args.target.unwrap_or_default() {
        Target::Content => "result(s)",
        Target::Files => "file(s)",
    };
    let mut text = String::new();
    if let Some(next) = next {
        let first = args.offset.unwrap_or(0) + 1;
        text.push_str(&format!("[results {first}-{}; more follow at offset={next}]\n", next));
    }
    text.push_str(&rows.into_text());
    text.push_str(&format!("\n{shown} {unit}, {scanned} files scanned."));
    for line in footer {
        text.push('\n');
        text.push_str(&line);
    }
    SearchFilesReply { text, ..reply }
}

fn no_match(args: &SearchFilesArgs) -> &'static str {
    match args.target.unwrap_or_default() {
        Target::Content => "No matches found",
        Target::Files => "No matching files",
    }
}

fn stopped_early(end: End) -> bool {
    matches!(end, End::FileBudget | End::EntryLimit | End::TimeUp)
}

fn engine_error(error: &search_engine::Error, args: &SearchFilesArgs) -> ToolError {
    let hint = match error {
        search_engine::Error::InvalidRegex { .. } => {
            "correct the pattern; a literal ( [ { . * + ? | ^ $ \\ needs a backslash"
        }
        search_engine::Error::InvalidGlob { .. } => {
            "correct the name pattern; a literal * ? [ { needs a backslash"
        }
        search_engine::Error::BadCursor | search_engine::Error::OtherQuery => {
            "repeat the search without `after`; a cursor belongs to the same arguments"
        }
        search_engine::Error::Start { .. } => "list_dir shows what is there; check the spelling",
        _ => "use a shorter or simpler pattern",
    };
    let class = match error {
        search_engine::Error::Start { .. } => Class::Failure,
        _ => Class::Usage,
    };
    ToolError::new(class, error.code(), error.to_string())
        .at(echo(args.path.as_deref().unwrap_or(".")))
        .hint(hint)
}
