//! Ignore files, read as git reads them.

use std::path::PathBuf;

use crate::wild::{self, ByteSet, Step, Token};

/// What the rules say about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The last rule that matches leaves the path out.
    Ignored,
    /// The last rule that matches starts with `!`.
    Kept,
}

/// The rules of one `.gitignore` or `.ignore` file.
///
/// A byte-for-byte reading of git's own rules: the last matching rule wins, `**` is special only where git makes it
/// so, braces are literal, an unclosed `[` matches nothing, names are bytes.
///
/// # Source
/// gitignore(5) and the observed behaviour of `git check-ignore`.
///
/// # Examples
/// ```
/// use search_engine::{IgnoreFile, Verdict};
///
/// let rules = IgnoreFile::parse(b"*.log\n!keep.log\n/build/\n");
/// assert_eq!(rules.verdict(b"a/x.log", false), Some(Verdict::Ignored));
/// assert_eq!(rules.verdict(b"keep.log", false), Some(Verdict::Kept));
/// assert_eq!(rules.verdict(b"build", false), None); // a file, and the rule wants a directory
/// ```
#[derive(Debug, Clone, Default)]
pub struct IgnoreFile {
    /// Whole base names, sorted by name.
    exact: Vec<(Box<[u8]>, Place)>,
    /// The first bytes of those, one bit each: most names need no search.
    exact_starts: [u64; 4],
    /// `*` and a literal end, sorted by their last byte.
    ends: Vec<(Box<[u8]>, Place)>,
    /// Everything else, in the order of the file.
    general: Vec<(General, Place)>,
    /// Whether some rule needs the path and not only the base name.
    needs_path: bool,
}

/// Where a rule stands in its file, and what it says.
#[derive(Debug, Clone, Copy)]
struct Place {
    index: u32,
    negated: bool,
    dir_only: bool,
}

#[derive(Debug, Clone)]
enum General {
    /// Wildcards against the base name.
    Base(Vec<Token>),
    /// A literal start of the path below the declaring directory, and wildcards against what follows it.
    Path { start: Box<[u8]>, rest: Vec<Token> },
}

impl IgnoreFile {
    /// How much of an ignore file is read. Rules past it have no effect, and the summary says so.
    pub const MAX_BYTES: usize = 1 << 20;

    /// Reads the rules of a file. Lines that git would not use are left out; there is no error.
    ///
    /// # Cost
    /// O(length) time and memory.
    pub fn parse(content: &[u8]) -> Self {
        let mut rules = Self::default();
        let content = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
        for (index, line) in (0u32..).zip(content.split(|&b| b == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            // To git a line is a C string.
            let line = memchr::memchr(0, line).map_or(line, |nul| &line[..nul]);
            if !line.starts_with(b"#") {
                rules.add(without_trailing_spaces(line), index);
            }
        }
        rules.exact.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.index.cmp(&b.1.index)));
        rules.ends.sort_by_key(|(end, place)| (end.last().copied(), place.index));
        rules
    }

    /// Tells whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.ends.is_empty() && self.general.is_empty()
    }

    /// Returns what the last matching rule says about `path`, a path below the directory of this file without a leading
    /// slash. Rules for the directories above the path are the caller's to ask for, one by one.
    pub fn verdict(&self, path: &[u8], is_dir: bool) -> Option<Verdict> {
        let base = memchr::memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..]);
        self.judge(base, is_dir, || path)
    }

    pub(crate) fn judge<'p>(
        &self,
        base: &[u8],
        is_dir: bool,
        path: impl FnOnce() -> &'p [u8],
    ) -> Option<Verdict> {
        let mut best: Option<Place> = None;
        let mut offer = |place: &Place| {
            if (is_dir || !place.dir_only) && best.is_none_or(|b| b.index < place.index) {
                best = Some(*place);
            }
        };
        if base.first().is_some_and(|&b| self.exact_starts[usize::from(b >> 6)] >> (b & 63) & 1 == 1) {
            let first = self.exact.partition_point(|(name, _)| **name < *base);
            let same = self.exact[first..].iter().take_while(|(name, _)| **name == *base);
            same.for_each(|(_, place)| offer(place));
        }
        if let Some(&last) = base.last() {
            let first = self.ends.partition_point(|(end, _)| end.last().is_some_and(|&b| b < last));
            let group = self.ends[first..].iter().take_while(|(end, _)| end.last() == Some(&last));
            group.filter(|(end, _)| base.ends_with(end)).for_each(|(_, place)| offer(place));
        }
        let path = if self.needs_path { path() } else { base };
        for (rule, place) in self.general.iter().rev() {
            if best.is_some_and(|b| b.index > place.index) {
                break;
            }
            if (is_dir || !place.dir_only) && rule.matches(base, path) {
                best = Some(*place);
                break;
            }
        }
        best.map(|place| if place.negated { Verdict::Kept } else { Verdict::Ignored })
    }

    fn add(&mut self, line: &[u8], index: u32) {
        let (negated, pattern) = match line.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (dir_only, pattern) = match pattern.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        if pattern.is_empty() {
            return;
        }
        let place = Place { index, negated, dir_only };
        let literal = pattern.iter().position(|b| b"*?[\\".contains(b)).unwrap_or(pattern.len());
        if pattern.contains(&b'/') {
            let (pattern, literal) = match pattern.strip_prefix(b"/") {
                Some(rest) => (rest, literal - 1),
                None => (pattern, literal),
            };
            if let Some(rest) = compile(&pattern[literal..]) {
                self.needs_path = true;
                self.general.push((General::Path { start: pattern[..literal].into(), rest }, place));
            }
        } else if literal == pattern.len() {
            self.exact_starts[usize::from(pattern[0] >> 6)] |= 1 << (pattern[0] & 63);
            self.exact.push((pattern.into(), place));
        } else if let Some(end) = pattern.strip_prefix(b"*")
            && !end.is_empty()
            && !end.iter().any(|b| b"*?[\\".contains(b))
        {
            self.ends.push((end.into(), place));
        } else if let Some(tokens) = compile(pattern) {
            self.general.push((General::Base(tokens), place));
        }
    }

    /// Drops the rules that leave out whatever lies directly in `dir`, a path below the directory of this file.
    fn drop_rules_over(&mut self, dir: &[u8]) {
        // Two names that have nothing in common: a rule that leaves both out leaves out everything.
        let probes = [&b"\x01"[..], b"\x02-\xFF"].map(|name| (name, [dir, b"/", name].concat()));
        self.general.retain(|(rule, place)| {
            place.negated || place.dir_only || !probes.iter().all(|(name, path)| rule.matches(name, path))
        });
    }
}

