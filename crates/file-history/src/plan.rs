//! Plans: what restoring a version or undoing a task would do, file by file, before anything is touched.

use crate::{
    blobs,
    error::{Block, Error, Gap},
    history::{self, History, Names, change},
    record,
    seal::{At, KeySource},
    store::{ChangeRow, Hash, PathId, Rows, Scan, SetKind, SetStatus, StateKind, Store, StoredState, Which},
    version::{ChangeId, Op, Outcome, SetId},
    workspace::{Current, Workspace},
};

/// Says what to do about files that changed since.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// Touch nothing at all.
    Refuse,
    /// Leave those files alone and do the others.
    Skip,
    /// Record what is there and put the old content over it. Files that are blocked, or whose old content is not kept,
    /// still stand in the way of everything.
    Force,
}

/// What a plan does, or what stands in its way. Make one, look at it, and [`execute`](History::execute) it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub(crate) kind: SetKind,
    pub(crate) on_conflict: OnConflict,
    pub(crate) files: Vec<Planned>,
    /// The interrupted group that this plan settles.
    pub(crate) resolves: Option<SetId>,
}

impl Plan {
    /// Returns the files of the plan, ancestors before descendants, otherwise in byte order.
    pub fn files(&self) -> &[Planned] {
        &self.files
    }

    /// Tells whether executing the plan would touch nothing because something stands in its way.
    pub fn is_refused(&self) -> bool {
        self.files.iter().any(|file| self.verdict(file) == Verdict::Stops)
    }

    /// Says what becomes of one file.
    pub(crate) fn verdict(&self, file: &Planned) -> Verdict {
        match (&file.class, self.on_conflict) {
            (Class::Clean, _) => Verdict::Goes,
            (Class::Already, _) => Verdict::Rests,
            (_, OnConflict::Refuse) => Verdict::Stops,
            (_, OnConflict::Skip) => Verdict::Skipped,
            (Class::LaterTask { .. } | Class::External { .. }, OnConflict::Force) => Verdict::Goes,
            (Class::NotRestorable(_) | Class::Blocked(_), OnConflict::Force) => Verdict::Stops,
        }
    }
}

/// What becomes of a file of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Goes,
    Rests,
    Skipped,
    Stops,
}

/// One file of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Path relative to the root, in bytes.
    pub path: Vec<u8>,
    /// How the file stands to the plan.
    pub class: Class,
    /// The version that would be put back, where one holds the content.
    pub from: Option<ChangeId>,
    pub(crate) target: StoredState,
    pub(crate) seen: Seen,
    /// How many parents were created with the file, to take away with it if they are empty.
    pub(crate) dirs: u32,
}

/// How a file stands to a plan.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// It is as the history left it: it can be put back.
    Clean,
    /// It has the wanted content already: it is left alone.
    Already,
    /// Another task changed it since.
    LaterTask {
        /// That task.
        task: String,
        /// The newest version that it made.
        version: ChangeId,
    },
    /// It was changed outside the tools.
    External {
        /// The version that holds those changes, where they are recorded.
        version: Option<ChangeId>,
    },
    /// The wanted content is not kept.
    NotRestorable(Gap),
    /// What is there must not be touched.
    Blocked(Block),
}

impl Class {
    /// Returns the stable word for this class.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Already => "already",
            Self::LaterTask { .. } => "later_task",
            Self::External { .. } => "external",
            Self::NotRestorable(_) => "not_restorable",
            Self::Blocked(_) => "blocked",
        }
    }
}

/// What was at a path when the plan was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    Absent,
    File { hash: Hash, len: u64, mode: Option<u32> },
    Blocked(Block),
}

impl Seen {
    pub(crate) fn of(current: &Current) -> Self {
        match current {
            Current::Absent => Self::Absent,
            Current::File(content) => Self::File {
                hash: blobs::hash(&content.bytes),
                len: content.bytes.len() as u64,
                mode: content.mode,
            },
            Current::Blocked(block) => Self::Blocked(*block),
        }
    }

    /// Tells whether the content is the same; permission bits do not count.
    pub(crate) fn has_content_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { hash: a, .. }, Self::File { hash: b, .. }) => a == b,
            (a, b) => a == b,
        }
    }
}

