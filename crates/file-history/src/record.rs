//! Recording: the intent before the change, the outcome after it.

use crate::{
    blobs, codec,
    error::Error,
    seal::{At, KeySource},
    store::{
        BlobId, ChangeRow, ContextId, OwnerId, PathId, RowsMut, Scan, StateKind, StoredState, TaskId, Which,
    },
    version::{
        ChangeId, Context, FileState, Intent, Keep, MAX_GOAL_BYTES, MAX_NAME_BYTES, MAX_PATH_BYTES, Op,
        Outcome, SetId, UnixMillis,
    },
};

/// What all rows of one call share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'k> {
    pub(crate) keys: Option<&'k dyn KeySource>,
    pub(crate) context: ContextId,
    pub(crate) task: Option<TaskId>,
    pub(crate) now: UnixMillis,
    pub(crate) owner: OwnerId,
    pub(crate) set: Option<SetId>,
    pub(crate) max_bytes: u64,
}

impl<'k> Frame<'k> {
    /// What content of a path is read with.
    fn at(&self, path: PathId) -> At<'k> {
        At { keys: self.keys, path }
    }
}

/// Refuses a path that could be a second spelling of another one, or none at all.
pub(crate) fn check_path(path: &[u8]) -> Result<(), Error> {
    let sound = !path.is_empty()
        && path.len() <= MAX_PATH_BYTES
        && !path.contains(&0)
        && path.split(|&byte| byte == b'/').all(|part| !part.is_empty() && part != b"." && part != b"..");
    if sound { Ok(()) } else { Err(Error::BadPath { max: MAX_PATH_BYTES }) }
}

/// Refuses names that are too long and cuts the goal.
pub(crate) fn check_context<'a>(context: &Context<'a>) -> Result<Context<'a>, Error> {
    for (what, text) in [("task", context.task), ("run", context.run)] {
        check_name(what, text)?;
    }
    let mut end = context.goal.len().min(MAX_GOAL_BYTES);
    while !context.goal.is_char_boundary(end) {
        end -= 1;
    }
    Ok(Context { goal: &context.goal[..end], ..*context })
}

pub(crate) fn check_name(what: &'static str, text: &str) -> Result<(), Error> {
    if text.len() <= MAX_NAME_BYTES {
        Ok(())
    } else {
        Err(Error::TooLong { what, len: text.len(), max: MAX_NAME_BYTES })
    }
}

/// Tells whether the change changes anything.
pub(crate) fn is_change(before: Option<FileState<'_>>, after: Option<FileState<'_>>) -> bool {
    match (before, after) {
        (None, None) => false,
        (Some(before), Some(after)) => before.bytes != after.bytes || modes_differ(before.mode, after.mode),
        _ => true,
    }
}

/// Unknown permission bits differ from nothing.
pub(crate) fn modes_differ(a: Option<u32>, b: Option<u32>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a != b)
}

/// Refuses content that could not be kept, before anything is written.
pub(crate) fn check_size(intent: &Intent<'_>, max: u64) -> Result<(), Error> {
    if !matches!(intent.keep, Keep::Content | Keep::Seal) {
        return Ok(());
    }
    for state in [intent.before, intent.after].into_iter().flatten() {
        let len = state.bytes.len() as u64;
        if len > max {
            return Err(Error::TooLargeToKeep { len, max });
        }
    }
    Ok(())
}

