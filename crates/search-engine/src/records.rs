//! What a thread hands over about the files it searched, and how matching lines become records with context.

use std::collections::VecDeque;

use crate::{Output, Role, Unit};

/// What the searches of some files gave, in their order.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) text: Vec<u8>,
    pub(crate) lines: Vec<LineRec>,
    pub(crate) files: Vec<FileRec>,
}

impl Batch {
    /// Bytes of records at which they are handed over before the file is done.
    const FULL_BYTES: usize = 1 << 20;

    /// Adds what comes after.
    pub(crate) fn append(&mut self, other: Self) {
        let (text, lines) = (self.text.len(), self.lines.len());
        self.text.extend_from_slice(&other.text);
        self.lines.extend(other.lines.into_iter().map(|rec| LineRec { start: rec.start + text, ..rec }));
        self.files
            .extend(other.files.into_iter().map(|rec| FileRec { lines_end: rec.lines_end + lines, ..rec }));
    }

    pub(crate) fn is_full(&self) -> bool {
        self.text.len() + self.lines.len() * size_of::<LineRec>() >= Self::FULL_BYTES
    }
}

/// One line of a file.
#[derive(Debug, Clone)]
pub(crate) struct LineRec {
    pub(crate) number: u64,
    /// Where the text lies in [`Batch::text`].
    pub(crate) start: usize,
    pub(crate) len: usize,
    /// Where the line ends in the file.
    pub(crate) end_offset: u64,
    pub(crate) first: Option<(usize, usize)>,
    pub(crate) role: Role,
    pub(crate) cut: bool,
    pub(crate) starts_block: bool,
}

/// One file, or a part of one.
#[derive(Debug, Clone)]
pub(crate) struct FileRec {
    /// Index of the file in its chunk.
    pub(crate) index: usize,
    pub(crate) outcome: Outcome,
    pub(crate) size: u64,
    /// Bytes that have to be read of it.
    pub(crate) cost: u64,
    pub(crate) modified_ns: i64,
    /// Bytes read so far.
    pub(crate) bytes: u64,
    /// Rows of this part, stored or not.
    pub(crate) rows: u64,
    /// Matching lines of this part.
    pub(crate) matched: u64,
    /// Records of this part: where they end in [`Batch::lines`].
    pub(crate) lines_end: usize,
    pub(crate) lines_cut: bool,
    /// Whether more parts of this file follow.
    pub(crate) more: bool,
}

impl FileRec {
    pub(crate) fn new(index: usize, outcome: Outcome, lines_end: usize) -> Self {
        let (lines_cut, more) = (false, false);
        Self {
            index,
            outcome,
            size: 0,
            cost: 0,
            modified_ns: 0,
            bytes: 0,
            rows: 0,
            matched: 0,
            lines_end,
            lines_cut,
            more,
        }
    }
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Searched,
    Binary,
    OverBudget,
    TooLarge,
    Unreadable,
    /// The search was told to stop while this file was read.
    Interrupted,
}

/// Turns matching lines into records.
#[derive(Debug)]
pub(crate) struct Emitter {
    context: usize,
    blocks: bool,
    keep_lines: bool,
    /// Records are kept for this many rows of the file, and one more.
    want: u64,
    /// For counts: how many line numbers are kept.
    first_lines: usize,
    pub(crate) rows: u64,
    pub(crate) matched: u64,
    /// Rows of the whole file so far; `rows` starts anew with each part.
    rows_of_file: u64,
    /// Line number at offset `counted` of the buffer.
    line: u64,
    counted: usize,
    /// Offset of the first line that has not been emitted and may still be.
    pending: usize,
    /// Whether lines between the last emitted one and `pending` have left the buffer.
    gap: bool,
    after_left: usize,
    lines_in_block: u32,
    emitted_any: bool,
    /// Numbers of recent cut lines.
    cut_lines: VecDeque<u64>,
    /// Offset in the file of the start of the buffer.
    pub(crate) base: u64,
}

/// A line of the buffer: `start..end` is its text, `next` the start of the line after it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) next: usize,
}

impl Emitter {
    pub(crate) fn new(output: Output, want: u64) -> Self {
        let (context, blocks, keep_lines, first_lines) = match output {
            Output::Lines { context, unit } => {
                let context = context.min(Output::MAX_CONTEXT) as usize;
                (context, unit == Unit::Block && context > 0, true, 0)
            }
            Output::Files => (0, false, false, 0),
            Output::Counts { first_lines } => (0, false, false, first_lines),
        };
        // The context of the last wanted line may hold as many lines that match.
        let want = if blocks { want } else { want.saturating_add(context as u64) };
        Self {
            context,
            blocks,
            keep_lines,
            want,
            first_lines,
            rows: 0,
            matched: 0,
            rows_of_file: 0,
            line: 1,
            counted: 0,
            pending: 0,
            gap: false,
            after_left: 0,
            lines_in_block: 0,
            emitted_any: false,
            cut_lines: VecDeque::new(),
            base: 0,
        }
    }

    /// Tells whether one row more than wanted has been seen.
    pub(crate) fn is_over(&self) -> bool {
        self.keep_lines && self.rows_of_file > self.want
    }

    /// Starts the next part of the file.
    pub(crate) fn next_part(&mut self) {
        (self.rows, self.matched) = (0, 0);
    }