impl General {
    fn matches(&self, base: &[u8], path: &[u8]) -> bool {
        match self {
            Self::Base(tokens) => wild::matches(tokens, base, Step::Byte),
            Self::Path { start, rest } => {
                path.strip_prefix(&**start).is_some_and(|tail| wild::matches(rest, tail, Step::Byte))
            }
        }
    }
}

/// The ignore files of a directory above the start of a search.
#[derive(Debug, Clone, Default)]
pub struct ParentRules {
    /// Path from that directory to the start of the search.
    pub below: PathBuf,
    /// Its `.gitignore`.
    pub gitignore: IgnoreFile,
    /// Its `.ignore`.
    pub ignore: IgnoreFile,
}

/// The rules in force at one point of the walk: those of the directories above the start, then one level for each
/// directory on the way down.
#[derive(Debug, Default)]
pub(crate) struct RuleStack {
    levels: Vec<Level>,
    /// Path from the outermost directory with rules to the start, with a trailing slash unless empty.
    prefix: Vec<u8>,
}

#[derive(Debug)]
struct Level {
    /// Depth in the walk, from 1; 0 for those above the start.
    depth: usize,
    /// Bytes of prefix and path that lie above the directory of these rules.
    base: usize,
    gitignore: IgnoreFile,
    ignore: IgnoreFile,
}

impl RuleStack {
    /// Takes the rules above the start, outermost first.
    ///
    /// The start was named by the caller, so it is searched even when these rules leave it out. A rule that does so by
    /// leaving out all that lies in it, such as `build/**`, is then dropped too.
    pub(crate) fn new(parents: &[ParentRules]) -> Self {
        let mut stack = Self::default();
        let below = |rules: &ParentRules| {
            let bytes = rules.below.as_os_str().as_encoded_bytes();
            bytes.strip_suffix(b"/").unwrap_or(bytes).to_vec()
        };
        let Some(outermost) = parents.first() else { return stack };
        let whole = below(outermost);
        for rules in parents {
            let base = whole.len().saturating_sub(below(rules).len());
            let (gitignore, ignore) = (rules.gitignore.clone(), rules.ignore.clone());
            stack.levels.push(Level { depth: 0, base, gitignore, ignore });
        }
        let ends = memchr::memchr_iter(b'/', &whole).chain([whole.len()]).filter(|&end| end > 0);
        let hidden = ends.into_iter().any(|end| {
            let base = memchr::memrchr(b'/', &whole[..end]).map_or(0, |slash| slash + 1);
            let above = stack.levels.iter().filter(|level| level.base < end);
            verdict_of(above.rev(), &whole[base..end], &whole[..end], true) == Some(Verdict::Ignored)
        });
        if hidden {
            for level in &mut stack.levels {
                let dir = &whole[level.base..];
                level.gitignore.drop_rules_over(dir);
                level.ignore.drop_rules_over(dir);
            }
        }
        stack.prefix = whole;
        if !stack.prefix.is_empty() {
            stack.prefix.push(b'/');
        }
        stack
    }

