//! Files that were granted: reading, and the writes that the grant allows.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use file_history::{Keep, Op};
use rooted_fs::{
    Error, Handle, InPlace, Meta, Parents, ReadOnlyFiles, RelName, Root, VerifyError, WriteOptions,
};
use sandbox_policy::{Confirmed, Grant};

use super::{By, Gate, disk_error, errors};
use crate::error::{Class, ToolError};
use crate::limits;
use crate::recorder::{Change, Recorder};
use crate::render::show_name;

/// A regular file that was granted, open for reading.
pub(crate) struct OpenFile<'g> {
    pub(super) gate: &'g Gate,
    pub(super) root: &'g Root,
    pub(super) name: RelName,
    pub(super) path: PathBuf,
    pub(super) asked: String,
    pub(super) handle: Handle,
    pub(super) grant: Grant,
}

/// A name that is free and was granted for creation.
pub(crate) struct NewFile<'g> {
    gate: &'g Gate,
    root: &'g Root,
    name: RelName,
    path: PathBuf,
    asked: String,
    grant: Grant,
}

/// A write that happened, until it is read back.
pub(crate) struct Written<'g> {
    root: &'g Root,
    name: RelName,
    path: PathBuf,
    written: rooted_fs::Written,
    /// An append is in place by its nature.
    is_append: bool,
    notes: Vec<String>,
}

/// Why a write did not happen.
pub(crate) enum WriteError {
    /// Somebody else was first; the caller may look again.
    Lost,
    /// For this reason.
    Failed(ToolError),
}

/// Why a write could not be confirmed.
#[derive(Debug)]
pub(crate) enum ReadBack {
    /// It could not be read; with what the disk said.
    Unreadable(String),
    /// It differs from this byte on.
    Mismatch(u64),
}

impl ReadBack {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "read_back_failed",
            Self::Mismatch(_) => "read_back_mismatch",
        }
    }
}

impl fmt::Display for ReadBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(detail) => f.write_str(detail),
            Self::Mismatch(at) => write!(f, "the file differs at byte {at}"),
        }
    }
}

impl<'g> OpenFile<'g> {
    pub(super) fn new(
        gate: &'g Gate,
        root: &'g Root,
        name: RelName,
        path: PathBuf,
        asked: &str,
        handle: Handle,
        grant: Grant,
    ) -> Self {
        Self { gate, root, name, path, asked: asked.to_owned(), handle, grant }
    }

    /// Size in bytes when the file was opened.
    pub(crate) fn size(&self) -> u64 {
        self.handle.meta().size
    }

    /// The facts of the file when it was opened.
    pub(crate) fn meta(&self) -> &Meta {
        self.handle.meta()
    }

    /// Permission bits when the file was opened.
    pub(crate) fn mode(&self) -> u32 {
        self.handle.meta().mode
    }

    /// The path as the caller gave it.
    pub(crate) fn asked(&self) -> &str {
        &self.asked
    }

    /// The name below the workspace, or the absolute path of a file outside it.
    pub(crate) fn shown(&self) -> String {
        let inside = std::ptr::eq(self.root, self.gate.root());
        show_name(if inside { self.name.as_path() } else { &self.path }).into_owned()
    }

    /// The absolute path, for display.
    pub(crate) fn resolved(&self) -> String {
        show_name(&self.path).into_owned()
    }

    /// The name below the workspace, when the file is in it.
    pub(crate) fn name_in_workspace(&self) -> Option<&Path> {
        std::ptr::eq(self.root, self.gate.root()).then(|| self.name.as_path())
    }

    /// The absolute canonical path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The last component of the name.
    pub(crate) fn base_name(&self) -> &Path {
        self.path.file_name().map_or(Path::new(""), Path::new)
    }

    /// Gives the open handle away, for a search of this one file.
    pub(crate) fn into_handle(self) -> Handle {
        self.handle
    }

