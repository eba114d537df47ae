//! `find_files`: directories listed, files found by name or by content, in one call for several places.

mod by_content;
mod by_name;
mod hits;

use schemars::JsonSchema;
use search_engine::Reach;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::args;
use crate::error::{Class, ToolError};
use crate::limits;
use crate::render::{Guard, echo};
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::workspace::Workspace;

/// What `find_files` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindMode {
    /// Lists directories.
    List,
    /// Finds files by name.
    Glob,
    /// Searches the content of files.
    Search,
}

/// What a row of a content search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindOutput {
    /// A file with its number of matching lines and the first five of them.
    #[default]
    Files,
    /// A matching line.
    Content,
}

/// One place to look in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
pub struct FindQuery {
    /// Directory (default "."); in a search also a file
    pub dir: Option<String>,
    /// Regex in a search, else a file name pattern
    pub pattern: Option<String>,
    /// Names of files to search (default "**/*")
    pub file_pattern: Option<String>,
    /// Go into subdirectories: lists, patterns without "/"
    pub recursive: Option<bool>,
}

/// Arguments of `find_files`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
pub struct FindFilesArgs {
    /// Places to look in
    #[schemars(length(min = 1))]
    pub queries: Vec<FindQuery>,
    /// Default: by the patterns given
    pub mode: Option<FindMode>,
    /// Rows of a search (default files)
    pub output: Option<FindOutput>,
    /// Rows to skip
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// Rows to return (default 256; list and glob: all that fit)
    #[schemars(range(min = 0))]
    pub limit: Option<u64>,
    /// Lines around each match, with output content
    #[schemars(range(min = 0))]
    pub context: Option<u64>,
    /// Match across lines: . matches line ends
    pub multiline: Option<bool>,
}

impl FindQuery {
    fn dir(&self) -> &str {
        given(&self.dir).unwrap_or(".")
    }

    fn pattern(&self) -> Option<&str> {
        given(&self.pattern)
    }

    fn file_pattern(&self) -> Option<&str> {
        given(&self.file_pattern)
    }

    fn is_recursive(&self) -> bool {
        self.recursive.unwrap_or(false)
    }

    /// How far a pattern without a slash reaches.
    fn reach(&self) -> Reach {
        if self.is_recursive() { Reach::AnyDepth } else { Reach::Here }
    }
}

/// What is not blank.
fn given(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.trim().is_empty())
}

impl FindFilesArgs {
    /// The mode that was asked for, or the one that the queries speak of.
    fn mode(&self) -> FindMode {
        let any = |has: fn(&FindQuery) -> bool| self.queries.iter().any(has);
        match self.mode {
            Some(mode) => mode,
            None if any(|query| query.pattern().is_some() && query.file_pattern().is_some()) => {
                FindMode::Search
            }
            None if any(|query| query.pattern().is_some()) => FindMode::Glob,
            None => FindMode::List,
        }
    }

    fn check(&self, mode: FindMode) -> Result<(), ToolError> {
        if mode == FindMode::List {
            return Ok(());
        }
        match self.queries.iter().position(|query| query.pattern().is_none()) {
            None => Ok(()),
            Some(index) => Err(ToolError::new(
                Class::Usage,
                "invalid_arguments",
                format!(
                    "queries[{index}].pattern is required: one mode holds for the whole call, here {}",
                    name(mode)
                ),
            )
            .hint("give every query a pattern, or make a call of its own for the others")),
        }
    }

    /// Arguments that were given and do not matter in this mode.
    fn unused(&self, mode: FindMode) -> Vec<&'static str> {
        let mut unused = Vec::new();
        if mode != FindMode::Search {
            let given = [
                (self.output.is_some(), "output"),
                (self.context.is_some(), "context"),
                (self.multiline.is_some(), "multiline"),
                (self.queries.iter().any(|query| query.file_pattern().is_some()), "file_pattern"),
            ];
            unused.extend(given.into_iter().filter(|(given, _)| *given).map(|(_, name)| name));
        } else if self.context.is_some_and(|lines| lines > 0) && self.output != Some(FindOutput::Content) {
            unused.push("context");
        }
        unused
    }
}

fn name(mode: FindMode) -> &'static str {
    match mode {
        FindMode::List => "list",
        FindMode::Glob => "glob",
        FindMode::Search => "search",
    }
}

/// The tool.
pub(super) struct FindFiles {
    spec: ToolSpec,
    search: by_content::Searcher,
}

