//! Applies a patch of several sections over a map of files: all or nothing.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::error::{Error, HunkError, LocateError};
use crate::file_map::FileMap;
use crate::locate::{MAX_FAILURES, locate_in};
use crate::options::{Existing, Options, Profile};
use crate::parse::parse;
use crate::patch::{Section, SectionKind, normalize_path};
use crate::plan::Report;

/// What happens to one file, compared with the map as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The normalised path.
    pub path: String,
    /// The new bytes; `None` when the file goes.
    pub content: Option<Vec<u8>>,
    /// Whether the file was there before.
    pub existed: bool,
    /// Where the content came from, when it was moved.
    pub moved_from: Option<String>,
}

/// The result of a multi-file patch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use]
pub struct MultiApplied {
    /// One entry per file that differs from before, in the order in which the patch touches them first.
    pub changes: Vec<FileChange>,
    /// For each section in order the path as written and where its hunks were placed (empty for Add and Delete).
    pub reports: Vec<(String, Report)>,
}

/// The state of a path after the sections so far.
struct Entry {
    order: usize,
    existed: bool,
    content: Option<Vec<u8>>,
    moved_from: Option<String>,
    /// A section for this path failed; later ones are not judged.
    failed: bool,
}

/// Applies a patch of the full dialect. Sections run in order, each on the result of the ones before.
///
/// Nothing is written: either all changes are returned or none.
///
/// # Errors
///
/// [`Error::Parse`]; [`Error::FileMissing`], [`Error::FileExists`] and [`Error::FileUnreadable`] for the first section
/// that cannot run; [`Error::Locate`] with up to five failed hunks of all sections; [`Error::LimitExceeded`]. The line
/// numbers of a failed hunk are those of its file as the sections before have left it.
///
/// # Examples
///
/// ```
/// use v4a_patch::{MemFiles, Options, apply_multi};
///
/// let files = MemFiles::from([("a.txt".to_string(), b"one\n".to_vec())]);
/// let patch = b"*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+two\n*** End Patch\n";
/// let done = apply_multi(&files, patch, &Options::default())?;
/// assert_eq!(done.changes[0].path, "a.txt");
/// assert_eq!(done.changes[0].content, None);
/// assert_eq!(done.changes[1].content.as_deref(), Some(&b"two\n"[..]));
/// # Ok::<(), v4a_patch::Error>(())
/// ```
pub fn apply_multi<M: FileMap + ?Sized>(
    files: &M,
    patch: &[u8],
    options: &Options<'_>,
) -> Result<MultiApplied, Error> {
    let patch = parse(patch, Profile::Multi, options)?;
    let mut run = Run { files, options, overlay: BTreeMap::new(), failures: Vec::new(), reports: Vec::new() };
    for section in &patch.sections {
        if let Err(error) = run.section(section) {
            // A failed hunk comes first in the patch, so it decides the class.
            return Err(if run.failures.is_empty() { error } else { run.failed() });
        }
        if run.failures.len() >= MAX_FAILURES {
            break;
        }
    }
    if !run.failures.is_empty() {
        return Err(run.failed());
    }
    let mut entries: Vec<(String, Entry)> = run.overlay.into_iter().collect();
    entries.sort_by_key(|(_, entry)| entry.order);
    let mut changes = Vec::new();
    for (path, entry) in entries {
        let unchanged = match &entry.content {
            None => !entry.existed,
            Some(content) => {
                entry.existed && files.read(&path).is_ok_and(|old| old.is_some_and(|old| *old == content[..]))
            }
        };
        if !unchanged {
            let Entry { existed, content, moved_from, .. } = entry;
            changes.push(FileChange { path, content, existed, moved_from });
        }
    }
    Ok(MultiApplied { changes, reports: run.reports })
}

struct Run<'a, M: ?Sized> {
    files: &'a M,
    options: &'a Options<'a>,
    overlay: BTreeMap<String, Entry>,
    failures: Vec<HunkError>,
    reports: Vec<(String, Report)>,
}