    /// Reads a range; shorter when the file ends before it.
    pub(crate) fn read_range(&self, range: Range<u64>) -> Result<Vec<u8>, ToolError> {
        let mut bytes = Vec::new();
        let wanted = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        self.read_into(range.start, wanted, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads up to `wanted` bytes at `offset` into `out`, which is replaced; empty at the end of the file.
    pub(crate) fn read_into(&self, offset: u64, wanted: usize, out: &mut Vec<u8>) -> Result<(), ToolError> {
        out.clear();
        // No more memory than the file had bytes: a caller may ask for less of a huge range.
        let known = usize::try_from(self.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        out.resize(wanted.min(known), 0);
        let mut filled = 0;
        while filled < out.len() {
            match self.handle.read_at(&mut out[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) => return Err(disk_error(&error, &self.asked)),
            }
        }
        out.truncate(filled);
        Ok(())
    }

    /// Reads the whole file, up to the limit of an edit.
    pub(crate) fn read_all(&self) -> Result<Vec<u8>, ToolError> {
        self.handle.read_to_limit(limits::EDIT_BYTES).map_err(|error| disk_error(&error, &self.asked))
    }

    /// Replaces `before`, the content that was read, atomically, if the file is still the one that was read.
    pub(crate) fn replace(self, before: &[u8], after: &[u8], by: By<'_>) -> Result<Written<'g>, WriteError> {
        self.check_grant()?;
        let options = WriteOptions { in_place: self.in_place(), ..self.gate.options };
        self.recorded(Op::Edit, Some(before), after, by, |file| {
            file.root.replace(&file.name, &file.handle, after, &options)
        })
    }

    /// Replaces the content also of a file that is marked read-only: the caller asked for it by name.
    pub(crate) fn overwrite(self, after: &[u8], by: By<'_>) -> Result<Written<'g>, WriteError> {
        self.check_grant()?;
        let options = WriteOptions {
            read_only: ReadOnlyFiles::Replace,
            in_place: self.in_place(),
            ..self.gate.options
        };
        self.recorded(Op::Write, None, after, by, |file| {
            file.root.replace(&file.name, &file.handle, after, &options)
        })
    }

    /// Appends in place, wherever the end of this very file is now; returns where the bytes stand.
    pub(crate) fn append(self, bytes: &[u8], by: By<'_>) -> Result<(Written<'g>, u64), WriteError> {
        self.check_grant()?;
        let (options, links) = (self.gate.options, self.gate.append_to_hard_links);
        let write = |file: &Self| file.root.append(&file.name, Some(&file.handle), bytes, &options, links);
        let written = if self.gate.histories.is_some() {
            let before = self.read_all().map_err(WriteError::Failed)?;
            let after = [&before, bytes].concat();
            self.recorded(Op::Append, Some(&before), &after, by, write)
        } else {
            self.recorded(Op::Append, None, bytes, by, write)
        }?;
        let offset = written.written.offset;
        Ok((written, offset))
    }

    /// A file that cannot be replaced atomically, such as a single mounted file, may be written in place once its old
    /// content is safe in the history.
    fn in_place(&self) -> InPlace {
        let is_safe =
            self.gate.recorder(self.root).is_some() && self.gate.keep(&self.path).0 != Keep::Withhold;
        if is_safe { InPlace::Allow } else { InPlace::Refuse }
    }

    /// Records a change, makes it, and records what came of it. Without `before` the file is read for it.
    ///
    /// What cannot be recorded is refused: it could not be undone.
    fn recorded(
        self,
        op: Op,
        before: Option<&[u8]>,
        after: &[u8],
        by: By<'_>,
        write: impl FnOnce(&Self) -> Result<rooted_fs::Written, Error>,
    ) -> Result<Written<'g>, WriteError> {
        let Some(recorder) = self.gate.recorder(self.root) else {
            let result = write(&self);
            return self.written(result, op, Vec::new());
        };
        let refused = |error| WriteError::Failed(errors::not_recorded(&error, &self.asked));
        let guard = recorder.lock(self.name.as_bytes()).map_err(refused)?;
        let read;
        let before = match before {
            Some(before) => before,
            None => {
                read = self.read_all().map_err(WriteError::Failed)?;
                &read
            }
        };
        let (keep, notes) = self.gate.keep(&self.path);
        let change = Change {
            path: self.name.as_bytes(),
            op,
            before: Some((before, self.handle.meta().mode)),
            after,
            new_dirs: 0,
            keep,
            tool: by.tool,
            origin: by.call.origin,
        };
        let result = recorder.around(&change, || write(&self)).map_err(refused)?;
        drop(guard);
        self.written(result, op, notes)
    }

    pub(super) fn check_grant(&self) -> Result<(), WriteError> {
        if self.grant.op().is_write() {
            return Ok(());
        }
        Err(WriteError::Failed(
            ToolError::new(
                Class::Internal,
                "internal",
                "a file that was opened for reading was about to be written",
            )
            .at(&self.asked),
        ))
    }

    fn written(
        self,
        result: Result<rooted_fs::Written, Error>,
        op: Op,
        notes: Vec<String>,
    ) -> Result<Written<'g>, WriteError> {
        self.gate.note_change(self.root, &self.name);
        match result {
            Ok(written) => {
                // What a person confirmed holds for the file that took its place.
                if let Some(confirmed) = Confirmed::of(&self.grant) {
                    self.gate.follow(&confirmed, written.meta.dev, written.meta.ino);
                }
                Ok(Written {
                    root: self.root,
                    name: self.name,
                    path: self.path,
                    written,
                    is_append: op == Op::Append,
                    notes,
                })
            }
            Err(Error::Changed | Error::Moved | Error::NotFound | Error::Exists) => Err(WriteError::Lost),
            Err(error) => Err(WriteError::Failed(disk_error(&error, &self.asked))),
        }
    }
}

impl<'g> NewFile<'g> {
    pub(super) fn new(
        gate: &'g Gate,
        root: &'g Root,
        name: RelName,
        path: PathBuf,
        asked: &str,
        grant: Grant,
    ) -> Self {
        Self { gate, root, name, path, asked: asked.to_owned(), grant }
    }

    /// Creates the file with its content and the directories above it; exactly one of several creators wins.
    ///
    /// A creation that cannot be recorded goes ahead and says so: it destroys nothing.
    pub(crate) fn create(self, bytes: &[u8], by: By<'_>) -> Result<Written<'g>, WriteError> {
        debug_assert!(self.grant.op().is_write(), "a name is granted for creation only");
        let options = WriteOptions { parents: Parents::Create, ..self.gate.options };
        let write = || self.root.create(&self.name, bytes, &options);
        let (result, notes) = match self.gate.recorder(self.root) {
            None => (write(), Vec::new()),
            Some(recorder) => {
                let (keep, notes) = self.gate.keep(&self.path);
                let change = Change {
                    path: self.name.as_bytes(),
                    op: Op::Create,
                    before: None,
                    after: bytes,
                    new_dirs: missing_parents(self.root, &self.name),
                    keep,
                    tool: by.tool,
                    origin: by.call.origin,
                };
                let guard = recorder.lock(self.name.as_bytes());
                match guard.and_then(|_guard| recorder.around(&change, write)) {
                    Ok(result) => (result, notes),
                    Err(error) => {
                        let note = format!("not recorded in the history, so it cannot be undone: {error}");
                        (self.root.create(&self.name, bytes, &options), vec![note])
                    }
                }
            }
        };
        self.gate.note_change(self.root, &self.name);
        match result {
            Ok(written) => Ok(Written {
                root: self.root,
                name: self.name,
                path: self.path,
                written,
                is_append: false,
                notes,
            }),
            Err(Error::Exists | Error::Moved) => Err(WriteError::Lost),
            Err(error) => Err(WriteError::Failed(disk_error(&error, &self.asked))),
        }
    }
}

/// Counts the directories above a name that are not there yet.
fn missing_parents(root: &Root, name: &RelName) -> u32 {
    let mut count = 0;
    let mut dir = name.parent();
    while let Some(above) = dir.filter(|dir| !dir.is_root() && root.stat(dir) == Err(Error::NotFound)) {
        count += 1;
        dir = above.parent();
    }
    count
}

impl Gate {
    /// Where changes below `root` are recorded.
    pub(super) fn recorder(&self, root: &Root) -> Option<&Recorder> {
        let histories = self.histories.as_ref()?;
        Some(if std::ptr::eq(root, &self.root) { &histories.inside } else { &histories.outside })
    }

    /// Whether the history may keep the content of a file, and what to say when it may not.
    pub(super) fn keep(&self, path: &Path) -> (Keep, Vec<String>) {
        let Some(histories) = self.histories.as_ref().filter(|_| self.is_sensitive(path)) else {
            return (Keep::Content, Vec::new());
        };
        let notes = match histories.sensitive {
            Keep::Withhold => {
                vec![
                    "the history keeps no content of sensitive files: this change cannot be undone"
                        .to_owned(),
                ]
            }
            _ => Vec::new(),
        };
        (histories.sensitive, notes)
    }

    /// Whether a file counts as sensitive by its name, also where the operator has opened it.
    pub(crate) fn is_sensitive(&self, path: &Path) -> bool {
        self.rules.secret(path).is_some()
    }

    /// What a person should know before they allow a write: a sentence behind the question, or nothing.
    pub(super) fn warn_before(&self, op: sandbox_policy::Op, path: &Path) -> &'static str {
        if op.is_write() && self.keep(path).0 == Keep::Withhold {
            " The history keeps no content of sensitive files: this could not be undone."
        } else {
            ""
        }
    }
}

impl Written<'_> {
    /// The absolute canonical path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The facts of the file after the write.
    pub(crate) fn meta(&self) -> &Meta {
        &self.written.meta
    }

    /// The absolute path, for display.
    pub(crate) fn resolved(&self) -> String {
        show_name(&self.path).into_owned()
    }

    /// Sentences about the write that the caller should know: written in place, attributes lost, other names left.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        if self.written.in_place && !self.is_append {
            notes.push("written in place: the file cannot be replaced atomically here".to_owned());
        }
        if !self.written.kept.all() {
            notes.push("owner, group or extended attributes could not all be kept".to_owned());
        }
        if self.written.other_names > 0 {
            notes.push(format!(
                "{} other name(s) (hard links) keep the old content",
                self.written.other_names
            ));
        }
        if let Some(error) = &self.written.unsynced {
            notes.push(format!("the new name may not survive a power failure: {error}"));
        }
        notes
    }

    /// Reads the written bytes back through a fixed buffer and compares them; `bytes` stand at `from`.
    pub(crate) fn verify(&self, bytes: &[u8], from: u64) -> Result<(), ReadBack> {
        match self.root.verify(&self.name, &self.written, bytes, from) {
            // A name that leads elsewhere by now belongs to a later writer, who saw these bytes: they were compared first.
            Ok(()) | Err(VerifyError::Displaced) => Ok(()),
            Err(VerifyError::Mismatch { at }) => Err(ReadBack::Mismatch(at)),
            Err(error) => Err(ReadBack::Unreadable(error.to_string())),
        }
    }
}
