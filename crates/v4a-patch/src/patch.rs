//! A parsed patch: sections, hunks and lines, borrowed from the patch text.

use alloc::string::String;
use alloc::vec::Vec;

/// What a line of a hunk does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// Has to be in the file and stays.
    Context,
    /// Has to be in the file and goes.
    Removed,
    /// Is new.
    Added,
}

/// One line of a hunk, without its prefix and its line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'p> {
    /// What the line does.
    pub kind: LineKind,
    /// The text after the prefix.
    pub text: &'p str,
    /// The line of the patch, counted from 1.
    pub patch_line: usize,
}

/// The `@@` line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'p> {
    /// The text after `@@`, trimmed.
    pub text: &'p str,
    /// The line of the patch, counted from 1.
    pub patch_line: usize,
}

/// A block of context, removed and added lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hunk<'p> {
    /// Where the hunk starts in the patch: its first header, or its first line where it has none.
    pub patch_line: usize,
    /// The headers; more than one when they are stacked.
    pub headers: Vec<Header<'p>>,
    /// The lines.
    pub lines: Vec<Line<'p>>,
    /// Whether `*** End of File` closes the hunk.
    pub end_of_file: bool,
}

impl<'p> Hunk<'p> {
    /// Iterates over the lines that have to be in the file: context and removed ones.
    pub fn old_lines(&self) -> impl Iterator<Item = &Line<'p>> + Clone {
        self.lines.iter().filter(|line| line.kind != LineKind::Added)
    }

    /// Iterates over the lines that are in the file afterwards: context and added ones.
    pub fn new_lines(&self) -> impl Iterator<Item = &Line<'p>> + Clone {
        self.lines.iter().filter(|line| line.kind != LineKind::Removed)
    }

    /// Counts the lines of one kind.
    pub fn count(&self, kind: LineKind) -> usize {
        self.lines.iter().filter(|line| line.kind == kind).count()
    }

    /// Returns whether the hunk changes anything: it adds or removes at least one line.
    pub fn changes(&self) -> bool {
        self.lines.iter().any(|line| line.kind != LineKind::Context)
    }
}

/// What a section does to its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SectionKind {
    /// `*** Add File:`
    Add,
    /// `*** Delete File:`
    Delete,
    /// `*** Update File:`, or the only section of a patch that names no file.
    Update,
}

/// The part of a patch that is about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'p> {
    /// What the section does.
    pub kind: SectionKind,
    /// The path as written; empty in an `edit_file` patch without a header.
    pub path: &'p str,
    /// The line of the section header, or of the first hunk where there is none.
    pub patch_line: usize,
    /// The target of `*** Move to:` and its line.
    pub move_to: Option<(&'p str, usize)>,
    /// The hunks of an Update.
    pub hunks: Vec<Hunk<'p>>,
    /// The lines of an Add.
    pub added: Vec<&'p str>,
}

/// A patch that follows the rules of its dialect; whether it fits a file is for `locate` to say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch<'p> {
    /// The sections in order; exactly one for an `edit_file` patch.
    pub sections: Vec<Section<'p>>,
}

impl Patch<'_> {
    /// Counts the hunks of all sections.
    pub fn hunk_count(&self) -> usize {
        self.sections.iter().map(|section| section.hunks.len()).sum()
    }
}

/// Normalises `path` lexically: `.` segments and repeated slashes go, everything else stays.
///
/// `..` is not resolved, case is kept, and nothing is looked up.
///
/// # Examples
///
/// ```
/// assert_eq!(v4a_patch::normalize_path("./a//b/./c.txt"), "a/b/c.txt");
/// assert_eq!(v4a_patch::normalize_path("/a/"), "/a");
/// ```
pub fn normalize_path(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    if path.starts_with('/') {
        out.push('/');
    }
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if !out.is_empty() && !out.ends_with('/') {
            out.push('/');
        }
        out.push_str(part);
    }
    out
}
