//! What a text must contain to match a pattern: AND and OR of literals.

use regex_syntax::hir::{Class, ClassBytes, ClassUnicode, Hir, HirKind, Repetition};

use crate::Pattern;

/// Members that a class may have, case folded, to be taken apart.
const MAX_CLASS: usize = 16;
/// Strings that are followed side by side.
const MAX_STRINGS: usize = 24;
/// Bytes that one of these strings may have.
const MAX_STRING_BYTES: usize = 128;
/// Bytes that are kept of a string that is put aside, so that the literal over the seam is known.
const BRIDGE_BYTES: usize = 4;
/// Shorter texts are in nearly every file and in no index.
const MIN_TEXT_BYTES: usize = 3;
/// Copies that a counted repetition is unrolled to.
const MAX_COPIES: u32 = 4;
/// Pieces of a pattern that are looked at; what comes after filters nothing.
const MAX_STEPS: u32 = 20_000;

/// What a text must contain to match a pattern, over bytes with `A` to `Z` folded to lower case.
///
/// A plan is a necessary condition: every line (with [`Span::Line`](crate::Span::Line)) or file that matches the pattern passes
/// [`may_match`](Self::may_match). What the plan does not understand filters nothing.
///
/// # Examples
/// ```
/// use search_engine::{Case, Pattern, Plan, Span};
///
/// let plan = Plan::new(&Pattern::new("(read|write)_LOCK", Case::Sensitive, Span::Line)?);
/// assert!(plan.may_match(b"x = read_LOCK();") && !plan.may_match(b"unlock()"));
/// assert!(Plan::new(&Pattern::new(r"\w+", Case::Sensitive, Span::Line)?).is_open());
/// # Ok::<(), search_engine::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan(pub(crate) Need);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Need {
    /// Every text may match.
    Nothing,
    /// The folded text contains these bytes.
    Text(Vec<u8>),
    All(Vec<Self>),
    /// One of these; without any, no text matches.
    OneOf(Vec<Self>),
}

impl Plan {
    /// Makes the plan of a pattern.
    ///
    /// # Cost
    /// O(length of the pattern), with a bound.
    pub fn new(pattern: &Pattern) -> Self {
        let Some(hir) = pattern.syntax() else { return Self(Need::Nothing) };
        let mut steps = MAX_STEPS;
        Self(need_of(&hir, &mut steps))
    }

    /// Tells whether every text may match, so that nothing can be left out.
    pub fn is_open(&self) -> bool {
        self.0 == Need::Nothing
    }

    /// Tells whether `text` can hold a match; `true` says nothing, `false` is certain.
    pub fn may_match(&self, text: &[u8]) -> bool {
        self.0.holds_in(&text.to_ascii_lowercase())
    }
}

impl Need {
    fn holds_in(&self, folded: &[u8]) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(bytes) => memchr::memmem::find(folded, bytes).is_some(),
            Self::All(needs) => needs.iter().all(|need| need.holds_in(folded)),
            Self::OneOf(needs) => needs.iter().any(|need| need.holds_in(folded)),
        }
    }

    fn all(mut needs: Vec<Self>) -> Self {
        needs.retain(|need| *need != Self::Nothing);
        needs.dedup();
        match needs.len() {
            0 => Self::Nothing,
            1 => needs.swap_remove(0),
            _ => Self::All(needs),
        }
    }

    fn one_of(mut needs: Vec<Self>) -> Self {
        if needs.contains(&Self::Nothing) {
            return Self::Nothing;
        }
        if needs.len() == 1 { needs.swap_remove(0) } else { Self::OneOf(needs) }
    }

    fn of_strings(strings: &[Vec<u8>]) -> Self {
        if strings.iter().any(|string| string.len() < MIN_TEXT_BYTES) {
            return Self::Nothing;
        }
        Self::one_of(strings.iter().map(|string| Self::Text(string.clone())).collect())
    }
}

fn need_of(hir: &Hir, steps: &mut u32) -> Need {
    let mut maker = Maker { needs: Vec::new(), strings: vec![Vec::new()], steps };
    maker.add(hir);
    maker.flush();
    Need::all(maker.needs)
}

/// Goes through a pattern from left to right.
struct Maker<'s> {
    needs: Vec<Need>,
    /// The text before the current place ends with one of these. None at all: nothing can get here.
    strings: Vec<Vec<u8>>,
    steps: &'s mut u32,
}

