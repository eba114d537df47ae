//! Diagnosis of a hunk that has no place: what is probably wrong, as line numbers and differences.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::compare::Difference;
use crate::error::{HunkErrorKind, write_list};
use crate::fold::View;
use crate::lines::{Lines, content, split_lines};
use crate::near::{self, Parts, Scan};
use crate::patch::{Hunk, LineKind};

/// Longest file that a failed match is explained for, in bytes; the views that the diagnosis needs are copies.
pub(crate) const MAX_EXPLAINED_BYTES: usize = 64 << 20;

/// The first line of a block that does not fit, and how it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineMismatch {
    /// The line of the block, counted from 1.
    pub block_line: usize,
    /// The line of the patch, or of the text that was searched for, counted from 1.
    pub text_line: usize,
    /// The line of the file, counted from 1.
    pub file_line: usize,
    /// How the two differ.
    pub difference: Difference,
}

/// One of several places where a block would fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The first line of the place, counted from 1.
    pub line: usize,
    /// The nearest line, above or below the place, that the other places do not have there.
    pub distinct_line: Option<usize>,
}

/// What is probably wrong with a hunk that has no place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// Nothing more is known.
    Unknown,
    /// The lines that the hunk would leave are in the file, once.
    AlreadyApplied {
        /// Where they start.
        line: usize,
    },
    /// The hunk expects lines that an earlier hunk adds; all hunks match the original text.
    UsesAddedText {
        /// The earlier hunk, counted from 1.
        hunk: usize,
        /// The first such line of this hunk in the patch.
        patch_line: usize,
    },
    /// The line numbers that a reader printed were copied.
    LineNumberPrefix {
        /// Where the lines are without the numbers.
        line: usize,
    },
    /// The block fits when each context line gets one more blank: the prefix was forgotten.
    MissingPrefixColumn {
        /// Where it fits then.
        line: usize,
    },
    /// The block fits but for blanks, look-alikes or letter case.
    Near {
        /// Where it fits.
        line: usize,
        /// Whether there are more such places.
        unique: bool,
        /// The first difference.
        mismatch: LineMismatch,
    },
    /// The only expected line is part of a longer line.
    PartOfLine {
        /// That line.
        line: usize,
    },
    /// Most of the block is in the file, but not all.
    Diverges {
        /// Where the block would start.
        line: usize,
        /// How many of its lines match there.
        matching: usize,
        /// How many lines it has.
        of: usize,
        /// The first line that does not match.
        mismatch: LineMismatch,
    },
    /// No line of the block is in the file.
    Absent {
        /// The most similar lines of the file, best first, and what differs from the longest line of the block.
        nearest: Vec<LineMismatch>,
    },
    /// The block is in several places.
    Ambiguous {
        /// Up to five of them.
        candidates: Vec<Candidate>,
        /// How many more lines of context, above and below, tell them apart; `None` when 64 do not.
        context: Option<usize>,
    },
    /// The block is not at the end of the file.
    NotAtEnd {
        /// The first of the last lines of the file, as many as the block has.
        tail_line: usize,
        /// The first difference there, when the file has enough lines.
        mismatch: Option<LineMismatch>,
    },
    /// Another hunk changes the place.
    Overlap {
        /// The other hunk, counted from 1.
        other: usize,
    },
}

impl Cause {
    /// Returns the stable snake_case word for the cause.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::AlreadyApplied { .. } => "already_applied",
            Self::UsesAddedText { .. } => "uses_added_text",
            Self::LineNumberPrefix { .. } => "line_number_prefix",
            Self::MissingPrefixColumn { .. } => "missing_prefix_column",
            Self::Near { mismatch, .. } => mismatch.difference.code(),
            Self::PartOfLine { .. } => "part_of_line",
            Self::Diverges { .. } => "diverges",
            Self::Absent { .. } => "absent",
            Self::Ambiguous { .. } => "ambiguous",
            Self::NotAtEnd { .. } => "not_at_end",
            Self::Overlap { .. } => "overlap",
        }
    }
}

/// One line of a corrected hunk, by where its text is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestedLine {
    /// An unchanged line: the text of this line of the file, counted from 1.
    Context(usize),
    /// A removed line: the text of this line of the file.
    Removed(usize),
    /// This line of the patch as it is: a header, an added line or `*** End of File`.
    Patch(usize),
}

/// A corrected hunk: the same change, with the old lines as the file has them. It is advice and never applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The lines in order.
    pub lines: Vec<SuggestedLine>,
}

