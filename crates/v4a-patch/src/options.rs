//! Choices of the caller: which dialect is accepted, how strictly, and within which bounds.

/// The dialect that a patch has to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile<'a> {
    /// One existing file: an optional envelope, an optional `*** Update File:` header that has to name `path`, and
    /// hunks that each start with `@@`.
    EditFile {
        /// The path that the header, if there is one, has to name.
        path: &'a str,
    },
    /// The full dialect: a mandatory envelope and any number of Add, Delete, Update and Move sections.
    Multi,
}

/// What the text after `@@` is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Headers {
    /// It informs the reader and never decides anything.
    #[default]
    Informational,
    /// It chooses between several places where a hunk would fit, when exactly one of them follows the named line.
    Disambiguate,
}

/// Whether a code fence or here-document around a patch is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Wrapping {
    /// No: text around the patch is an error.
    #[default]
    Strict,
    /// Yes: one code fence or one here-document is taken off.
    Lenient,
}

/// What an Add or a Move does when its target is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Existing {
    /// The patch is refused.
    #[default]
    Refuse,
    /// The target is replaced.
    Overwrite,
}

/// Bounds on input and work; beyond them the answer is `limit_exceeded`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest patch, in bytes.
    pub max_patch_bytes: usize,
    /// Most hunks in one patch.
    pub max_hunks: usize,
    /// Longest file, in bytes; never more than 4 GiB, whatever is set.
    pub max_file_bytes: usize,
    /// Most lines of a file.
    pub max_lines: usize,
    /// Most steps (compared lines) of the search for all hunks of one file.
    pub max_steps: u64,
}

impl Default for Limits {
    /// 8 MiB of patch, 10,000 hunks, 256 MiB and 16 million lines of file, one thousand million steps.
    fn default() -> Self {
        Self {
            max_patch_bytes: 8 << 20,
            max_hunks: 10_000,
            max_file_bytes: 256 << 20,
            max_lines: 16_000_000,
            max_steps: 1_000_000_000,
        }
    }
}

/// Settings of parsing and applying. The default is the strict dialect that never guesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options<'a> {
    /// What the text after `@@` is good for.
    pub headers: Headers,
    /// Whether a fence or here-document is taken off.
    pub wrapping: Wrapping,
    /// What an Add or Move onto an existing file does.
    pub existing: Existing,
    /// Further spellings of the path of [`Profile::EditFile`] that a header may use, such as an absolute one.
    pub aliases: &'a [&'a str],
    /// Bounds on input and work.
    pub limits: Limits,
}
