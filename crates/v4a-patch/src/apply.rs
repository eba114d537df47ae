//! Applies a patch to one file in one call.

use alloc::vec::Vec;

use crate::error::Error;
use crate::locate::locate_in;
use crate::options::{Options, Profile};
use crate::parse::parse;
use crate::plan::{Plan, Report};

/// The new text of a file, and what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Applied {
    /// The whole new text.
    pub bytes: Vec<u8>,
    /// Where each hunk was placed.
    pub report: Report,
}

/// Applies an `edit_file` patch to `file`, which the patch may call `path`.
///
/// All hunks or none: the file is only read.
///
/// # Errors
///
/// [`Error::Parse`], [`Error::Locate`] or [`Error::LimitExceeded`].
///
/// # Cost
///
/// That of [`parse`](crate::parse()), [`locate`](crate::locate()) and [`Plan::render`].
///
/// # Examples
///
/// ```
/// use v4a_patch::{Options, apply};
///
/// let done = apply(b"red\r\ngreen\r\n", b"@@\n-green\n+olive\n", "a.txt", &Options::default())?;
/// assert_eq!(done.bytes, b"red\r\nolive\r\n");
/// assert_eq!(done.report.hunks[0].line, 2);
/// # Ok::<(), v4a_patch::Error>(())
/// ```
pub fn apply(file: &[u8], patch: &[u8], path: &str, options: &Options<'_>) -> Result<Applied, Error> {
    let plan = plan(file, patch, path, options)?;
    Ok(Applied { bytes: plan.render(), report: plan.report })
}

/// As [`apply`], but stops before the new text is made: for a preview, or to write it piece by piece.
///
/// # Errors
///
/// As [`apply`].
pub fn plan<'f>(file: &'f [u8], patch: &[u8], path: &str, options: &Options<'_>) -> Result<Plan<'f>, Error> {
    let patch = parse(patch, Profile::EditFile { path }, options)?;
    let hunks = patch.sections.first().map_or(&[][..], |section| &section.hunks);
    locate_in(file, hunks, path, options)
}
