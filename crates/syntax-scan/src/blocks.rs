//! Input cut into blocks of 64 bytes at fixed offsets, so that no chunking can change an outcome.

use crate::{
    outcome::{Outcome, Position, Problem, ProblemKind, SkipReason},
    stack::{self, Stack},
};

/// The size of a block: one bit of a `u64` for each byte.
pub(crate) const BLOCK: usize = 64;

/// A place in the input, kept as the facts of its block and worked out only when it is reported.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    offset: u64,
    /// Line feeds of the block.
    newlines: u64,
    /// Bytes of the block that continue a character.
    continuations: u64,
    /// The line at the start of the block.
    line: u32,
    /// The characters of that line before the block.
    column: u32,
}

impl Mark {
    /// A place that is not known any more.
    pub(crate) const UNKNOWN: Self =
        Self { offset: u64::MAX, newlines: 0, continuations: 0, line: 0, column: 0 };

    #[inline]
    pub(crate) const fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn position(&self) -> Option<Position> {
        if self.offset == u64::MAX {
            return None;
        }
        let before = below(self.offset % BLOCK as u64);
        let newlines = self.newlines & before;
        let (line, column) = match newlines.checked_ilog2() {
            None => (self.line, self.column.saturating_add((before & !self.continuations).count_ones())),
            Some(last) => {
                let since = before & !(u64::MAX >> (63 - last));
                (self.line.saturating_add(newlines.count_ones()), (since & !self.continuations).count_ones())
            }
        };
        Some(Position { line, column: column.saturating_add(1), offset: self.offset })
    }
}

/// The bits below `bit`; all of them from 64 on.
#[inline]
pub(crate) const fn below(bit: u64) -> u64 {
    if bit >= 64 { u64::MAX } else { (1 << bit) - 1 }
}

/// The bits from `bit` on.
#[inline]
pub(crate) const fn from(bit: usize) -> u64 {
    if bit >= 64 { 0 } else { u64::MAX << bit }
}

/// A mask of the bytes of `block` that `test` selects.
///
/// `test` must not branch: then the loop becomes a few vector instructions.
#[inline(always)]
pub(crate) fn select(block: &[u8; BLOCK], test: impl Fn(u8) -> bool) -> u64 {
    let mut flags = [0_u8; BLOCK];
    for (flag, byte) in flags.iter_mut().zip(block) {
        *flag = u8::from(test(*byte));
    }
    let (groups, _) = flags.as_chunks::<8>();
    let mut bits = 0;
    for (at, group) in groups.iter().enumerate() {
        // The multiplication gathers the lowest bits of eight bytes in its highest byte.
        bits |= u64::from_le_bytes(*group).wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * at);
    }
    bits
}

/// A language's own part of a scan.
pub(crate) trait Machine {
    /// Reads the bytes of `block` before `end`.
    fn block(&mut self, core: &mut Core, block: &[u8; BLOCK], end: usize);

    /// Says what is still open at the end of the input.
    fn finish(&mut self, core: &mut Core);
}

/// What every language shares: where the scan is, what is open, and what was found.
pub(crate) struct Core {
    /// The current block as a mark of its first byte.
    here: Mark,
    pub(crate) stack: Stack,
    /// The block before the current one; line feeds before the first.
    pub(crate) previous: [u8; BLOCK],
    found: Option<Outcome>,
    /// The number of bytes that the current character still lacks, and the least and most that the next may be.
    lacking: (u8, u8, u8),
    not_utf8: bool,
    /// The length of the last block, once it is known.
    end: usize,
}

impl Core {
    const fn new() -> Self {
        Self {
            here: Mark { offset: 0, newlines: 0, continuations: 0, line: 1, column: 0 },
            stack: Stack::new(),
            previous: [b'\n'; BLOCK],
            found: None,
            lacking: (0, 0x80, 0xbf),
            not_utf8: false,
            end: 0,
        }
    }

    /// The place of the byte `at` of the current block.
    #[inline]
    pub(crate) fn mark(&self, at: usize) -> Mark {
        Mark { offset: self.here.offset + at as u64, ..self.here }
    }

