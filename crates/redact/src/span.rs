//! What was found: a byte range, its kind, and the class of evidence.

use alloc::vec::Vec;
use core::{cmp::Reverse, fmt, ops::Range};

/// The evidence by which a span was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Class {
    /// The value has a published shape: prefix, alphabet, length.
    Format,
    /// The text around the value proves it: key armour, user information of a URL, headers, connection strings.
    Structural,
    /// The value stands under a name such as `api_key` and looks random.
    Keyed,
    /// The value has no name; only its randomness shows.
    Entropy,
    /// The caller named the value.
    Known,
}

impl Class {
    /// Returns the stable lower-case name: `format`, `structural`, `keyed`, `entropy` or `known`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Structural => "structural",
            Self::Keyed => "keyed",
            Self::Entropy => "entropy",
            Self::Known => "known",
        }
    }

    const fn bit(self) -> u8 {
        match self {
            Self::Format => 1,
            Self::Structural => 2,
            Self::Keyed => 4,
            Self::Entropy => 8,
            Self::Known => 16,
        }
    }

    /// Known values name a span first, statistics last.
    const fn rank(self) -> u8 {
        match self {
            Self::Known => 0,
            Self::Format => 1,
            Self::Structural => 2,
            Self::Keyed => 3,
            Self::Entropy => 4,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of [`Class`]es.
///
/// # Examples
///
/// ```
/// use redact::{Class, Classes};
///
/// let named_only = Classes::ALL.without(Class::Entropy);
/// assert!(named_only.contains(Class::Keyed) && !named_only.contains(Class::Entropy));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Classes(u8);

impl Classes {
    /// Every class.
    pub const ALL: Self = Self(0x1f);
    /// No class.
    pub const NONE: Self = Self(0);

    /// Returns the set with `class` in it.
    #[must_use]
    pub const fn with(self, class: Class) -> Self {
        Self(self.0 | class.bit())
    }

    /// Returns the set without `class`.
    #[must_use]
    pub const fn without(self, class: Class) -> Self {
        Self(self.0 & !class.bit())
    }

    /// Says whether `class` is in the set.
    pub const fn contains(self, class: Class) -> bool {
        self.0 & class.bit() != 0
    }
}

impl Default for Classes {
    /// Every class: a redactor that is asked for nothing special hides everything it knows.
    fn default() -> Self {
        Self::ALL
    }
}

/// One value that is to be masked: bytes `start..end` of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The first byte of the value, counted from 0.
    pub start: usize,
    /// The byte behind the value.
    pub end: usize,
    /// The stable name of what was found, for example `github_token`.
    pub kind: &'static str,
    /// The evidence.
    pub class: Class,
}

impl Span {
    /// Returns the byte range.
    pub const fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Sorts spans and joins those that overlap; the strongest evidence names the joined span.
pub(crate) fn settle(spans: &mut Vec<Span>) {
    if spans.len() < 2 {
        return;
    }
    spans.sort_by_key(|span| (span.start, span.class.rank(), Reverse(span.end), span.kind));
    spans.dedup_by(|next, kept| {
        let joined = next.start < kept.end;
        if joined {
            kept.end = kept.end.max(next.end);
            if next.class.rank() < kept.class.rank() {
                kept.class = next.class;
                kept.kind = next.kind;
            }
        }
        joined
    });
}

/// Widens every span to character boundaries, where the text is UTF-8 around it.
pub(crate) fn widen(text: &[u8], spans: &mut [Span]) {
    let inside = |at: usize| at < text.len() && text[at] & 0xc0 == 0x80;
    for span in spans {
        let mut start = span.start;
        while start > 0 && span.start - start < 3 && inside(start) {
            start -= 1;
        }
        let mut end = span.end;
        while end - span.end < 3 && inside(end) {
            end += 1;
        }
        if !inside(start) {
            span.start = start;
        }
        if !inside(end) {
            span.end = end;
        }
    }
}
