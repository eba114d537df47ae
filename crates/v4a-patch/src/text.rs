//! Edits by old and new text: finds the one occurrence, or says what is wrong.

use alloc::vec::Vec;
use core::fmt;

use memchr::memchr_iter;
use memchr::memmem;

use crate::compare::{Difference, compare, lookalike};
use crate::error::write_list;
use crate::explain::{Candidate, LineMismatch, MAX_EXPLAINED_BYTES, write_candidates, write_mismatch};
use crate::fold::{self, View};
use crate::lines::{BOM, Lines, content, split_lines};
use crate::locate::MAX_CANDIDATES;
use crate::near::{self, Found, Parts, Scan};
use crate::search::borders;

/// Why a text does not have exactly one occurrence. It holds line numbers and offsets, never content of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextDiagnosis {
    /// The text is empty and would be found everywhere.
    Empty,
    /// The text is found more than once; overlapping occurrences count.
    Ambiguous {
        /// How often.
        total: usize,
        /// The byte offsets of the first five.
        offsets: Vec<usize>,
        /// The lines of the first five, counted from 1, each with the nearest line that the others do not have.
        candidates: Vec<Candidate>,
        /// How many more lines, above and below, tell them apart.
        context: Option<usize>,
    },
    /// The text is not found.
    NotFound(TextCause),
    /// There is exactly one occurrence: nothing is wrong.
    Unique {
        /// Its byte offset.
        offset: usize,
    },
}

/// What is probably wrong with a text that is not found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextCause {
    /// Nothing more is known.
    Unknown,
    /// The new text is in the file, once.
    AlreadyApplied {
        /// Where it starts.
        line: usize,
    },
    /// The line numbers that a reader printed were copied.
    LineNumberPrefix {
        /// Where the text is without the numbers.
        line: usize,
    },
    /// The text holds `\n`, `\t` or `\"` in two characters each; as one character each it is found.
    Escaped {
        /// Where it is found then.
        line: usize,
    },
    /// The text is there but for line endings, blanks, look-alikes or letter case.
    Near {
        /// Where it starts.
        line: usize,
        /// Whether there are more such places.
        unique: bool,
        /// The first difference; its `text_line` counts the lines of the searched text.
        mismatch: LineMismatch,
    },
    /// Some of its lines are there.
    Diverges {
        /// Where the text would start.
        line: usize,
        /// How many of its lines match there.
        matching: usize,
        /// How many lines it has.
        of: usize,
        /// The first that does not match.
        mismatch: LineMismatch,
    },
    /// None of its lines is there.
    Absent {
        /// The most similar lines, best first.
        nearest: Vec<LineMismatch>,
    },
}

impl TextDiagnosis {
    /// Returns the stable snake_case word: `empty`, `ambiguous`, `unique` or the cause of a failed search.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Ambiguous { .. } => "ambiguous",
            Self::Unique { .. } => "unique",
            Self::NotFound(cause) => match cause {
                TextCause::Unknown => "unknown",
                TextCause::AlreadyApplied { .. } => "already_applied",
                TextCause::LineNumberPrefix { .. } => "line_number_prefix",
                TextCause::Escaped { .. } => "escaped",
                TextCause::Near { mismatch, .. } => mismatch.difference.code(),
                TextCause::Diverges { .. } => "diverges",
                TextCause::Absent { .. } => "absent",
            },
        }
    }

    /// Returns the lines of the file that are worth showing, ascending and counted from 1, at most ten.
    ///
    /// Read them with [`file_line`](crate::file_line), so that they can be masked first.
    pub fn file_lines(&self) -> Vec<usize> {
        let mut out = match self {
            Self::Empty | Self::Unique { .. } | Self::NotFound(TextCause::Unknown) => Vec::new(),
            Self::Ambiguous { candidates, .. } => {
                candidates.iter().flat_map(|one| [Some(one.line), one.distinct_line]).flatten().collect()
            }
            Self::NotFound(cause) => match cause {
                TextCause::Unknown => Vec::new(),
                TextCause::AlreadyApplied { line }
                | TextCause::LineNumberPrefix { line }
                | TextCause::Escaped { line } => alloc::vec![*line],
                TextCause::Near { mismatch, .. } | TextCause::Diverges { mismatch, .. } => {
                    alloc::vec![mismatch.file_line]
                }
                TextCause::Absent { nearest } => nearest.iter().map(|near| near.file_line).collect(),
            },
        };
        out.sort_unstable();
        out.dedup();
        out
    }
}

