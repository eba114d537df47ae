//! Parses a whole patch text.

use memchr::memchr;

use crate::error::ParseError;
use crate::machine::{Event, Machine};
use crate::options::{Options, Profile};
use crate::patch::{Header, Hunk, Line, Patch, Section, SectionKind};

/// Parses `patch` by the rules of `profile`.
///
/// The result borrows the text. An `edit_file` patch has exactly one section.
///
/// # Errors
///
/// The first mistake by position, with its line, its column, what was expected and, where the cause is known, advice.
///
/// # Cost
///
/// O(n) time; 24 to 32 bytes per line of the patch.
///
/// # Examples
///
/// ```
/// use v4a_patch::{Options, Profile, parse};
///
/// let patch = parse(b"@@\n-a\n+b\n", Profile::EditFile { path: "x.txt" }, &Options::default())?;
/// assert_eq!(patch.hunk_count(), 1);
///
/// let error = parse(b"@@\n-a\nb\n", Profile::EditFile { path: "x.txt" }, &Options::default()).unwrap_err();
/// assert_eq!((error.code(), error.patch_line), ("invalid_line_prefix", 3));
/// # Ok::<(), v4a_patch::ParseError>(())
/// ```
pub fn parse<'p>(
    patch: &'p [u8],
    profile: Profile<'_>,
    options: &Options<'_>,
) -> Result<Patch<'p>, ParseError> {
    let mut machine = Machine::new(profile, options);
    let mut out = Patch::default();
    let max = options.limits.max_patch_bytes;
    let allowed = &patch[..patch.len().min(max)];
    let mut rest = allowed;
    let mut sink = |event| build(&mut out, event);
    while let Some(end) = memchr(b'\n', rest) {
        machine.line(&rest[..end], &mut sink)?;
        rest = &rest[end + 1..];
    }
    if patch.len() > max {
        return Err(machine.too_long(max));
    }
    if !rest.is_empty() {
        machine.line(rest, &mut sink)?;
    }
    machine.finish(&mut sink)?;
    Ok(out)
}

/// Adds what an event says to the patch.
fn build<'p>(patch: &mut Patch<'p>, event: Event<'p>) {
    if let Event::Section { kind, path, patch_line } = event {
        patch.sections.push(Section {
            kind,
            path,
            patch_line,
            move_to: None,
            hunks: alloc::vec::Vec::new(),
            added: alloc::vec::Vec::new(),
        });
        return;
    }
    let Some(section) = patch.sections.last_mut() else { return };
    match event {
        Event::MoveTo { path, patch_line } => section.move_to = Some((path, patch_line)),
        Event::HunkStart { patch_line } => section.hunks.push(Hunk { patch_line, ..Hunk::default() }),
        Event::Line { text, .. } if section.kind == SectionKind::Add => section.added.push(text),
        Event::Header { text, patch_line } => {
            if let Some(hunk) = section.hunks.last_mut() {
                hunk.headers.push(Header { text, patch_line });
            }
        }
        Event::Line { kind, text, patch_line } => {
            if let Some(hunk) = section.hunks.last_mut() {
                hunk.lines.push(Line { kind, text, patch_line });
            }
        }
        Event::HunkEnd { end_of_file } => {
            if let Some(hunk) = section.hunks.last_mut() {
                hunk.end_of_file = end_of_file;
            }
        }
        _ => {}
    }
}
