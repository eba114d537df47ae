//! The redactor: what to look for, and the ways to ask for it.

use crate::{
    engine::{Keys, REACH, scan},
    error::Error,
    known::Known,
    offset_map::OffsetMap,
    report::Report,
    runs::Pass,
    span::{Class, Classes, Span, settle, widen},
};
use alloc::{borrow::Cow, borrow::ToOwned, string::String, sync::Arc, vec::Vec};
use core::{fmt, ops::Range};

/// What stands in the place of a masked value, unless the builder says otherwise.
pub const MARKER: &str = "[FILTERED]";

/// How often a masked text is searched again.
const ROUNDS: usize = 4;

/// Says whether `text` contains [`MARKER`].
///
/// A tool that writes files asks this of new text: a marker that the file does not hold already would replace a real value.
///
/// # Examples
///
/// ```
/// assert!(redact::contains_marker("password: [FILTERED]"));
/// assert!(!redact::contains_marker("password: [filtered]"));
/// ```
pub fn contains_marker(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), MARKER.as_bytes()).is_some()
}

/// Finds and masks credentials.
///
/// The plain redactor is `const`, copies cheaply and may be shared between threads.
///
/// # Examples
///
/// ```
/// use redact::Redactor;
///
/// let redactor = Redactor::new();
/// assert_eq!(redactor.redact("password: Tr0ub4dor&3x"), "password: [FILTERED]");
/// assert_eq!(redactor.redact("commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"), "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b");
/// ```
#[derive(Clone)]
pub struct Redactor {
    classes: Classes,
    pass: Pass,
    marker: Cow<'static, str>,
    extra: Option<Arc<Extra>>,
}

/// What only a built redactor has.
#[derive(Clone, Default)]
struct Extra {
    known: Known,
    allowed: Vec<Vec<u8>>,
    allow: Option<fn(&[u8]) -> bool>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Redactor");
        out.field("classes", &self.classes).field("pass", &self.pass).field("marker", &self.marker);
        if let Some(extra) = &self.extra {
            out.field("known", &extra.known).field("allowed", &extra.allowed.len());
        }
        out.finish()
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new()
    }
}

impl Redactor {
    /// Returns a redactor that masks every class by [`MARKER`].
    pub const fn new() -> Self {
        Self { classes: Classes::ALL, pass: Pass::Auto, marker: Cow::Borrowed(MARKER), extra: None }
    }

    /// Returns a builder for anything else.
    pub const fn builder() -> Builder {
        Builder {
            classes: Classes::ALL,
            pass: Pass::Auto,
            marker: None,
            known: Vec::new(),
            allowed: Vec::new(),
            allow: None,
        }
    }

    /// Returns the marker.
    pub fn marker(&self) -> &str {
        &self.marker
    }

    /// Masks every credential in `text`.
    ///
    /// The result borrows `text` when nothing was found. It has as many lines as `text`.
    ///
    /// # Cost
    ///
    /// O(n) time; nothing is allocated for clean text.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redact_with_report(text).0
    }

    /// Masks every credential in `text` and counts them.
    pub fn redact_with_report<'t>(&self, text: &'t str) -> (Cow<'t, str>, Report) {
        let spans = self.spans(text.as_bytes());
        if spans.is_empty() {
            return (Cow::Borrowed(text), Report::default());
        }
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for span in &spans {
            // Spans of valid UTF-8 lie on character boundaries.
            out.push_str(text.get(from..span.start).unwrap_or_default());
            out.push_str(&self.marker);
            from = span.end;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        (Cow::Owned(out), Report::of(&spans))
    }

    /// Masks every credential in `text`, whatever its encoding.
    pub fn redact_bytes<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        self.redact_bytes_with_report(text).0
    }

    /// Masks every credential in `text`, whatever its encoding, and counts them.
    pub fn redact_bytes_with_report<'t>(&self, text: &'t [u8]) -> (Cow<'t, [u8]>, Report) {
        let spans = self.spans(text);
        if spans.is_empty() {
            return (Cow::Borrowed(text), Report::default());
        }
        (Cow::Owned(self.apply(text, &spans)), Report::of(&spans))
    }

    /// Replaces the `spans` of `text`, sorted and disjoint, by the marker.
    pub fn apply(&self, text: &[u8], spans: &[Span]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut from = 0;
        for span in spans {
            out.extend_from_slice(text.get(from..span.start).unwrap_or_default());
            out.extend_from_slice(self.marker.as_bytes());
            from = span.end;
        }
        out.extend_from_slice(text.get(from..).unwrap_or_default());
        out
    }

    /// Returns the credentials of `text`: sorted, disjoint, on character boundaries.
    pub fn spans(&self, text: &[u8]) -> Vec<Span> {
        let mut out = Vec::new();
        self.find(text, &mut out);
        out
    }

    /// Replaces the content of `out` by the credentials of `text`: sorted, disjoint, on character boundaries.
    pub fn find(&self, text: &[u8], out: &mut Vec<Span>) {
        self.settled(text, out, |text, out| self.search(text, Keys::Follow, out));
    }

    /// Searches until the masked text has nothing more to mask.
    ///
    /// A mask changes what stands beside its neighbours: a file name is none any more, a block loses a line. What shows only then
    /// is masked as well, so that masking twice is masking once.
    pub(crate) fn settled(&self, text: &[u8], out: &mut Vec<Span>, search: impl Fn(&[u8], &mut Vec<Span>)) {
        search(text, out);
        self.finish(text, out);
        let mut more = Vec::new();
        for _ in 0..ROUNDS {
            if out.is_empty() {
                return;
            }
            let masked = self.apply(text, out);
            search(&masked, &mut more);
            self.finish(&masked, &mut more);
            if more.is_empty() {
                return;
            }
            let map = OffsetMap::new(out, self.marker.len());
            out.extend(more.iter().map(|span| {
                let raw = map.range_to_raw(span.range());
                Span { start: raw.start, end: raw.end, ..*span }
            }));
            settle(out);
        }
    }

    /// Replaces the content of `out` by the credentials of `text` that touch `window`, cropped to it.
    ///
    /// The text outside of the window serves as context, so that any partition of a text into windows hides the same bytes
    /// as [`find`](Self::find) does. The spans count from the start of `text`.
    ///
    /// # Cost
    ///
    /// O(window + 192 KiB), however long `text` is.
    pub fn find_in(&self, text: &[u8], window: Range<usize>, out: &mut Vec<Span>) {
        let end = window.end.min(text.len());
        let start = window.start.min(end);
        let low = start.saturating_sub(REACH);
        let high = end.saturating_add(REACH).min(text.len());
        self.find(&text[low..high], out);
        out.retain_mut(|span| {
            span.start = (span.start + low).max(start);
            span.end = (span.end + low).min(end);
            span.start < span.end
        });
    }

    /// All spans of one scan, unsorted.
    pub(crate) fn search(&self, text: &[u8], keys: Keys, out: &mut Vec<Span>) {
        out.clear();
        scan(text, self.classes, self.pass, keys, out);
        if let Some(extra) = &self.extra
            && self.classes.contains(Class::Known)
            && !extra.known.is_empty()
        {
            extra.known.find(text, out);
        }
    }

    /// Sorts the spans and drops what the settings exclude.
    pub(crate) fn finish(&self, text: &[u8], out: &mut Vec<Span>) {
        if out.is_empty() {
            return;
        }
        let allows = |value: &[u8]| {
            self.extra.as_ref().is_some_and(|extra| {
                extra.allow.is_some_and(|allow| allow(value))
                    || extra.allowed.binary_search_by(|known| known.as_slice().cmp(value)).is_ok()
            })
        };
        out.retain(|span| self.classes.contains(span.class) && !allows(&text[span.range()]));
        widen(text, out);
        settle(out);
    }
}

