//! Compiled content patterns.

use std::{collections::VecDeque, ops::Range, sync::Arc};

use regex_automata::{
    Anchored, Input,
    meta::{self, Cache},
};
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition,
};

use crate::{
    Error,
    dialect::{self, Text},
};

/// Whether case counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Letters match themselves; `(?i)` in the pattern changes that.
    Sensitive,
    /// Letters match in either case, as with `(?i)` in front.
    Insensitive,
}

/// What a match may span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// One line: the terminator and a carriage return before it are not part of the text, `^`, `\A`, `$` and `\z` are
    /// the ends of the line.
    Line,
    /// A whole file: `.` matches line breaks (`(?-s)` undoes it), `^` and `$` are ends of lines (`(?-m)` undoes it),
    /// `\A` and `\z` are the ends of the file. Every line that a match touches is a matching line.
    File,
}

/// A compiled regular expression of the RE2 dialect, cheap to clone.
///
/// The syntax is that of Go's `regexp`: linear time, no look-around, no back-references; `\d`, `\w`, `\s` and `\b` are
/// ASCII; a brace that is no repeat count is literal. A byte that is not UTF-8 counts as one U+FFFD, so `.` matches
/// it and a literal `é` does not.
///
/// # Examples
/// ```
/// use search_engine::{Case, Pattern, Span};
///
/// let go = Pattern::new(r"interface{}", Case::Sensitive, Span::Line)?;
/// assert!(go.is_match_line(b"var x interface{}"));
/// let refused = Pattern::new(r"(?<=a)b", Case::Sensitive, Span::Line).unwrap_err();
/// assert_eq!(refused.code(), "invalid_regex");
/// # Ok::<(), search_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pattern(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    source: String,
    case: Case,
    span: Span,
    /// Finds lines of a buffer that can match: never misses one, and is exact unless the line has to be looked at again.
    candidates: meta::Regex,
    /// Decides about one line (or, for [`Span::File`], about a whole file of valid UTF-8).
    exact: meta::Regex,
    /// Some class holds U+FFFD, so lines that are not ASCII are looked at again.
    odd_bytes: bool,
    /// Some piece can see a carriage return, so lines with one are looked at again.
    sees_cr: bool,
}

impl Pattern {
    /// The longest pattern.
    pub const MAX_BYTES: usize = 4 << 10;
    /// The largest compiled form.
    pub const MAX_COMPILED_BYTES: usize = 10 << 20;
    /// Memory for the states of one matcher in use, per thread.
    const DFA_CACHE_BYTES: usize = 4 << 20;

    /// Compiles a pattern. An empty one matches every line.
    ///
    /// # Errors
    /// [`Error::InvalidRegex`] with the place and a hint, [`Error::NeedsMultiline`] for a pattern that can match only
    /// across a line break with [`Span::Line`], [`Error::PatternTooLong`] and [`Error::PatternTooBig`].
    pub fn new(source: &str, case: Case, span: Span) -> Result<Self, Error> {
        if source.len() > Self::MAX_BYTES {
            return Err(Error::PatternTooLong { bytes: source.len(), max_bytes: Self::MAX_BYTES });
        }
        let (exact, candidates, traits) = parse(source, case, span)?;
        Ok(Self(Arc::new(Compiled {
            source: source.to_owned(),
            case,
            span,
            candidates: build(&candidates)?,
            exact: build(&exact)?,
            odd_bytes: traits.odd_bytes,
            sees_cr: traits.sees_cr,
        })))
    }

    /// Returns the pattern as it was given.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Returns what a match may span.
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// Tells whether `line`, without its terminator, matches.
    pub fn is_match_line(&self, line: &[u8]) -> bool {
        self.first_in_line(line, false).is_some()
    }

    /// Returns the syntax tree of what finds every line (or file) that can match; `None` is never right to take for "nothing".
    #[cfg(feature = "index")]
    pub(crate) fn syntax(&self) -> Option<Hir> {
        parse(&self.0.source, self.0.case, self.0.span).ok().map(|(_, candidates, _)| candidates)
    }

    pub(crate) fn case(&self) -> Case {
        self.0.case
    }

