//! The history of one workspace: record, list, read.

use std::{collections::HashMap, sync::Arc};

use crate::{
    blobs,
    error::{Error, Gap},
    record::{self, Frame},
    seal::{At, KeySource},
    store::{ChangeRow, ContextId, PathId, Rows, RowsMut, Scan, StateKind, Store, StoredState, Sync, Which},
    version::{ChangeId, Content, Context, FileState, Intent, Op, Outcome, State, UnixMillis, Version},
};

/// Rows of a list when the caller names no limit.
pub const DEFAULT_ROWS: usize = 3;
/// Most rows of a list that a tool may ask for.
pub const MAX_TOOL_ROWS: usize = 24;
/// Most rows of one page, for anybody.
pub const MAX_ROWS: usize = 1000;

/// What the history is told once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Longest content in bytes that is kept of one side of a change.
    pub max_content_bytes: u64,
}

impl Default for Options {
    /// Keeps contents up to 256 MiB: beyond that a change costs seconds, and the caller is better asked.
    fn default() -> Self {
        Self { max_content_bytes: 256 << 20 }
    }
}

/// The recorded versions of the files of one workspace.
///
/// One value is one handle: it is `Send`, and wants `&mut` for whatever writes. Several handles, in one process or
/// in many, may share a store.
///
/// # Recording a change
///
/// 1. Take the lock of the path (see `PathLocks` of the SQLite store), so that nobody writes between read and write.
/// 2. Read the file, compute the new content, call [`begin`](Self::begin): old and new content are durable when it
///    returns. If it fails, leave the file alone.
/// 3. Replace the file.
/// 4. Call [`settle`](Self::settle). If the process dies in between, [`recover`](Self::recover) or the next `begin`
///    on the path find out how it ended.
#[derive(Debug)]
pub struct History<S> {
    pub(crate) store: S,
    pub(crate) options: Options,
    keys: Option<Arc<dyn KeySource>>,
}

/// Selects versions for a list. Conditions are combined; an empty field is no condition.
#[derive(Debug, Clone, Copy)]
pub struct Filter<'a> {
    /// Only these paths.
    pub paths: &'a [&'a [u8]],
    /// Only changes that tools made for this task.
    pub task: Option<&'a str>,
    /// Only changes at this time or later.
    pub from: Option<UnixMillis>,
    /// Only changes before this time.
    pub to: Option<UnixMillis>,
    /// Only versions older than this one: the last id of a page continues it.
    pub below: Option<ChangeId>,
    /// Whether changes that failed are shown.
    pub failed: Failed,
    /// At most this many rows, up to [`MAX_ROWS`].
    pub limit: usize,
}

impl Default for Filter<'_> {
    /// Selects the newest [`DEFAULT_ROWS`] versions of all files.
    fn default() -> Self {
        Self {
            paths: &[],
            task: None,
            from: None,
            to: None,
            below: None,
            failed: Failed::Hide,
            limit: DEFAULT_ROWS,
        }
    }
}

/// Says whether failed changes are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    /// They are not.
    Hide,
    /// They are.
    Show,
}

/// Turns the limit that a tool was called with into a number of rows: missing, zero and negative mean
/// [`DEFAULT_ROWS`], more than [`MAX_TOOL_ROWS`] means that.
///
/// # Examples
///
/// ```
/// use file_history::tool_limit;
/// assert_eq!([None, Some(0), Some(-5), Some(7), Some(100)].map(tool_limit), [3, 3, 3, 7, 24]);
/// ```
pub fn tool_limit(asked: Option<i64>) -> usize {
    match asked {
        Some(rows) if rows > 0 => usize::try_from(rows).unwrap_or(MAX_TOOL_ROWS).min(MAX_TOOL_ROWS),
        _ => DEFAULT_ROWS,
    }
}

/// Versions, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The rows.
    pub rows: Vec<Version>,
    /// Whether older rows match, too.
    pub more: bool,
}

/// How what is on disk relates to what is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// Nothing is recorded for the path.
    Unrecorded,
    /// The disk holds the newest version. What the newest change did: both sides, where they are kept.
    Same {
        /// The newest version.
        newest: Version,
        /// The content before the change.
        old: Side,
        /// The content after it.
        new: Side,
    },
    /// The disk differs: changed outside the tools. `old` is the newest recorded content.
    Changed {
        /// The newest version.
        newest: Version,
        /// The newest recorded content.
        old: Side,
    },
    /// Nothing is on disk, though the newest version is a file. `old` is the stored content.
    Gone {
        /// The newest version.
        newest: Version,
        /// The newest recorded content.
        old: Side,
    },
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    /// No file.
    Absent,
    /// A file with this content.
    File(Content),
    /// A file of which the content is not kept.
    Omitted(Gap),
}