/// Settings of a [`Redactor`].
///
/// # Examples
///
/// ```
/// use redact::{Class, Classes, Redactor};
///
/// let redactor = Redactor::builder()
///     .classes(Classes::ALL.without(Class::Entropy))
///     .known_values(["correct horse"])
///     .build()?;
/// assert_eq!(redactor.redact("say correct%20horse"), "say [FILTERED]");
/// # Ok::<(), redact::Error>(())
/// ```
#[derive(Clone)]
pub struct Builder {
    classes: Classes,
    pass: Pass,
    marker: Option<String>,
    known: Vec<Vec<u8>>,
    allowed: Vec<Vec<u8>>,
    allow: Option<fn(&[u8]) -> bool>,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("classes", &self.classes)
            .field("known", &self.known.len())
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// Masks only these classes of evidence.
    #[must_use]
    pub fn classes(mut self, classes: Classes) -> Self {
        self.classes = classes;
        self
    }

    /// Replaces the marker: an upper-case word in square brackets, such as `[MASKED]`.
    #[must_use]
    pub fn marker(mut self, marker: &str) -> Self {
        self.marker = Some(marker.to_owned());
        self
    }

    /// Masks these values wherever they stand: as they are, percent-encoded, in base64 and in base64url.
    ///
    /// A value that is a part of another leaves no tail of it visible. Encoded forms are looked for from 8 bytes on.
    #[must_use]
    pub fn known_values<I>(mut self, values: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        self.known.extend(values.into_iter().map(|value| value.as_ref().to_vec()));
        self
    }

    /// Keeps exactly these values visible.
    #[must_use]
    pub fn allow_values<I>(mut self, values: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        self.allowed.extend(values.into_iter().map(|value| value.as_ref().to_vec()));
        self
    }

    /// Keeps every value visible for which `allow` is true.
    #[must_use]
    pub fn allow(mut self, allow: fn(&[u8]) -> bool) -> Self {
        self.allow = Some(allow);
        self
    }

    /// Chooses how the first pass is computed; the findings are the same.
    #[must_use]
    pub fn pass(mut self, pass: Pass) -> Self {
        self.pass = pass;
        self
    }

    /// Builds the redactor.
    ///
    /// # Errors
    ///
    /// [`Error::KnownValueLength`] when a known value is shorter than [`KNOWN_MIN`](crate::KNOWN_MIN) or longer than
    /// [`KNOWN_MAX`](crate::KNOWN_MAX) bytes; [`Error::BadMarker`] when the marker is not an upper-case word in square brackets.
    pub fn build(mut self) -> Result<Redactor, Error> {
        let marker = match self.marker {
            None => Cow::Borrowed(MARKER),
            Some(marker) if is_marker(&marker) => Cow::Owned(marker),
            Some(marker) => return Err(Error::BadMarker { len: marker.len() }),
        };
        let known = Known::new(&self.known)?;
        let plain = known.is_empty() && self.allowed.is_empty() && self.allow.is_none();
        self.allowed.sort();
        let extra = (!plain).then(|| Arc::new(Extra { known, allowed: self.allowed, allow: self.allow }));
        Ok(Redactor { classes: self.classes, pass: self.pass, marker, extra })
    }
}

fn is_marker(marker: &str) -> bool {
    let bytes = marker.as_bytes();
    (3..=64).contains(&bytes.len())
        && bytes.first() == Some(&b'[')
        && bytes.last() == Some(&b']')
        && bytes[1..bytes.len() - 1]
            .iter()
            .all(|&byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-' | b'*'))
}