    /// Returns the first match in a line without its terminator.
    pub(crate) fn first_in_line(&self, line: &[u8], cut: bool) -> Option<Range<usize>> {
        self.with_text(line, cut, |text, end| {
            self.0.exact.search(&Input::new(text).range(..end)).map(|m| m.range())
        })
    }

    /// Returns all matches in a line without its terminator.
    pub(crate) fn all_in_line(&self, line: &[u8], cut: bool) -> Vec<Range<usize>> {
        let found = self.with_text(line, cut, |text, end| {
            let mut found: Vec<Range<usize>> = Vec::new();
            found.extend(self.0.exact.find_iter(Input::new(text).range(..end)).map(|m| m.range()));
            Some(found)
        });
        found.unwrap_or_default()
    }

    /// Runs `search` on the text that the pattern is to see, with the end of the searched part, and maps what it found back to
    /// bytes of `line`.
    fn with_text<R: MapBack>(
        &self,
        line: &[u8],
        cut: bool,
        search: impl Fn(&[u8], usize) -> Option<R>,
    ) -> Option<R> {
        let odd = self.0.odd_bytes && std::str::from_utf8(line).is_err();
        if !odd && !cut {
            return search(line, line.len());
        }
        let (mut text, starts) = if odd { replace_odd_bytes(line) } else { (line.to_vec(), Vec::new()) };
        let end = text.len();
        if cut {
            text.push(b'\0'); // the line goes on: `$` must not match here
        }
        let found = search(&text, end)?;
        Some(if odd { found.map_back(&starts) } else { found })
    }
}

/// Positions that can be mapped from a rewritten line to the line itself.
trait MapBack {
    fn map_back(self, starts: &[(usize, usize)]) -> Self;
}

impl MapBack for Range<usize> {
    fn map_back(self, starts: &[(usize, usize)]) -> Self {
        original(starts, self.start)..original(starts, self.end)
    }
}

impl MapBack for Vec<Range<usize>> {
    fn map_back(self, starts: &[(usize, usize)]) -> Self {
        self.into_iter().map(|range| range.map_back(starts)).collect()
    }
}

impl MapBack for () {
    fn map_back(self, _: &[(usize, usize)]) -> Self {}
}

/// Replaces each byte that is not UTF-8 by U+FFFD. The second value holds, for each replaced byte, where its
/// replacement ends and where the byte ends.
fn replace_odd_bytes(line: &[u8]) -> (Vec<u8>, Vec<(usize, usize)>) {
    let mut text = Vec::with_capacity(line.len() + 64);
    let mut ends = Vec::new();
    let mut at = 0;
    for chunk in line.utf8_chunks() {
        text.extend_from_slice(chunk.valid().as_bytes());
        at += chunk.valid().len();
        for _ in chunk.invalid() {
            text.extend_from_slice("\u{FFFD}".as_bytes());
            at += 1;
            ends.push((text.len(), at));
        }
    }
    (text, ends)
}

fn original(ends: &[(usize, usize)], at: usize) -> usize {
    match ends.partition_point(|&(new, _)| new <= at) {
        // Before the first replacement (or at its start) nothing has moved.
        0 => at,
        n => {
            let (new, old) = ends[n - 1];
            old + (at - new)
        }
    }
}

/// One thread's state for searching with a pattern.
pub(crate) struct Matcher<'p> {
    pattern: &'p Compiled,
    whole: &'p Pattern,
    candidates: Cache,
    exact: Cache,
}

impl<'p> Matcher<'p> {
    pub(crate) fn new(pattern: &'p Pattern) -> Self {
        let compiled = &*pattern.0;
        let (candidates, exact) = (compiled.candidates.create_cache(), compiled.exact.create_cache());
        Self { pattern: compiled, whole: pattern, candidates, exact }
    }

    /// Returns where the first candidate in `text[range]` ends.
    pub(crate) fn candidate(&mut self, text: &[u8], range: Range<usize>) -> Option<usize> {
        let input = Input::new(text).range(range).earliest(true);
        self.pattern.candidates.search_half_with(&mut self.candidates, &input).map(|m| m.offset())
    }

