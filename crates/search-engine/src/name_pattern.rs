//! Which files a search looks at, by name.

use memchr::memmem;

use crate::{
    Error, glob,
    wild::{self, Step, Token},
};

/// How far a glob without a slash reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only entries of the searched directory itself.
    Here,
    /// Base names at any depth.
    AnyDepth,
}

/// A condition on the path of a file below the start of the search.
///
/// Globs: `*` and `?` never cross `/`, `[a-z]`, `[!a]` and `[^a]` match one character, `{a,b}` alternates and nests,
/// `**` as a whole component matches any number of components, a backslash takes the next character literally. Names
/// that start with a dot are ordinary, and case counts. In a name that is not UTF-8 each odd byte is one character.
///
/// # Examples
/// ```
/// use search_engine::NamePattern;
///
/// let rust = NamePattern::classic("src/**/*.{rs,toml}")?;
/// assert!(rust.is_match("src/main.rs") && rust.is_match("src/a/b.toml") && !rust.is_match("main.rs"));
/// let compose = NamePattern::classic("docker-compose")?;
/// assert!(compose.is_match("deploy/docker-compose.prod.yml"));
/// # Ok::<(), search_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NamePattern {
    form: Form,
    source: String,
}

#[derive(Debug, Clone)]
enum Form {
    All,
    Contains(Box<memmem::Finder<'static>>),
    Base(Vec<Alternative>),
    Path(Vec<Alternative>),
}

#[derive(Debug, Clone)]
struct Alternative {
    tokens: Vec<Token>,
    /// The literal bytes at the start.
    start: Vec<u8>,
    /// `*` and these bytes, when that is all.
    end: Option<Vec<u8>>,
    /// How many components a path can have at most.
    max_components: usize,
}

impl NamePattern {
    /// Matches every file.
    pub fn all() -> Self {
        Self { form: Form::All, source: String::new() }
    }

    /// Reads a pattern of the classic family: empty matches everything; without any of `*?[{` it is a substring of
    /// the path; a glob with a slash is matched against the whole path, and one without against the base name.
    ///
    /// # Errors
    /// [`Error::InvalidGlob`] for a malformed glob, or one that could never match.
    pub fn classic(pattern: &str) -> Result<Self, Error> {
        if pattern.is_empty() {
            return Ok(Self::all());
        }
        let form = if !pattern.contains(['*', '?', '[', '{']) {
            Form::Contains(Box::new(memmem::Finder::new(pattern).into_owned()))
        } else {
            Self::form(pattern, Reach::AnyDepth)?
        };
        Ok(Self { form, source: format!("classic:{pattern}") })
    }

    /// Reads a glob of the batch family. With a slash it is matched against the whole path; without one, `reach`
    /// decides whether against base names at any depth or in the searched directory alone.
    ///
    /// # Errors
    /// [`Error::InvalidGlob`] for a malformed glob, or one that could never match.
    pub fn glob(pattern: &str, reach: Reach) -> Result<Self, Error> {
        Ok(Self { form: Self::form(pattern, reach)?, source: format!("{reach:?}:{pattern}") })
    }

    fn form(pattern: &str, reach: Reach) -> Result<Form, Error> {
        let alternatives: Vec<_> = glob::compile(pattern)?.into_iter().map(Alternative::new).collect();
        // A slash inside one branch of a brace makes the whole pattern one for paths.
        let has_slash = pattern.contains('/') || alternatives.iter().any(|a| a.max_components > 1);
        let base = !has_slash && reach == Reach::AnyDepth;
        Ok(if base { Form::Base(alternatives) } else { Form::Path(alternatives) })
    }

    /// Tells whether the file at `path`, relative and with `/` between components, matches.
    pub fn is_match(&self, path: impl AsRef<[u8]>) -> bool {
        let path = path.as_ref();
        let base = memchr::memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..]);
        match &self.form {
            Form::All => true,
            Form::Contains(finder) => finder.find(path).is_some(),
            Form::Base(alternatives) => alternatives.iter().any(|a| a.matches(base)),
            Form::Path(alternatives) => alternatives.iter().any(|a| a.matches(path)),
        }
    }

    /// Tells whether every file matches.
    pub(crate) fn is_all(&self) -> bool {
        matches!(self.form, Form::All)
    }

    /// Tells whether the directory `dir` with `components` components can hold a matching file at any depth.
    pub(crate) fn may_enter(&self, dir: &[u8], components: usize) -> bool {
        match &self.form {
            Form::Path(alternatives) => alternatives.iter().any(|a| {
                components < a.max_components
                    && (if dir.len() < a.start.len() {
                        a.start.starts_with(dir) && a.start[dir.len()] == b'/'
                    } else {
                        dir.starts_with(&a.start)
                    })
            }),
            _ => true,
        }
    }

    /// Returns text that tells this pattern from every other.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }
}

impl Alternative {
    fn new(tokens: Vec<Token>) -> Self {
        let literal = |tokens: &[Token]| -> Vec<u8> {
            tokens.iter().map_while(|t| if let Token::Byte(b) = t { Some(*b) } else { None }).collect()
        };
        let start = literal(&tokens);
        let end = match tokens.split_first() {
            Some((Token::Star, rest)) => {
                Some(literal(rest)).filter(|end| end.len() == rest.len() && !end.contains(&b'/'))
            }
            _ => None,
        };
        let open = tokens.iter().any(|t| matches!(t, Token::Components { .. } | Token::Rest));
        let slashes = tokens.iter().filter(|t| matches!(t, Token::Byte(b'/'))).count();
        let max_components = if open { usize::MAX } else { slashes + 1 };
        Self { tokens, start, end, max_components }
    }

    fn matches(&self, text: &[u8]) -> bool {
        match &self.end {
            Some(end) => text.ends_with(end) && memchr::memchr(b'/', text).is_none(),
            None => text.starts_with(&self.start) && wild::matches(&self.tokens, text, Step::Char),
        }
    }
}

/// Tells whether a glob has no literal character at all, such as `**/*` or `*.*`.
///
/// Literal is every character but `* ? / . , { } [ ]` and the ranges inside a class; an escaped character is literal, and
/// so is a character that a class names by itself.
///
/// # Examples
/// ```
/// use search_engine::is_all_wildcard;
///
/// assert!(is_all_wildcard("**/*.*") && is_all_wildcard("{*,[a-z]?}"));
/// assert!(!is_all_wildcard("*.rs") && !is_all_wildcard("[!a]*"));
/// ```
pub fn is_all_wildcard(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'[' => {
                // An unclosed bracket is an error elsewhere; here the rest counts as its content.
                at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'!' | b'^')));
                let start = at;
                while bytes.get(at).is_some_and(|&b| b != b']' || at == start) {
                    let is_range =
                        bytes.get(at + 1) == Some(&b'-') && bytes.get(at + 2).is_some_and(|&b| b != b']');
                    if !is_range {
                        return false;
                    }
                    at += 3;
                }
            }
            b'*' | b'?' | b'/' | b'.' | b',' | b'{' | b'}' | b']' => {}
            _ => return false,
        }
        at += 1;
    }
    true
}