impl Suggestion {
    /// Writes the hunk; `show` turns a line of the file into what may be shown, such as its masked form.
    pub fn render(&self, file: &[u8], patch: &[u8], mut show: impl FnMut(&[u8]) -> String) -> String {
        let file: Vec<&[u8]> = split_lines(without_bom(file)).collect();
        let patch: Vec<&[u8]> = split_lines(without_bom(patch)).collect();
        let mut out = String::new();
        let text = |lines: &[&[u8]], line: usize| -> Vec<u8> {
            line.checked_sub(1).and_then(|at| lines.get(at)).map_or(Vec::new(), |line| content(line).to_vec())
        };
        for line in &self.lines {
            match *line {
                SuggestedLine::Context(line) => {
                    out.push(' ');
                    out.push_str(&show(&text(&file, line)));
                }
                SuggestedLine::Removed(line) => {
                    out.push('-');
                    out.push_str(&show(&text(&file, line)));
                }
                SuggestedLine::Patch(line) => out.push_str(&String::from_utf8_lossy(&text(&patch, line))),
            }
            out.push('\n');
        }
        out
    }
}

/// What is probably wrong with a hunk, and how to correct it. It holds line numbers, never content of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// What is probably wrong.
    pub cause: Cause,
    /// A corrected hunk, where the differences are mechanical and the place is unique.
    pub suggestion: Option<Suggestion>,
}

impl Diagnosis {
    /// Returns whether anything is known about the cause.
    pub fn is_known(&self) -> bool {
        self.cause != Cause::Unknown
    }

    /// Returns the lines of the file that are worth showing, ascending and counted from 1, at most ten.
    ///
    /// Read them with [`file_line`], so that they can be masked first.
    pub fn file_lines(&self) -> Vec<usize> {
        let mut out = match &self.cause {
            Cause::Unknown | Cause::UsesAddedText { .. } | Cause::Overlap { .. } => Vec::new(),
            Cause::AlreadyApplied { line }
            | Cause::LineNumberPrefix { line }
            | Cause::MissingPrefixColumn { line }
            | Cause::PartOfLine { line } => alloc::vec![*line],
            Cause::Near { mismatch, .. } | Cause::Diverges { mismatch, .. } => {
                alloc::vec![mismatch.file_line]
            }
            Cause::Absent { nearest } => nearest.iter().map(|near| near.file_line).collect(),
            Cause::Ambiguous { candidates, .. } => {
                candidates.iter().flat_map(|one| [Some(one.line), one.distinct_line]).flatten().collect()
            }
            Cause::NotAtEnd { tail_line, mismatch } => {
                alloc::vec![mismatch.map_or(*tail_line, |mismatch| mismatch.file_line)]
            }
        };
        out.sort_unstable();
        out.dedup();
        out
    }
}

impl fmt::Display for Diagnosis {
    /// Writes advice without any content of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Unknown => f.write_str("nothing similar is known"),
            Cause::AlreadyApplied { line } => {
                write!(f, "the result of this hunk is in the file already, at line {line}; drop the hunk")
            }
            Cause::UsesAddedText { hunk, patch_line } => write!(
                f,
                "patch line {patch_line} is added by hunk {hunk}; all hunks match the original text, so join the two"
            ),
            Cause::LineNumberPrefix { line } => write!(
                f,
                "line numbers of a listing were copied into the hunk; without them it matches at line {line}"
            ),
            Cause::MissingPrefixColumn { line } => write!(
                f,
                "the blank before each context line is missing; with it the hunk matches at line {line}"
            ),
            Cause::Near { line, unique, mismatch } => {
                write!(f, "the block at file line {line} differs only slightly: ")?;
                write_mismatch(f, "patch line", mismatch)?;
                if *unique { Ok(()) } else { f.write_str("; there are more such places") }
            }
            Cause::PartOfLine { line } => {
                write!(f, "the text is only a part of file line {line}; a hunk replaces whole lines")
            }
            Cause::Diverges { line, matching, of, mismatch } => {
                write!(
                    f,
                    "{matching} of {of} lines match from file line {line} on; the first that does not: "
                )?;
                write_mismatch(f, "patch line", mismatch)
            }
            Cause::Absent { nearest } => {
                f.write_str("none of its lines is in the file; read the file again")?;
                if !nearest.is_empty() {
                    let lines: Vec<usize> = nearest.iter().map(|near| near.file_line).collect();
                    f.write_str("; the most similar line is ")?;
                    write_list(f, &lines)?;
                }
                Ok(())
            }
            Cause::Ambiguous { candidates, context } => write_candidates(f, candidates, *context),
            Cause::NotAtEnd { tail_line, mismatch } => {
                write!(f, "the last lines of the file start at line {tail_line}")?;
                match mismatch {
                    Some(mismatch) => {
                        f.write_str("; the first that differs: ")?;
                        write_mismatch(f, "patch line", mismatch)
                    }
                    None => f.write_str(" and are fewer than those of the hunk"),
                }
            }
            Cause::Overlap { other } => {
                write!(f, "join it with hunk {other}, so that each line is changed once")
            }
        }
    }
}