    /// Decides whether the candidate line `text[line]`, terminator and carriage return left out, does match.
    pub(crate) fn confirm(&mut self, text: &[u8], line: Range<usize>, had_cr: bool, cut: bool) -> bool {
        let bytes = &text[line.clone()];
        let odd = self.pattern.odd_bytes && !bytes.is_ascii();
        let cr = self.pattern.sees_cr && (had_cr || memchr::memchr(b'\r', bytes).is_some());
        if !odd && !cr {
            return true;
        }
        if odd && std::str::from_utf8(bytes).is_err() {
            return self.whole.first_in_line(bytes, cut).is_some();
        }
        // Looking around must not see past the line, but must see that a cut line goes on.
        let text = if cut { text } else { &text[..line.end] };
        let input = Input::new(&text[line.start..]).range(..bytes.len()).anchored(Anchored::No);
        self.pattern.exact.search_half_with(&mut self.exact, &input).is_some()
    }

    /// Returns the first match in `text` from `at` on, for patterns that span lines.
    pub(crate) fn in_file(&mut self, text: &[u8], at: usize, valid: bool) -> Option<Range<usize>> {
        let input = Input::new(text).range(at..);
        let found = if valid || !self.pattern.odd_bytes {
            self.pattern.exact.search_with(&mut self.exact, &input)
        } else {
            self.pattern.candidates.search_with(&mut self.candidates, &input)
        };
        found.map(|m| m.range())
    }
}

/// Reads a pattern: the exact syntax tree, and one that finds at least as much in a buffer.
fn parse(source: &str, case: Case, span: Span) -> Result<(Hir, Hir, Traits), Error> {
    let text = if span == Span::Line { Text::Line } else { Text::File };
    let translated = dialect::translate(source, text)?;
    let hir = regex_syntax::ParserBuilder::new()
        .utf8(false)
        .case_insensitive(case == Case::Insensitive)
        .nest_limit(1_000)
        .build()
        .parse(&translated)
        .map_err(|e| Error::InvalidRegex { at: 0, problem: last_line(&e), hint: "" })?;
    let mut traits = Traits::default();
    let exact = match span {
        Span::Line => without_newline(&hir),
        Span::File => with_crlf_ends(&hir),
    };
    if is_fail(&exact) && !is_fail(&hir) {
        return Err(Error::NeedsMultiline);
    }
    let candidates = widened(&exact, &mut traits);
    Ok((exact, candidates, traits))
}

fn build(hir: &Hir) -> Result<meta::Regex, Error> {
    let config = meta::Config::new()
        .utf8_empty(false)
        .nfa_size_limit(Some(Pattern::MAX_COMPILED_BYTES))
        .hybrid_cache_capacity(Pattern::DFA_CACHE_BYTES);
    meta::Builder::new().configure(config).build_from_hir(hir).map_err(|e| match e.size_limit() {
        Some(_) => Error::PatternTooBig { max_bytes: Pattern::MAX_COMPILED_BYTES },
        None => Error::InvalidRegex { at: 0, problem: last_line(&e), hint: "" },
    })
}

fn last_line(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

fn is_fail(hir: &Hir) -> bool {
    matches!(hir.kind(), HirKind::Class(class) if class.is_empty())
}

/// Rebuilds a syntax tree, with `leaf` deciding about everything that has no parts.
fn rebuild(hir: &Hir, leaf: &mut impl FnMut(&Hir) -> Hir) -> Hir {
    match hir.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => leaf(hir),
        HirKind::Repetition(rep) => {
            let sub = rebuild(&rep.sub, leaf);
            if is_fail(&sub) {
                return if rep.min == 0 { Hir::empty() } else { Hir::fail() };
            }
            Hir::repetition(Repetition { sub: Box::new(sub), ..*rep })
        }
        HirKind::Capture(capture) => rebuild(&capture.sub, leaf),
        HirKind::Concat(subs) => {
            let subs: Vec<_> = subs.iter().map(|sub| rebuild(sub, leaf)).collect();
            if subs.iter().any(is_fail) { Hir::fail() } else { Hir::concat(subs) }
        }
        HirKind::Alternation(subs) => {
            let subs: Vec<_> =
                subs.iter().map(|sub| rebuild(sub, leaf)).filter(|sub| !is_fail(sub)).collect();
            Hir::alternation(subs)
        }
    }
}

