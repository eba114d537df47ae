//! The rows of a search as text: masked as whole lines, then cut around the match, then bounded as a page.

use std::io::{BufRead as _, BufReader};
use std::ops::ControlFlow;
use std::path::PathBuf;

use redact::LineRedactor;
use search_engine::{LineRow, Role, Row, Sink, Summary, window};

use super::{OutputMode, SearchFilesArgs, Shown};
use crate::error::{Class, ToolError};
use crate::limits;
use crate::tree::{GateTree, TreeFile};
use crate::workspace::Workspace;

/// Bytes of a page that are kept for the footer.
const FOOTER_BYTES: usize = 1_024;
/// Smallest page, whatever the limit of inline results: one result has to fit.
const MIN_PAGE_BYTES: usize = 4_096;

/// Collects rows until the page is full.
pub(super) struct Rows<'a> {
    workspace: &'a Workspace,
    tree: &'a GateTree<'a>,
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
    masker: Option<Masker<'a>>,
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
            workspace,
            tree,
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
            masker: None,
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
        let masked = self.mask(row);
        self.masked += u64::from(masked.text != row.text);
        let raw_match = row.first_match();
        // A mask before the match moves it; where the match itself is masked, the window shows the mask.
        let at = raw_match.map(|found| masked.place_of(found)).unwrap_or(0..0);
        let view = window(&masked.text, at, limits::SEARCH_LINE_BYTES);
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

    fn mask(&mut self, row: &LineRow<'_>) -> MaskedLine {
        let redactor = self.workspace.redactor();
        if may_continue_a_secret(row.text) {
            let same = self.masker.as_ref().is_some_and(|masker| masker.path == row.path);
            if !same {
                self.masker = Masker::open(self.workspace, self.tree, row);
            }
            if let Some(masker) = &mut self.masker {
                return MaskedLine::new(row.text, &masker.line(row));
            }
        }
        MaskedLine::new(row.text, &LineRedactor::new(redactor).line(row.text))
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

/// A masked line, and how far the mask changed it from both ends.
struct MaskedLine {
    text: Vec<u8>,
    raw_len: usize,
    same_start: usize,
    same_end: usize,
}

impl MaskedLine {
    fn new(raw: &[u8], masked: &[u8]) -> Self {
        let same_start = raw.iter().zip(masked).take_while(|(a, b)| a == b).count();
        let rest = raw.len().min(masked.len()) - same_start;
        let same_end =
            raw.iter().rev().zip(masked.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        Self { text: masked.to_vec(), raw_len: raw.len(), same_start, same_end }
    }

    /// Where a range of the raw line is in the masked one.
    fn place_of(&self, raw: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let moved = |at: usize| {
            if at <= self.same_start {
                at
            } else if self.raw_len - at.min(self.raw_len) <= self.same_end {
                self.text.len() - (self.raw_len - at.min(self.raw_len))
            } else {
                self.same_start
            }
        };
        let start = moved(raw.start);
        start..moved(raw.end).max(start)
    }
}

/// Whether a line by itself could be the inside of a value that began on an earlier line, such as a key block: it
/// consists of characters of base64 and of the quotes and escapes around them.
fn may_continue_a_secret(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty()
        && line.iter().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'"' | b'\'' | b'\\' | b',')
        })
}

/// Masks lines of one file with what stands before them.
struct Masker<'a> {
    path: PathBuf,
    redactor: LineRedactor<'a>,
    reader: BufReader<std::io::Take<TreeFile>>,
    next: u64,
}

impl<'a> Masker<'a> {
    fn open(workspace: &'a Workspace, tree: &GateTree<'_>, row: &LineRow<'_>) -> Option<Self> {
        let handle = tree.open_path(row.path).ok()?;
        let file =
            std::io::Read::take(TreeFile::Raw { handle, offset: 0 }, search_engine::Limits::AGENT.max_bytes);
        Some(Self {
            path: row.path.to_owned(),
            redactor: LineRedactor::new(workspace.redactor()),
            reader: BufReader::with_capacity(64 * 1024, file),
            next: 1,
        })
    }

    fn line(&mut self, row: &LineRow<'_>) -> Vec<u8> {
        let mut line = Vec::new();
        while self.next < row.line {
            line.clear();
            match self.reader.read_until(b'\n', &mut line) {
                Ok(read) if read > 0 => {}
                _ => break,
            }
            let content = line.strip_suffix(b"\n").unwrap_or(&line);
            let _ = self.redactor.line(content.strip_suffix(b"\r").unwrap_or(content));
            self.next += 1;
        }
        if self.next == row.line {
            // The row itself is masked by its own text; its copy in the file is passed over.
            line.clear();
            let _ = self.reader.read_until(b'\n', &mut line);
            self.next += 1;
        }
        self.redactor.line(row.text).into_owned()
    }
}
