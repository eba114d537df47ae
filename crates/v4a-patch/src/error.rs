//! Why a patch was refused: one class each, with a stable code, a place and advice.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use thiserror::Error as ThisError;

use crate::explain::Diagnosis;

/// A place in a line, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// In bytes.
    pub bytes: usize,
    /// In characters.
    pub chars: usize,
}

impl Column {
    /// The first column.
    pub const FIRST: Self = Self { bytes: 1, chars: 1 };
}

/// The class of a mistake in the patch text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// There is no hunk, or no section.
    #[error("the patch is empty")]
    EmptyPatch,
    /// The first line of a multi-file patch is not `*** Begin Patch`.
    #[error("the patch does not start with `*** Begin Patch`")]
    MissingBegin,
    /// `*** Begin Patch` without `*** End Patch`.
    #[error("`*** End Patch` is missing")]
    UnterminatedPatch,
    /// `*** End Patch` without `*** Begin Patch`.
    #[error("`*** End Patch` without `*** Begin Patch`")]
    UnexpectedEnd,
    /// Text after `*** End Patch`.
    #[error("text after `*** End Patch`")]
    TrailingContent,
    /// Text that is neither a directive nor part of a hunk.
    #[error("text outside a hunk")]
    UnexpectedText,
    /// A directive that does not start in column 1.
    #[error("the directive is indented")]
    IndentedDirective,
    /// A directive of the dialect in the wrong place.
    #[error("the directive is not allowed here")]
    MisplacedDirective,
    /// A line that starts with `***` and is no directive.
    #[error("unknown directive")]
    UnknownDirective,
    /// Hunk lines that no `@@` line introduces.
    #[error("hunk lines without an `@@` line before them")]
    MissingHunkHeader,
    /// A hunk line that starts with none of ` `, `-`, `+`.
    #[error("the line starts with none of ` `, `-`, `+`")]
    InvalidLinePrefix,
    /// An `@@` line that no hunk line follows.
    #[error("the hunk has no lines")]
    EmptyHunk,
    /// Text between `*** End of File` and the next `@@` or directive.
    #[error("text after `*** End of File`")]
    ContentAfterEof,
    /// A hunk that only adds lines and does not say where.
    #[error("the hunk only adds lines and does not say where")]
    AmbiguousInsertion,
    /// A patch that only has context lines.
    #[error("the patch adds and removes nothing")]
    NoChanges,
    /// A directive without its path.
    #[error("the path is missing")]
    EmptyPath,
    /// An Update section without hunk and without Move.
    #[error("the section changes nothing")]
    EmptySection,
    /// The header names another file.
    #[error("the header names another file")]
    PathMismatch,
    /// Add, Delete or Move where only one existing file may be edited.
    #[error("only one existing file can be edited here")]
    UnsupportedSection,
    /// A second file section where only one is allowed.
    #[error("more than one file section")]
    MultipleSections,
    /// A Move to the path that the file has already.
    #[error("the file would move onto itself")]
    MoveToSelf,
    /// Bytes that are not UTF-8.
    #[error("the patch is not UTF-8")]
    NotUtf8,
    /// The patch is longer than `max` bytes, or has more than `max` hunks.
    #[error("{limit} is limited to {max}")]
    LimitExceeded {
        /// What is limited: `patch_bytes` or `hunks`.
        limit: &'static str,
        /// The bound.
        max: usize,
    },
}

impl ParseErrorKind {
    /// Returns the stable snake_case word for the class.
    pub fn code(&self) -> &'static str {
        match self {
            Self::EmptyPatch => "empty_patch",
            Self::MissingBegin => "missing_begin",
            Self::UnterminatedPatch => "unterminated_patch",
            Self::UnexpectedEnd => "unexpected_end",
            Self::TrailingContent => "trailing_content",
            Self::UnexpectedText => "unexpected_text",
            Self::IndentedDirective => "indented_directive",
            Self::MisplacedDirective => "misplaced_directive",
            Self::UnknownDirective => "unknown_directive",
            Self::MissingHunkHeader => "missing_hunk_header",
            Self::InvalidLinePrefix => "invalid_line_prefix",
            Self::EmptyHunk => "empty_hunk",
            Self::ContentAfterEof => "content_after_eof",
            Self::AmbiguousInsertion => "ambiguous_insertion",
            Self::NoChanges => "no_changes",
            Self::EmptyPath => "empty_path",
            Self::EmptySection => "empty_section",
            Self::PathMismatch => "path_mismatch",
            Self::UnsupportedSection => "unsupported_section",
            Self::MultipleSections => "multiple_sections",
            Self::MoveToSelf => "move_to_self",
            Self::NotUtf8 => "not_utf8",
            Self::LimitExceeded { .. } => "limit_exceeded",
        }
    }
}

