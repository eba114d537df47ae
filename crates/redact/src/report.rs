//! How much was masked, by kind; never what.

use crate::span::{Class, Span};
use alloc::vec::Vec;
use core::fmt;

/// Counts of masked values.
///
/// # Examples
///
/// ```
/// let (_, report) = redact::Redactor::new().redact_with_report("password: Tr0ub4dor&3x\nport: 8080\n");
/// assert_eq!(report.to_string(), "1 value masked (password: 1)");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    kinds: Vec<(&'static str, Class, usize)>,
}

impl Report {
    /// No counts.
    pub(crate) const EMPTY: Self = Self { kinds: Vec::new() };

    /// Counts the spans of one text.
    pub fn of(spans: &[Span]) -> Self {
        let mut report = Self::default();
        report.add(spans);
        report
    }

    /// Adds the spans of a further text.
    pub fn add(&mut self, spans: &[Span]) {
        for span in spans {
            self.bump(span.kind, span.class, 1);
        }
    }

    /// Adds the counts of another report.
    pub fn merge(&mut self, other: &Self) {
        for &(kind, class, count) in &other.kinds {
            self.bump(kind, class, count);
        }
    }

    fn bump(&mut self, kind: &'static str, class: Class, by: usize) {
        match self.kinds.binary_search_by_key(&(kind, class), |&(kind, class, _)| (kind, class)) {
            Ok(at) => self.kinds[at].2 += by,
            Err(at) => self.kinds.insert(at, (kind, class, by)),
        }
    }

    /// Returns the number of masked values.
    pub fn count(&self) -> usize {
        self.kinds.iter().map(|&(_, _, count)| count).sum()
    }

    /// Says whether nothing was masked.
    pub fn is_clean(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Lists kind, class and count, in order of kind.
    pub fn by_kind(&self) -> impl ExactSizeIterator<Item = (&'static str, Class, usize)> {
        self.kinds.iter().copied()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.count();
        write!(f, "{count} value{} masked", if count == 1 { "" } else { "s" })?;
        for (index, (kind, _, count)) in self.by_kind().enumerate() {
            write!(f, "{}{kind}: {count}", if index == 0 { " (" } else { ", " })?;
        }
        f.write_str(if self.is_clean() { "" } else { ")" })
    }
}