impl<S: Store> History<S> {
    /// Plans to put one version back. The current content is recorded first, so this can be undone.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownVersion`], [`Error::Pruned`], [`Error::NotRestorable`], [`Error::Damaged`],
    /// [`Error::KeyMismatch`], [`Error::Blocked`], those of the store and of the workspace.
    pub fn restore_plan(&self, id: ChangeId, workspace: &mut impl Workspace) -> Result<Plan, Error> {
        let (row, path, gap) = self.store.view(|rows| {
            let row = change(rows, id)?;
            let path = Names::default().path(rows, row.path)?;
            let gap = gap(rows, self.at(row.path), history::restorable(&row))?;
            Ok((row, path, gap))
        })?;
        if let Some(why) = gap {
            return Err(Error::unreadable(id, why));
        }
        let current = workspace.look(&path)?;
        if let Current::Blocked(block) = current {
            return Err(Error::Blocked(block));
        }
        let target = *history::restorable(&row);
        let already =
            self.store.view(|rows| record::is_state(rows, self.at(row.path), &target, current.file()))?
                == Some(true);
        let class = if already { Class::Already } else { Class::Clean };
        let seen = Seen::of(&current);
        let file = Planned { path, class, from: Some(id), target, seen, dirs: 0 };
        Ok(Plan {
            kind: SetKind::Restore,
            on_conflict: OnConflict::Refuse,
            files: vec![file],
            resolves: None,
        })
    }

    /// Plans to take back everything that a task did, or only what it did to `paths` if some are given.
    ///
    /// Each file goes back to what it was before the task's first change of it.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTask`], those of the store and of the workspace. Conflicts are no errors: the plan names them.
    ///
    /// # Cost
    ///
    /// Reads and decodes every file once.
    pub fn undo_plan(
        &self,
        task: &str,
        paths: &[&[u8]],
        on_conflict: OnConflict,
        workspace: &mut impl Workspace,
    ) -> Result<Plan, Error> {
        let mut files = Vec::new();
        for path in self.task_paths(task)? {
            if paths.is_empty() || paths.contains(&path.as_slice()) {
                let current = workspace.look(&path)?;
                let planned = self.store.view(|rows| plan_undo(rows, self.keys(), task, &path, &current))?;
                files.extend(planned);
            }
        }
        Ok(Plan { kind: SetKind::Undo, on_conflict, files, resolves: None })
    }

    /// Plans to carry an interrupted group to its end.
    ///
    /// # Errors
    ///
    /// [`Error::NotInterrupted`], those of the store and of the workspace.
    pub fn resume_plan(
        &self,
        set: SetId,
        on_conflict: OnConflict,
        workspace: &mut impl Workspace,
    ) -> Result<Plan, Error> {
        self.set_plan(set, SetKind::Resume, on_conflict, workspace)
    }

    /// Plans to take an interrupted group back.
    ///
    /// # Errors
    ///
    /// As for [`resume_plan`](Self::resume_plan).
    pub fn rollback_plan(
        &self,
        set: SetId,
        on_conflict: OnConflict,
        workspace: &mut impl Workspace,
    ) -> Result<Plan, Error> {
        self.set_plan(set, SetKind::Rollback, on_conflict, workspace)
    }

    /// Returns the groups that were interrupted and neither resumed nor rolled back: id, kind, files published, files.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn interrupted(&self) -> Result<Vec<(SetId, SetKind, u32, u32)>, Error> {
        let sets = self.store.view(|rows| rows.sets(SetStatus::Interrupted))?;
        Ok(sets.into_iter().map(|set| (set.id, set.kind, set.applied, set.total)).collect())
    }

    fn set_plan(
        &self,
        set: SetId,
        kind: SetKind,
        on_conflict: OnConflict,
        workspace: &mut impl Workspace,
    ) -> Result<Plan, Error> {
        let members = self.store.view(|rows| {
            if rows.set(set)?.is_none_or(|row| row.status != SetStatus::Interrupted) {
                return Err(Error::NotInterrupted(set));
            }
            let scan = Scan { set: Some(set), which: Which::All, ..Scan::default() };
            let mut names = Names::default();
            let rows = rows.changes(&scan)?.into_iter().map(|row| Ok((names.path(rows, row.path)?, row)));
            rows.collect::<Result<Vec<_>, Error>>()
        })?;
        let mut files = Vec::new();
        for (path, row) in members {
            let current = workspace.look(&path)?;
            let (target, other) =
                if kind == SetKind::Resume { (row.after, row.before) } else { (row.before, row.after) };
            let file = self.store.view(|rows| {
                let at = self.at(row.path);
                let class = if let Current::Blocked(block) = current {
                    Class::Blocked(block)
                } else if record::is_state(rows, at, &target, current.file())? == Some(true) {
                    Class::Already
                } else if let Some(gap) = gap(rows, at, &target)? {
                    Class::NotRestorable(gap)
                } else if record::is_state(rows, at, &other, current.file())? == Some(false) {
                    Class::External { version: None }
                } else {
                    Class::Clean
                };
                let from =
                    if kind == SetKind::Resume { row.from } else { holder(rows, row.path, row.id, &target)? };
                let dirs = if kind == SetKind::Resume { 0 } else { row.new_dirs };
                Ok(Planned { path, class, from, target, seen: Seen::of(&current), dirs })
            })?;
            files.push(file);
        }
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(Plan { kind, on_conflict, files, resolves: Some(set) })
    }
}

