//! Allow lists: regular expressions over absolute paths.

use std::path::{Path, PathBuf};

use regex_automata::{Input, meta};
use regex_syntax::{
    ParserBuilder,
    ast::{self, Ast},
    hir::{Hir, HirKind, Look},
};

use crate::error::{Error, Lint};

/// How many patterns one list may have.
pub const MAX_ALLOW_PATTERNS: usize = 256;

/// How long one pattern may be.
pub const MAX_ALLOW_PATTERN_BYTES: usize = 4096;

/// How large the compiled patterns of one list may be together.
const MAX_COMPILED_BYTES: usize = 8 << 20;

/// How deep groups and repetitions may nest.
const MAX_NESTING: u32 = 100;

/// Grants absolute paths by regular expressions.
///
/// A path is granted when a pattern matches *in full* the path itself or one of its ancestor directories, spelt with or
/// without a slash at the end. So `^/opt/data`, `/opt/data/`, `^/opt/data(?:/|$)` and `/opt/data/.*` all grant that tree,
/// and none of them grants `/opt/data-evil` or `/home/opt/data`. On Windows paths are matched with forward slashes.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use sandbox_policy::AllowList;
///
/// let (list, lints) = AllowList::new(&["^/opt/data"], "allow_read_paths")?;
/// assert!(list.grants(Path::new("/opt/data/2024/a.csv")));
/// assert!(!list.grants(Path::new("/opt/data-evil/a.csv")));
/// assert!(lints.is_empty());
/// # Ok::<(), sandbox_policy::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AllowList {
    regex: Option<meta::Regex>,
}

impl AllowList {
    /// Compiles the patterns; `field` is the name of the setting for messages.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyPattern`], [`Error::BadPattern`] or [`Error::PatternTooBig`]: a list that is only partly understood
    /// is refused as a whole.
    ///
    /// # Cost
    ///
    /// At most [`MAX_ALLOW_PATTERNS`] patterns of [`MAX_ALLOW_PATTERN_BYTES`] each, 8 MiB compiled.
    pub fn new<S: AsRef<str>>(patterns: &[S], field: &'static str) -> Result<(AllowList, Vec<Lint>), Error> {
        if patterns.len() > MAX_ALLOW_PATTERNS {
            let what = format!("{} patterns, at most {MAX_ALLOW_PATTERNS} are possible", patterns.len());
            return Err(Error::PatternTooBig { field, what });
        }
        let mut lints = Vec::new();
        let mut whole = Vec::new();
        for (index, pattern) in patterns.iter().enumerate() {
            let pattern = pattern.as_ref();
            let hir = parse(pattern, field, index)?;
            lint(pattern, &hir, &format!("{field}[{index}]"), &mut lints);
            whole.push(in_full(hir));
        }
        if whole.is_empty() {
            return Ok((AllowList { regex: None }, lints));
        }
        let config = meta::Regex::config().utf8_empty(false).nfa_size_limit(Some(MAX_COMPILED_BYTES));
        let regex = meta::Regex::builder()
            .configure(config)
            .build_many_from_hir(&whole)
            .map_err(|error| Error::PatternTooBig { field, what: one_line(&error.to_string()) })?;
        Ok((AllowList { regex: Some(regex) }, lints))
    }

    /// Tells whether the list has no patterns.
    pub fn is_empty(&self) -> bool {
        self.regex.is_none()
    }

    /// Tells whether a pattern matches the path or one of its ancestors in full.
    ///
    /// Relative paths are never granted, and neither are paths with `..` in them.
    ///
    /// # Cost
    ///
    /// O(d * n) for a path of n bytes in d components, linear in the size of the patterns; one allocation.
    pub fn grants(&self, path: &Path) -> bool {
        let Some(regex) = &self.regex else { return false };
        let Some(mut text) = slashed(path) else { return false };
        if !text.ends_with(b"/") {
            text.push(b'/');
        }
        let is_match = |spelling: &[u8]| regex.is_match(Input::new(spelling));
        let slashes = text.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for at in slashes {
            if (at > 0 && is_match(&text[..at])) || is_match(&text[..=at]) {
                return true;
            }
        }
        false
    }
}

