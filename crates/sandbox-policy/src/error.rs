//! Why a ruleset cannot be built or a path cannot be parsed, and what looks wrong in a configuration.

use std::{fmt, path::PathBuf};

/// Says why the settings are refused; a ruleset is never built from half of them.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No workspace is set, although everything is relative to it.
    #[error("workspace is not defined")]
    NoWorkspace,
    /// A directory is not an absolute path, or has `..` in it.
    #[error("{field} has to be a canonical absolute path: {}", path.display())]
    NotCanonical {
        /// The field of the settings.
        field: &'static str,
        /// Its value.
        path: PathBuf,
    },
    /// A regular expression of an allow list is empty.
    #[error("{field}[{index}] is empty")]
    EmptyPattern {
        /// The field of the settings.
        field: &'static str,
        /// The position in the list, from 0.
        index: usize,
    },
    /// A regular expression of an allow list does not compile.
    #[error("{field}[{index}] is not a regular expression: {what}")]
    BadPattern {
        /// The field of the settings.
        field: &'static str,
        /// The position in the list, from 0.
        index: usize,
        /// What the parser says, on one line.
        what: String,
    },
    /// The regular expressions of an allow list are too large together.
    #[error("{field} is too large: {what}")]
    PatternTooBig {
        /// The field of the settings.
        field: &'static str,
        /// Which limit is exceeded.
        what: String,
    },
    /// A name pattern cannot be parsed.
    #[error("entry {entry:?}: {what}")]
    BadEntry {
        /// The entry as written.
        entry: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// There are more rules than can be numbered.
    #[error("more than {max} name patterns")]
    TooManyRules {
        /// The limit.
        max: usize,
    },
}

impl Error {
    /// Returns the stable word for branching.
    pub const fn code(&self) -> &'static str {
        match self {
            Error::NoWorkspace => "no_workspace",
            Error::NotCanonical { .. } => "not_canonical",
            Error::EmptyPattern { .. } => "empty_pattern",
            Error::BadPattern { .. } => "bad_pattern",
            Error::PatternTooBig { .. } => "pattern_too_big",
            Error::BadEntry { .. } => "bad_entry",
            Error::TooManyRules { .. } => "too_many_rules",
        }
    }
}

/// Says why a text cannot be a path.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// There is no text.
    #[error("the path is empty")]
    Empty,
    /// A NUL byte cannot be part of a path.
    #[error("the path contains a NUL byte")]
    Nul,
    /// The path is longer than any system call takes.
    #[error("the path has {bytes} bytes, at most {max} are possible")]
    TooLong {
        /// The length of the path.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// A name in the path is longer than file systems allow.
    #[error("a name in the path has {bytes} bytes, at most {max} are possible")]
    NameTooLong {
        /// The length of the name.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// The path means something special on Windows.
    #[error("{0}")]
    Windows(crate::WindowsIssue),
}

impl PathError {
    /// Returns the stable word for branching.
    pub const fn code(&self) -> &'static str {
        match self {
            PathError::Empty => "empty_path",
            PathError::Nul => "nul_in_path",
            PathError::TooLong { .. } => "path_too_long",
            PathError::NameTooLong { .. } => "name_too_long",
            PathError::Windows(_) => "windows_path",
        }
    }
}

/// Tells about something in the settings that works but is probably not meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lint {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Lint {
    pub(crate) fn new(code: &'static str, message: String) -> Lint {
        Lint { code, message }
    }

    /// Returns the stable word for branching; the crate's README lists them.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Returns a sentence for the operator.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