impl FindFiles {
    pub(super) fn new() -> Self {
        let spec = ToolSpec {
            name: "find_files",
            title: "Find files",
            description: "List directories, find files by name (newest first) or search content by RE2 regex, several places at \
                          once. No pattern: list. pattern alone: glob, which needs a literal. pattern and file_pattern: search; \
                          output files gives path, count and the first five rows, for read_files around; content the lines. \
                          To page, repeat the queries with the offset of the last line. Ignored, binary and sensitive files are \
                          left out. Example: {\"queries\": [{\"dir\": \"src\", \"pattern\": \"fn main\", \"file_pattern\": \"**/*.rs\"}]}"
                .into(),
            input_schema: schema::portable::<FindFilesArgs>(),
            output_schema: None,
            annotations: Annotations { read_only: true, destructive: false, idempotent: true, open_world: false },
            mistaken: &[
                ("dir", "put it into `queries`: {\"queries\": [{\"dir\": …}]}"),
                ("path", "put it into `queries`: {\"queries\": [{\"dir\": …}]}"),
                ("pattern", "put it into `queries`: {\"queries\": [{\"pattern\": …}]}"),
                ("file_pattern", "put it into `queries`: {\"queries\": [{\"file_pattern\": …}]}"),
                ("recursive", "put it into `queries`: {\"queries\": [{\"recursive\": true}]}"),
            ],
        };
        Self { spec, search: by_content::Searcher::default() }
    }

    fn find(&self, workspace: &Workspace, args: &FindFilesArgs, call: &Call<'_>) -> Result<Found, ToolError> {
        let mode = args.mode();
        args.check(mode)?;
        let mut found = match mode {
            FindMode::List => by_name::list(workspace, args, call)?,
            FindMode::Glob => by_name::glob(workspace, args, call)?,
            FindMode::Search => self.search.search(workspace, args, call)?,
        };
        let unused = args.unused(mode);
        if !unused.is_empty() {
            found.text.push_str(&format!("\n[no effect in this mode: {}]", unused.join(", ")));
        }
        Ok(found)
    }
}

impl Tool for FindFiles {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        match args::typed(args).and_then(|args| self.find(workspace, &args, call)) {
            Ok(found) => {
                let mut reply = workspace.finish_batch(self.spec.name, found.text, Guard::None);
                reply.is_negative = found.is_negative;
                reply
            }
            Err(error) => error.into(),
        }
    }
}

/// The answer as text.
struct Found {
    text: String,
    is_negative: bool,
}

/// What one query came to: a query that fails leaves the others their results.
struct Failures {
    rows: Vec<String>,
    first: Option<ToolError>,
    queries: usize,
}

impl Failures {
    fn of(args: &FindFilesArgs) -> Self {
        Self { rows: Vec::new(), first: None, queries: args.queries.len() }
    }

    /// Keeps the value, or notes the failure as a row.
    fn keep<T>(&mut self, query: &FindQuery, result: Result<T, ToolError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                let error = error.for_batch();
                let mut row =
                    json!({ "dir": echo(query.dir()), "error": error.code(), "message": error.message() });
                if let Some(hint) = error.next_step() {
                    row["next_step"] = hint.into();
                }
                self.rows.push(row.to_string());
                self.first.get_or_insert(error);
                None
            }
        }
    }

    /// The failure of the whole call: every query failed.
    fn whole(&mut self) -> Result<(), ToolError> {
        match self.first.take_if(|_| self.rows.len() == self.queries) {
            Some(error) if self.queries == 1 => Err(error),
            Some(error) => {
                let rows = self.rows.join("\n");
                Err(ToolError::new(
                    error.class(),
                    "all_queries_failed",
                    format!("every query failed:\n{rows}"),
                )
                .hint("correct the queries"))
            }
            None => Ok(()),
        }
    }
}

/// Rows of a page, up to the bytes that a result may have.
struct PageText {
    text: String,
    rows: u64,
    full: bool,
}

impl PageText {
    fn new() -> Self {
        Self { text: String::new(), rows: 0, full: false }
    }

    /// Adds a row; `false` when the page is full.
    fn add(&mut self, row: &str, counts: bool) -> bool {
        self.full |= self.text.len() + row.len() + 1 > limits::FIND_OUTPUT_BYTES;
        if !self.full {
            self.text.push_str(row);
            self.text.push('\n');
            self.rows += u64::from(counts);
        }
        !self.full
    }
}
