//! Writes the patch that turns one text into another, and proves it by applying it.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use thiserror::Error as ThisError;

use crate::apply::apply;
use crate::grammar::is_blank;
use crate::intern::Interner;
use crate::line_diff::{Change, changes};
use crate::lines::{BOM, Lines};
use crate::options::{Limits, Options};
use crate::patch::normalize_path;
use crate::search::{Steps, Symbols, Tier};

/// What the language cannot say about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unrepresentable {
    /// A final newline that comes or goes.
    FinalNewline,
    /// A line ending that changes, or an added line that ends unlike its neighbours.
    LineEndings,
    /// A byte order mark that comes or goes.
    ByteOrderMark,
    /// A changed line, or the context of one, that is not UTF-8.
    NotUtf8,
}

impl Unrepresentable {
    /// Returns the stable snake_case word for the reason.
    pub fn code(&self) -> &'static str {
        match self {
            Self::FinalNewline => "final_newline",
            Self::LineEndings => "line_endings",
            Self::ByteOrderMark => "byte_order_mark",
            Self::NotUtf8 => "not_utf8",
        }
    }
}

/// Why no patch was written.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum DiffError {
    /// A patch cannot say this.
    #[error("a patch cannot express this change ({}), first at line {line} of the new text", .reason.code())]
    Unrepresentable {
        /// What it cannot say.
        reason: Unrepresentable,
        /// Where, in the new text or, for lines that are not UTF-8, in the text that has them; counted from 1.
        line: usize,
    },
    /// The path cannot stand in a header: it is empty, or has a line break, or blanks at an end.
    #[error("the path cannot stand in a patch header")]
    InvalidPath,
    /// A bound was reached.
    #[error("{limit} is limited to {max}")]
    LimitExceeded {
        /// What is limited.
        limit: &'static str,
        /// The bound.
        max: u64,
    },
}

impl DiffError {
    /// Returns the stable snake_case word for the class.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unrepresentable { .. } => "unrepresentable",
            Self::InvalidPath => "invalid_path",
            Self::LimitExceeded { .. } => "limit_exceeded",
        }
    }
}

/// Settings of the writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffOptions<'a> {
    /// Context lines around a change; more are written where the place would not be unique.
    pub context_lines: usize,
    /// With a path the patch gets an envelope and an `*** Update File:` header; without, it is bare hunks.
    pub path: Option<&'a str>,
    /// Bounds, as for applying; the patch that is written keeps them as well.
    pub limits: Limits,
}

impl Default for DiffOptions<'_> {
    /// Three lines of context, no path, the default limits.
    fn default() -> Self {
        Self { context_lines: 3, path: None, limits: Limits::default() }
    }
}

/// Writes the patch that turns `old` into `new`, byte for byte; the empty string when they are equal.
///
/// The result has been applied to `old` before it is returned, so it is known to give `new`.
///
/// # Errors
///
/// [`DiffError::Unrepresentable`] when the language has no words for the change.
///
/// # Cost
///
/// O(n log n) time for usual texts, plus one [`apply`].
///
/// # Examples
///
/// ```
/// use v4a_patch::{DiffOptions, diff};
///
/// let patch = diff(b"a\nb\n", b"a\nB\n", &DiffOptions { context_lines: 1, ..DiffOptions::default() })?;
/// assert_eq!(patch, "@@\n a\n-b\n+B\n*** End of File\n");
/// let refused = diff(b"a\n", b"a", &DiffOptions::default()).unwrap_err();
/// assert_eq!(refused.code(), "unrepresentable");
/// # Ok::<(), v4a_patch::DiffError>(())
/// ```
pub fn diff(old: &[u8], new: &[u8], options: &DiffOptions<'_>) -> Result<String, DiffError> {
    let valid = |path: &str| {
        let ends = [path.as_bytes().first(), path.as_bytes().last()];
        ends.iter().all(|end| end.is_some_and(|&byte| !is_blank(byte))) && !path.contains(['\n', '\r'])
    };
    if options.path.is_some_and(|path| !valid(path) || normalize_path(path).is_empty()) {
        return Err(DiffError::InvalidPath);
    }
    let max = options.limits.max_file_bytes.min(u32::MAX as usize - 1);
    if old.len().max(new.len()) > max {
        return Err(DiffError::LimitExceeded { limit: "file_bytes", max: max as u64 });
    }
    if old == new {
        return Ok(String::new());
    }
    if old.starts_with(BOM) != new.starts_with(BOM) {
        return Err(DiffError::Unrepresentable { reason: Unrepresentable::ByteOrderMark, line: 1 });
    }
    let (old_lines, new_lines) = (Lines::new(old), Lines::new(new));
    // Lines that only differ in their ending are the same line to a patch. Where that gives another text, the endings
    // may still decide which of several equal lines goes.
    let mut first = None;
    for whole in [false, true] {
        match attempt(&old_lines, &new_lines, whole, options)? {
            Ok(patch) => return Ok(patch),
            Err(result) => first = first.or(Some(result)),
        }
    }
    let (reason, line) = difference(first.as_deref().unwrap_or(old), new);
    Err(DiffError::Unrepresentable { reason, line })
}