/// Writes the first difference.
pub(crate) fn write_mismatch(
    f: &mut fmt::Formatter<'_>,
    source: &str,
    mismatch: &LineMismatch,
) -> fmt::Result {
    let LineMismatch { text_line, file_line, difference, .. } = mismatch;
    write!(f, "{source} {text_line} against file line {file_line}: {difference}")
}

/// Writes how to tell several places apart.
pub(crate) fn write_candidates(
    f: &mut fmt::Formatter<'_>,
    candidates: &[Candidate],
    context: Option<usize>,
) -> fmt::Result {
    f.write_str("add context that only one place has")?;
    let mut first = true;
    for candidate in candidates {
        if let Some(distinct) = candidate.distinct_line {
            let word = if first { ": " } else { ", " };
            write!(f, "{word}line {distinct} for the place at line {}", candidate.line)?;
            first = false;
        }
    }
    match context {
        Some(context) => write!(f, " ({context} more line{})", if context == 1 { "" } else { "s" }),
        None => Ok(()),
    }
}

/// Returns line `line` of a file, counted from 1, without its ending and without a byte order mark.
///
/// # Examples
///
/// ```
/// assert_eq!(v4a_patch::file_line(b"a\r\nb\n", 1), Some(&b"a"[..]));
/// assert_eq!(v4a_patch::file_line(b"a\r\nb\n", 3), None);
/// ```
pub fn file_line(file: &[u8], line: usize) -> Option<&[u8]> {
    split_lines(without_bom(file)).nth(line.checked_sub(1)?).map(content)
}

pub(crate) fn without_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(crate::lines::BOM).unwrap_or(text)
}