impl fmt::Display for TextDiagnosis {
    /// Writes advice without any content of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                f.write_str("the text to replace is empty; give the text to replace, or append instead")
            }
            Self::Unique { .. } => f.write_str("the text occurs once"),
            Self::Ambiguous { total, candidates, context, .. } => {
                let lines: Vec<usize> = candidates.iter().map(|one| one.line).collect();
                write!(f, "the text occurs {total} times, at line ")?;
                write_list(f, &lines)?;
                if *total > lines.len() {
                    f.write_str(" and others")?;
                }
                f.write_str("; ")?;
                write_candidates(f, candidates, *context)
            }
            Self::NotFound(cause) => {
                f.write_str("the text is not in the file; ")?;
                write_cause(f, cause)
            }
        }
    }
}

fn write_cause(f: &mut fmt::Formatter<'_>, cause: &TextCause) -> fmt::Result {
    match cause {
        TextCause::Unknown => f.write_str("nothing similar is known"),
        TextCause::AlreadyApplied { line } => {
            write!(f, "the new text is there already, at line {line}")
        }
        TextCause::LineNumberPrefix { line } => {
            write!(f, "line numbers of a listing were copied into it; without them it is at line {line}")
        }
        TextCause::Escaped { line } => {
            write!(
                f,
                "it holds escapes such as `\\n` in two characters; as one character each it is at line {line}"
            )
        }
        TextCause::Near { line, unique, mismatch } => {
            write!(f, "the text at line {line} differs only slightly: ")?;
            write_mismatch(f, "line", mismatch)?;
            if *unique { Ok(()) } else { f.write_str("; there are more such places") }
        }
        TextCause::Diverges { line, matching, of, mismatch } => {
            write!(f, "{matching} of its {of} lines match from line {line} on; the first that does not: ")?;
            write_mismatch(f, "line", mismatch)
        }
        TextCause::Absent { nearest } => {
            f.write_str("none of its lines is; read the file again")?;
            if nearest.is_empty() {
                return Ok(());
            }
            let lines: Vec<usize> = nearest.iter().map(|near| near.file_line).collect();
            f.write_str("; the most similar line is ")?;
            write_list(f, &lines)
        }
    }
}

/// Finds the only occurrence of `old` in `file` and returns its byte offset.
///
/// Occurrences may overlap: `aa` occurs twice in `aaa`.
///
/// # Errors
///
/// What is wrong, when `old` is empty, is not found, or is found more than once.
///
/// # Cost
///
/// O(file + old) time, also for periodic text. A diagnosis costs a few more passes and copies of the file, and is
/// reduced to the bare fact for files over 64 MiB.
///
/// # Examples
///
/// ```
/// use v4a_patch::{TextDiagnosis, find_unique};
///
/// assert_eq!(find_unique(b"one\ntwo\n", b"two"), Ok(4));
/// let found = find_unique(b"aaa\n", b"aa").unwrap_err();
/// assert!(matches!(found, TextDiagnosis::Ambiguous { total: 2, .. }));
/// let missing = find_unique(b"\tone\n", b"    one\n").unwrap_err();
/// assert_eq!(missing.code(), "indentation");
/// ```
pub fn find_unique(file: &[u8], old: &[u8]) -> Result<usize, TextDiagnosis> {
    match explain_text(file, old) {
        TextDiagnosis::Unique { offset } => Ok(offset),
        diagnosis => Err(diagnosis),
    }
}

/// Says how often `old` occurs in `file` and, where that is not once, what is probably wrong.
///
/// # Cost
///
/// As [`find_unique`].
pub fn explain_text(file: &[u8], old: &[u8]) -> TextDiagnosis {
    explain_edit(file, old, b"")
}

/// As [`explain_text`], and also notices that `new`, the text that should replace `old`, is there already.
///
/// # Cost
///
/// As [`find_unique`].
pub fn explain_edit(file: &[u8], old: &[u8], new: &[u8]) -> TextDiagnosis {
    if old.is_empty() {
        return TextDiagnosis::Empty;
    }
    let finder = memmem::Finder::new(old);
    let Some(offset) = finder.find(file) else {
        return TextDiagnosis::NotFound(not_found(file, old, new));
    };
    if finder.find(&file[offset + 1..]).is_none() {
        return TextDiagnosis::Unique { offset };
    }
    ambiguous(file, old)
}

