//! Carrying out a plan: everything is staged, then published, then settled; a failure takes everything back.

use crate::{
    blobs,
    error::Error,
    history::History,
    plan::{Class, Plan, Planned, Seen, Verdict},
    record::{self, Frame, Open},
    seal::At,
    store::{ChangeRow, Rows, RowsMut, SetRow, SetStatus, StateKind, Store, StoredState, Sync},
    version::{ChangeId, Context, FileState, Intent, Keep, Op, Outcome, SetId, UnixMillis},
    workspace::{Current, Exchange, Workspace},
};

/// Whom a plan is carried out for, and how its changes are recorded.
#[derive(Clone, Copy)]
pub struct Doer<'a> {
    /// Whom it is done for. A restore is a change like any other, and can be undone like any other.
    pub context: Context<'a>,
    /// The tool, for the reader of the list.
    pub tool: &'a str,
    /// What to keep of the current content of a path. Where it says [`Keep::Withhold`], what is there now cannot be brought
    /// back afterwards: ask first.
    pub keep: &'a dyn Fn(&[u8]) -> Keep,
    /// When.
    pub now: UnixMillis,
}

/// How a plan went, as a whole.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// There was nothing to do.
    Nothing,
    /// Everything was done.
    Done,
    /// Something stood in the way: nothing was touched, nothing recorded.
    Refused,
    /// Part of it was done; the files say which.
    Partial,
    /// Something failed, and everything is as it was.
    Failed,
}

impl Status {
    /// Returns the stable word for this status.
    pub fn code(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Partial => "partial",
            Self::Failed => "failed",
        }
    }
}

/// How a plan went, file by file.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// As a whole.
    pub status: Status,
    /// By file, in the order of the plan.
    pub files: Vec<FileReport>,
    /// The group that the changes were recorded as, if there was more than one.
    pub set: Option<SetId>,
    /// What failed, for [`Status::Failed`] and for what went wrong after publication.
    pub error: Option<Error>,
}

/// How it went with one file.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// Path relative to the root, in bytes.
    pub path: Vec<u8>,
    /// What was done.
    pub result: FileResult,
    /// How the file stood to the plan.
    pub class: Class,
    /// The version that was to be put back, where one holds the content.
    pub from: Option<ChangeId>,
    /// The change that was recorded.
    pub version: Option<ChangeId>,
    /// How many missing parents were created.
    pub new_dirs: u32,
}

/// What was done to one file.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileResult {
    /// The old content is back.
    Restored,
    /// The file is gone, as it was before; its last content is a version.
    Removed,
    /// It had the wanted content already.
    Already,
    /// It stood in the way and was left out.
    Skipped,
    /// It stands in the way of everything.
    InTheWay,
    /// Nothing was done to it.
    Untouched,
}

impl FileResult {
    /// Returns the stable word for this result.
    pub fn code(self) -> &'static str {
        match self {
            Self::Restored => "restored",
            Self::Removed => "removed",
            Self::Already => "already",
            Self::Skipped => "skipped",
            Self::InTheWay => "in_the_way",
            Self::Untouched => "untouched",
        }
    }
}

/// A file on its way.
struct Job<'a> {
    index: usize,
    planned: &'a Planned,
    /// The current content, where the store does not have it yet.
    fresh: Option<Current>,
    temp: Vec<u8>,
    how: Exchange,
    id: ChangeId,
    new_dirs: u32,
    published: bool,
    /// The temporary file could not, or must not, be taken away.
    temp_left: bool,
}