/// Writes a patch and applies it; gives the text it makes when that is not `new`.
fn attempt(
    old: &Lines<'_>,
    new: &Lines<'_>,
    whole: bool,
    options: &DiffOptions<'_>,
) -> Result<Result<String, Vec<u8>>, DiffError> {
    let changes = compare(old, new, whole);
    if changes.is_empty() {
        return Ok(Err(old.file().to_vec()));
    }
    let patch = write(old, new, changes, options)?;
    let settings = Options { limits: options.limits, ..Options::default() };
    let path = options.path.unwrap_or("");
    match apply(old.file(), patch.as_bytes(), path, &settings) {
        Ok(done) if done.bytes == new.file() => Ok(Ok(patch)),
        Ok(done) => Ok(Err(done.bytes)),
        Err(crate::Error::LimitExceeded { limit, max, .. }) => Err(DiffError::LimitExceeded { limit, max }),
        Err(crate::Error::Parse(error)) => match error.kind {
            crate::ParseErrorKind::LimitExceeded { limit, max } => {
                Err(DiffError::LimitExceeded { limit, max: max as u64 })
            }
            _ => Ok(Err(old.file().to_vec())),
        },
        Err(_) => Ok(Err(old.file().to_vec())),
    }
}

fn compare(old: &Lines<'_>, new: &Lines<'_>, whole: bool) -> Vec<Change> {
    fn text<'f>(lines: &Lines<'f>, at: usize, whole: bool) -> &'f [u8] {
        if whole { lines.full(at) } else { lines.content(at) }
    }
    let all =
        (0..old.len()).map(|at| text(old, at, whole)).chain((0..new.len()).map(|at| text(new, at, whole)));
    let ids = Interner::new(all);
    let numbers = |lines: &Lines<'_>| -> Vec<u32> {
        (0..lines.len()).filter_map(|at| ids.get(text(lines, at, whole))).collect()
    };
    changes(&numbers(old), &numbers(new), ids.len())
}

/// A hunk to write: the old lines `block`, in which `changes` happen.
struct Block {
    block: Range<usize>,
    changes: Range<usize>,
}

fn write(
    old: &Lines<'_>,
    new: &Lines<'_>,
    changes: Vec<Change>,
    options: &DiffOptions<'_>,
) -> Result<String, DiffError> {
    let symbols = Symbols::of_file(old);
    let mut steps = Steps { used: 0, max: options.limits.max_steps };
    let limit = || DiffError::LimitExceeded { limit: "search_steps", max: options.limits.max_steps };
    let mut blocks: Vec<Block> = Vec::new();
    let mut next = 0;
    let mut cursor = 0;
    while next < changes.len() {
        let mut last = next;
        let reach = options.context_lines.saturating_mul(2);
        while last + 1 < changes.len() && changes[last + 1].old.start - changes[last].old.end <= reach {
            last += 1;
        }
        let block = loop {
            let core = changes[next].old.start..changes[last].old.end;
            let room = cursor..changes.get(last + 1).map_or(old.len(), |change| change.old.start);
            let grown = grow(&symbols, &core, &room, options.context_lines, old.len(), &mut steps)
                .map_err(|_| limit())?;
            match grown {
                Some(block) => break block,
                // All room is used up and the place is still not unique: join the next change.
                None => last += 1,
            }
        };
        cursor = block.end;
        blocks.push(Block { block, changes: next..last + 1 });
        next = last + 1;
    }
    let mut out = String::new();
    if let Some(path) = options.path {
        out.push_str("*** Begin Patch\n*** Update File: ");
        out.push_str(path);
        out.push('\n');
    }
    for block in &blocks {
        hunk(old, new, &changes, block, &mut out)?;
    }
    if options.path.is_some() {
        out.push_str("*** End Patch\n");
    }
    Ok(out)
}

