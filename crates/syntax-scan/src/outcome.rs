//! What a scan found, and how it is told.

use core::fmt;

/// The answer of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// Nothing is wrong with the delimiters, quotes and comments of the input; JSON is valid as a whole.
    Ok,
    /// The input is broken, and this is the first place that shows it.
    Problem(Problem),
    /// The scanner is not sure, and says why.
    Skipped(SkipReason),
}

/// A place in the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The line, counted from 1; lines end with a line feed.
    pub line: u32,
    /// The column, counted in characters from 1.
    pub column: u32,
    /// The number of bytes before the place.
    pub offset: u64,
}

/// The first thing that is wrong with the input.
///
/// Its `Display` is one line that says what is wrong and where, for a reader who is about to repair it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line where the scan noticed the problem, counted from 1.
    pub line: u32,
    /// The column where the scan noticed the problem, counted in characters from 1.
    pub column: u32,
    /// The number of bytes before that place; the length of the input if its end is the problem.
    pub offset: u64,
    /// What is wrong.
    pub kind: ProblemKind,
    /// Where the delimiter, quote or comment that is still open begins, if the problem has one.
    pub opened_at: Option<Position>,
}

/// What is wrong with the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The input ends while the delimiter that `opened_at` points to is open.
    Unclosed {
        /// The delimiter as written: `(`, `[`, `{` or `#if`.
        open: &'static str,
    },
    /// A closing delimiter that does not belong to the innermost open one.
    Unexpected {
        /// The delimiter as written: `)`, `]`, `}`, `*/`, `#else` or `#endif`.
        close: &'static str,
        /// The innermost open delimiter, which `opened_at` points to; `None` if nothing is open.
        open: Option<&'static str>,
    },
    /// A string or character literal that is not closed before the end of its line.
    UnclosedQuote {
        /// The quote as written.
        quote: &'static str,
    },
    /// A string that may span lines is not closed before the end of the input.
    UnclosedText {
        /// The opening quote as written, without its prefix.
        quote: &'static str,
    },
    /// A comment is not closed before the end of the input.
    UnclosedComment,
    /// The branches of the `#if` at `opened_at` leave different delimiters open, and nothing makes up for it.
    UnbalancedBranches,
    /// Something that is neither a name nor a comma in the parameters of the macro that `opened_at` points to.
    MacroParameters,
    /// A character literal without a character.
    EmptyCharacter,
    /// A backslash outside of a string that does not end its line.
    StrayBackslash,
    /// JSON: something else was expected.
    Expected {
        /// What may stand here.
        expected: &'static str,
        /// The byte that stands here; `None` at the end of the input.
        found: Option<u8>,
    },
    /// JSON: a comma without a value or key behind it.
    TrailingComma {
        /// The closing delimiter that follows the comma.
        close: &'static str,
    },
    /// JSON: a backslash in a string that is followed by something else than an escape.
    InvalidEscape,
    /// JSON: a control character in a string.
    ControlCharacter {
        /// The byte.
        byte: u8,
    },
    /// JSON: a string that is not UTF-8.
    InvalidUtf8,
}

/// Why a scan gives no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// More than [`MAX_DEPTH`](crate::MAX_DEPTH) delimiters are open at once.
    TooDeep,
    /// The branches of an `#if` do not agree about what is open, or are nested too deeply to compare them.
    ConditionalCompilation,
    /// A macro is defined with unbalanced delimiters, and so is the code.
    UnbalancedMacro,
    /// A raw string has no valid delimiter, so that its end is not known.
    RawString,
    /// The file starts with a byte order mark, which parsers of this language treat differently.
    ByteOrderMark,
    /// The text is not UTF-8, so that a byte may be a part of a character and no delimiter.
    Encoding,
    /// The file contains a zero byte and is no text.
    Binary,
}

impl ProblemKind {
    /// Returns the stable word for this kind of problem.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unclosed { .. } => "unclosed_delimiter",
            Self::Unexpected { .. } => "unexpected_delimiter",
            Self::UnclosedQuote { .. } | Self::UnclosedText { .. } => "unclosed_string",
            Self::UnclosedComment => "unclosed_comment",
            Self::UnbalancedBranches => "unbalanced_branches",
            Self::MacroParameters => "macro_parameters",
            Self::EmptyCharacter => "empty_character",
            Self::StrayBackslash => "stray_backslash",
            Self::Expected { .. } => "unexpected_token",
            Self::TrailingComma { .. } => "trailing_comma",
            Self::InvalidEscape => "invalid_escape",
            Self::ControlCharacter { .. } => "control_character",
            Self::InvalidUtf8 => "invalid_utf8",
        }
    }
}