impl<S: Store> History<S> {
    /// Opens a history over a store.
    pub fn new(store: S, options: Options) -> Self {
        Self { store, options, keys: None }
    }

    /// Seals and opens content of sensitive files with the keys of this source, see `Keep::Seal`.
    #[must_use]
    pub fn with_keys(mut self, keys: Arc<dyn KeySource>) -> Self {
        self.keys = Some(keys);
        self
    }

    /// The store to change, and the keys to do it with.
    pub(crate) fn parts(&mut self) -> (&mut S, Option<&dyn KeySource>) {
        (&mut self.store, self.keys.as_deref())
    }

    /// What content of a path is read with.
    pub(crate) fn at(&self, path: PathId) -> At<'_> {
        At { keys: self.keys(), path }
    }

    pub(crate) fn keys(&self) -> Option<&dyn KeySource> {
        self.keys.as_deref()
    }

    /// Returns the store, for what only that kind of store can do.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Closes the history and returns the store.
    pub fn into_store(self) -> S {
        self.store
    }

    /// Records changes that are about to be made, durably, all or none, and returns one id per intent.
    ///
    /// `None` stands for an intent that changes nothing: nothing is recorded for it. If a file is not what the
    /// history last knew, a row of its own is added first (`baseline` for a path seen for the first time, `external`
    /// otherwise), so that its content can be restored as well.
    ///
    /// # Errors
    ///
    /// [`Error::BadPath`], [`Error::TooLong`], [`Error::TooLargeToKeep`], [`Error::NoKey`], and those of the store. Nothing is
    /// recorded then, and the files must be left alone.
    ///
    /// # Cost
    ///
    /// One durable transaction; per intent two hashes and at most two zstd passes.
    pub fn begin(
        &mut self,
        intents: &[Intent<'_>],
        context: &Context<'_>,
        now: UnixMillis,
    ) -> Result<Vec<Option<ChangeId>>, Error> {
        let context = record::check_context(context)?;
        for intent in intents {
            record::check_path(intent.path)?;
            record::check_name("tool", intent.tool)?;
            if let Some(temp) = intent.temp {
                record::check_path(temp)?;
            }
        }
        let changes = |intent: &Intent<'_>| record::is_change(intent.before, intent.after);
        for intent in intents.iter().filter(|intent| changes(intent)) {
            record::check_size(intent, self.options.max_content_bytes)?;
        }
        if !intents.iter().any(changes) {
            return Ok(vec![None; intents.len()]);
        }
        let (owner, max_bytes) = (self.store.owner(), self.options.max_content_bytes);
        let (store, keys) = self.parts();
        store.transact(Sync::Now, |tx| {
            let (context, task) = tx.add_context(context.task, context.goal, context.run)?;
            let frame = Frame { keys, context, task, now, owner, set: None, max_bytes };
            let mut batch = Vec::new();
            let begin = |intent: &Intent<'_>| {
                changes(intent).then(|| record::begin(tx, &frame, intent, None, &mut batch)).transpose()
            };
            intents.iter().map(begin).collect()
        })
    }

    /// Writes down how changes ended. Doing so again, or after recovery did, replaces what was written.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownVersion`], [`Error::NotAnOutcome`] for [`Outcome::Open`], and those of the store. The files are
    /// as they are; recovery finds out how the changes ended.
    ///
    /// # Cost
    ///
    /// One transaction that waits for no disk.
    pub fn settle(&mut self, outcomes: &[(ChangeId, Outcome)]) -> Result<(), Error> {
        if outcomes.iter().any(|&(_, outcome)| outcome == Outcome::Open) {
            return Err(Error::NotAnOutcome);
        }
        if outcomes.is_empty() {
            return Ok(());
        }
        self.store.transact(Sync::Later, |tx| {
            outcomes.iter().try_for_each(|&(id, outcome)| record::settle(tx, id, outcome))
        })
    }

    /// Records what is on disk now if the history does not know it, and returns the row that was added.
    ///
    /// # Errors
    ///
    /// As for [`begin`](Self::begin).
    pub fn note(
        &mut self,
        path: &[u8],
        disk: Option<FileState<'_>>,
        keep: crate::version::Keep,
        now: UnixMillis,
    ) -> Result<Option<ChangeId>, Error> {
        record::check_path(path)?;
        let (owner, max_bytes) = (self.store.owner(), self.options.max_content_bytes);
        let (store, keys) = self.parts();
        store.transact(Sync::Now, |tx| {
            let path = tx.add_path(path)?;
            let frame = Frame { keys, context: ContextId(0), task: None, now, owner, set: None, max_bytes };
            Ok(record::note_found(tx, &frame, path, disk, keep)?.1)
        })
    }

    /// Makes a task known before its first change, so that undoing it answers "nothing" and not "no such task".
    ///
    /// # Errors
    ///
    /// [`Error::TooLong`] and those of the store.
    pub fn know_task(&mut self, context: &Context<'_>) -> Result<(), Error> {
        let context = record::check_context(context)?;
        self.store
            .transact(Sync::Later, |tx| tx.add_context(context.task, context.goal, context.run).map(drop))
    }

    /// Lists versions, newest first by id.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyRange`] if `from` is after `to`, and those of the store. Unknown paths and tasks have no rows.
    ///
    /// # Cost
    ///
    /// One or few index look-ups per row. A range of time also reads the index over that range, and a `to` without a
    /// `from` passes over newer rows.
    pub fn list(&self, filter: &Filter<'_>) -> Result<Page, Error> {
        if let (Some(from), Some(to)) = (filter.from, filter.to)
            && from >= to
        {
            return Err(Error::EmptyRange { from: from.0, to: to.0 });
        }
        let limit = filter.limit.clamp(1, MAX_ROWS);
        self.store.view(|rows| {
            let mut scan = Scan {
                from: filter.from,
                to: filter.to,
                below: filter.below,
                which: if filter.failed == Failed::Show { Which::All } else { Which::Visible },
                limit: limit + 1,
                ..Scan::default()
            };
            if let Some(task) = filter.task {
                scan.task = rows.task_id(task)?;
                if scan.task.is_none() {
                    return Ok(Page { rows: Vec::new(), more: false });
                }
            }
            let mut found = Vec::new();
            if filter.paths.is_empty() {
                found = rows.changes(&scan)?;
            }
            for path in filter.paths {
                if let Some(path) = rows.path_id(path)? {
                    found.extend(rows.changes(&Scan { path: Some(path), ..scan })?);
                }
            }
            found.sort_unstable_by_key(|row| std::cmp::Reverse(row.id));
            found.dedup_by_key(|row| row.id);
            let more = found.len() > limit;
            found.truncate(limit);
            let mut names = Names::default();
            let mut page = Page { rows: Vec::new(), more };
            for row in found {
                match names.version(rows, row) {
                    Ok(version) => page.rows.push(version),
                    // Its path is lost: `verify` tells, and the other rows are still worth showing.
                    Err(Error::StoreDamaged(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(page)
        })
    }

    /// Returns one version.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownVersion`], [`Error::Pruned`], and those of the store.
    pub fn version(&self, id: ChangeId) -> Result<Version, Error> {
        self.store.view(|rows| Names::default().version(rows, change(rows, id)?))
    }

    /// Returns what restoring this version would put on disk; `None` is "no file".
    ///
    /// # Errors
    ///
    /// [`Error::UnknownVersion`], [`Error::Pruned`], [`Error::NotRestorable`], [`Error::Damaged`],
    /// [`Error::KeyMismatch`], those of the store.
    ///
    /// # Cost
    ///
    /// At most 16 zstd passes.
    pub fn read(&self, id: ChangeId) -> Result<Option<Content>, Error> {
        self.store.view(|rows| {
            let row = change(rows, id)?;
            match side(rows, self.at(row.path), restorable(&row))? {
                Side::Absent => Ok(None),
                Side::File(content) => Ok(Some(content)),
                Side::Omitted(why) => Err(Error::unreadable(id, why)),
            }
        })
    }

    /// Returns both sides of a change.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownVersion`], [`Error::Pruned`], those of the store.
    pub fn sides(&self, id: ChangeId) -> Result<(Side, Side), Error> {
        self.store.view(|rows| {
            let row = change(rows, id)?;
            let at = self.at(row.path);
            Ok((side(rows, at, &row.before)?, side(rows, at, &row.after)?))
        })
    }

    /// Compares what is on disk with the newest version of the path. Records nothing.
    ///
    /// # Errors
    ///
    /// [`Error::BadPath`] and those of the store.
    pub fn look(&self, path: &[u8], disk: Option<FileState<'_>>) -> Result<Look, Error> {
        record::check_path(path)?;
        self.store.view(|rows| {
            let Some(path) = rows.path_id(path)? else { return Ok(Look::Unrecorded) };
            let Some(row) = record::newest(rows, path, None)? else { return Ok(Look::Unrecorded) };
            let newest = Names::default().version(rows, row.clone())?;
            let at = self.at(path);
            let same = record::is_state(rows, at, &row.after, disk)? != Some(false);
            let new = side(rows, at, &row.after)?;
            Ok(match (same, disk) {
                (true, _) => Look::Same { newest, old: side(rows, at, &row.before)?, new },
                (false, Some(_)) => Look::Changed { newest, old: new },
                (false, None) => Look::Gone { newest, old: new },
            })
        })
    }

    /// Returns the newest version of a path, failed changes left out.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn newest(&self, path: &[u8]) -> Result<Option<Version>, Error> {
        Ok(self.list(&Filter { paths: &[path], limit: 1, ..Filter::default() })?.rows.pop())
    }

    /// Returns the paths that a task changed, in order: what has to be locked before the task is undone.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTask`] and those of the store.
    pub fn task_paths(&self, task: &str) -> Result<Vec<Vec<u8>>, Error> {
        self.store.view(|rows| {
            let Some(task) = rows.task_id(task)? else { return Err(Error::UnknownTask) };
            let changes = rows.changes(&Scan { task: Some(task), ..Scan::default() })?;
            let mut ids: Vec<PathId> = changes.iter().map(|row| row.path).collect();
            ids.sort_unstable();
            ids.dedup();
            let mut paths = Vec::new();
            for id in ids {
                paths.extend(rows.path(id)?);
            }
            paths.sort_unstable();
            Ok(paths)
        })
    }
}

/// Returns a row, or says whether it never was or is no longer.
pub(crate) fn change(rows: &impl Rows, id: ChangeId) -> Result<ChangeRow, Error> {
    match rows.change(id)? {
        Some(row) => Ok(row),
        None if id.0 != 0 && id <= rows.last_change()? => Err(Error::Pruned(id)),
        None => Err(Error::UnknownVersion(id)),
    }
}

/// Returns the state that restoring a row puts on disk.
pub(crate) fn restorable(row: &ChangeRow) -> &StoredState {
    if row.op == Op::Remove && row.after.kind == StateKind::Absent { &row.before } else { &row.after }
}

/// Reads one side of a change.
pub(crate) fn side(rows: &impl Rows, at: At<'_>, state: &StoredState) -> Result<Side, Error> {
    Ok(match (state.kind, state.blob) {
        (StateKind::Absent, _) => Side::Absent,
        (StateKind::File, Some(blob)) => match blobs::load(rows, at, blob)? {
            Ok(bytes) => Side::File(Content { bytes, mode: state.mode }),
            Err(gap) => Side::Omitted(gap),
        },
        (StateKind::File, None) => Side::Omitted(Gap::Damaged),
        (StateKind::Withheld, _) => Side::Omitted(Gap::Sensitive),
        (StateKind::TooLarge, _) => Side::Omitted(Gap::TooLarge),
        (StateKind::Pruned, _) => Side::Omitted(Gap::Pruned),
    })
}

fn public(state: &StoredState) -> State {
    let StoredState { len, mode, .. } = *state;
    match state.kind {
        StateKind::Absent => State::Absent,
        StateKind::File => State::File { len, mode },
        StateKind::Withheld => State::Omitted { len, why: Gap::Sensitive },
        StateKind::TooLarge => State::Omitted { len, why: Gap::TooLarge },
        StateKind::Pruned => State::Omitted { len, why: Gap::Pruned },
    }
}

/// Names already looked up, so that a page asks for each once.
#[derive(Default)]
pub(crate) struct Names {
    paths: HashMap<PathId, Vec<u8>>,
    contexts: HashMap<ContextId, [String; 3]>,
}

impl Names {
    pub(crate) fn path(&mut self, rows: &impl Rows, id: PathId) -> Result<Vec<u8>, Error> {
        if let Some(path) = self.paths.get(&id) {
            return Ok(path.clone());
        }
        let path = rows.path(id)?.ok_or_else(|| Error::StoreDamaged(format!("path {} is missing", id.0)))?;
        self.paths.insert(id, path.clone());
        Ok(path)
    }

    pub(crate) fn version(&mut self, rows: &impl Rows, row: ChangeRow) -> Result<Version, Error> {
        let path = self.path(rows, row.path)?;
        let [task, goal, run] = match row.context {
            None => Default::default(),
            Some(id) => match self.contexts.get(&id) {
                Some(context) => context.clone(),
                None => {
                    let context = rows.context(id)?.unwrap_or_default();
                    self.contexts.insert(id, context.clone());
                    context
                }
            },
        };
        Ok(Version {
            id: row.id,
            path,
            op: row.op,
            before: public(&row.before),
            after: public(&row.after),
            tool: row.tool,
            task,
            goal,
            run,
            at: row.at,
            from: row.from,
            set: row.set,
            outcome: row.outcome,
        })
    }
}