fn ambiguous(file: &[u8], old: &[u8]) -> TextDiagnosis {
    let (total, offsets) = occurrences(file, old);
    several(file, old, total, offsets)
}

/// Counts all occurrences in one pass (Knuth, Morris and Pratt) and returns the offsets of the first five.
pub(crate) fn occurrences(file: &[u8], old: &[u8]) -> (usize, Vec<usize>) {
    let borders = borders(old, |a, b| a == b);
    let mut offsets = Vec::new();
    let (mut total, mut matched) = (0, 0);
    for (at, &byte) in file.iter().enumerate() {
        while matched > 0 && (matched == old.len() || byte != old[matched]) {
            matched = borders[matched - 1] as usize;
        }
        if byte == old[matched] {
            matched += 1;
        }
        if matched == old.len() {
            total += 1;
            if offsets.len() < MAX_CANDIDATES {
                offsets.push(at + 1 - matched);
            }
        }
    }
    (total, offsets)
}

/// Says where a text is that occurs `total` times, at first at `offsets`.
pub(crate) fn several(file: &[u8], old: &[u8], total: usize, offsets: Vec<usize>) -> TextDiagnosis {
    let (mut line, mut from) = (1, 0);
    let mut starts: Vec<usize> = Vec::new();
    for &offset in &offsets {
        line += memchr_iter(b'\n', &file[from..offset]).count();
        from = offset;
        starts.push(line);
    }
    let length = memchr_iter(b'\n', &old[..old.len() - 1]).count() + 1;
    let mut distinct = starts.clone();
    distinct.dedup();
    let (candidates, context) = if distinct.len() > 1 && file.len() <= MAX_EXPLAINED_BYTES {
        near::tell_apart(&Lines::new(file), &distinct, length)
    } else {
        (distinct.iter().map(|&line| Candidate { line, distinct_line: None }).collect(), None)
    };
    // Two occurrences in one line cannot be told apart by lines around them.
    let context = if distinct.len() == starts.len() { context } else { None };
    let candidates: Vec<Candidate> = starts
        .iter()
        .filter_map(|&line| candidates.iter().find(|candidate| candidate.line == line).copied())
        .collect();
    TextDiagnosis::Ambiguous { total, offsets, candidates, context }
}

fn not_found(file: &[u8], old: &[u8], new: &[u8]) -> TextCause {
    if file.len() > MAX_EXPLAINED_BYTES || old.len() > MAX_EXPLAINED_BYTES {
        return TextCause::Unknown;
    }
    if !new.is_empty() {
        let finder = memmem::Finder::new(new);
        if let Some(at) = finder.find(file)
            && finder.find(&file[at + 1..]).is_none()
        {
            return TextCause::AlreadyApplied { line: memchr_iter(b'\n', &file[..at]).count() + 1 };
        }
    }
    let old = old.strip_prefix(BOM).unwrap_or(old);
    let lines = Lines::new(file);
    let scan = Scan::new(&lines);
    let block: Vec<&[u8]> = split_lines(old).map(content).collect();
    if block.is_empty() || lines.len() == 0 {
        return TextCause::Unknown;
    }
    let found = scan.find(&block, parts(old), View::Caseless);
    let near = |loosest: View| near_text(&lines, old, &block, found.filter(|found| found.view <= loosest)?);
    if let Some(cause) = near(View::Trailing) {
        return cause;
    }
    let exactly = |text: &[u8]| {
        let block: Vec<&[u8]> = split_lines(text).map(content).collect();
        scan.find(&block, parts(text), View::Trailing).map(|found| found.line + 1)
    };
    let stripped: Vec<u8> = split_lines(old)
        .flat_map(|line| fold::strip_line_number(line).unwrap_or(line).iter().copied())
        .collect();
    if stripped.len() < old.len()
        && let Some(line) = exactly(&stripped)
    {
        return TextCause::LineNumberPrefix { line };
    }
    if let Some(cause) = near(View::Folded) {
        return cause;
    }
    if let Some(plain) = unescape(old)
        && let Some(line) = exactly(&plain)
    {
        return TextCause::Escaped { line };
    }
    if let Some(cause) = near(View::Caseless) {
        return cause;
    }
    let whole_last = !parts(old).last;
    let mismatch = |index: usize, line: usize| {
        Some(LineMismatch {
            block_line: index + 1,
            text_line: index + 1,
            file_line: line + 1,
            difference: partial(index, &block, whole_last, lines.content(line), View::Caseless)?,
        })
    };
    // The first and the last line may be parts of lines, so only whole lines can vote; a lone part cannot.
    if let Some((start, matching, _)) = near::vote(&lines, &block) {
        let first = (0..block.len()).find_map(|index| {
            let line = start + index;
            if line < lines.len() { mismatch(index, line) } else { None }
        });
        let end = (start + block.len() > lines.len()).then(|| LineMismatch {
            block_line: lines.len() - start + 1,
            text_line: lines.len() - start + 1,
            file_line: lines.len(),
            difference: Difference::Text { column: 1 },
        });
        if let Some(mismatch) = first.or(end) {
            return TextCause::Diverges { line: start + 1, matching, of: block.len(), mismatch };
        }
    }
    let nearest =
        near::nearest(&lines, &block).into_iter().filter_map(|(index, line)| mismatch(index, line)).collect();
    TextCause::Absent { nearest }
}