impl SkipReason {
    /// Returns the stable word for this reason.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::TooDeep => "too_deep",
            Self::ConditionalCompilation => "conditional_compilation",
            Self::UnbalancedMacro => "unbalanced_macro",
            Self::RawString => "raw_string",
            Self::ByteOrderMark => "byte_order_mark",
            Self::Encoding => "encoding",
            Self::Binary => "binary",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooDeep => write!(f, "more than {} delimiters are open at once", crate::MAX_DEPTH),
            Self::ConditionalCompilation => {
                f.write_str("delimiters do not balance across the branches of conditional compilation")
            }
            Self::UnbalancedMacro => f.write_str("a macro is defined with unbalanced delimiters"),
            Self::RawString => f.write_str("a raw string has no valid delimiter"),
            Self::ByteOrderMark => f.write_str("the file starts with a byte order mark"),
            Self::Encoding => f.write_str("the text is not UTF-8"),
            Self::Binary => f.write_str("the file contains a zero byte"),
        }
    }
}

impl Problem {
    /// A problem noticed at `at`.
    pub(crate) const fn new(kind: ProblemKind, at: Position, opened_at: Option<Position>) -> Self {
        Self { line: at.line, column: at.column, offset: at.offset, kind, opened_at }
    }

    /// Returns the stable word for this kind of problem.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = (self.line, self.column);
        match self.kind {
            ProblemKind::Unclosed { open } => {
                write!(f, "unclosed `{open}`")?;
                opened(f, self.opened_at)
            }
            ProblemKind::Unexpected { close, open } => {
                write!(f, "unexpected `{close}` at {line}:{column}; ")?;
                match (open, self.opened_at) {
                    (Some(open), Some(at)) => {
                        write!(f, "`{open}` from {}:{} is still open", at.line, at.column)
                    }
                    (Some(open), None) => write!(f, "`{open}` is still open"),
                    (None, _) => write!(f, "no `{}` is open", opener(close)),
                }
            }
            ProblemKind::UnclosedQuote { quote } => {
                write!(f, "unclosed `{quote}`")?;
                opened(f, self.opened_at)?;
                write!(f, "; the line ends at {line}:{column} without the closing `{quote}`")
            }
            ProblemKind::UnclosedText { quote } => {
                write!(f, "unclosed `{quote}`")?;
                opened(f, self.opened_at)?;
                f.write_str("; the file ends inside of the string")
            }
            ProblemKind::UnclosedComment => {
                f.write_str("unclosed comment `/*`")?;
                opened(f, self.opened_at)
            }
            ProblemKind::UnbalancedBranches => {
                f.write_str("the branches of `#if`")?;
                opened(f, self.opened_at)?;
                write!(
                    f,
                    " do not balance: at {line}:{column} other delimiters are open than in the other case"
                )
            }
            ProblemKind::MacroParameters => {
                f.write_str("the parameters of a macro")?;
                opened(f, self.opened_at)?;
                write!(f, " are no list of names that ends with `)`: see {line}:{column}")
            }
            ProblemKind::EmptyCharacter => write!(f, "empty character literal `''` at {line}:{column}"),
            ProblemKind::StrayBackslash => {
                write!(f, "unexpected `\\` at {line}:{column}; outside of a string it must end its line")
            }
            ProblemKind::Expected { expected, found } => {
                write!(f, "expected {expected} at {line}:{column}, found ")?;
                match found {
                    None => f.write_str("the end of the file")?,
                    Some(byte @ 0x21..=0x7e) => write!(f, "`{}`", char::from(byte))?,
                    Some(byte) => write!(f, "byte 0x{byte:02x}")?,
                }
                match self.opened_at {
                    Some(at) => write!(f, "; inside of what opened at {}:{}", at.line, at.column),
                    None => Ok(()),
                }
            }
            ProblemKind::TrailingComma { close } => {
                write!(f, "trailing comma before `{close}` at {line}:{column}")
            }
            ProblemKind::InvalidEscape => {
                write!(f, "invalid escape at {line}:{column} in the string")?;
                opened(f, self.opened_at)
            }
            ProblemKind::ControlCharacter { byte } => {
                write!(f, "control character 0x{byte:02x} at {line}:{column} in the string")?;
                opened(f, self.opened_at)?;
                f.write_str("; close the string or write the character as an escape")
            }
            ProblemKind::InvalidUtf8 => {
                write!(f, "invalid UTF-8 at {line}:{column} in the string")?;
                opened(f, self.opened_at)
            }
        }
    }
}

impl core::error::Error for Problem {}

/// Writes where something was opened, if that is known.
fn opened(f: &mut fmt::Formatter<'_>, at: Option<Position>) -> fmt::Result {
    match at {
        Some(at) => write!(f, " opened at line {}, column {}", at.line, at.column),
        None => Ok(()),
    }
}

/// The opening counterpart of a closing delimiter.
fn opener(close: &str) -> &'static str {
    match close {
        ")" => "(",
        "]" => "[",
        "}" => "{",
        "*/" => "/*",
        _ => "#if",
    }
}
