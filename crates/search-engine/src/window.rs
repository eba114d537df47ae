//! Cuts a long line to what is shown, around its match.

use std::{borrow::Cow, ops::Range};

use crate::wild::first_char;

/// The part of a line that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Window<'a> {
    /// The part, with `…` on the sides that were cut. Bytes that are not UTF-8 are kept as they are.
    pub text: Cow<'a, [u8]>,
    /// Which bytes of the line it shows, the marks left out.
    pub shown: Range<usize>,
    /// Whether something before it was cut.
    pub cut_start: bool,
    /// Whether something after it was cut.
    pub cut_end: bool,
}

/// The mark on a side that was cut.
const MARK: &str = "…";
/// The smallest size of a window: two marks and two characters.
const MIN_BYTES: usize = 2 * MARK.len() + 8;

/// Cuts `line` to at most `max_bytes`, marks included, so that `keep` stays visible.
///
/// A line that fits is given as it is. Otherwise the window starts at the start of the line when the match is within it
/// from there, and is moved so that the match lies in its middle when it is not; of a match that is longer
/// than the window, its start is shown. Cuts are made between characters. `keep` may lie anywhere; what is beyond the line
/// counts as its end. A `max_bytes` under 14 counts as 14.
///
/// Give it the line *after* masking, with `keep` moved to the masked text: a cut before would leave the halves of
/// a secret unrecognisable.
///
/// # Cost
/// O(`max_bytes`), whatever the length of the line.
///
/// # Examples
/// ```
/// let line = "x".repeat(500) + "needle" + &"y".repeat(500);
/// let window = search_engine::window(line.as_bytes(), 500..506, 40);
/// assert_eq!(window.text.len(), 40);
/// assert!(window.cut_start && window.cut_end);
/// assert_eq!(&*window.text, "…xxxxxxxxxxxxxxneedleyyyyyyyyyyyyyy…".as_bytes());
/// ```
pub fn window(line: &[u8], keep: Range<usize>, max_bytes: usize) -> Window<'_> {
    let max_bytes = max_bytes.max(MIN_BYTES);
    if line.len() <= max_bytes {
        return Window { text: Cow::Borrowed(line), shown: 0..line.len(), cut_start: false, cut_end: false };
    }
    let keep_start = keep.start.min(line.len());
    let keep_end = keep.end.clamp(keep_start, line.len());
    let one_mark = max_bytes - MARK.len();
    let two_marks = one_mark - MARK.len();
    let (start, end) = if keep_end <= one_mark {
        (0, one_mark)
    } else if line.len() - keep_start <= one_mark {
        (line.len() - one_mark, line.len())
    } else {
        // The match in the middle, or its start at the start when it is longer than the window.
        let spare = two_marks.saturating_sub(keep_end - keep_start);
        let start = keep_start - (spare / 2).min(keep_start);
        let start = start.min(line.len() - two_marks);
        if start == 0 { (0, one_mark) } else { (start, start + two_marks) }
    };
    let start = if start == 0 { 0 } else { boundary_after(line, start) };
    let end = if end == line.len() { end } else { boundary_before(line, end) };
    let end = end.max(start);
    let (cut_start, cut_end) = (start > 0, end < line.len());
    let mut text = Vec::with_capacity(max_bytes);
    if cut_start {
        text.extend_from_slice(MARK.as_bytes());
    }
    text.extend_from_slice(&line[start..end]);
    if cut_end {
        text.extend_from_slice(MARK.as_bytes());
    }
    Window { text: Cow::Owned(text), shown: start..end, cut_start, cut_end }
}

/// The first place at or after `at` that does not split a character.
fn boundary_after(line: &[u8], at: usize) -> usize {
    match char_around(line, at) {
        Some(range) => range.end,
        None => at,
    }
}

/// The last place at or before `at` that does not split a character.
fn boundary_before(line: &[u8], at: usize) -> usize {
    match char_around(line, at) {
        Some(range) => range.start,
        None => at,
    }
}

/// The character that `at` lies inside of, if it does.
fn char_around(line: &[u8], at: usize) -> Option<Range<usize>> {
    (at.saturating_sub(3)..at).rev().find_map(|start| {
        let (len, found) = first_char(&line[start..]);
        (found.is_some() && start + len > at).then_some(start..start + len)
    })
}