/// Removes every way to match a line feed.
fn without_newline(hir: &Hir) -> Hir {
    rebuild(hir, &mut |leaf| match leaf.kind() {
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Hir::fail(),
        HirKind::Class(class) => Hir::class(match class {
            Class::Unicode(set) => {
                let mut set = set.clone();
                set.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
                Class::Unicode(set)
            }
            Class::Bytes(set) => {
                let mut set = set.clone();
                set.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
                Class::Bytes(set)
            }
        }),
        _ => leaf.clone(),
    })
}

/// Lets `$` match before `\r\n` too.
fn with_crlf_ends(hir: &Hir) -> Hir {
    rebuild(hir, &mut |leaf| match leaf.kind() {
        HirKind::Look(Look::EndLF) => Hir::look(Look::EndCRLF),
        _ => leaf.clone(),
    })
}

/// What was seen while widening.
#[derive(Default)]
struct Traits {
    odd_bytes: bool,
    sees_cr: bool,
}

/// Rewrites an exact tree so that it finds at least as much in a buffer of whole lines: `$` also before a carriage return, and
/// classes that hold U+FFFD match any byte that is not ASCII.
fn widened(hir: &Hir, traits: &mut Traits) -> Hir {
    rebuild(hir, &mut |leaf| match leaf.kind() {
        HirKind::Look(Look::EndLF) => {
            traits.sees_cr = true;
            Hir::look(Look::EndCRLF)
        }
        HirKind::Literal(literal) => {
            traits.sees_cr |= literal.0.contains(&b'\r');
            let odd = "\u{FFFD}".as_bytes();
            if memchr::memmem::find(&literal.0, odd).is_none() {
                return leaf.clone();
            }
            traits.odd_bytes = true;
            let mut parts = Vec::new();
            let mut rest = &literal.0[..];
            while let Some(at) = memchr::memmem::find(rest, odd) {
                parts.extend([Hir::literal(&rest[..at]), any_odd_bytes()]);
                rest = &rest[at + odd.len()..];
            }
            parts.push(Hir::literal(rest));
            Hir::concat(parts)
        }
        HirKind::Class(Class::Unicode(set)) => {
            let holds = |c: char| set.ranges().iter().any(|r| r.start() <= c && c <= r.end());
            traits.sees_cr |= holds('\r');
            if !holds('\u{FFFD}') {
                return leaf.clone();
            }
            traits.odd_bytes = true;
            let mut ascii = set.clone();
            ascii.intersect(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7F')]));
            Hir::alternation(vec![Hir::class(Class::Unicode(ascii)), any_odd_bytes()])
        }
        HirKind::Class(Class::Bytes(set)) => {
            traits.sees_cr |= set.ranges().iter().any(|r| r.start() <= b'\r' && b'\r' <= r.end());
            leaf.clone()
        }
        _ => leaf.clone(),
    })
}

/// One to four bytes that are not ASCII: any character that is not, in UTF-8 or otherwise.
fn any_odd_bytes() -> Hir {
    let class = Hir::class(Class::Bytes(ClassBytes::new([ClassBytesRange::new(0x80, 0xFF)])));
    Hir::repetition(Repetition { min: 1, max: Some(4), greedy: true, sub: Box::new(class) })
}

/// Compiled patterns of earlier calls, the latest last.
///
/// # Examples
/// ```
/// use search_engine::{Case, Patterns, Span};
///
/// let mut patterns = Patterns::default();
/// let first = patterns.get("a|b", Case::Sensitive, Span::Line)?;
/// let again = patterns.get("a|b", Case::Sensitive, Span::Line)?; // not compiled again
/// assert_eq!(first.source(), again.source());
/// # Ok::<(), search_engine::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Patterns {
    known: VecDeque<Pattern>,
}

impl Patterns {
    /// How many patterns are kept.
    pub const MAX: usize = 16;

    /// Returns the pattern, compiled now or at one of the last calls.
    ///
    /// # Errors
    /// Those of [`Pattern::new`].
    pub fn get(&mut self, source: &str, case: Case, span: Span) -> Result<Pattern, Error> {
        let same = |p: &Pattern| p.source() == source && p.case() == case && p.span() == span;
        let pattern = match self.known.iter().position(same).and_then(|i| self.known.remove(i)) {
            Some(pattern) => pattern,
            None => Pattern::new(source, case, span)?,
        };
        if self.known.len() >= Self::MAX {
            self.known.pop_front();
        }
        self.known.push_back(pattern.clone());
        Ok(pattern)
    }
}
