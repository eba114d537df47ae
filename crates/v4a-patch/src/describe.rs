//! Text for a model: a message, the lines of the file that explain it, and a corrected hunk, all bounded.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::error::HunkError;
use crate::explain::{Cause, LineMismatch, file_line};
use crate::target_error::TargetError;
use crate::text::{TextCause, TextDiagnosis};

/// Longest description, in bytes.
pub const MAX_DESCRIPTION_BYTES: usize = 2048;
/// Longest quoted line, in characters.
const MAX_LINE_CHARS: usize = 160;

impl HunkError {
    /// Writes the error with the lines of the file that explain it and, where there is one, the corrected hunk.
    ///
    /// `file` and `patch` are what was passed to the failed call. `show` turns a whole line of the file into what may
    /// be shown, such as its masked form; it is called before anything is cut. At most
    /// [`MAX_DESCRIPTION_BYTES`] long; a corrected hunk that does not fit is left out.
    ///
    /// # Examples
    ///
    /// ```
    /// use v4a_patch::{Options, apply};
    ///
    /// let (file, patch) = (b"\tpass\n", b"@@\n-    pass\n+    return\n");
    /// let error = apply(file, patch, "a.py", &Options::default()).unwrap_err();
    /// let text = error.failures()[0].describe(file, patch, |line| String::from_utf8_lossy(line).into_owned());
    /// assert!(text.contains("1 TAB in the file, 4 spaces expected"));
    /// assert!(text.contains("file line 1: \tpass"));
    /// assert!(text.contains("-\tpass\n+    return\n"));
    /// ```
    pub fn describe(&self, file: &[u8], patch: &[u8], mut show: impl FnMut(&[u8]) -> String) -> String {
        let mut out = self.to_string();
        let mismatch = match &self.diagnosis.cause {
            Cause::Near { mismatch, .. } | Cause::Diverges { mismatch, .. } => Some(mismatch),
            Cause::NotAtEnd { mismatch, .. } => mismatch.as_ref(),
            Cause::Absent { nearest } => nearest.first(),
            _ => None,
        };
        quote(&mut out, &self.diagnosis.file_lines(), mismatch, file, &mut show);
        if let Some(suggestion) = &self.diagnosis.suggestion
            && suggestion.lines.len() < MAX_DESCRIPTION_BYTES
        {
            let hunk = suggestion.render(file, patch, show);
            let text = format!("\nif the change is meant for this place, the hunk is:\n{hunk}");
            if out.len() + text.len() <= MAX_DESCRIPTION_BYTES {
                out.push_str(&text);
            }
        }
        out
    }
}

impl TextDiagnosis {
    /// Writes the diagnosis with the lines of the file that explain it.
    ///
    /// `show` turns a whole line of the file into what may be shown, such as its masked form; it is called before
    /// anything is cut. At most [`MAX_DESCRIPTION_BYTES`] long.
    pub fn describe(&self, file: &[u8], mut show: impl FnMut(&[u8]) -> String) -> String {
        let mut out = self.to_string();
        quote(&mut out, &self.file_lines(), self.mismatch(), file, &mut show);
        out
    }

    fn mismatch(&self) -> Option<&LineMismatch> {
        match self {
            Self::NotFound(TextCause::Near { mismatch, .. } | TextCause::Diverges { mismatch, .. }) => {
                Some(mismatch)
            }
            Self::NotFound(TextCause::Absent { nearest }) => nearest.first(),
            _ => None,
        }
    }
}

impl TargetError {
    /// Writes the error with the lines of the file that explain it.
    ///
    /// `file` is what was passed to the failed call. `show` turns a whole line of the file into what may be shown,
    /// such as its masked form; it is called before anything is cut. At most [`MAX_DESCRIPTION_BYTES`] long.
    ///
    /// # Examples
    ///
    /// ```
    /// use v4a_patch::{Target, plan_targets};
    ///
    /// let file = b"\tpass\n";
    /// let target = Target { old: b"    pass", new: b"    return", replace_all: false };
    /// let error = plan_targets(file, &[target]).unwrap_err();
    /// let text = error.describe(file, |line| String::from_utf8_lossy(line).into_owned());
    /// assert!(text.contains("1 TAB in the file, 4 spaces expected"));
    /// assert!(text.ends_with("\nfile line 1: \tpass"));
    /// ```
    pub fn describe(&self, file: &[u8], mut show: impl FnMut(&[u8]) -> String) -> String {
        let mut out = self.to_string();
        let mismatch = self.diagnosis().and_then(TextDiagnosis::mismatch);
        quote(&mut out, &self.file_lines(), mismatch, file, &mut show);
        out
    }
}

/// Adds lines of the file as long as they fit.
fn quote(
    out: &mut String,
    lines: &[usize],
    mismatch: Option<&LineMismatch>,
    file: &[u8],
    show: &mut dyn FnMut(&[u8]) -> String,
) {
    for &line in lines {
        let Some(text) = file_line(file, line) else { continue };
        let around =
            mismatch.filter(|mismatch| mismatch.file_line == line).map_or(0, |m| m.difference.column());
        let text = format!("\nfile line {line}: {}", cut(&show(text), around));
        if out.len() + text.len() > MAX_DESCRIPTION_BYTES {
            return;
        }
        out.push_str(&text);
    }
}

/// Cuts a line to [`MAX_LINE_CHARS`] characters around the character `around`.
fn cut(text: &str, around: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= MAX_LINE_CHARS {
        return text.to_owned();
    }
    let start = around.saturating_sub(MAX_LINE_CHARS / 2).min(chars.len() - MAX_LINE_CHARS);
    let end = start + MAX_LINE_CHARS;
    let mut out = String::new();
    if start > 0 {
        out.push('…');
    }
    out.extend(&chars[start..end]);
    if end < chars.len() {
        out.push('…');
    }
    out
}