/// Explains each failed hunk.
pub(crate) fn diagnose_all(
    lines: &Lines<'_>,
    hunks: &[Hunk<'_>],
    failures: &[(usize, HunkErrorKind)],
) -> Vec<Diagnosis> {
    let scan = Scan::new(lines);
    failures.iter().map(|(at, kind)| diagnose(lines, &scan, hunks, *at, kind)).collect()
}

fn diagnose(
    lines: &Lines<'_>,
    scan: &Scan<'_, '_>,
    hunks: &[Hunk<'_>],
    at: usize,
    kind: &HunkErrorKind,
) -> Diagnosis {
    let hunk = &hunks[at];
    let block: Vec<&[u8]> = hunk.old_lines().map(|line| line.text.as_bytes()).collect();
    match kind {
        HunkErrorKind::ContextAmbiguous { candidates, .. } => {
            let (candidates, context) = near::tell_apart(lines, candidates, block.len());
            Diagnosis { cause: Cause::Ambiguous { candidates, context }, suggestion: None }
        }
        HunkErrorKind::EofMismatch { file_lines, .. } => {
            let start = file_lines.checked_sub(block.len());
            let tail_line = start.map_or(1, |start| start + 1);
            let mismatch = start.and_then(|start| mismatch(lines, hunk, &block, start));
            Diagnosis { cause: Cause::NotAtEnd { tail_line, mismatch }, suggestion: None }
        }
        HunkErrorKind::OverlappingHunks { other, .. } => {
            Diagnosis { cause: Cause::Overlap { other: *other }, suggestion: None }
        }
        HunkErrorKind::ContextNotFound => not_found(lines, scan, hunks, at, &block),
    }
}

/// Compares the block with the lines at `start` and returns the first that does not match for the search.
fn mismatch(lines: &Lines<'_>, hunk: &Hunk<'_>, block: &[&[u8]], start: usize) -> Option<LineMismatch> {
    let index = near::first_mismatch(lines, block, start)?;
    let text_line = hunk.old_lines().nth(index)?.patch_line;
    let file_line = (start + index).min(lines.len().saturating_sub(1));
    let difference = if start + index < lines.len() {
        crate::compare::compare(block[index], lines.content(file_line))?
    } else {
        Difference::Text { column: 1 }
    };
    Some(LineMismatch { block_line: index + 1, text_line, file_line: file_line + 1, difference })
}

fn not_found(
    lines: &Lines<'_>,
    scan: &Scan<'_, '_>,
    hunks: &[Hunk<'_>],
    at: usize,
    block: &[&[u8]],
) -> Diagnosis {
    let only = |cause| Diagnosis { cause, suggestion: None };
    if lines.len() == 0 || lines.file().len() > MAX_EXPLAINED_BYTES {
        return only(Cause::Unknown);
    }
    let hunk = &hunks[at];
    let new: Vec<&[u8]> = hunk.new_lines().map(|line| line.text.as_bytes()).collect();
    let exactly = |block: &[&[u8]]| scan.find(block, Parts::NONE, View::Trailing);
    if hunk.count(LineKind::Added) > 0
        && let Some(found) = exactly(&new).filter(|found| found.unique)
    {
        return only(Cause::AlreadyApplied { line: found.line + 1 });
    }
    if let Some((earlier, patch_line)) = near::uses_added(lines, hunks, at) {
        return only(Cause::UsesAddedText { hunk: earlier + 1, patch_line });
    }
    let stripped: Vec<&[u8]> =
        block.iter().map(|line| crate::fold::strip_line_number(line).unwrap_or(line)).collect();
    if stripped.iter().zip(block).any(|(a, b)| a.len() < b.len())
        && let Some(found) = exactly(&stripped)
    {
        let suggestion = found.unique.then(|| suggest(hunk, found.line));
        return Diagnosis { cause: Cause::LineNumberPrefix { line: found.line + 1 }, suggestion };
    }
    let near = scan.find(block, Parts::NONE, View::Caseless);
    // The forgotten prefix looks like wrong indentation at first.
    if let Some(found) = near
        && found.view == View::Trimmed
        && prefix_missing(lines, hunk, found.line)
    {
        let suggestion = found.unique.then(|| suggest(hunk, found.line));
        return Diagnosis { cause: Cause::MissingPrefixColumn { line: found.line + 1 }, suggestion };
    }
    if let Some(found) = near
        && let Some(mismatch) = mismatch(lines, hunk, block, found.line)
    {
        let suggestion = found.unique.then(|| suggest(hunk, found.line));
        let cause = Cause::Near { line: found.line + 1, unique: found.unique, mismatch };
        return Diagnosis { cause, suggestion };
    }
    if let [only_line] = block
        && let Some(line) = scan.part_of_line(only_line)
    {
        return only(Cause::PartOfLine { line: line + 1 });
    }
    if let Some((start, matching, unique)) = near::vote(lines, block)
        && let Some(mismatch) = mismatch(lines, hunk, block, start)
    {
        let fits = start + block.len() <= lines.len();
        let suggestion = (unique && fits && 2 * matching >= block.len()).then(|| suggest(hunk, start));
        let cause = Cause::Diverges { line: start + 1, matching, of: block.len(), mismatch };
        return Diagnosis { cause, suggestion };
    }
    let nearest = near::nearest(lines, block)
        .into_iter()
        .filter_map(|(index, line)| {
            Some(LineMismatch {
                block_line: index + 1,
                text_line: hunk.old_lines().nth(index)?.patch_line,
                file_line: line + 1,
                difference: crate::compare::compare(block[index], lines.content(line))?,
            })
        })
        .collect();
    only(Cause::Absent { nearest })
}

/// Returns whether the hunk fits at `start` once each context line gets one more blank.
fn prefix_missing(lines: &Lines<'_>, hunk: &Hunk<'_>, start: usize) -> bool {
    hunk.count(LineKind::Context) > 0
        && hunk.old_lines().enumerate().all(|(index, line)| {
            let found = lines.trimmed(start + index);
            let expected = crate::grammar::trim_end(line.text.as_bytes());
            match line.kind {
                LineKind::Context if !expected.is_empty() => found.strip_prefix(b" ") == Some(expected),
                _ => found == expected,
            }
        })
}

/// The same hunk, with the old lines as the file has them from line `start` on.
fn suggest(hunk: &Hunk<'_>, start: usize) -> Suggestion {
    let mut lines: Vec<SuggestedLine> =
        hunk.headers.iter().map(|header| SuggestedLine::Patch(header.patch_line)).collect();
    let mut at = start;
    for line in &hunk.lines {
        lines.push(match line.kind {
            LineKind::Added => SuggestedLine::Patch(line.patch_line),
            kind => {
                at += 1;
                if kind == LineKind::Context {
                    SuggestedLine::Context(at)
                } else {
                    SuggestedLine::Removed(at)
                }
            }
        });
    }
    Suggestion { lines }
}
