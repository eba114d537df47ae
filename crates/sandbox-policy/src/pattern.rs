//! Name patterns: how the rule tables and the operator's entries are written.

use std::path::{Component, Path};

use crate::{error::Error, fold};

/// How many alternatives the braces of one pattern may unfold into.
pub(crate) const MAX_ALTERNATIVES: usize = 64;

/// How long a pattern may be.
pub(crate) const MAX_PATTERN_BYTES: usize = 4096;

/// Names where a pattern starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Anywhere,
    Workspace,
    Home,
    Root,
}

/// A pattern for one component, over folded names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Exact(Box<[u8]>),
    /// The literal text between the stars, at least two pieces; the first and the last one may be empty.
    Glob(Box<[Box<[u8]>]>),
}

impl Part {
    /// Compares with a folded name.
    ///
    /// # Cost
    ///
    /// O(n * m) at worst, for a name of n bytes and a piece of m bytes; there is no backtracking.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        match self {
            Part::Exact(text) => **text == *name,
            Part::Glob(pieces) => glob(pieces, name),
        }
    }
}

fn glob(pieces: &[Box<[u8]>], name: &[u8]) -> bool {
    let [first, middle @ .., last] = pieces else { return false };
    let Some(rest) = name.strip_prefix(&**first) else { return false };
    let Some(mut rest) = rest.strip_suffix(&**last) else { return false };
    for piece in middle {
        if piece.is_empty() {
            continue;
        }
        let Some(at) = rest.windows(piece.len()).position(|window| window == &**piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

/// A parsed pattern: an anchor and at least one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) anchor: Anchor,
    pub(crate) parts: Vec<Part>,
}

/// Parses the text of a pattern; braces give several.
///
/// # Errors
///
/// [`Error::BadEntry`] says what is wrong.
pub(crate) fn parse(text: &str) -> Result<Vec<Pattern>, Error> {
    if text.len() > MAX_PATTERN_BYTES {
        return Err(bad(text, "longer than 4096 bytes"));
    }
    expand(text)?.iter().map(|one| parse_one(text, one)).collect()
}

/// Makes a pattern of an absolute path, taken literally.
pub(crate) fn literal(path: &Path) -> Option<Pattern> {
    let parts = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(Part::Exact(folded(name.as_encoded_bytes()))),
            _ => None,
        })
        .collect::<Vec<_>>();
    (!parts.is_empty()).then_some(Pattern { anchor: Anchor::Root, parts })
}

fn parse_one(entry: &str, text: &str) -> Result<Pattern, Error> {
    let (anchor, rest) = if let Some(rest) = text.strip_prefix("./") {
        (Anchor::Workspace, rest)
    } else if let Some(rest) = text.strip_prefix("~/") {
        (Anchor::Home, rest)
    } else if let Some(rest) = text.strip_prefix('/') {
        (Anchor::Root, rest)
    } else {
        (Anchor::Anywhere, text)
    };
    let mut parts = Vec::new();
    for name in rest.split('/').filter(|name| !name.is_empty()) {
        parts.push(parse_part(entry, name)?);
    }
    if parts.is_empty() {
        return Err(bad(entry, "names nothing"));
    }
    Ok(Pattern { anchor, parts })
}

fn parse_part(entry: &str, name: &str) -> Result<Part, Error> {
    if matches!(name, "." | ".." | "~") {
        return Err(bad(entry, "`.`, `..` and `~` cannot be components"));
    }
    if name.contains("**") {
        return Err(bad(entry, "`**` is not needed: a pattern without an anchor matches at any depth"));
    }
    if let Some(c) = name.chars().find(|c| matches!(c, '?' | '\\' | '\0')) {
        let what = if c == '?' { "`?` is not supported, use `*`" } else { "write `/` between names" };
        return Err(bad(entry, what));
    }
    if !name.contains('*') {
        let exact = folded(name.as_bytes());
        if exact.is_empty() {
            return Err(bad(entry, "a component consists of dots and blanks"));
        }
        return Ok(Part::Exact(exact));
    }
    let pieces = name.split('*').map(|piece| folded_piece(piece.as_bytes())).collect::<Vec<_>>();
    Ok(Part::Glob(pieces.into()))
}

fn folded(name: &[u8]) -> Box<[u8]> {
    fold::fold(name, &mut fold::Buffer::new()).into_owned().into()
}

/// Folds a piece of a glob, in which trailing dots belong to the middle of a name.
fn folded_piece(piece: &[u8]) -> Box<[u8]> {
    let mut guarded = piece.to_vec();
    guarded.push(b'|');
    let mut out = folded(&guarded).into_vec();
    out.pop();
    out.into()
}

/// Unfolds `{a,b}`; braces do not nest.
fn expand(text: &str) -> Result<Vec<String>, Error> {
    let mut done = vec![String::new()];
    let mut rest = text;
    while let Some(open) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(open);
        let close = from.find('}').filter(|_| from.starts_with('{'));
        let Some(close) = close else { return Err(bad(text, "a brace is not closed or not opened")) };
        let inside = &from[1..close];
        if inside.contains('{') {
            return Err(bad(text, "braces do not nest"));
        }
        let mut next = Vec::new();
        for head in &done {
            for choice in inside.split(',') {
                next.push(format!("{head}{before}{choice}"));
            }
        }
        if next.len() > MAX_ALTERNATIVES {
            return Err(bad(text, "the braces unfold into more than 64 patterns"));
        }
        done = next;
        rest = &from[close + 1..];
    }
    for head in &mut done {
        head.push_str(rest);
    }
    Ok(done)
}

fn bad(entry: &str, what: &'static str) -> Error {
    let entry = entry.chars().take(200).collect();
    Error::BadEntry { entry, what }
}