    /// What paths asked for must start with.
    pub(crate) fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// Adds the rules of a directory at `depth`, whose path with its slash takes `base` bytes, prefix included.
    pub(crate) fn push(&mut self, depth: usize, base: usize, gitignore: IgnoreFile, ignore: IgnoreFile) {
        if !gitignore.is_empty() || !ignore.is_empty() {
            self.levels.push(Level { depth, base, gitignore, ignore });
        }
    }

    /// Forgets the levels of `depth` and below.
    pub(crate) fn pop_to(&mut self, depth: usize) {
        while self.levels.last().is_some_and(|level| level.depth >= depth && level.depth > 0) {
            self.levels.pop();
        }
    }

    /// Tells whether the entry at `path`, prefix included, is left out; its base name starts at `base`.
    pub(crate) fn ignores(&self, path: &[u8], base: usize, is_dir: bool) -> bool {
        verdict_of(self.levels.iter().rev(), &path[base..], path, is_dir) == Some(Verdict::Ignored)
    }
}

/// Asks the levels, deepest first: every `.ignore` before any `.gitignore`.
fn verdict_of<'a>(
    levels: impl Iterator<Item = &'a Level> + Clone,
    base: &[u8],
    path: &[u8],
    is_dir: bool,
) -> Option<Verdict> {
    let ignore = levels.clone().find_map(|l| l.ignore.judge(base, is_dir, || &path[l.base..]));
    ignore.or_else(|| levels.into_iter().find_map(|l| l.gitignore.judge(base, is_dir, || &path[l.base..])))
}

/// Cuts off trailing spaces, but for one that a backslash protects.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while at < line.len() {
        let width = if line[at] == b'\\' { 2 } else { 1 };
        if width == 2 && at + 1 == line.len() {
            return line; // a lone backslash at the end: git leaves the line as it is
        }
        if line[at] != b' ' {
            end = at + width;
        }
        at += width;
    }
    &line[..end]
}

/// Compiles what follows the literal start of a pattern; `None` when it can match nothing.
fn compile(pattern: &[u8]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = pattern.get(at) {
        match byte {
            b'\\' => {
                tokens.push(Token::Byte(*pattern.get(at + 1)?));
                at += 2;
            }
            b'?' => {
                tokens.push(Token::AnyByte);
                at += 1;
            }
            b'[' => {
                let (set, len) = byte_class(&pattern[at..])?;
                tokens.push(Token::Bytes(Box::new(set)));
                at += len;
            }
            b'*' => {
                let stars = pattern[at..].iter().take_while(|&&b| b == b'*').count();
                let starts_component = at == 0 || pattern[at - 1] == b'/';
                let rest = &pattern[at + stars..];
                at += stars;
                if stars == 1 || !starts_component {
                    tokens.push(Token::Star);
                } else if rest.is_empty() {
                    tokens.push(Token::Rest);
                } else if rest[0] == b'/' {
                    tokens.push(Token::Components { may_be_empty: true });
                    at += 1;
                } else if rest.starts_with(b"\\/") {
                    tokens.push(Token::Components { may_be_empty: false });
                    at += 2;
                } else {
                    tokens.push(Token::Star);
                }
            }
            _ => {
                tokens.push(Token::Byte(byte));
                at += 1;
            }
        }
    }
    Some(tokens)
}

/// Reads the class at the start of `text`, which begins with `[`; returns it and its length.
fn byte_class(text: &[u8]) -> Option<(ByteSet, usize)> {
    let mut set = ByteSet::default();
    let mut at = 1;
    let negated = matches!(text.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    let mut previous = None;
    let first = at;
    loop {
        let byte = *text.get(at)?;
        if byte == b']' && at > first {
            break;
        }
        if byte == b'\\' {
            let escaped = *text.get(at + 1)?;
            set.insert(escaped);
            previous = Some(escaped);
            at += 2;
        } else if byte == b'-'
            && let Some(low) = previous
            && text.get(at + 1).is_some_and(|&b| b != b']')
        {
            let (high, len) = match text[at + 1] {
                b'\\' => (*text.get(at + 2)?, 3),
                high => (high, 2),
            };
            (low..=high).for_each(|b| set.insert(b));
            previous = None;
            at += len;
        } else if text[at..].starts_with(b"[:") {
            let close = at + 2 + memchr::memchr(b']', &text[at + 2..])?;
            if close > at + 2 && text[close - 1] == b':' {
                let member = posix_class(&text[at + 2..close - 1])?;
                (0..=u8::MAX).filter(|b| b.is_ascii() && member(b)).for_each(|b| set.insert(b));
                previous = None;
                at = close + 1;
            } else {
                set.insert(b'[');
                previous = Some(b'[');
                at += 1;
            }
        } else {
            set.insert(byte);
            previous = Some(byte);
            at += 1;
        }
    }
    if negated {
        set.negate();
    }
    set.remove(b'/');
    Some((set, at + 1))
}

fn posix_class(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |b| matches!(b, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |b| matches!(b, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |b| b" \t\n\x0B\x0C\r".contains(b),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}