impl Maker<'_> {
    fn add(&mut self, hir: &Hir) {
        let Some(left) = self.steps.checked_sub(1) else { return self.gap() };
        *self.steps = left;
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.push(vec![literal.0.to_ascii_lowercase()]),
            HirKind::Class(class) => match members(class) {
                Some(strings) => self.push(strings),
                None => self.gap(),
            },
            HirKind::Capture(capture) => self.add(&capture.sub),
            HirKind::Concat(subs) => subs.iter().for_each(|sub| self.add(sub)),
            HirKind::Alternation(subs) => match strings_of(hir) {
                Some(strings) => self.push(strings),
                None => {
                    let needs = subs.iter().map(|sub| need_of(sub, self.steps)).collect();
                    self.flush();
                    self.needs.push(Need::one_of(needs));
                    self.strings = vec![Vec::new()];
                }
            },
            HirKind::Repetition(rep) => self.repeat(rep),
        }
    }

    fn repeat(&mut self, rep: &Repetition) {
        match (rep.min, rep.max) {
            (_, Some(0)) => {}
            (0, max) => match strings_of(&rep.sub) {
                Some(mut strings) if max == Some(1) => {
                    strings.push(Vec::new());
                    self.push(strings);
                }
                _ => self.gap(),
            },
            (min, max) => {
                for _ in 0..min.min(MAX_COPIES) {
                    self.add(&rep.sub);
                }
                if max != Some(min) || min > MAX_COPIES {
                    // Others may follow; the last of them stands before what comes next.
                    self.flush();
                    self.strings = strings_of(&rep.sub).unwrap_or_else(|| vec![Vec::new()]);
                }
            }
        }
    }

    /// One of `strings` follows.
    fn push(&mut self, strings: Vec<Vec<u8>>) {
        if let Some(longer) = product(&self.strings, &strings) {
            self.strings = longer;
            return;
        }
        self.flush();
        for string in &mut self.strings {
            string.drain(..string.len().saturating_sub(BRIDGE_BYTES));
        }
        unique(&mut self.strings);
        self.strings = product(&self.strings, &strings).unwrap_or(strings);
    }

    /// Anything may follow.
    fn gap(&mut self) {
        self.flush();
        self.strings = vec![Vec::new()];
    }

    fn flush(&mut self) {
        self.needs.push(Need::of_strings(&self.strings));
    }
}

/// All strings that match, when they are few and short.
fn strings_of(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(vec![Vec::new()]),
        HirKind::Literal(literal) if literal.0.len() > MAX_STRING_BYTES => None,
        HirKind::Literal(literal) => Some(vec![literal.0.to_ascii_lowercase()]),
        HirKind::Class(class) => members(class),
        HirKind::Capture(capture) => strings_of(&capture.sub),
        HirKind::Concat(subs) => subs.iter().try_fold(vec![Vec::new()], |before, sub| {
            let strings = strings_of(sub)?;
            product(&before, &strings)
        }),
        HirKind::Alternation(subs) => {
            let mut all = Vec::new();
            for sub in subs {
                all.extend(strings_of(sub)?);
                unique(&mut all);
                if all.len() > MAX_STRINGS {
                    return None;
                }
            }
            Some(all)
        }
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let strings = strings_of(sub)?;
            match (*min, *max) {
                (0, Some(1)) => {
                    let mut all = strings;
                    all.push(Vec::new());
                    unique(&mut all);
                    (all.len() <= MAX_STRINGS).then_some(all)
                }
                (min, Some(max)) if min == max && min <= MAX_COPIES => {
                    (0..min).try_fold(vec![Vec::new()], |before, _| product(&before, &strings))
                }
                _ => None,
            }
        }
    }
}

fn product(first: &[Vec<u8>], second: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
    if first.len() * second.len() > MAX_STRINGS {
        return None;
    }
    let longest = |strings: &[Vec<u8>]| strings.iter().map(Vec::len).max().unwrap_or(0);
    if longest(first) + longest(second) > MAX_STRING_BYTES && longest(first) > BRIDGE_BYTES {
        return None;
    }
    let mut all = Vec::new();
    for a in first {
        all.extend(second.iter().map(|b| [&a[..], b].concat()));
    }
    unique(&mut all);
    Some(all)
}

fn unique(strings: &mut Vec<Vec<u8>>) {
    strings.sort_unstable();
    strings.dedup();
}

/// The members of a small class, folded.
fn members(class: &Class) -> Option<Vec<Vec<u8>>> {
    let mut strings = match class {
        Class::Unicode(set) => unicode_members(set)?,
        Class::Bytes(set) => byte_members(set)?,
    };
    unique(&mut strings);
    (strings.len() <= MAX_CLASS).then_some(strings)
}

fn unicode_members(set: &ClassUnicode) -> Option<Vec<Vec<u8>>> {
    let count: usize = set.ranges().iter().map(|r| r.len()).sum();
    let chars = set.ranges().iter().flat_map(|r| r.start()..=r.end());
    (count <= 2 * MAX_CLASS)
        .then(|| chars.map(|c| c.encode_utf8(&mut [0; 4]).as_bytes().to_ascii_lowercase()).collect())
}

fn byte_members(set: &ClassBytes) -> Option<Vec<Vec<u8>>> {
    let count: usize = set.ranges().iter().map(|r| r.len()).sum();
    let bytes = set.ranges().iter().flat_map(|r| r.start()..=r.end());
    (count <= 2 * MAX_CLASS).then(|| bytes.map(|b| vec![b.to_ascii_lowercase()]).collect())
}

#[cfg(test)]
mod tests;
