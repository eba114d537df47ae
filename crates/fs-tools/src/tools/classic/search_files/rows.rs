//! The rows of a search as text: masked as whole lines, then cut around the match, then bounded as a page.

use std::ops::ControlFlow;
use std::path::PathBuf;

use search_engine::{LineRow, Role, Row, Sink, Summary, window};

use super::{OutputMode, SearchFilesArgs, Shown};
use crate::error::{Class, ToolError};
use crate::limits;
use crate::line_mask::LineMask;
use crate::tree::GateTree;
use crate::workspace::Workspace;

/// Bytes of a page that are kept for the footer.
const FOOTER_BYTES: usize = 1_024;
/// Smallest page, whatever the limit of inline results: one result has to fit.
const MIN_PAGE_BYTES: usize = 4_096;

/// Collects rows until the page is full.
pub(super) struct Rows<'a> {
    mask: LineMask<'a>,
    shown: Shown<'a>,
    with_context: bool,
    count_mode: bool,
    max_bytes: usize,
    text: String,
    /// The block that is being collected: it goes in whole or not at all.
    block: String,
    block_path: PathBuf,
    count: u64,
    full: bool,
    masked: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        workspace: &'a Workspace,
        tree: &'a GateTree<'a>,
        shown: Shown<'a>,
        args: &SearchFilesArgs,
        max_bytes: usize,
    ) -> Self {
        Self {
            mask: LineMask::new(workspace.redactor(), tree),
            shown,
            with_context: args.context.unwrap_or(0) > 0,
            count_mode: args.output_mode == Some(OutputMode::Count),
            max_bytes: max_bytes.max(MIN_PAGE_BYTES) - FOOTER_BYTES,
            text: String::new(),
            block: String::new(),
            block_path: PathBuf::new(),
            count: 0,
            full: false,
            masked: 0,
        }
    }

    /// Takes the last block, and fails when not even one row fits.
    pub(super) fn finish(&mut self, summary: &Summary) -> Result<(), ToolError> {
        if !self.full {
            let _ = self.close_block();
        }
        if self.count == 0 && summary.rows > 0 {
            return Err(ToolError::new(
                Class::Limit,
                "row_too_large",
                "one result is larger than a whole page",
            )
            .hint("reduce context"));
        }
        Ok(())
    }

    /// Lines of which a part was masked, as far as they were rendered.
    pub(super) fn masked(&self) -> u64 {
        self.masked
    }

    /// Rows of this page.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Where the next page starts, when there is one.
    pub(super) fn next_offset(&self, args: &SearchFilesArgs, summary: &Summary) -> Option<u64> {
        if self.full { Some(args.offset.unwrap_or(0) + self.count) } else { summary.next_offset }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Adds a finished row; breaks when it does not fit.
    fn add(&mut self, row: &str) -> ControlFlow<()> {
        if self.text.len() + row.len() > self.max_bytes {
            self.full = true;
            return ControlFlow::Break(());
        }
        self.text.push_str(row);
        self.count += 1;
        ControlFlow::Continue(())
    }

    fn close_block(&mut self) -> ControlFlow<()> {
        if self.block.is_empty() {
            return ControlFlow::Continue(());
        }
        let block = std::mem::take(&mut self.block);
        self.add(&block)
    }

    fn line(&mut self, row: &LineRow<'_>) -> ControlFlow<()> {
        let masked = self.mask.mask(row);
        self.masked += u64::from(masked.is_some());
        let found = row.first_match().unwrap_or(0..0);
        // A mask before the match moves it; where the match itself is masked, the window shows the mask.
        let view = match &masked {
            None => window(row.text, found, limits::SEARCH_LINE_BYTES),
            Some((text, map)) => window(text, map.range_to_masked(found), limits::SEARCH_LINE_BYTES),
        };
        let view = String::from_utf8_lossy(&view.text);
        if !self.with_context {
            let line = format!("{}:{}: {view}\n", self.shown.path(row.path), row.line);
            return self.add(&line);
        }
        if row.starts_block {
            self.close_block()?;
        }
        if self.block.is_empty() {
            self.block_path = row.path.to_owned();
            self.block.push_str(&self.shown.path(row.path));
            self.block.push_str(":\n");
        }
        let sign = if row.role == Role::Match { '>' } else { ' ' };
        self.block.push_str(&format!("{sign} {}: {view}\n", row.line));
        ControlFlow::Continue(())
    }
}

impl Sink for Rows<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        match row {
            Row::Name(name) => {
                let line = format!("{}\n", self.shown.path(name.path));
                self.add(&line)
            }
            Row::File(file) => {
                let path = self.shown.path(file.path);
                let line = match (self.count_mode, file.count) {
                    (true, Some(count)) => format!("{path}: {count}\n"),
                    _ => format!("{path}\n"),
                };
                self.add(&line)
            }
            Row::Line(line) => self.line(line),
            _ => ControlFlow::Continue(()),
        }
    }
}