    /// The place behind the last byte of the input.
    pub(crate) fn end_mark(&self) -> Mark {
        self.mark(self.end)
    }

    /// The offset of the byte `at` of the current block.
    #[inline]
    pub(crate) fn offset(&self, at: usize) -> u64 {
        self.here.offset + at as u64
    }

    /// The line feeds of the current block.
    #[inline]
    pub(crate) fn newlines(&self) -> u64 {
        self.here.newlines
    }

    /// The byte `back` bytes before the byte `at` of `block`, as far as the block before reaches.
    #[inline]
    pub(crate) fn before(&self, block: &[u8; BLOCK], at: usize, back: usize) -> Option<u8> {
        match at.checked_sub(back) {
            Some(at) => block.get(at).copied(),
            None => self.previous.get((BLOCK + at).checked_sub(back)?).copied(),
        }
    }

    #[inline]
    pub(crate) fn is_decided(&self) -> bool {
        self.found.is_some()
    }

    /// Ends the scan without an answer.
    #[cold]
    pub(crate) fn skip(&mut self, reason: SkipReason) {
        self.found.get_or_insert(Outcome::Skipped(reason));
    }

    /// Ends the scan with a problem at `at`.
    #[cold]
    pub(crate) fn problem(&mut self, kind: ProblemKind, at: Mark, opened: Option<Mark>) {
        // A byte of another encoding may look like a delimiter, a quote or a backslash.
        if self.not_utf8 {
            return self.skip(SkipReason::Encoding);
        }
        let at = at.position().unwrap_or_default();
        let opened_at = opened.and_then(|mark| mark.position());
        self.found.get_or_insert(Outcome::Problem(Problem::new(kind, at, opened_at)));
    }

    /// Opens a delimiter.
    #[inline]
    pub(crate) fn open(&mut self, kind: u8, at: usize) {
        let mark = self.mark(at);
        self.open_at(kind, mark);
    }

    #[inline]
    pub(crate) fn open_at(&mut self, kind: u8, mark: Mark) {
        if self.stack.push(kind, mark).is_err() {
            self.skip(SkipReason::TooDeep);
        }
    }

    /// Reports that `close` does not fit.
    #[cold]
    pub(crate) fn unexpected(&mut self, close: u8, at: Mark) {
        let (open, opened) = self.stack.top().map(|(kind, mark)| (stack::text(kind), *mark)).unzip();
        self.problem(ProblemKind::Unexpected { close: stack::text(close), open }, at, opened);
    }

    /// Reports the innermost delimiter that is still open at the end.
    pub(crate) fn finish_stack(&mut self) {
        if let Some((kind, mark)) = self.stack.top().map(|(kind, mark)| (kind, *mark)) {
            let end = self.end_mark();
            self.problem(ProblemKind::Unclosed { open: stack::text(kind) }, end, Some(mark));
        }
    }

    /// Looks for what ends every scan of text: a zero byte; and notes bytes that are not UTF-8.
    #[inline]
    fn inspect(&mut self, block: &[u8; BLOCK], end: usize) {
        let mask = below(end as u64);
        self.here.newlines = select(block, |byte| byte == b'\n') & mask;
        let high = select(block, |byte| byte >= 0x80) & mask;
        self.here.continuations = 0;
        if high | u64::from(self.lacking.0) != 0 {
            self.inspect_high(block, end);
        }
        if select(block, |byte| byte == 0) & mask != 0 {
            self.skip(SkipReason::Binary);
        }
    }

    fn inspect_high(&mut self, block: &[u8; BLOCK], end: usize) {
        self.here.continuations = select(block, |byte| byte & 0xc0 == 0x80) & below(end as u64);
        for &byte in block.iter().take(end) {
            let (lacking, low, high) = self.lacking;
            self.lacking = if lacking > 0 {
                if byte < low || byte > high {
                    self.not_utf8 = true;
                    (0, 0x80, 0xbf)
                } else {
                    (lacking - 1, 0x80, 0xbf)
                }
            } else {
                match utf8_start(byte) {
                    Some(next) => next,
                    None => {
                        self.not_utf8 = true;
                        (0, 0x80, 0xbf)
                    }
                }
            };
        }
    }

