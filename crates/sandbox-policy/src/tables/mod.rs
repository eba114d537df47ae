//! The rule data: one row per line, with its id and where it comes from.

pub(crate) mod privacy;
pub(crate) mod programs;
pub(crate) mod protected;
pub(crate) mod run_later;
pub(crate) mod sensitive;

use crate::settings::Level;

/// One row of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The stable id that a reason names and that settings refer to.
    pub(crate) id: &'static str,
    /// What it matches; see [`crate::Settings`] for the notation.
    pub(crate) pattern: &'static str,
    /// What it does not match after all.
    pub(crate) except: &'static [&'static str],
    /// Whether a directory of that name is ordinary.
    pub(crate) files_only: bool,
    /// How strict it is; only the run-later table differs by row.
    pub(crate) level: Level,
}

/// A row that matches files and directories.
const fn row(id: &'static str, pattern: &'static str) -> Row {
    Row { id, pattern, except: &[], files_only: false, level: Level::Confirm }
}

/// A row that matches anything but directories.
const fn file(id: &'static str, pattern: &'static str) -> Row {
    let mut row = row(id, pattern);
    row.files_only = true;
    row
}

impl Row {
    const fn except(mut self, except: &'static [&'static str]) -> Row {
        self.except = except;
        self
    }

    const fn notice(mut self) -> Row {
        self.level = Level::Notice;
        self
    }
}