impl<S: Store> History<S> {
    /// Carries out a plan, all of it or nothing.
    ///
    /// The paths must be locked by the caller. What is on disk is compared with what the plan saw, before and while
    /// the files change places: a file that somebody else changed meanwhile keeps that change, and the plan is taken
    /// back. Changes are recorded for `doer`, so a restore can itself be undone. Should the process die on the way,
    /// [`recover`](Self::recover) reports the group, and it can be resumed or rolled back.
    ///
    /// # Errors
    ///
    /// Those of the store before anything was published: nothing was touched then. Whatever goes wrong later is in the
    /// report.
    ///
    /// # Cost
    ///
    /// One durable transaction, one staged file per file that is put back, three syncs of the workspace.
    pub fn execute(
        &mut self,
        plan: &Plan,
        workspace: &mut impl Workspace,
        doer: &Doer<'_>,
    ) -> Result<Report, Error> {
        let context = record::check_context(&doer.context)?;
        record::check_name("tool", doer.tool)?;
        let mut report = Report {
            status: Status::Nothing,
            files: plan.files.iter().map(untouched).collect(),
            set: None,
            error: None,
        };
        for (file, planned) in report.files.iter_mut().zip(&plan.files) {
            file.result = match plan.verdict(planned) {
                Verdict::Goes => FileResult::Untouched,
                Verdict::Rests => FileResult::Already,
                Verdict::Skipped => FileResult::Skipped,
                Verdict::Stops => FileResult::InTheWay,
            };
        }
        if plan.is_refused() {
            report.status = Status::Refused;
            return Ok(report);
        }
        let Some(mut jobs) = self.prepare(plan, workspace, doer, &mut report)? else { return Ok(report) };
        let skipped = report.files.iter().any(|file| file.result == FileResult::Skipped);
        if jobs.is_empty() {
            if let (Some(set), false) = (plan.resolves, skipped) {
                self.store.transact(Sync::Later, |tx| resolve(tx, set))?;
            }
            report.status = if skipped { Status::Partial } else { Status::Nothing };
            return Ok(report);
        }

        let (owner, max_bytes) = (self.store.owner(), self.options.max_content_bytes);
        let mut added = Vec::new();
        let (store, keys) = self.parts();
        report.set = store.transact(Sync::Now, |tx| {
            let set = match jobs.len() {
                1 => None,
                total => Some(tx.add_set(&SetRow {
                    id: SetId(0),
                    kind: plan.kind,
                    status: SetStatus::Open,
                    total: u32::try_from(total).unwrap_or(u32::MAX),
                    applied: 0,
                    owner,
                })?),
            };
            let (context, task) = tx.add_context(context.task, context.goal, context.run)?;
            let frame = Frame { keys, context, task, now: doer.now, owner, set, max_bytes };
            for job in &mut jobs {
                job.id = intend(tx, &frame, job, doer, &mut added)?;
            }
            Ok(set)
        })?;

        // From here on a failure is taken back, and reported.
        if let Err(error) = self.stage(&mut jobs, workspace) {
            if discard_staged(&jobs, workspace).is_ok() {
                // If this fails, too, the changes stay open, and recovery settles them.
                let _ = self.store.transact(Sync::Later, |tx| {
                    added.iter().try_for_each(|&id| tx.drop_change(id))?;
                    report.set.map_or(Ok(()), |set| set_status(tx, set, SetStatus::Aborted, 0))
                });
            }
            report.set = None;
            report.status = Status::Failed;
            report.error = Some(error);
            return Ok(report);
        }
        if let Err(error) = publish(&mut jobs, workspace) {
            report.error = Some(error);
            let stuck = take_back(&mut jobs, workspace);
            let synced = workspace.sync();
            report.status = if stuck == 0 { Status::Failed } else { Status::Partial };
            report.error = report.error.take().or(synced.err());
        } else {
            report.status = if skipped { Status::Partial } else { Status::Done };
            report.error = workspace.sync().err().or_else(|| self.verify_jobs(&jobs, workspace).err());
            if report.error.is_some() {
                report.status = Status::Partial;
            }
        }
        // Before the changes are settled, and for good: as long as they are open, recovery knows the temporary files.
        discard_displaced(&mut jobs, workspace);
        if workspace.sync().is_err() {
            jobs.iter_mut().for_each(|job| job.temp_left = true);
        }
        // The files are what the report says, even if the history could not be told: recovery will find out.
        if let Err(error) = self.finish(plan, &jobs, &mut report) {
            report.error.get_or_insert(error);
            if report.status == Status::Done {
                report.status = Status::Partial;
            }
        }
        Ok(report)
    }