/// Widens `core` within `room` until it is the only such block behind the previous hunk, or reaches the end of the
/// file. `None` when all of the room is not enough. A wider block is never less unique, so doubling and halving finds
/// the least width.
fn grow(
    symbols: &Symbols,
    core: &Range<usize>,
    room: &Range<usize>,
    least: usize,
    total: usize,
    steps: &mut Steps,
) -> Result<Option<Range<usize>>, crate::search::TooManySteps> {
    let widen =
        |by: usize| room.start.max(core.start.saturating_sub(by))..room.end.min(core.end.saturating_add(by));
    let mut enough = |by: usize| {
        let block = widen(by);
        Ok(block.end == total || (!block.is_empty() && symbols.unique(&block, room.start, steps)?))
    };
    let most = (core.start - room.start).max(room.end - core.end);
    let mut high = least.min(most);
    if !enough(high)? {
        let mut low = high;
        loop {
            if high >= most {
                return Ok(None);
            }
            low = low.max(high);
            high = (2 * high).clamp(1, most);
            if enough(high)? {
                break;
            }
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if enough(middle)? {
                high = middle;
            } else {
                low = middle;
            }
        }
    }
    Ok(Some(widen(high)))
}

fn hunk(
    old: &Lines<'_>,
    new: &Lines<'_>,
    changes: &[Change],
    block: &Block,
    out: &mut String,
) -> Result<(), DiffError> {
    out.push_str("@@\n");
    let mut at = block.block.start;
    for change in &changes[block.changes.clone()] {
        for line in at..change.old.start {
            push(old, line, ' ', out)?;
        }
        for line in change.old.clone() {
            push(old, line, '-', out)?;
        }
        for line in change.new.clone() {
            push(new, line, '+', out)?;
        }
        at = change.old.end;
    }
    for line in at..block.block.end {
        push(old, line, ' ', out)?;
    }
    if block.block.end == old.len() {
        out.push_str("*** End of File\n");
    }
    Ok(())
}

fn push(lines: &Lines<'_>, at: usize, prefix: char, out: &mut String) -> Result<(), DiffError> {
    let content = lines.content(at);
    let text = core::str::from_utf8(content)
        .map_err(|_| DiffError::Unrepresentable { reason: Unrepresentable::NotUtf8, line: at + 1 })?;
    out.push(prefix);
    out.push_str(text);
    // One CR before the LF belongs to the ending, so a CR of the text needs another one behind it.
    out.push_str(if text.ends_with('\r') { "\r\n" } else { "\n" });
    Ok(())
}

/// Says how the text that a patch can make differs from the wanted one; the contents of the lines are the same.
fn difference(made: &[u8], wanted: &[u8]) -> (Unrepresentable, usize) {
    let bare = |text| crate::lines::content(text);
    let common = made.iter().zip(wanted).take_while(|(a, b)| a == b).count();
    let line = memchr::memchr_iter(b'\n', &wanted[..common.min(wanted.len())]).count() + 1;
    if bare(made) == bare(wanted) && made.ends_with(b"\n") != wanted.ends_with(b"\n") {
        (Unrepresentable::FinalNewline, line)
    } else {
        (Unrepresentable::LineEndings, line)
    }
}

impl Symbols {
    /// Returns whether the lines `block` of the file occur nowhere else from line `from` on.
    fn unique(
        &self,
        block: &Range<usize>,
        from: usize,
        steps: &mut Steps,
    ) -> Result<bool, crate::search::TooManySteps> {
        let mut count = 0;
        self.each_block(self.file_block(block), Tier::Exact, from, usize::MAX, steps, |_| {
            count += 1;
            if count < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(count == 1)
    }
}
