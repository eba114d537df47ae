//! What the tools themselves have changed since the index looked last.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Paths below the workspace, in memory. Nothing is kept unless somebody will ask for it.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    kept: Mutex<Option<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    paths: Vec<PathBuf>,
    /// There were more than are kept.
    overflow: bool,
}

impl Changes {
    /// Paths that are kept between two searches.
    const MAX: usize = 4_096;

    /// From here on changes are kept.
    pub(crate) fn keep(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(Kept::default());
    }

    /// Notes that the file at `path`, below the workspace, was written, made, moved or removed.
    pub(crate) fn note(&self, path: &Path) {
        if let Some(kept) = &mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner) {
            if kept.paths.len() < Self::MAX {
                kept.paths.push(path.to_owned());
            } else {
                kept.overflow = true;
            }
        }
    }

    /// Returns the paths since the last time; `None` when there were too many.
    pub(crate) fn take(&self) -> Option<Vec<PathBuf>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.as_mut().map(std::mem::take).unwrap_or_default();
        (!kept.overflow).then_some(kept.paths)
    }
}