/// Returns the directory that a pattern names literally, such as `/opt/data` for `^/opt/data(?:/|$)`.
///
/// A caller that can look at the disk resolves it once at start-up: where the directory is reached through a link, the
/// pair goes into [`Settings::aliases`](crate::Settings::aliases).
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use sandbox_policy::literal_root;
///
/// assert_eq!(literal_root("^/opt/data/.*").as_deref(), Some(Path::new("/opt/data")));
/// assert_eq!(literal_root(".*"), None);
/// ```
pub fn literal_root(pattern: &str) -> Option<PathBuf> {
    let hir = parser().parse(pattern).ok()?;
    let (literal, complete) = literal_prefix(&hir);
    let literal = std::str::from_utf8(&literal).ok()?;
    if !is_absolute_text(literal) {
        return None;
    }
    let whole = if complete { literal } else { &literal[..=literal.rfind('/')?] };
    let root = whole.trim_end_matches('/');
    (!root.is_empty()).then(|| PathBuf::from(root))
}

fn parser() -> regex_syntax::Parser {
    ParserBuilder::new().utf8(false).nest_limit(MAX_NESTING).build()
}

fn parse(pattern: &str, field: &'static str, index: usize) -> Result<Hir, Error> {
    if pattern.trim().is_empty() {
        return Err(Error::EmptyPattern { field, index });
    }
    if pattern.len() > MAX_ALLOW_PATTERN_BYTES {
        let what = format!("longer than {MAX_ALLOW_PATTERN_BYTES} bytes");
        return Err(Error::BadPattern { field, index, what });
    }
    let bad = |what: String| Error::BadPattern { field, index, what: one_line(&what) };
    parser().parse(pattern).map_err(|error| match error {
        regex_syntax::Error::Parse(error) => bad(error.kind().to_string()),
        regex_syntax::Error::Translate(error) => bad(error.kind().to_string()),
        error => bad(error.to_string()),
    })
}

/// Anchors a parsed pattern at both ends; working on the tree, no text of the pattern can undo it.
fn in_full(hir: Hir) -> Hir {
    Hir::concat(vec![Hir::look(Look::Start), hir, Hir::look(Look::End)])
}

/// Spells an absolute path with forward slashes and without empty or `.` components.
fn slashed(path: &Path) -> Option<Vec<u8>> {
    use std::path::Component;
    if !path.is_absolute() {
        return None;
    }
    let mut text = Vec::with_capacity(path.as_os_str().len() + 2);
    for component in path.components() {
        match component {
            Component::Prefix(prefix) => {
                text.extend(
                    prefix.as_os_str().as_encoded_bytes().iter().map(|b| if *b == b'\\' { b'/' } else { *b }),
                );
            }
            Component::RootDir => text.push(b'/'),
            Component::CurDir => {}
            Component::ParentDir => return None,
            Component::Normal(name) => {
                if !text.ends_with(b"/") {
                    text.push(b'/');
                }
                text.extend_from_slice(name.as_encoded_bytes());
            }
        }
    }
    Some(text)
}

fn lint(pattern: &str, hir: &Hir, place: &str, lints: &mut Vec<Lint>) {
    let mut warn = |code, text: &str| lints.push(Lint::new(code, format!("{place} `{pattern}` {text}")));
    let grants_all = meta::Regex::builder()
        .configure(meta::Regex::config().utf8_empty(false).nfa_size_limit(Some(MAX_COMPILED_BYTES)))
        .build_from_hir(&in_full(hir.clone()))
        .is_ok_and(|regex| regex.is_match(Input::new(b"/")));
    let (literal, _) = literal_prefix(hir);
    let has_name = literal_root(pattern).is_some();
    if grants_all {
        warn("grants_everything", "matches `/` and so grants every path");
    } else if literal.first().is_some_and(|byte| *byte != b'/') && !has_name {
        warn("relative_pattern", "never matches, since it has to match an absolute path from its beginning");
    } else if !has_name {
        warn("no_literal_directory", "names no directory literally; begin with the directory that is meant");
    }
    if literal.last().is_some_and(|byte| matches!(byte, b'-' | b'_' | b'.')) && literal_prefix(hir).1 {
        warn(
            "partial_name",
            "grants only an entry with exactly this name; add `.*` to grant names that begin so",
        );
    }
    let Ok(ast) = ast::parse::ParserBuilder::new().nest_limit(MAX_NESTING).build().parse(pattern) else {
        return;
    };
    if has_bare_dot(&ast) {
        warn("unescaped_dot", "has a `.` between name characters that matches any character; write `\\.`");
    }
    if is_half_anchored(&ast) {
        warn(
            "half_anchored",
            "has `^` or `$` in only some of its alternatives; every alternative is matched in full",
        );
    }
}

