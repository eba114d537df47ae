//! Names and argument values as they appear in answers: one line, no control characters, bounded.

use std::borrow::Cow;
use std::path::Path;

use crate::limits;

/// Shows a path on one line: control and bidirectional characters and bytes that are not UTF-8 are escaped, and the
/// shown form can be used as a path again.
pub(crate) fn show_name(path: &Path) -> Cow<'_, str> {
    sandbox_policy::escape(path)
}

/// Repeats a value that the caller sent, cut to a bounded length and without control characters.
pub(crate) fn echo(value: &str) -> String {
    let mut shown: String = value
        .chars()
        .take(limits::ECHO_CHARS)
        .map(|c| if c.is_control() || is_bidi(c) { '\u{fffd}' } else { c })
        .collect();
    if value.chars().nth(limits::ECHO_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

/// Characters that reorder what follows them, and line separators.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}
