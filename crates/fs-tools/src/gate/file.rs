//! Files that were granted: reading, and the writes that the grant allows.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rooted_fs::{Error, Handle, Parents, ReadOnlyFiles, RelName, Root, VerifyError};
use sandbox_policy::{Confirmed, Grant};

use super::{Gate, disk_error};
use crate::error::{Class, ToolError};
use crate::limits;
use crate::render::show_name;

/// A regular file that was granted, open for reading.
pub(crate) struct OpenFile<'g> {
    gate: &'g Gate,
    root: &'g Root,
    name: RelName,
    path: PathBuf,
    asked: String,
    handle: Handle,
    grant: Grant,
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

    /// Replaces the content atomically, if the file is still the one that was read.
    pub(crate) fn replace(self, bytes: &[u8]) -> Result<Written<'g>, WriteError> {
        self.check_grant()?;
        let mut options = self.gate.options;
        options.parents = Parents::Require;
        let result = self.root.replace(&self.name, &self.handle, bytes, &options);
        self.written(result)
    }

    /// Replaces the content also of a file that is marked read-only: the caller asked for it by name.
    pub(crate) fn overwrite(self, bytes: &[u8]) -> Result<Written<'g>, WriteError> {
        self.check_grant()?;
        let mut options = self.gate.options;
        options.read_only = ReadOnlyFiles::Replace;
        let result = self.root.replace(&self.name, &self.handle, bytes, &options);
        self.written(result)
    }

    /// Appends in place, wherever the end of this very file is now; returns where the bytes stand.
    pub(crate) fn append(self, bytes: &[u8]) -> Result<(Written<'g>, u64), WriteError> {
        self.check_grant()?;
        let links = self.gate.append_to_hard_links;
        let result = self.root.append(&self.name, Some(&self.handle), bytes, &self.gate.options, links);
        let written = self.written(result)?;
        let offset = written.written.offset;
        Ok((written, offset))
    }

    fn check_grant(&self) -> Result<(), WriteError> {
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

    fn written(self, result: Result<rooted_fs::Written, Error>) -> Result<Written<'g>, WriteError> {
        match result {
            Ok(written) => {
                // What a person confirmed holds for the file that took its place.
                let confirmed = Confirmed::of(&self.grant);
                self.gate.remember(confirmed.map(|one| one.replaced_by(written.meta.dev, written.meta.ino)));
                Ok(Written { root: self.root, name: self.name, path: self.path, written })
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
    pub(crate) fn create(self, bytes: &[u8]) -> Result<Written<'g>, WriteError> {
        debug_assert!(self.grant.op().is_write(), "a name is granted for creation only");
        let mut options = self.gate.options;
        options.parents = Parents::Create;
        match self.root.create(&self.name, bytes, &options) {
            Ok(written) => Ok(Written { root: self.root, name: self.name, path: self.path, written }),
            Err(Error::Exists | Error::Moved) => Err(WriteError::Lost),
            Err(error) => Err(WriteError::Failed(disk_error(&error, &self.asked))),
        }
    }
}

impl Written<'_> {
    /// The absolute path, for display.
    pub(crate) fn resolved(&self) -> String {
        show_name(&self.path).into_owned()
    }

    /// Sentences about the write that the caller should know: written in place, attributes lost, other names left.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.written.in_place {
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