    /// Goes on to the next block.
    #[inline]
    fn advance(&mut self, block: &[u8; BLOCK], end: usize) {
        self.previous = *block;
        let next = self.mark(end);
        let counted = if self.here.newlines | self.here.continuations == 0 {
            (self.here.line, self.here.column.saturating_add(end as u32))
        } else {
            // `end` bits from the front, as `position` would count them one byte further.
            let newlines = self.here.newlines;
            let kept = below(end as u64) & !self.here.continuations;
            match newlines.checked_ilog2() {
                None => (self.here.line, self.here.column.saturating_add(kept.count_ones())),
                Some(last) => (
                    self.here.line.saturating_add(newlines.count_ones()),
                    (kept & !(u64::MAX >> (63 - last))).count_ones(),
                ),
            }
        };
        self.here =
            Mark { offset: next.offset, newlines: 0, continuations: 0, line: counted.0, column: counted.1 };
    }
}

/// What must follow the first byte of a character: how many bytes, and the bounds of the next; `None` if no
/// character starts with `byte`.
pub(crate) const fn utf8_start(byte: u8) -> Option<(u8, u8, u8)> {
    match byte {
        0..=0x7f => Some((0, 0x80, 0xbf)),
        0xc2..=0xdf => Some((1, 0x80, 0xbf)),
        0xe0 => Some((2, 0xa0, 0xbf)),
        0xed => Some((2, 0x80, 0x9f)),
        0xe1..=0xef => Some((2, 0x80, 0xbf)),
        0xf0 => Some((3, 0x90, 0xbf)),
        0xf1..=0xf3 => Some((3, 0x80, 0xbf)),
        0xf4 => Some((3, 0x80, 0x8f)),
        _ => None,
    }
}

/// Feeds a machine with blocks.
pub(crate) struct Blocks<M> {
    core: Core,
    machine: M,
    /// The start of a block that is not complete yet.
    partial: [u8; BLOCK],
    filled: usize,
}

impl<M: Machine> Blocks<M> {
    pub(crate) const fn new(machine: M) -> Self {
        Self { core: Core::new(), machine, partial: [0; BLOCK], filled: 0 }
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        if self.core.is_decided() {
            return;
        }
        if self.filled > 0 {
            let taken = bytes.len().min(BLOCK - self.filled);
            let (head, rest) = bytes.split_at(taken);
            if let Some(gap) = self.partial.get_mut(self.filled..self.filled + taken) {
                gap.copy_from_slice(head);
            }
            self.filled += taken;
            bytes = rest;
            if self.filled < BLOCK {
                return;
            }
            let block = self.partial;
            self.filled = 0;
            self.block(&block, BLOCK);
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for block in blocks {
            if self.core.is_decided() {
                return;
            }
            self.block(block, BLOCK);
        }
        if let Some(start) = self.partial.get_mut(..rest.len()) {
            start.copy_from_slice(rest);
            self.filled = rest.len();
        }
    }

    #[inline]
    fn block(&mut self, block: &[u8; BLOCK], end: usize) {
        self.core.inspect(block, end);
        self.machine.block(&mut self.core, block, end);
        self.core.advance(block, end);
    }

    pub(crate) fn finish(&mut self) -> Outcome {
        if !self.core.is_decided() {
            // The end of the input ends its last line, as a line feed behind it would.
            let mut block = [b'\n'; BLOCK];
            for (slot, byte) in block.iter_mut().zip(self.partial.iter().take(self.filled)) {
                *slot = *byte;
            }
            self.core.end = self.filled;
            self.core.inspect(&block, self.filled + 1);
            self.machine.block(&mut self.core, &block, self.filled + 1);
            if !self.core.is_decided() {
                self.machine.finish(&mut self.core);
            }
        }
        self.core.found.unwrap_or(Outcome::Ok)
    }
}
