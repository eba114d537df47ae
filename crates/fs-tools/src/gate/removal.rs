//! Taking a file away, with its last content safe in the history.

use file_history::{Context, FileState, Intent, Keep, Op, Outcome};

use super::{By, OpenFile, WriteError, disk_error, errors, history_error};
use crate::error::{Class, ToolError};
use crate::recorder::now;

impl OpenFile<'_> {
    /// Removes the file if it is still the one that was opened; returns the version that brings it back.
    ///
    /// What cannot be brought back is not removed: without a history, and for sensitive files, of which no content is
    /// kept.
    ///
    /// # Errors
    ///
    /// [`WriteError::Lost`] when somebody else changed or removed it meanwhile.
    pub(crate) fn remove(self, by: By<'_>) -> Result<Option<u64>, WriteError> {
        self.check_grant()?;
        let failed = WriteError::Failed;
        let recorder =
            self.gate.recorder(self.root).ok_or_else(|| failed(errors::history_off(&self.asked)))?;
        let keep = self.gate.keep(&self.path).0;
        if keep == Keep::Withhold {
            return Err(failed(
                ToolError::new(
                    Class::Denied,
                    "not_restorable",
                    "the history keeps no content of sensitive files, so a removal could not be undone",
                )
                .at(&self.asked)
                .hint(
                    "ask the user to remove it; an operator can have such content kept sealed with \
                     fs_tools.history.key_file",
                ),
            ));
        }
        let refused = |error: file_history::Error| failed(errors::not_recorded(&error, &self.asked));
        let path = self.name.as_bytes();
        let _guard = recorder.lock(path).map_err(refused)?;
        let bytes = self.read_all().map_err(failed)?;
        let before = FileState { bytes: &bytes, mode: Some(self.mode()) };
        let intent = Intent { keep, ..Intent::new(path, Op::Remove, Some(before), None, by.tool) };
        let origin = by.call.origin;
        let context = Context { task: origin.task, goal: origin.goal, run: origin.run };
        recorder.make_room(origin.task).map_err(refused)?;
        let ids = recorder.with(|history| history.begin(&[intent], &context, now())).map_err(refused)?;
        let result = self.root.remove(&self.name, &self.handle, self.gate.options.durability);
        self.gate.note_change(self.root, &self.name);
        let id = ids.first().copied().flatten();
        if let Some(id) = id {
            let outcome = if result.is_ok() { Outcome::Landed } else { Outcome::Failed };
            // What cannot be settled now is settled by the next recovery, from what is on disk.
            let _ = recorder.with(|history| history.settle(&[(id, outcome)]));
            recorder.tidy(origin.task);
        }
        match result {
            Ok(()) => Ok(id.map(|id| id.0)),
            Err(rooted_fs::Error::Changed | rooted_fs::Error::Moved | rooted_fs::Error::NotFound) => {
                Err(WriteError::Lost)
            }
            Err(rooted_fs::Error::Busy) => {
                Err(failed(history_error(&file_history::Error::Busy { owner: None }, &self.asked)))
            }
            Err(error) => Err(failed(disk_error(&error, &self.asked))),
        }
    }
}
