//! One place of a call, and the engine run on it.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use sandbox_policy::Op;
use search_engine::{Ignore, Limits, Page, Query, Row, Signal, Start, Summary};

use super::by_name::honoured;
use crate::error::{Class, ToolError};
use crate::find::engine_error;
use crate::gate::{Looked, OpenDir};
use crate::index::{Index, search_tree};
use crate::limits;
use crate::render::echo;
use crate::tool::Call;
use crate::tree::GateTree;
use crate::workspace::Workspace;

/// A directory, or one file of it.
pub(super) struct Place<'w> {
    pub(super) tree: GateTree<'w>,
    /// The absolute path of the directory, or of the file.
    pub(super) path: PathBuf,
    /// As the caller named it.
    pub(super) asked: String,
    start: Start,
    ignore: Ignore,
    /// When the time of the call is over.
    until: Instant,
    index: Option<&'w Index>,
}

/// When a call that begins now has to answer.
pub(super) fn deadline() -> Instant {
    Instant::now() + Duration::from_millis(limits::SEARCH_MILLIS)
}

impl<'w> Place<'w> {
    pub(super) fn of_dir(workspace: &'w Workspace, asked: &str, open: OpenDir, until: Instant) -> Self {
        Self {
            until,
            index: workspace.index(),
            ignore: honoured(workspace, &open.path),
            path: open.path.clone(),
            tree: GateTree::of_dir(workspace, open),
            asked: asked.to_owned(),
            start: Start::Root,
        }
    }

    /// Opens what a search names: a directory or a file.
    pub(super) fn open(
        workspace: &'w Workspace,
        asked: &str,
        call: &Call<'_>,
        until: Instant,
    ) -> Result<Self, ToolError> {
        match workspace.gate().look(Op::Search, asked, call)? {
            Looked::Dir(dir) => Ok(Self::of_dir(workspace, asked, dir, until)),
            Looked::File(file) => Ok(Self {
                path: file.path().to_owned(),
                start: Start::File(file.base_name().as_os_str().to_owned()),
                tree: GateTree::of_file(workspace, file),
                asked: asked.to_owned(),
                ignore: Ignore::Off,
                until,
                index: None,
            }),
            Looked::Special => Err(ToolError::new(
                Class::Failure,
                "not_a_regular_file",
                "the path is neither a regular file nor a directory",
            )
            .at(echo(asked))
            .hint("name a file or a directory")),
        }
    }

    /// When the time of the call is over.
    pub(super) fn until(&self) -> Instant {
        self.until
    }

    pub(super) fn is_file(&self) -> bool {
        matches!(self.start, Start::File(_))
    }

    /// The absolute path of a row.
    pub(super) fn absolute(&self, below: &std::path::Path) -> PathBuf {
        if self.is_file() { self.path.clone() } else { self.path.join(below) }
    }

    /// Starts a query here.
    pub(super) fn apply(&self, mut query: Query) -> Query {
        query.start = self.start.clone();
        query.ignore = self.ignore.clone();
        query
    }
}

/// Runs a whole query, within the time of a call.
pub(super) fn run(
    place: &Place<'_>,
    query: &Query,
    call: &Call<'_>,
    sink: &mut dyn FnMut(&Row<'_>) -> ControlFlow<()>,
) -> Result<Summary, ToolError> {
    run_page(place, query, &Page::ALL, call, sink)
}

/// Runs a query for one page of rows.
pub(super) fn run_page(
    place: &Place<'_>,
    query: &Query,
    page: &Page,
    call: &Call<'_>,
    mut sink: &mut dyn FnMut(&Row<'_>) -> ControlFlow<()>,
) -> Result<Summary, ToolError> {
    let progress = || {
        if let Some(progress) = call.progress {
            progress.report(place.tree.opened(), None, "files searched");
        }
        if call.is_cancelled() {
            Signal::Cancel
        } else if Instant::now() > place.until {
            Signal::TimeUp
        } else {
            Signal::Continue
        }
    };
    let limits = Limits::LIFTED.with_threads(available_parallelism().map_or(1, usize::from));
    let summary = search_tree(place.index, &place.tree, query, page, &limits, &progress, &mut sink)
        .map_err(|error| engine_error(&error, &place.asked))?;
    call.check()?;
    Ok(summary)
}
