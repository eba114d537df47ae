//! Positions of a raw text in its masked form, and back.

use crate::span::Span;
use alloc::{boxed::Box, vec::Vec};
use core::ops::Range;

/// Maps byte offsets between a text and its masked form.
///
/// # Examples
///
/// ```
/// use redact::{OffsetMap, Redactor};
///
/// let text = "password: Tr0ub4dor&3x # rotate";
/// let redactor = Redactor::new();
/// let spans = redactor.spans(text.as_bytes());
/// let map = OffsetMap::new(&spans, redactor.marker().len());
/// let comment = text.find('#').unwrap_or(0);
/// assert_eq!(&redactor.redact(text)[map.to_masked(comment)..], "# rotate");
/// assert_eq!(map.to_raw(map.to_masked(comment)), comment);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OffsetMap {
    /// Raw range and start in the masked text of every mask.
    masks: Box<[(usize, usize, usize)]>,
    marker: usize,
}

impl OffsetMap {
    /// Builds the map of a text whose `spans`, sorted and disjoint, are replaced by a marker of `marker_len` bytes.
    pub fn new(spans: &[Span], marker_len: usize) -> Self {
        let mut masks = Vec::with_capacity(spans.len());
        let mut masked = 0;
        let mut raw = 0;
        for span in spans {
            masked += span.start - raw;
            masks.push((span.start, span.end, masked));
            masked += marker_len;
            raw = span.end;
        }
        Self { masks: masks.into_boxed_slice(), marker: marker_len }
    }

    /// Returns the position in the masked text; a position inside of a masked value becomes the start of its marker.
    pub fn to_masked(&self, raw: usize) -> usize {
        let after = self.masks.partition_point(|&(start, _, _)| start <= raw);
        match after.checked_sub(1).map(|at| self.masks[at]) {
            None => raw,
            Some((start, end, masked)) if raw < end && end > start => masked,
            Some((_, end, masked)) => masked + self.marker + (raw - end),
        }
    }

    /// Returns the position in the raw text; a position inside of a marker becomes the start of the masked value.
    pub fn to_raw(&self, masked: usize) -> usize {
        let after = self.masks.partition_point(|&(_, _, at)| at <= masked);
        match after.checked_sub(1).map(|at| self.masks[at]) {
            None => masked,
            Some((start, _, at)) if masked < at + self.marker => start,
            Some((_, end, at)) => end + (masked - at - self.marker),
        }
    }

    /// Returns the range in the masked text that shows `raw`: masks that it touches are shown whole.
    pub fn range_to_masked(&self, raw: Range<usize>) -> Range<usize> {
        let start = self.to_masked(raw.start);
        let end = if raw.end > raw.start {
            match self.mask_at(raw.end - 1) {
                Some((_, _, masked)) => masked + self.marker,
                None => self.to_masked(raw.end - 1) + 1,
            }
        } else {
            start
        };
        start..end.max(start)
    }

    /// Returns the range in the raw text that `masked` shows: values whose markers it touches are included whole.
    pub fn range_to_raw(&self, masked: Range<usize>) -> Range<usize> {
        let start = self.to_raw(masked.start);
        let Some(last) = masked.end.checked_sub(1).filter(|&last| last >= masked.start) else {
            return start..start;
        };
        let after = self.masks.partition_point(|&(_, _, at)| at <= last);
        let end = match after.checked_sub(1).map(|at| self.masks[at]) {
            Some((_, end, at)) if last < at + self.marker => end,
            _ => self.to_raw(last) + 1,
        };
        start..end.max(start)
    }

    /// Says whether `raw` lies wholly inside of one masked value: such a match would confirm a guess.
    pub fn is_inside_mask(&self, raw: &Range<usize>) -> bool {
        self.mask_at(raw.start).is_some_and(|(_, end, _)| raw.end <= end)
    }

    fn mask_at(&self, raw: usize) -> Option<(usize, usize, usize)> {
        let after = self.masks.partition_point(|&(start, _, _)| start <= raw);
        after.checked_sub(1).map(|at| self.masks[at]).filter(|&(_, end, _)| raw < end)
    }
}