/// Says why a state could not be put back, after decoding it.
fn gap(rows: &impl Rows, at: At<'_>, state: &StoredState) -> Result<Option<Gap>, Error> {
    Ok(match (state.kind, state.blob) {
        (StateKind::Absent, _) => None,
        (StateKind::Withheld, _) => Some(Gap::Sensitive),
        (StateKind::TooLarge, _) => Some(Gap::TooLarge),
        (StateKind::Pruned, _) => Some(Gap::Pruned),
        (StateKind::File, Some(blob)) => blobs::load(rows, at, blob)?.err(),
        (StateKind::File, None) => Some(Gap::Damaged),
    })
}

/// Returns the newest version below `below` if its content is `state`.
fn holder(
    rows: &impl Rows,
    path: PathId,
    below: ChangeId,
    state: &StoredState,
) -> Result<Option<ChangeId>, Error> {
    let row = record::newest(rows, path, Some(below))?;
    Ok(row.filter(|row| row.after.kind == state.kind && row.after.blob == state.blob).map(|row| row.id))
}

fn plan_undo(
    rows: &impl Rows,
    keys: Option<&dyn KeySource>,
    task: &str,
    path: &[u8],
    current: &Current,
) -> Result<Option<Planned>, Error> {
    let (Some(task), Some(path_id)) = (rows.task_id(task)?, rows.path_id(path)?) else { return Ok(None) };
    let own = rows.changes(&Scan { path: Some(path_id), task: Some(task), ..Scan::default() })?;
    let (Some(first), Some(last)) = (own.last(), own.first()) else { return Ok(None) };
    let target = first.before;
    let at = At { keys, path: path_id };
    // Newest first: rows since the task's first change that are not its own.
    let since = Scan { path: Some(path_id), above: Some(first.id), ..Scan::default() };
    let foreign: Vec<ChangeRow> =
        rows.changes(&since)?.into_iter().filter(|row| row.task != Some(task)).collect();
    let within = foreign.iter().find(|row| row.id < last.id);
    let disk = current.file();
    let class = if let Current::Blocked(block) = *current {
        Class::Blocked(block)
    } else if record::is_state(rows, at, &target, disk)? == Some(true) {
        Class::Already
    } else if let Some(gap) = gap(rows, at, &target)? {
        Class::NotRestorable(gap)
    } else if let Some(row) = within {
        conflict(rows, row)?
    } else if record::is_state(rows, at, &last.after, disk)? != Some(false) && settled(last) {
        Class::Clean
    } else {
        match foreign.first() {
            Some(row) if record::is_state(rows, at, &row.after, disk)? == Some(true) => conflict(rows, row)?,
            _ => Class::External { version: None },
        }
    };
    Ok(Some(Planned {
        path: path.to_vec(),
        class,
        from: holder(rows, path_id, first.id, &target)?,
        target,
        seen: Seen::of(current),
        dirs: if target.kind == StateKind::Absent { first.new_dirs } else { 0 },
    }))
}

/// A change that was interrupted left nobody knows what: content that is not the old one counts as foreign.
fn settled(row: &ChangeRow) -> bool {
    matches!(row.outcome, Outcome::Landed | Outcome::Open)
}

fn conflict(rows: &impl Rows, row: &ChangeRow) -> Result<Class, Error> {
    if matches!(row.op, Op::External | Op::Baseline) {
        return Ok(Class::External { version: Some(row.id) });
    }
    let [task, ..] = match row.context {
        Some(context) => rows.context(context)?.unwrap_or_default(),
        None => Default::default(),
    };
    Ok(Class::LaterTask { task, version: row.id })
}