    /// Notes that the line at `at` is cut.
    pub(crate) fn mark_cut(&mut self, buf: &[u8], at: usize) {
        let number = self.number_at(buf, at);
        self.cut_lines.push_back(number);
        if self.cut_lines.len() > self.context + 1 {
            self.cut_lines.pop_front();
        }
    }

    /// Takes a matching line; lines come in their order.
    pub(crate) fn matched(
        &mut self,
        buf: &[u8],
        line: Bounds,
        first: Option<(usize, usize)>,
        out: &mut Batch,
    ) {
        self.matched += 1;
        if !self.keep_lines {
            if self.matched <= self.first_lines as u64 {
                let number = self.number_at(buf, line.start);
                let (cut, end_offset) = (false, self.base + line.next as u64);
                let role = Role::Match;
                out.lines.push(LineRec {
                    number,
                    start: 0,
                    len: 0,
                    end_offset,
                    first: None,
                    role,
                    cut,
                    starts_block: false,
                });
            }
            self.rows = 1;
            return;
        }
        if self.context > 0 {
            self.context_up_to(buf, line.start, out);
            let start = self.lines_before(buf, line.start);
            if start > self.pending {
                self.gap = true;
            }
            let mut at = start;
            while at < line.start {
                let bounds = bounds_at(buf, at, line.start);
                self.emit(buf, bounds, Role::Context, None, out);
                at = bounds.next;
            }
        }
        self.emit(buf, line, Role::Match, first, out);
        self.after_left = self.context;
    }

    /// Emits the lines after the last match that are wanted as context, up to `end`.
    pub(crate) fn context_up_to(&mut self, buf: &[u8], end: usize, out: &mut Batch) {
        while self.after_left > 0 && self.pending < end {
            let bounds = bounds_at(buf, self.pending, end);
            self.after_left -= 1;
            self.emit(buf, bounds, Role::Context, None, out);
        }
    }

    /// Returns from where on the buffer must be kept when everything before `end` has been searched.
    pub(crate) fn keep_from(&self, buf: &[u8], end: usize) -> usize {
        if self.context == 0 { end } else { self.lines_before(buf, end) }
    }

    /// Notes that the first `bytes` bytes leave the buffer.
    pub(crate) fn dropped(&mut self, buf: &[u8], bytes: usize) {
        self.number_at(buf, bytes);
        self.counted -= bytes;
        self.base += bytes as u64;
        if self.pending < bytes {
            self.gap = true;
        }
        self.pending = self.pending.saturating_sub(bytes);
    }

    /// Goes on in a part of the file that does not follow the one before.
    pub(crate) fn jump(&mut self, line: u64, offset: u64) {
        (self.line, self.counted, self.base, self.pending) = (line, 0, offset, 0);
        (self.gap, self.after_left) = (true, 0);
    }

    /// Start of the line that lies `context` lines before `at`, at most as far back as nothing has been emitted.
    fn lines_before(&self, buf: &[u8], at: usize) -> usize {
        let mut start = at;
        for _ in 0..self.context {
            if start <= self.pending {
                break;
            }
            start = memchr::memrchr(b'\n', &buf[self.pending..start - 1])
                .map_or(self.pending, |i| self.pending + i + 1);
        }
        start.max(self.pending)
    }

    fn number_at(&mut self, buf: &[u8], at: usize) -> u64 {
        if at >= self.counted {
            self.line += memchr::memchr_iter(b'\n', &buf[self.counted..at]).count() as u64;
        } else {
            self.line -= memchr::memchr_iter(b'\n', &buf[at..self.counted]).count() as u64;
        }
        self.counted = at;
        self.line
    }

    fn emit(&mut self, buf: &[u8], line: Bounds, role: Role, first: Option<(usize, usize)>, out: &mut Batch) {
        let follows = !self.gap && self.emitted_any && line.start == self.pending;
        let starts_block = !follows || (self.blocks && self.lines_in_block >= Unit::MAX_BLOCK_LINES);
        self.gap = false;
        self.pending = line.next;
        let new_row = if self.blocks { starts_block } else { role == Role::Match };
        self.lines_in_block = if starts_block { 1 } else { self.lines_in_block + 1 };
        self.emitted_any = true;
        if new_row {
            self.rows += 1;
            self.rows_of_file += 1;
        }
        // One row more than wanted is kept, so that a page knows what comes after it.
        if self.rows_of_file > self.want.saturating_add(1) || (self.rows_of_file > self.want && !new_row) {
            return;
        }
        let number = self.number_at(buf, line.start);
        let cut = self.cut_lines.contains(&number);
        let start = out.text.len();
        let text = &buf[line.start..line.end];
        out.text.extend_from_slice(text);
        let end_offset = self.base + line.next as u64;
        out.lines.push(LineRec {
            number,
            start,
            len: text.len(),
            end_offset,
            first,
            role,
            cut,
            starts_block,
        });
    }
}

/// The line that starts at `at`, in a buffer that is looked at up to `end`.
pub(crate) fn bounds_at(buf: &[u8], at: usize, end: usize) -> Bounds {
    let newline = memchr::memchr(b'\n', &buf[at..end]).map(|i| at + i);
    let stop = newline.unwrap_or(end);
    let next = newline.map_or(end, |i| i + 1);
    let text_end = if stop > at && buf[stop - 1] == b'\r' { stop - 1 } else { stop };
    Bounds { start: at, end: text_end, next }
}