    /// Looks at every file again and names the temporary files. `None` if somebody changed a file meanwhile.
    fn prepare<'a>(
        &self,
        plan: &'a Plan,
        workspace: &mut impl Workspace,
        doer: &Doer<'_>,
        report: &mut Report,
    ) -> Result<Option<Vec<Job<'a>>>, Error> {
        let mut jobs = Vec::new();
        for (index, planned) in plan.files.iter().enumerate() {
            if plan.verdict(planned) != Verdict::Goes {
                continue;
            }
            let current = workspace.look(&planned.path)?;
            let seen = Seen::of(&current);
            if !seen.has_content_of(&planned.seen) {
                report.status = Status::Refused;
                report.error = Some(Error::Stale);
                report.files[index].result = FileResult::InTheWay;
                report.files[index].class = match seen {
                    Seen::Blocked(block) => Class::Blocked(block),
                    _ => Class::External { version: None },
                };
                return Ok(None);
            }
            let how = match (seen, planned.target.kind) {
                (Seen::Absent, _) => Exchange::Place,
                (_, StateKind::Absent) => Exchange::Take,
                _ => Exchange::Both,
            };
            // Content that the store has need not be held in memory.
            let known = match seen {
                Seen::File { hash, .. }
                    if matches!((doer.keep)(&planned.path), Keep::Content | Keep::Fitting) =>
                {
                    self.store.view(|rows| {
                        Ok(rows.blob_with(&hash)?.is_some() && !record::has_leftovers(rows, &planned.path)?)
                    })?
                }
                _ => false,
            };
            jobs.push(Job {
                index,
                planned,
                fresh: (!known).then_some(current),
                temp: workspace.temp_name(&planned.path)?,
                how,
                id: ChangeId(0),
                new_dirs: 0,
                published: false,
                temp_left: false,
            });
        }
        Ok(Some(jobs))
    }

    fn stage(&self, jobs: &mut [Job<'_>], workspace: &mut impl Workspace) -> Result<(), Error> {
        for job in jobs.iter_mut() {
            let Some(blob) = job.planned.target.blob else { continue };
            let bytes = self.store.view(|rows| blobs::load(rows, self.at_path(rows, job)?, blob))?;
            let bytes = bytes.map_err(|gap| Error::unreadable(job.planned.from.unwrap_or(job.id), gap))?;
            let file = FileState { bytes: &bytes, mode: job.planned.target.mode };
            job.new_dirs = workspace.stage(&job.planned.path, &job.temp, file)?;
        }
        workspace.sync()
    }

    /// What the content of a file on its way is read with; its path is recorded by now.
    fn at_path(&self, rows: &impl Rows, job: &Job<'_>) -> Result<At<'_>, Error> {
        Ok(self.at(rows.path_id(&job.planned.path)?.ok_or(Error::Stale)?))
    }

    /// Reads every published file back.
    fn verify_jobs(&self, jobs: &[Job<'_>], workspace: &mut impl Workspace) -> Result<(), Error> {
        for job in jobs {
            let current = workspace.look(&job.planned.path)?;
            if let Current::Blocked(block) = current {
                return Err(Error::Blocked(block));
            }
            let target = &job.planned.target;
            let is = self
                .store
                .view(|rows| record::is_state(rows, self.at_path(rows, job)?, target, current.file()))?;
            if is == Some(false) {
                return Err(Error::Stale);
            }
        }
        Ok(())
    }

    /// Settles the changes and fills the report.
    fn finish(&mut self, plan: &Plan, jobs: &[Job<'_>], report: &mut Report) -> Result<(), Error> {
        let applied = jobs.iter().filter(|job| job.published).count();
        for job in jobs {
            let file = &mut report.files[job.index];
            file.new_dirs = job.new_dirs;
            if job.published {
                file.version = Some(job.id);
                let gone = job.planned.target.kind == StateKind::Absent;
                file.result = if gone { FileResult::Removed } else { FileResult::Restored };
            }
        }
        let set = report.set;
        let whole = matches!(report.status, Status::Done);
        self.store.transact(Sync::Later, |tx| {
            for job in jobs {
                let Some(row) = tx.change(job.id)? else { continue };
                let outcome = if job.published { Outcome::Landed } else { Outcome::Failed };
                let temp = row.temp.filter(|_| job.temp_left);
                tx.put_change(&ChangeRow { outcome, temp, new_dirs: job.new_dirs, ..row })?;
            }
            if let Some(set) = set {
                let status = match applied {
                    0 => SetStatus::Aborted,
                    n if n == jobs.len() => SetStatus::Done,
                    _ => SetStatus::Interrupted,
                };
                set_status(tx, set, status, u32::try_from(applied).unwrap_or(u32::MAX))?;
            }
            match plan.resolves {
                Some(set) if whole => resolve(tx, set),
                _ => Ok(()),
            }
        })
    }
}

fn untouched(planned: &Planned) -> FileReport {
    FileReport {
        path: planned.path.clone(),
        result: FileResult::Untouched,
        class: planned.class.clone(),
        from: planned.from,
        version: None,
        new_dirs: 0,
    }
}

/// Records the intent of one file: what is there now, and what will be.
fn intend(
    tx: &mut impl RowsMut,
    frame: &Frame<'_>,
    job: &Job<'_>,
    doer: &Doer<'_>,
    added: &mut Vec<ChangeId>,
) -> Result<ChangeId, Error> {
    let path = tx.add_path(&job.planned.path)?;
    let keep = (doer.keep)(&job.planned.path);
    let (before, found) = match (&job.fresh, job.planned.seen) {
        (None, Seen::File { hash, len, mode }) => {
            // It was there a moment ago; a purge may have come in between.
            let blob = tx.blob_with(&hash)?.ok_or(Error::Stale)?;
            let state = StoredState { kind: StateKind::File, blob: Some(blob), len, mode };
            (state, record::note_state(tx, frame, path, state)?)
        }
        (fresh, _) => {
            let disk = fresh.as_ref().and_then(Current::file);
            record::settle_leftovers(tx, At { keys: frame.keys, path }, disk, added)?;
            let (state, found) = record::note_found(tx, frame, path, disk, keep)?;
            (record::seal_known(tx, frame, path, state, disk, keep)?, found)
        }
    };
    added.extend(found);
    let op = if job.planned.target.kind == StateKind::Absent { Op::Remove } else { Op::Restore };
    let intent =
        Intent { temp: Some(&job.temp), keep, ..Intent::new(&job.planned.path, op, None, None, doer.tool) };
    let after = StoredState { mode: job.planned.target.mode.or(before.mode), ..job.planned.target };
    let id =
        record::add_open(tx, frame, path, Open { intent: &intent, before, after, from: job.planned.from })?;
    added.push(id);
    Ok(id)
}

/// Lets the files change places one by one, and looks at what each displaced.
fn publish(jobs: &mut [Job<'_>], workspace: &mut impl Workspace) -> Result<(), Error> {
    for job in jobs {
        workspace.exchange(&job.planned.path, &job.temp, job.how)?;
        job.published = true;
        if job.how != Exchange::Place {
            let displaced = Seen::of(&workspace.look(&job.temp)?);
            if !displaced.has_content_of(&job.planned.seen) {
                return Err(Error::Stale);
            }
        }
    }
    Ok(())
}

/// Takes published files back, last first, and returns how many could not be.
fn take_back(jobs: &mut [Job<'_>], workspace: &mut impl Workspace) -> usize {
    let mut stuck = 0;
    for job in jobs.iter_mut().rev().filter(|job| job.published) {
        match workspace.exchange(&job.planned.path, &job.temp, job.how.back()) {
            Ok(()) => job.published = false,
            Err(_) => stuck += 1,
        }
    }
    stuck
}

/// Takes away what was staged for nothing. If that fails the changes stay open, for recovery to find the files.
fn discard_staged(jobs: &[Job<'_>], workspace: &mut impl Workspace) -> Result<(), Error> {
    let discarded = jobs.iter().rev().map(|job| workspace.discard(&job.temp, job.new_dirs));
    // Every one is tried, whatever became of the others.
    let results: Vec<_> = discarded.collect();
    results.into_iter().collect::<Result<(), _>>()?;
    workspace.sync()
}

/// Takes away the displaced originals, which are versions now, and then the directories that came with a file.
fn discard_displaced(jobs: &mut [Job<'_>], workspace: &mut impl Workspace) {
    for job in jobs.iter_mut() {
        // After a failed attempt to take it back, a published file may have displaced what nobody has recorded.
        let recorded = !job.published
            || workspace.look(&job.temp).is_ok_and(|current| {
                current == Current::Absent || Seen::of(&current).has_content_of(&job.planned.seen)
            });
        job.temp_left = !recorded || workspace.discard(&job.temp, 0).is_err();
    }
    for job in jobs.iter().rev().filter(|job| !job.temp_left) {
        let dirs = if job.published { job.planned.dirs } else { job.new_dirs };
        if dirs > 0 {
            let _ = workspace.discard(&job.temp, dirs);
        }
    }
}

fn set_status(tx: &mut impl RowsMut, set: SetId, status: SetStatus, applied: u32) -> Result<(), Error> {
    match tx.set(set)? {
        Some(row) => tx.put_set(&SetRow { status, applied, ..row }),
        None => Ok(()),
    }
}

fn resolve(tx: &mut impl RowsMut, set: SetId) -> Result<(), Error> {
    match tx.set(set)? {
        Some(row) => tx.put_set(&SetRow { status: SetStatus::Resolved, ..row }),
        None => Ok(()),
    }
}