/// A mistake in the patch text, with its place and what would have been right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The class.
    pub kind: ParseErrorKind,
    /// The line of the patch, counted from 1.
    pub patch_line: usize,
    /// The place in that line.
    pub patch_column: Column,
    /// The line of the patch, cut to 160 characters.
    pub excerpt: Box<str>,
    /// What could stand here instead.
    pub expected: &'static [&'static str],
    /// What to do, where the likely cause is known.
    pub hint: Option<&'static str>,
    /// For `path_mismatch` and `move_to_self`: the path that was given by the caller, or the path of the section.
    pub path: Option<Box<str>>,
}

impl ParseError {
    /// Returns the stable snake_case word for the class.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "patch line {}, column {}: {}", self.patch_line, self.patch_column.chars, self.kind)?;
        if !self.excerpt.is_empty() {
            write!(f, ": `{}`", self.excerpt)?;
        }
        if let Some(path) = &self.path {
            write!(f, " (the file is `{path}`)")?;
        }
        if let Some((last, rest)) = self.expected.split_last() {
            f.write_str("; expected ")?;
            for (at, word) in rest.iter().enumerate() {
                write!(f, "{}`{word}`", if at > 0 { ", " } else { "" })?;
            }
            write!(f, "{}`{last}`", if rest.is_empty() { "" } else { " or " })?;
        }
        if let Some(hint) = self.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl core::error::Error for ParseError {}

/// Why a hunk has no place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HunkErrorKind {
    /// The lines of the hunk are nowhere in the file.
    ContextNotFound,
    /// The lines of the hunk are in several places.
    ContextAmbiguous {
        /// The first lines of up to five places, counted from 1, ascending.
        candidates: Vec<usize>,
        /// How many places there are.
        total: usize,
    },
    /// The hunk has to be at the end of the file and is not.
    EofMismatch {
        /// The first lines of up to five places where the block does occur.
        elsewhere: Vec<usize>,
        /// How many lines the file has.
        file_lines: usize,
    },
    /// The only place of the hunk is changed by another one.
    OverlappingHunks {
        /// The other hunk, counted from 1 within the section.
        other: usize,
        /// The file line that both want, counted from 1.
        line: usize,
    },
}

/// A hunk that could not be placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkError {
    /// The class and its facts.
    pub kind: HunkErrorKind,
    /// The path of the section as written; empty where the patch names none.
    pub path: String,
    /// The hunk, counted from 1 within its section.
    pub hunk: usize,
    /// Where the hunk starts in the patch.
    pub patch_line: usize,
    /// The last line of the hunk in the patch.
    pub patch_last_line: usize,
    /// What is probably wrong: line numbers and differences, no file content.
    pub diagnosis: Box<Diagnosis>,
}

impl HunkError {
    /// Returns the stable snake_case word for the class.
    pub fn code(&self) -> &'static str {
        match self.kind {
            HunkErrorKind::ContextNotFound => "context_not_found",
            HunkErrorKind::ContextAmbiguous { .. } => "context_ambiguous",
            HunkErrorKind::EofMismatch { .. } => "eof_mismatch",
            HunkErrorKind::OverlappingHunks { .. } => "overlapping_hunks",
        }
    }

    /// Returns the first lines of the places where the hunk would fit, counted from 1.
    pub fn candidates(&self) -> &[usize] {
        match &self.kind {
            HunkErrorKind::ContextAmbiguous { candidates, .. } => candidates,
            HunkErrorKind::EofMismatch { elsewhere, .. } => elsewhere,
            _ => &[],
        }
    }
}

impl fmt::Display for HunkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hunk {} (patch line {}): ", self.hunk, self.patch_line)?;
        match &self.kind {
            HunkErrorKind::ContextNotFound => f.write_str("its lines are not in the file")?,
            HunkErrorKind::ContextAmbiguous { candidates, total } => {
                write!(f, "its lines are in the file {total} times, at line ")?;
                write_list(f, candidates)?;
                if *total > candidates.len() {
                    f.write_str(" and others")?;
                }
            }
            HunkErrorKind::EofMismatch { elsewhere, file_lines } => {
                write!(f, "its lines are not the last of the {file_lines} lines of the file")?;
                if !elsewhere.is_empty() {
                    f.write_str("; they are at line ")?;
                    write_list(f, elsewhere)?;
                }
            }
            HunkErrorKind::OverlappingHunks { other, line } => {
                write!(f, "file line {line} is changed by hunk {other} already")?;
            }
        }
        let advice = &self.diagnosis;
        if advice.is_known() { write!(f, "; {advice}") } else { Ok(()) }
    }
}