impl<M: FileMap + ?Sized> Run<'_, M> {
    fn failed(&mut self) -> Error {
        let mut failures = core::mem::take(&mut self.failures);
        failures.truncate(MAX_FAILURES);
        LocateError { failures }.into()
    }

    fn section(&mut self, section: &Section<'_>) -> Result<(), Error> {
        let path = normalize_path(section.path);
        if self.overlay.get(&path).is_some_and(|entry| entry.failed) {
            return Ok(());
        }
        match section.kind {
            SectionKind::Add => {
                self.refuse_existing(&path, section.path, section.patch_line)?;
                let mut content = Vec::with_capacity(section.added.iter().map(|line| line.len() + 1).sum());
                for line in &section.added {
                    content.extend_from_slice(line.as_bytes());
                    content.push(b'\n');
                }
                self.put(path, Some(content), None, section.patch_line)?;
                self.reports.push((section.path.to_string(), Report { changed: true, ..Report::default() }));
            }
            SectionKind::Delete => {
                self.content(&path, section.path, section.patch_line)?;
                self.put(path, None, None, section.patch_line)?;
                self.reports.push((section.path.to_string(), Report { changed: true, ..Report::default() }));
            }
            SectionKind::Update => self.update(section, path)?,
        }
        Ok(())
    }

    fn update(&mut self, section: &Section<'_>, path: String) -> Result<(), Error> {
        let old = self.content(&path, section.path, section.patch_line)?.into_owned();
        if let Some((target, line)) = section.move_to {
            self.refuse_existing(&normalize_path(target), target, line)?;
        }
        let (content, report) = match locate_in(&old, &section.hunks, section.path, self.options) {
            Ok(plan) => (plan.render(), plan.report),
            Err(Error::Locate(error)) => {
                self.failures.extend(error.failures);
                self.put(path.clone(), Some(old), None, section.patch_line)?;
                self.fail(&path);
                if let Some((target, line)) = section.move_to {
                    let target = normalize_path(target);
                    self.put(target.clone(), None, None, line)?;
                    self.fail(&target);
                }
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        self.reports.push((section.path.to_string(), report));
        match section.move_to {
            Some((target, line)) => {
                let origin = self.overlay.get(&path).and_then(|entry| entry.moved_from.clone());
                self.put(path.clone(), None, None, section.patch_line)?;
                self.put(normalize_path(target), Some(content), Some(origin.unwrap_or(path)), line)
            }
            None => {
                let origin = self.overlay.get(&path).and_then(|entry| entry.moved_from.clone());
                self.put(path, Some(content), origin, section.patch_line)
            }
        }
    }

    fn fail(&mut self, path: &str) {
        if let Some(entry) = self.overlay.get_mut(path) {
            entry.failed = true;
        }
    }

    /// Reads `path` as the sections so far have left it.
    fn read(&self, path: &str, written: &str, patch_line: usize) -> Result<Option<Cow<'_, [u8]>>, Error> {
        match self.overlay.get(path) {
            Some(entry) => Ok(entry.content.as_deref().map(Cow::Borrowed)),
            None => self.files.read(path).map_err(|reason| Error::FileUnreadable {
                path: written.to_string(),
                patch_line,
                reason,
            }),
        }
    }

    fn content(&self, path: &str, written: &str, patch_line: usize) -> Result<Cow<'_, [u8]>, Error> {
        self.read(path, written, patch_line)?
            .ok_or_else(|| Error::FileMissing { path: written.to_string(), patch_line })
    }

    fn refuse_existing(&self, path: &str, written: &str, patch_line: usize) -> Result<(), Error> {
        if self.options.existing == Existing::Refuse && self.read(path, written, patch_line)?.is_some() {
            return Err(Error::FileExists { path: written.to_string(), patch_line });
        }
        Ok(())
    }

    fn put(
        &mut self,
        path: String,
        content: Option<Vec<u8>>,
        moved_from: Option<String>,
        patch_line: usize,
    ) -> Result<(), Error> {
        if let Some(entry) = self.overlay.get_mut(&path) {
            entry.content = content;
            entry.moved_from = moved_from;
            return Ok(());
        }
        let existed = self
            .files
            .read(&path)
            .map_err(|reason| Error::FileUnreadable { path: path.clone(), patch_line, reason })?
            .is_some();
        let order = self.overlay.len();
        self.overlay.insert(path, Entry { order, existed, content, moved_from, failed: false });
        Ok(())
    }
}