/// Collects the literal text at the beginning, and whether it ends where a name ends.
fn literal_prefix(hir: &Hir) -> (Vec<u8>, bool) {
    let mut literal = Vec::new();
    let complete = collect_literal(hir, &mut literal);
    (literal, complete)
}

/// Appends literal text; tells whether everything that may follow it begins with a slash.
fn collect_literal(hir: &Hir, out: &mut Vec<u8>) -> bool {
    let parts = match hir.kind() {
        HirKind::Concat(parts) => parts.as_slice(),
        _ => std::slice::from_ref(hir),
    };
    for (at, part) in parts.iter().enumerate() {
        match part.kind() {
            HirKind::Literal(literal) => out.extend_from_slice(&literal.0),
            HirKind::Look(_) | HirKind::Empty => {}
            HirKind::Capture(capture) if at + 1 == parts.len() => return collect_literal(&capture.sub, out),
            _ => return out.ends_with(b"/") || begins_with_slash(&parts[at..]),
        }
    }
    true
}

/// Tells whether a sequence can only match nothing or something that begins with a slash.
fn begins_with_slash(parts: &[Hir]) -> bool {
    let Some(part) = parts.first() else { return true };
    match part.kind() {
        HirKind::Literal(literal) => literal.0.starts_with(b"/"),
        HirKind::Look(_) | HirKind::Empty => begins_with_slash(&parts[1..]),
        HirKind::Class(class) => class.literal().is_some_and(|bytes| bytes == b"/"),
        HirKind::Capture(capture) => begins_with_slash(std::slice::from_ref(&capture.sub)),
        HirKind::Alternation(branches) => {
            let slash = branches.iter().all(|branch| begins_with_slash(std::slice::from_ref(branch)));
            slash && begins_with_slash(&parts[1..])
        }
        HirKind::Repetition(repetition) => {
            begins_with_slash(std::slice::from_ref(&repetition.sub)) && begins_with_slash(&parts[1..])
        }
        HirKind::Concat(inner) => begins_with_slash(inner),
    }
}

fn is_absolute_text(literal: &str) -> bool {
    let drive = literal.as_bytes();
    let has_drive = drive.len() > 2 && drive[0].is_ascii_alphabetic() && drive[1..].starts_with(b":/");
    literal.starts_with('/') || (cfg!(windows) && has_drive)
}

/// Finds a dot that is not repeated, with a name character on both sides.
fn has_bare_dot(ast: &Ast) -> bool {
    match ast {
        Ast::Concat(concat) => {
            let between = concat.asts.windows(3).any(|three| {
                matches!(three[1], Ast::Dot(_)) && is_name_char(&three[0]) && is_name_char(&three[2])
            });
            let after_slash = concat.asts.windows(3).any(|three| {
                matches!(three[1], Ast::Dot(_)) && is_slash(&three[0]) && is_name_char(&three[2])
            });
            between || after_slash || concat.asts.iter().any(has_bare_dot)
        }
        Ast::Alternation(alternation) => alternation.asts.iter().any(has_bare_dot),
        Ast::Group(group) => has_bare_dot(&group.ast),
        _ => false,
    }
}

fn is_name_char(ast: &Ast) -> bool {
    matches!(ast, Ast::Literal(literal) if literal.c.is_alphanumeric() || matches!(literal.c, '_' | '-'))
}

fn is_slash(ast: &Ast) -> bool {
    matches!(ast, Ast::Literal(literal) if literal.c == '/')
}

/// Finds a top-level alternation whose branches are anchored differently.
fn is_half_anchored(ast: &Ast) -> bool {
    let Ast::Alternation(alternation) = ast else { return false };
    let anchors = alternation.asts.iter().map(|branch| {
        let parts = match branch {
            Ast::Concat(concat) => concat.asts.as_slice(),
            one => std::slice::from_ref(one),
        };
        (is_start(parts.first()), is_end(parts.last()))
    });
    let anchors = anchors.collect::<Vec<_>>();
    anchors.windows(2).any(|two| two[0] != two[1])
}

fn is_start(ast: Option<&Ast>) -> bool {
    use ast::AssertionKind::{StartLine, StartText};
    matches!(ast, Some(Ast::Assertion(assertion)) if matches!(assertion.kind, StartLine | StartText))
}

fn is_end(ast: Option<&Ast>) -> bool {
    use ast::AssertionKind::{EndLine, EndText};
    matches!(ast, Some(Ast::Assertion(assertion)) if matches!(assertion.kind, EndLine | EndText))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}