/// Records one intent: settles what was left open on the path, notes what changed outside, adds the open row.
///
/// `batch` holds the ids of this call, which are not left-overs.
pub(crate) fn begin(
    tx: &mut impl RowsMut,
    frame: &Frame<'_>,
    intent: &Intent<'_>,
    from: Option<ChangeId>,
    batch: &mut Vec<ChangeId>,
) -> Result<ChangeId, Error> {
    let path = tx.add_path(intent.path)?;
    settle_leftovers(tx, frame.at(path), intent.before, batch)?;
    let (before, found) = note_found(tx, frame, path, intent.before, intent.keep)?;
    batch.extend(found);
    let before = seal_known(tx, frame, path, before, intent.before, intent.keep)?;
    let base = match (before.blob, intent.before) {
        (Some(id), Some(state)) => Some((id, state.bytes)),
        _ => None,
    };
    let after = match (intent.before, intent.after) {
        // Only permission bits change: the content is stored already.
        (Some(old), Some(new)) if intent.keep == Keep::Seal && old.bytes == new.bytes => {
            StoredState { mode: new.mode, ..before }
        }
        (_, after) => store_state(tx, frame, path, after, intent.keep, base)?,
    };
    let id = add_open(tx, frame, path, Open { intent, before, after, from })?;
    batch.push(id);
    Ok(id)
}

/// The parts of an open row that differ from change to change.
pub(crate) struct Open<'a, 'b> {
    pub(crate) intent: &'a Intent<'b>,
    pub(crate) before: StoredState,
    pub(crate) after: StoredState,
    pub(crate) from: Option<ChangeId>,
}

/// Adds the open row of a change whose two sides are stored.
pub(crate) fn add_open(
    tx: &mut impl RowsMut,
    frame: &Frame<'_>,
    path: PathId,
    open: Open<'_, '_>,
) -> Result<ChangeId, Error> {
    let Open { intent, before, after, from } = open;
    let op = match (intent.op, before.kind == StateKind::Absent) {
        (Op::Write | Op::Edit, true) => Op::Create,
        (Op::Create, false) => Op::Write,
        (op, _) => op,
    };
    tx.add_change(&ChangeRow {
        id: ChangeId(0),
        set: frame.set,
        path,
        context: Some(frame.context),
        task: frame.task,
        at: frame.now,
        op,
        tool: intent.tool.to_owned(),
        before,
        after,
        from,
        outcome: Outcome::Open,
        temp: intent.temp.map(<[u8]>::to_vec),
        new_dirs: intent.new_dirs,
        owner: frame.owner,
    })
}

/// Adds a `baseline` or `external` row if what is on disk is not what the history knows, and returns the stored
/// state of what is on disk.
pub(crate) fn note_found(
    tx: &mut impl RowsMut,
    frame: &Frame<'_>,
    path: PathId,
    disk: Option<FileState<'_>>,
    keep: Keep,
) -> Result<(StoredState, Option<ChangeId>), Error> {
    let newest = newest(tx, path, None)?;
    let known = newest.as_ref().map_or(ABSENT, |row| row.after);
    if let Some(same) = same_state(tx, frame.at(path), &known, disk, keep)? {
        return Ok((same, None));
    }
    // What was last known is the likely base of a patch; its content has to be read for that.
    let base = match known.blob.filter(|_| matches!(keep, Keep::Content | Keep::Fitting)) {
        Some(id) => blobs::load(tx, frame.at(path), id)?.ok().map(|content| (id, content)),
        None => None,
    };
    let base = base.as_ref().map(|(id, content)| (*id, content.as_slice()));
    let state = store_state(tx, frame, path, disk, keep, base)?;
    let id = add_found(tx, frame, path, newest.as_ref(), state)?;
    Ok((state, Some(id)))
}

/// The same for content that the store has already.
pub(crate) fn note_state(
    tx: &mut impl RowsMut,
    frame: &Frame<'_>,
    path: PathId,
    state: StoredState,
) -> Result<Option<ChangeId>, Error> {
    let newest = newest(tx, path, None)?;
    let known = newest.as_ref().map_or(ABSENT, |row| row.after);
    if (known.kind, known.blob) == (state.kind, state.blob) {
        return Ok(None);
    }
    add_found(tx, frame, path, newest.as_ref(), state).map(Some)
}

