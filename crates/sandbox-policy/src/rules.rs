//! Rules: what a name pattern stands for.

use std::sync::Arc;

use crate::{settings::Level, tables::Row};

/// Names what a rule is about.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Never read, listed or written.
    Protected,
    /// Holds our own configuration, history or logs.
    OwnState,
    /// Holds results that did not fit an answer: readable, not searched, not writable.
    Artifacts,
    /// Usually holds secrets: guarded.
    Sensitive,
    /// A sensitive name that the operator opened.
    Opened,
    /// Readable, but not writable.
    WriteDenied,
    /// Run or obeyed by some program later: writing is guarded.
    RunLater,
    /// Run rather than shown by the opener of a desktop.
    Program,
}

impl Class {
    /// Returns the stable snake_case name.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Protected => "protected",
            Class::OwnState => "own_state",
            Class::Artifacts => "artifacts",
            Class::Sensitive => "sensitive",
            Class::Opened => "opened",
            Class::WriteDenied => "write_denied",
            Class::RunLater => "run_later",
            Class::Program => "program",
        }
    }

    /// Tells whether entries with such a name are left out of listings and walks.
    pub(crate) fn is_hidden(self) -> bool {
        matches!(self, Class::Protected | Class::OwnState | Class::Artifacts | Class::Sensitive)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) class: Class,
    pub(crate) id: Arc<str>,
    pub(crate) pattern: Arc<str>,
    pub(crate) files_only: bool,
    pub(crate) level: Level,
    /// Whether the operator opened the rule as a whole.
    pub(crate) opened: bool,
    /// Whether the rule still holds when the workspace itself lies below a match.
    ///
    /// The operator chose the workspace: a project below `.claude` is a project. Only what must never be touched at
    /// all stays shut, and what the operator wrote stays as it was written.
    pub(crate) reaches_into_workspace: bool,
}

impl Rule {
    pub(crate) fn of_row(class: Class, row: &Row) -> Rule {
        Rule {
            class,
            id: row.id.into(),
            pattern: row.pattern.into(),
            files_only: row.files_only,
            level: row.level,
            opened: false,
            reaches_into_workspace: class == Class::Protected,
        }
    }

    /// Tells whether a name that matches this rule counts as opened by the operator.
    ///
    /// A name that two sensitive rules match is opened by either: who opens `*.key` has opened `master.key`.
    pub(crate) fn opens(&self) -> bool {
        self.opened || self.class == Class::Opened
    }

    pub(crate) fn of_entry(class: Class, entry: &str, level: Level) -> Rule {
        let id = crate::names::entry_id(entry);
        let pattern = id.clone();
        Rule { class, id, pattern, files_only: false, level, opened: false, reaches_into_workspace: true }
    }
}

/// Describes one rule in force, for a display of the effective configuration.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo<'a> {
    /// What the rule is about.
    pub class: Class,
    /// The id: the stable id of a table row, or the entry of the operator as written.
    pub id: &'a str,
    /// The pattern.
    pub pattern: &'a str,
    /// How strict the rule is, for rules of [`Class::RunLater`].
    pub level: Option<Level>,
    /// Whether the operator opened the rule as a whole.
    pub opened: bool,
}
