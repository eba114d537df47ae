//! Why a list of targets was refused.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use crate::error::write_list;
use crate::target::Matched;
use crate::text::TextDiagnosis;

/// Why a list of targets was refused. It holds indices, line numbers and offsets, never content of the file.
///
/// Targets are named by their index from 0 and written as `targets[0]`; lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetError {
    /// There are more targets than a list may have.
    TooManyTargets {
        /// How many there are.
        count: usize,
        /// The bound.
        max: usize,
    },
    /// The text to replace is empty and would be found everywhere.
    EmptyAnchor {
        /// The target.
        target: usize,
    },
    /// The text to replace occurs in the new text of an earlier target, so it may be meant for the result of that one.
    Shadowed {
        /// The target.
        target: usize,
        /// The earlier one.
        by: usize,
    },
    /// The text to replace is not in the file.
    TextNotFound {
        /// The target.
        target: usize,
        /// What is probably wrong.
        diagnosis: Box<TextDiagnosis>,
        /// Whether each of its lines begins with a number and a TAB, as a listing has them.
        row_numbers: bool,
        /// Up to five lines of the file that hold the first line of the text that is not blank.
        candidates: Vec<usize>,
    },
    /// The text to replace is in the file more than once.
    Ambiguous {
        /// The target.
        target: usize,
        /// Where it is.
        diagnosis: Box<TextDiagnosis>,
        /// What was taken for equal to find it.
        matched: Matched,
    },
    /// Two targets change the same bytes.
    Overlap {
        /// The target with the lower index.
        first: usize,
        /// The other one.
        second: usize,
        /// The line of the first byte that both change.
        line: usize,
    },
    /// The result would hold nothing but blanks.
    WouldBeEmpty,
    /// The targets are found in more places than a plan may have.
    TooManyPlaces {
        /// The bound.
        max: usize,
    },
    /// The replacements are longer, all together, than a plan may hold.
    ResultTooLong {
        /// The bound in bytes.
        max: usize,
    },
}

impl TargetError {
    /// Returns the stable snake_case word for the class.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooManyTargets { .. } => "too_many_targets",
            Self::EmptyAnchor { .. } => "empty_anchor",
            Self::Shadowed { .. } => "shadowed",
            Self::TextNotFound { .. } => "text_not_found",
            Self::Ambiguous { .. } => "ambiguous",
            Self::Overlap { .. } => "overlap",
            Self::WouldBeEmpty => "would_be_empty",
            Self::TooManyPlaces { .. } => "too_many_places",
            Self::ResultTooLong { .. } => "result_too_long",
        }
    }

    /// Returns the targets that the error is about, as ascending indices from 0, at most two.
    pub fn targets(&self) -> Vec<usize> {
        match *self {
            Self::EmptyAnchor { target }
            | Self::TextNotFound { target, .. }
            | Self::Ambiguous { target, .. } => alloc::vec![target],
            Self::Shadowed { target, by } => alloc::vec![by, target],
            Self::Overlap { first, second, .. } => alloc::vec![first, second],
            _ => Vec::new(),
        }
    }

    /// Returns what is wrong with the text to replace, when it has no single place.
    pub fn diagnosis(&self) -> Option<&TextDiagnosis> {
        match self {
            Self::TextNotFound { diagnosis, .. } | Self::Ambiguous { diagnosis, .. } => Some(diagnosis),
            _ => None,
        }
    }

    /// Returns the lines of the file that are worth showing, ascending and counted from 1, at most 15.
    ///
    /// Read them with [`file_line`](crate::file_line), so that they can be masked first.
    pub fn file_lines(&self) -> Vec<usize> {
        let mut out = self.diagnosis().map_or(Vec::new(), TextDiagnosis::file_lines);
        match self {
            Self::TextNotFound { candidates, .. } => out.extend(candidates),
            Self::Overlap { line, .. } => out.push(*line),
            _ => {}
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}

impl fmt::Display for TargetError {
    /// Writes the error and what to do about it, without any content of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyTargets { count, max } => {
                write!(f, "there are {count} targets, the limit is {max}; split the call")
            }
            Self::EmptyAnchor { target } => write!(
                f,
                "targets[{target}]: the text to replace is empty; to insert, name the text beside the place and repeat \
                 it in the new text"
            ),
            Self::Shadowed { target, by } => write!(
                f,
                "targets[{target}]: its text to replace occurs in the new text of targets[{by}]; all texts are \
                 searched in the original file, so put targets[{target}] before targets[{by}], or join the two"
            ),
            Self::TextNotFound { target, diagnosis, row_numbers, candidates } => {
                write!(f, "targets[{target}]: {diagnosis}")?;
                if *row_numbers {
                    f.write_str("; strip the row number and the TAB from each of its lines")?;
                }
                if !candidates.is_empty() {
                    f.write_str("; its first line is in the file at line ")?;
                    write_list(f, candidates)?;
                }
                Ok(())
            }
            Self::Ambiguous { target, diagnosis, matched } => {
                write!(f, "targets[{target}]: {diagnosis}; or replace all of them with `replace_all`")?;
                match matched {
                    Matched::Exact => Ok(()),
                    Matched::Quotes => f.write_str(" (curly and straight quotes are taken for equal)"),
                    Matched::LineEnds => f.write_str(" (CRLF and LF are taken for equal)"),
                    Matched::QuotesAndLineEnds => f.write_str(
                        " (curly and straight quotes are taken for equal, and so are CRLF and LF)",
                    ),
                }
            }
            Self::Overlap { first, second, line } => {
                write!(f, "targets[{first}] and targets[{second}] both change line {line}; join the two")
            }
            Self::WouldBeEmpty => {
                f.write_str("the file would be left blank; write the whole file or remove it instead")
            }
            Self::TooManyPlaces { max } => {
                write!(f, "the targets are found in more than {max} places; name longer texts")
            }
            Self::ResultTooLong { max } => {
                write!(f, "the replacements have more than {max} bytes, all together")
            }
        }
    }
}

impl core::error::Error for TargetError {}