/// Adds the row of what was found at a path, after the newest that is known of it.
fn add_found(
    tx: &mut impl RowsMut,
    frame: &Frame<'_>,
    path: PathId,
    newest: Option<&ChangeRow>,
    after: StoredState,
) -> Result<ChangeId, Error> {
    tx.add_change(&ChangeRow {
        id: ChangeId(0),
        set: None,
        path,
        context: None,
        task: None,
        at: frame.now,
        op: if newest.is_some() { Op::External } else { Op::Baseline },
        tool: String::new(),
        before: newest.map_or(ABSENT, |row| row.after),
        after,
        from: None,
        outcome: Outcome::Landed,
        temp: None,
        new_dirs: 0,
        owner: frame.owner,
    })
}

/// Tells whether a change of this path was begun and not settled.
pub(crate) fn has_leftovers(rows: &impl crate::store::Rows, path: &[u8]) -> Result<bool, Error> {
    let Some(path) = rows.path_id(path)? else { return Ok(false) };
    let scan = Scan { path: Some(path), which: Which::Unfinished, ..Scan::default() };
    Ok(rows.changes(&scan)?.iter().any(|row| row.outcome == Outcome::Open))
}

pub(crate) const ABSENT: StoredState =
    StoredState { kind: StateKind::Absent, blob: None, len: 0, mode: None };

/// Returns the newest visible row of a path, below an id if one is given.
pub(crate) fn newest(
    rows: &impl crate::store::Rows,
    path: PathId,
    below: Option<ChangeId>,
) -> Result<Option<ChangeRow>, Error> {
    let scan = Scan { path: Some(path), below, limit: 1, ..Scan::default() };
    Ok(rows.changes(&scan)?.pop())
}

/// If `disk` is what is known, returns the stored state of it: the known one with the permission bits of the disk.
fn same_state(
    tx: &impl crate::store::Rows,
    at: At<'_>,
    known: &StoredState,
    disk: Option<FileState<'_>>,
    keep: Keep,
) -> Result<Option<StoredState>, Error> {
    let Some(disk) = disk else {
        return Ok((known.kind == StateKind::Absent).then_some(ABSENT));
    };
    let same = match known.kind {
        StateKind::Absent => false,
        StateKind::File if known.len != disk.bytes.len() as u64 => false,
        StateKind::File => match known.blob {
            // Sealed with a key that is not there: as with withheld content, only a change of size shows.
            Some(id) => blobs::is_content(tx, at, id, disk.bytes)?.unwrap_or(keep == Keep::Withhold),
            None => false,
        },
        // There is no hash to compare with: only a change of size shows. Content that is to be kept from now on
        // counts as unknown, so that it gets stored.
        StateKind::Withheld => known.len == disk.bytes.len() as u64 && keep == Keep::Withhold,
        StateKind::TooLarge => known.len == disk.bytes.len() as u64 && keep != Keep::Content,
        StateKind::Pruned => false,
    };
    if !same {
        return Ok(None);
    }
    let mode = disk.mode.or(known.mode);
    Ok(Some(match (known.kind, keep) {
        // The row itself must not refer to content that is to be withheld from now on.
        (StateKind::File, Keep::Withhold) => {
            StoredState { kind: StateKind::Withheld, blob: None, len: known.len, mode }
        }
        _ => StoredState { mode, ..*known },
    }))
}

/// If the known content of a path is to be sealed from now on and is not, stores it anew for the change that is about to
/// be added: its row must not refer to what everybody can read.
pub(crate) fn seal_known(
    tx: &mut impl RowsMut,
    frame: &Frame<'_>,
    path: PathId,
    known: StoredState,
    disk: Option<FileState<'_>>,
    keep: Keep,
) -> Result<StoredState, Error> {
    let (Keep::Seal, Some(id), Some(_)) = (keep, known.blob, disk) else { return Ok(known) };
    match tx.blob(id)? {
        Some(head) if head.codec == codec::SEALED => Ok(known),
        _ => store_state(tx, frame, path, disk, keep, None),
    }
}

