//! What can be wrong with a query, and the one way a search as a whole can fail.

use std::io;

/// Tells why a pattern, a cursor or a search was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The content pattern is not a regular expression of the dialect.
    #[error("invalid regex at byte {at}: {problem}{}", with_hint(.hint))]
    InvalidRegex {
        /// Byte offset into the pattern where the problem starts.
        at: usize,
        /// What is wrong there.
        problem: String,
        /// What to write instead; empty when there is nothing to suggest.
        hint: &'static str,
    },
    /// Every match of the pattern would need a line break, and the search looks at one line at a time.
    #[error(
        "the pattern can match only across a line break, and lines are searched one by one (search for the text of one \
         line, or use multiline where it is offered)"
    )]
    NeedsMultiline,
    /// The pattern is longer than [`Pattern::MAX_BYTES`](crate::Pattern::MAX_BYTES).
    #[error("pattern of {bytes} bytes is over the limit of {max_bytes}")]
    PatternTooLong {
        /// Length of the pattern.
        bytes: usize,
        /// The limit.
        max_bytes: usize,
    },
    /// The compiled pattern would be larger than [`Pattern::MAX_COMPILED_BYTES`](crate::Pattern::MAX_COMPILED_BYTES).
    #[error("pattern compiles to more than {max_bytes} bytes: use smaller repeat counts or shorter classes")]
    PatternTooBig {
        /// The limit.
        max_bytes: usize,
    },
    /// The name pattern is malformed.
    #[error("invalid glob at byte {at}: {problem}{}", with_hint(.hint))]
    InvalidGlob {
        /// Byte offset into the pattern where the problem starts.
        at: usize,
        /// What is wrong there.
        problem: &'static str,
        /// What to write instead; empty when there is nothing to suggest.
        hint: &'static str,
    },
    /// The cursor was not made by this version of the engine, or was damaged.
    #[error("cursor is not one that a search returned")]
    BadCursor,
    /// The cursor belongs to a search with other arguments.
    #[error("cursor belongs to a search with other arguments")]
    OtherQuery,
    /// The directory or file that the search starts from cannot be read.
    #[error("cannot read the start of the search: {kind}")]
    Start {
        /// What the tree answered.
        kind: io::ErrorKind,
    },
}

fn with_hint(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" ({text})") }
}

impl Error {
    /// Returns the stable word for this error, for branching on it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidRegex { .. } => "invalid_regex",
            Self::NeedsMultiline => "needs_multiline",
            Self::PatternTooLong { .. } => "pattern_too_long",
            Self::PatternTooBig { .. } => "pattern_too_big",
            Self::InvalidGlob { .. } => "invalid_glob",
            Self::BadCursor => "bad_cursor",
            Self::OtherQuery => "other_query",
            Self::Start { .. } => "start_unreadable",
        }
    }
}