/// A text starts and ends anywhere, but for a final newline.
fn parts(text: &[u8]) -> Parts {
    Parts { first: true, last: !text.ends_with(b"\n") }
}

fn near_text(lines: &Lines<'_>, old: &[u8], block: &[&[u8]], found: Found) -> Option<TextCause> {
    let Found { line, unique, view } = found;
    let whole_last = !parts(old).last;
    let at = |index: usize| (line + index).min(lines.len() - 1);
    let found = (0..block.len())
        .find_map(|index| Some((index, partial(index, block, whole_last, lines.content(at(index)), view)?)));
    let (index, difference) = found.or_else(|| {
        // The contents agree, so the endings do not.
        let own: Vec<&[u8]> = split_lines(old).collect();
        let last = block.len() - 1;
        if old.ends_with(b"\n") && lines.ending(at(last)).is_empty() {
            return Some((last, Difference::FinalNewline));
        }
        (0..block.len()).find_map(|index| {
            let (a, b) = (crate::lines::ending(own[index]), lines.ending(at(index)));
            let differs = !a.is_empty() && a != b;
            differs.then_some((index, Difference::LineEnding { file_has_crlf: b == b"\r\n" }))
        })
    })?;
    let mismatch =
        LineMismatch { block_line: index + 1, text_line: index + 1, file_line: at(index) + 1, difference };
    Some(TextCause::Near { line: line + 1, unique, mismatch })
}

/// Compares line `index` of the block with a line of the file, of which the first and the last may be parts.
fn partial(index: usize, block: &[&[u8]], whole_last: bool, found: &[u8], view: View) -> Option<Difference> {
    let expected = block[index];
    let (first, last) = (index == 0, index + 1 == block.len() && !whole_last);
    let part = match (first, last) {
        (true, true) => memmem::find(found, expected).is_some(),
        (true, false) => found.ends_with(expected),
        (false, true) => found.starts_with(expected),
        (false, false) => found == expected,
    };
    if part {
        return None;
    }
    let whole = compare(expected, found)?;
    if (first || last) && matches!(whole, Difference::Text { .. }) {
        // A part of a line: tell the kind of difference from the view that it was found in.
        let trimmed = crate::grammar::trim(expected);
        return Some(match view {
            View::Trailing | View::Trimmed
                if !trimmed.is_empty() && memmem::find(found, trimmed).is_some() =>
            {
                let place = memmem::find(found, trimmed).unwrap_or(0);
                let blanks =
                    found[..place].iter().rev().take_while(|&&byte| crate::grammar::is_blank(byte)).count();
                let from = place - blanks;
                let end = place + trimmed.len();
                let after = found[end..].iter().take_while(|&&byte| crate::grammar::is_blank(byte)).count();
                let end = end + if view == View::Trailing || last { after } else { 0 };
                compare(expected, &found[from..end]).unwrap_or(whole)
            }
            View::Folded | View::Caseless => lookalike(expected, found).unwrap_or(whole),
            _ => whole,
        });
    }
    Some(whole)
}

/// Turns `\n`, `\t`, `\r`, `\"` and `\\` into one character each; `None` when there is none.
fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let plain = match text.get(at..at + 2) {
            Some(b"\\n") => Some(b'\n'),
            Some(b"\\t") => Some(b'\t'),
            Some(b"\\r") => Some(b'\r'),
            Some(b"\\\"") => Some(b'"'),
            Some(b"\\\\") => Some(b'\\'),
            _ => None,
        };
        out.push(plain.unwrap_or(text[at]));
        at += if plain.is_some() { 2 } else { 1 };
    }
    (out.len() < text.len()).then_some(out)
}