/// Stores one side of a change, which is the next to be added, as `keep` says.
pub(crate) fn store_state(
    tx: &mut impl RowsMut,
    frame: &Frame<'_>,
    path: PathId,
    state: Option<FileState<'_>>,
    keep: Keep,
    base: Option<(BlobId, &[u8])>,
) -> Result<StoredState, Error> {
    let Some(state) = state else { return Ok(ABSENT) };
    let len = state.bytes.len() as u64;
    let (kind, blob) = match keep {
        Keep::Withhold => (StateKind::Withheld, None),
        Keep::Fitting if len > frame.max_bytes => (StateKind::TooLarge, None),
        Keep::Content | Keep::Seal if len > frame.max_bytes => {
            return Err(Error::TooLargeToKeep { len, max: frame.max_bytes });
        }
        Keep::Seal => {
            let next = ChangeId(tx.last_change()?.0.saturating_add(1));
            (StateKind::File, Some(blobs::intern_sealed(tx, frame.at(path), next, state.bytes)?))
        }
        Keep::Content | Keep::Fitting => (StateKind::File, Some(blobs::intern(tx, state.bytes, base)?)),
    };
    Ok(StoredState { kind, blob, len, mode: state.mode })
}

/// Settles rows of this path that an interrupted process left open, by what is on disk.
pub(crate) fn settle_leftovers(
    tx: &mut impl RowsMut,
    at: At<'_>,
    disk: Option<FileState<'_>>,
    batch: &[ChangeId],
) -> Result<(), Error> {
    let scan = Scan { path: Some(at.path), which: Which::Unfinished, ..Scan::default() };
    for mut row in tx.changes(&scan)? {
        if row.outcome == Outcome::Open && !batch.contains(&row.id) {
            // The name of its temporary file stays, for recovery to take away.
            row.outcome = classify(tx, at.keys, &row, disk)?;
            tx.put_change(&row)?;
        }
    }
    Ok(())
}

/// Says how an open change ended, judged by what is on disk.
pub(crate) fn classify(
    rows: &impl crate::store::Rows,
    keys: Option<&dyn KeySource>,
    row: &ChangeRow,
    disk: Option<FileState<'_>>,
) -> Result<Outcome, Error> {
    let at = At { keys, path: row.path };
    if is_state(rows, at, &row.after, disk)? == Some(true) {
        return Ok(Outcome::Landed);
    }
    if is_state(rows, at, &row.before, disk)? == Some(true) {
        return Ok(Outcome::Failed);
    }
    if row.op == Op::Append
        && let Some(disk) = disk
        && row.before.len <= disk.bytes.len() as u64
        && let Some(after) = row.after.blob
        && let Ok(whole) = blobs::load(rows, at, after)?
        && whole.starts_with(disk.bytes)
    {
        return Ok(Outcome::Partial);
    }
    Ok(Outcome::Unknown)
}

/// Tells whether `disk` is the stored state; `None` where that cannot be known.
pub(crate) fn is_state(
    rows: &impl crate::store::Rows,
    at: At<'_>,
    state: &StoredState,
    disk: Option<FileState<'_>>,
) -> Result<Option<bool>, Error> {
    Ok(match (state.kind, disk) {
        (StateKind::Pruned, _) => None,
        (StateKind::Absent, disk) => Some(disk.is_none()),
        (_, None) => Some(false),
        (_, Some(disk)) if state.len != disk.bytes.len() as u64 => Some(false),
        (StateKind::File, Some(disk)) => match state.blob {
            Some(id) => blobs::is_content(rows, at, id, disk.bytes)?,
            None => Some(false),
        },
        (StateKind::Withheld | StateKind::TooLarge, Some(_)) => None,
    })
}

/// Writes down how a change ended.
pub(crate) fn settle(tx: &mut impl RowsMut, id: ChangeId, outcome: Outcome) -> Result<(), Error> {
    let Some(mut row) = tx.change(id)? else { return Err(Error::UnknownVersion(id)) };
    row.outcome = outcome;
    row.temp = None;
    tx.put_change(&row)
}