/// Writes numbers separated by commas.
pub(crate) fn write_list(f: &mut fmt::Formatter<'_>, numbers: &[usize]) -> fmt::Result {
    for (at, number) in numbers.iter().enumerate() {
        write!(f, "{}{number}", if at > 0 { ", " } else { "" })?;
    }
    Ok(())
}

/// All hunks that could not be placed, up to five; the first decides the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocateError {
    /// The failed hunks in patch order, at least one and at most five.
    pub failures: Vec<HunkError>,
}

impl LocateError {
    /// Returns the code of the first failed hunk.
    pub fn code(&self) -> &'static str {
        self.failures.first().map_or("context_not_found", HunkError::code)
    }
}

impl fmt::Display for LocateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, failure) in self.failures.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            fmt::Display::fmt(failure, f)?;
        }
        Ok(())
    }
}

impl core::error::Error for LocateError {}

/// Why a patch was not applied.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The patch text breaks the rules of its dialect.
    #[error(transparent)]
    Parse(ParseError),
    /// At least one hunk has no single place in the file.
    #[error(transparent)]
    Locate(LocateError),
    /// The file of a section is not there.
    #[error("patch line {patch_line}: there is no file `{path}`")]
    FileMissing {
        /// The path as written in the patch.
        path: String,
        /// The line of the section.
        patch_line: usize,
    },
    /// The target of an Add or a Move is there already.
    #[error("patch line {patch_line}: `{path}` is there already")]
    FileExists {
        /// The path as written in the patch.
        path: String,
        /// The line of the Add or Move.
        patch_line: usize,
    },
    /// The file map could not read a file.
    #[error("patch line {patch_line}: cannot read `{path}`: {reason}")]
    FileUnreadable {
        /// The path as written in the patch.
        path: String,
        /// The line of the section.
        patch_line: usize,
        /// What the file map said.
        reason: String,
    },
    /// A bound was reached while the hunks were placed.
    #[error("{limit} is {value}, the limit is {max}")]
    LimitExceeded {
        /// What is limited: `file_bytes`, `file_lines` or `search_steps`.
        limit: &'static str,
        /// The value that is too large.
        value: u64,
        /// The bound.
        max: u64,
    },
}

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Self {
        Self::Parse(error)
    }
}

impl From<LocateError> for Error {
    fn from(error: LocateError) -> Self {
        Self::Locate(error)
    }
}

impl Error {
    /// Returns the stable snake_case word for the class.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Parse(error) => error.code(),
            Self::Locate(error) => error.code(),
            Self::FileMissing { .. } => "file_missing",
            Self::FileExists { .. } => "file_exists",
            Self::FileUnreadable { .. } => "file_unreadable",
            Self::LimitExceeded { .. } => "limit_exceeded",
        }
    }

    /// Returns the line of the patch that the error is about, counted from 1.
    pub fn patch_line(&self) -> Option<usize> {
        match self {
            Self::Parse(error) => Some(error.patch_line),
            Self::Locate(error) => error.failures.first().map(|failure| failure.patch_line),
            Self::FileMissing { patch_line, .. }
            | Self::FileExists { patch_line, .. }
            | Self::FileUnreadable { patch_line, .. } => Some(*patch_line),
            Self::LimitExceeded { .. } => None,
        }
    }

    /// Returns the place in the line of the patch, for a mistake in its text.
    pub fn patch_column(&self) -> Option<Column> {
        match self {
            Self::Parse(error) => Some(error.patch_column),
            _ => None,
        }
    }

    /// Returns the first failed hunk, counted from 1 within its section.
    pub fn hunk(&self) -> Option<usize> {
        self.failures().first().map(|failure| failure.hunk)
    }

    /// Returns the file lines where the first failed hunk would fit.
    pub fn candidates(&self) -> &[usize] {
        self.failures().first().map_or(&[], HunkError::candidates)
    }

    /// Returns the hunks that could not be placed.
    pub fn failures(&self) -> &[HunkError] {
        match self {
            Self::Locate(error) => &error.failures,
            _ => &[],
        }
    }

    /// Returns what to do about it, without file content.
    pub fn hint(&self) -> Option<String> {
        use alloc::string::ToString;
        match self {
            Self::Parse(error) => error.hint.map(ToString::to_string),
            Self::Locate(error) => error
                .failures
                .first()
                .filter(|failure| failure.diagnosis.is_known())
                .map(|failure| failure.diagnosis.to_string()),
            Self::FileMissing { .. } => Some("use `*** Add File:` to create it".to_string()),
            Self::FileExists { .. } => Some("use `*** Update File:` to change it".to_string()),
            Self::FileUnreadable { .. } | Self::LimitExceeded { .. } => None,
        }
    }
}
