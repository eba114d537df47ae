//! Taking changes back: one version, a task, an interrupted group, or a removal that stays undoable.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use file_history::{
    ChangeId, Context, Doer, FileReport, FileResult, History, OnConflict, Plan, Recovered, Report, SetId,
    SqliteStore, Status,
};
use sandbox_policy::Op;

use crate::error::{Class, ToolError};
use crate::gate::{Asking, By, Scope, WriteError, history_error, history_off};
use crate::limits;
use crate::recorder::{Recorder, now};
use crate::render::{Guard, clean, echo, show_name};
use crate::tool::Call;
use crate::tools::classic;
use crate::workspace::Workspace;

/// The word that stands for the task of the call itself.
const CURRENT: &str = "current";

/// What is to be taken back.
#[derive(Debug, Clone, Copy)]
pub enum Undo<'a> {
    /// Puts one version back.
    Version(u64),
    /// Takes back what a task did; `current` is the task of the call.
    Task {
        /// The task.
        task: &'a str,
        /// Only these paths, as a tool takes them; all when empty.
        paths: &'a [&'a str],
        /// What to do about files that changed since.
        on_conflict: OnConflict,
    },
    /// Carries an interrupted undo to its end.
    Resume {
        /// Number of the group.
        set: u64,
        /// What to do about files that changed since.
        on_conflict: OnConflict,
    },
    /// Takes an interrupted undo back.
    Rollback {
        /// Number of the group.
        set: u64,
        /// What to do about files that changed since.
        on_conflict: OnConflict,
    },
}

/// What an undo would do; nothing was touched.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Forecast {
    /// The plan, file by file.
    pub plan: Plan,
    /// Paths that need a person's word, below the root of the scope.
    pub to_confirm: Vec<Vec<u8>>,
    /// Why files are blocked, where the rules say so.
    pub refusals: Vec<ToolError>,
}

/// What an undo did.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Undone {
    /// The report, file by file.
    pub report: Report,
    /// Why files are blocked, where the rules say so.
    pub refusals: Vec<ToolError>,
}

impl Undone {
    /// The failure that this outcome is for a caller, if it is one.
    pub fn error(&self) -> Option<ToolError> {
        let told = match self.report.status {
            Status::Done | Status::Nothing => return None,
            Status::Refused => match (self.refusals.first(), &self.report.error) {
                (Some(refusal), _) => return Some(refusal.clone()),
                (None, Some(error)) => return Some(history_error(error, "")),
                (None, None) => ToolError::new(
                    Class::Conflict,
                    "undo_refused",
                    "something stands in the way, so nothing was changed",
                )
                .hint("on_conflict=skip leaves those files out, on_conflict=force records them and goes over them"),
            },
            Status::Partial => ToolError::new(
                Class::Conflict,
                "undo_partial",
                match &self.report.error {
                    Some(error) => format!("only a part was done: {error}"),
                    None => "some files were left out".to_owned(),
                },
            )
            .hint("the list says which files"),
            _ => match &self.report.error {
                Some(error) => history_error(error, ""),
                None => ToolError::new(Class::Failure, "undo_failed", "nothing was changed"),
            },
        };
        Some(told)
    }

    /// One line a file, and one about the whole.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for file in &self.report.files {
            text.push_str(&file_line(file));
            text.push('\n');
        }
        text.push_str(&format!("[{}: {}]\n", self.report.status.code(), counts(&self.report.files)));
        text
    }
}

fn file_line(file: &FileReport) -> String {
    let path = show_name(Path::new(OsStr::from_bytes(&file.path))).into_owned();
    let mut line = format!("{} {path}", file.result.code());
    match (file.result, file.from) {
        (FileResult::Restored, Some(from)) => line.push_str(&format!(", content of version {from}")),
        (FileResult::Skipped | FileResult::InTheWay, _) => {
            line.push_str(&format!(": {}", file.class.code()));
            if let file_history::Class::LaterTask { task, version } = &file.class {
                line.push_str(&format!(" {} with version {version}", echo(task)));
            }
            if let file_history::Class::External { version: Some(version) } = &file.class {
                line.push_str(&format!(", recorded as version {version}"));
            }
            if let file_history::Class::NotRestorable(gap) = &file.class {
                line.push_str(&format!(", {}", gap.code()));
            }
            if let file_history::Class::Blocked(block) = &file.class {
                line.push_str(&format!(", {}", block.code()));
            }
        }
        _ => {}
    }
    if let Some(version) = file.version {
        line.push_str(&format!(" (recorded as version {version})"));
    }
    if file.new_dirs > 0 {
        line.push_str(&format!(", {} missing director{} made", file.new_dirs, plural(file.new_dirs)));
    }
    line
}

fn plural(n: u32) -> &'static str {
    if n == 1 { "y" } else { "ies" }
}

fn counts(files: &[FileReport]) -> String {
    let count = |result| files.iter().filter(|file| file.result == result).count();
    let parts: Vec<String> = [
        (FileResult::Restored, "restored"),
        (FileResult::Removed, "removed"),
        (FileResult::Already, "already as wanted"),
        (FileResult::Skipped, "left out"),
        (FileResult::InTheWay, "in the way"),
        (FileResult::Untouched, "untouched"),
    ]
    .into_iter()
    .map(|(result, word)| (count(result), word))
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    if parts.is_empty() { "no file is concerned".to_owned() } else { parts.join(", ") }
}

impl Workspace {
    /// Returns what an undo would do, and what stands in its way. Touches and records nothing.
    ///
    /// # Errors
    ///
    /// `history_off`, `unknown_version`, `pruned`, `not_restorable`, `unknown_task`, `no_current_task` and others; a
    /// conflict is no error, the plan names it.
    pub fn forecast(&self, undo: &Undo<'_>, scope: Scope, call: &Call<'_>) -> Result<Forecast, ToolError> {
        let recorder = self.recorder(scope)?;
        let names = self.names(undo, scope, call)?;
        let mut disk = self.gate().disk(scope, Asking::Note)?;
        let plan =
            recorder.with(|history| plan(history, undo, task_of(undo, call), &names, &mut disk)).map_err(
                |error| disk.refusals.first().map_or_else(|| history_error(&error, ""), |(_, r)| r.clone()),
            )?;
        let refusals = disk.refusals.into_iter().map(|(_, refusal)| refusal).collect();
        Ok(Forecast { plan, to_confirm: disk.to_confirm, refusals })
    }

    /// Takes changes back, all or nothing, and records that, so that it can be taken back as well.
    ///
    /// Every path is judged by the rules, a person is asked where they want one, and the current content of each file
    /// is recorded first. `tool` names the doer in the history.
    ///
    /// # Errors
    ///
    /// As [`Workspace::forecast`]. What became of each file is in the report, whose status may still be a refusal:
    /// see [`Undone::error`].
    pub fn undo(
        &self,
        undo: &Undo<'_>,
        scope: Scope,
        tool: &'static str,
        call: &Call<'_>,
    ) -> Result<Undone, ToolError> {
        call.check()?;
        let forecast = self.forecast(undo, scope, call)?;
        let recorder = self.recorder(scope)?;
        let names = self.names(undo, scope, call)?;
        // Nobody else waits while a person thinks: no lock is held here.
        let mut asking = self.gate().disk(scope, Asking::Ask(call))?;
        asking.ask(&forecast.to_confirm).map_err(|error| history_error(&error, ""))?;
        let mut disk = self.gate().disk(scope, Asking::Settled)?;
        disk.allowed = std::mem::take(&mut asking.allowed);
        disk.refusals = std::mem::take(&mut asking.refusals);
        let paths: Vec<&[u8]> = forecast.plan.files().iter().map(|file| file.path.as_slice()).collect();
        let _guard = recorder.lock_all(&paths).map_err(|error| history_error(&error, ""))?;
        let origin = call.origin;
        let keep = |path: &[u8]| self.gate().keep_recorded(scope, path);
        let doer = Doer {
            context: Context { task: origin.task, goal: origin.goal, run: origin.run },
            tool,
            keep: &keep,
            now: now(),
        };
        let report = recorder
            .with(|history| {
                let plan = plan(history, undo, task_of(undo, call), &names, &mut disk)?;
                history.execute(&plan, &mut disk, &doer)
            })
            .map_err(|error| match disk.refusals.first() {
                Some((_, refusal)) => refusal.clone(),
                None => history_error(&error, ""),
            })?;
        recorder.tidy(origin.task);
        let refusals = disk.refusals.into_iter().map(|(_, refusal)| refusal).collect();
        Ok(Undone { report, refusals })
    }

    /// Removes a file so that it can be restored; returns the version that does.
    ///
    /// # Errors
    ///
    /// Refusals of the rules, `not_found`, `history_off`, `not_restorable` for a sensitive file, of which no content is
    /// kept, and failures of the disk and of the history. The file is untouched then.
    pub fn remove(&self, path: &str, tool: &'static str, call: &Call<'_>) -> Result<u64, ToolError> {
        for _ in 0..limits::RACE_RETRIES {
            call.check()?;
            let file = self.gate().open_file(Op::Remove, path, call)?;
            match file.remove(By { tool, call }) {
                Ok(Some(version)) => return Ok(version),
                Ok(None) | Err(WriteError::Lost) => {}
                Err(WriteError::Failed(error)) => return Err(error),
            }
        }
        Err(ToolError::new(Class::Conflict, "busy", "the file keeps changing")
            .at(echo(path))
            .hint("try again when nobody writes it"))
    }

    /// Finds out how changes ended that a process did not live to tell; nothing is created where nothing was recorded.
    ///
    /// # Errors
    ///
    /// Those of the history; the next attempt finds the same.
    pub fn recover_history(&self) -> Result<Vec<Recovered>, ToolError> {
        let mut found = Vec::new();
        for scope in [Scope::Workspace, Scope::Outside] {
            let Some(recorder) = self.gate().history_of(scope).filter(|recorder| recorder.exists()) else {
                continue;
            };
            // Recovery changes no file of the user: it compares, and takes away temporary files of its own and of the
            // writes that were interrupted.
            let mut disk = self.gate().disk(scope, Asking::Note)?;
            let (recovered, paths) = recorder
                .with(|history| {
                    let recovered = history.recover(&mut disk)?;
                    let paths = recovered.settled.iter().filter_map(|(id, _)| history.version(*id).ok());
                    let paths: Vec<Vec<u8>> = paths.map(|row| row.path).collect();
                    Ok((recovered, paths))
                })
                .map_err(|error| history_error(&error, ""))?;
            disk.sweep_beside(&paths);
            found.push(recovered);
        }
        Ok(found)
    }

    /// Runs `work` on the history of a scope; `Ok(None)` when nothing was ever recorded there, and nothing is created.
    ///
    /// # Errors
    ///
    /// `history_off`, and those of `work` in the words of a tool.
    pub fn history_in<T>(
        &self,
        scope: Scope,
        work: impl FnOnce(&mut History<SqliteStore>) -> Result<T, file_history::Error>,
    ) -> Result<Option<T>, ToolError> {
        let recorder = self.recorder(scope)?;
        if !recorder.exists() {
            return Ok(None);
        }
        recorder.with(work).map(Some).map_err(|error| history_error(&error, ""))
    }

    /// Returns the scope of a path, as a tool takes it, and the path as the history of that scope knows it.
    ///
    /// # Errors
    ///
    /// Refusals of the rules, and `history_off`.
    pub fn history_path(&self, path: &str, call: &Call<'_>) -> Result<(Scope, Vec<u8>), ToolError> {
        let recorded = self.gate().recorded(Op::HistoryRead, path, call)?;
        Ok((recorded.scope, recorded.path))
    }

    /// Returns what changed last at a path, as the tool `file_history` shows it: a heading and a masked, bounded diff.
    ///
    /// # Errors
    ///
    /// Refusals of the rules, `history_off`, failures of the history and of the disk.
    pub fn history_text(&self, path: &str, call: &Call<'_>) -> Result<String, ToolError> {
        classic::changes(self, path, call).map(|text| clean(&text, Guard::None).into_owned())
    }

    /// Returns what one recorded change did, in the same form.
    ///
    /// # Errors
    ///
    /// `unknown_version`, `pruned`, `history_off`, failures of the history.
    pub fn change_text(&self, version: u64, scope: Scope) -> Result<String, ToolError> {
        classic::change(self, version, scope).map(|text| clean(&text, Guard::None).into_owned())
    }

    pub(crate) fn recorder(&self, scope: Scope) -> Result<&Recorder, ToolError> {
        self.gate().history_of(scope).ok_or_else(|| history_off(""))
    }

    /// The paths of a request as the history knows them.
    fn names(&self, undo: &Undo<'_>, scope: Scope, call: &Call<'_>) -> Result<Vec<Vec<u8>>, ToolError> {
        let Undo::Task { paths, task, .. } = undo else { return Ok(Vec::new()) };
        if *task == CURRENT && call.origin.task.is_empty() {
            return Err(no_current_task());
        }
        let mut names = Vec::new();
        for path in *paths {
            let recorded = self.gate().recorded(Op::Restore, path, call)?;
            if recorded.scope != scope {
                return Err(ToolError::new(
                    Class::Usage,
                    "wrong_scope",
                    "files of the workspace and files outside it have histories of their own",
                )
                .at(echo(path))
                .hint("undo them apart"));
            }
            names.push(recorded.path);
        }
        Ok(names)
    }
}

/// Nobody said which task this call belongs to.
pub(crate) fn no_current_task() -> ToolError {
    ToolError::new(
        Class::Usage,
        "no_current_task",
        "this call belongs to no task, so there is no current one",
    )
    .hint("name the task; the list shows the task of each version")
}

/// The task that a filter or an undo means: itself, or that of the call.
pub(crate) fn task_named<'a>(task: &'a str, call: &Call<'a>) -> Result<&'a str, ToolError> {
    match (task, call.origin.task) {
        (CURRENT, "") => Err(no_current_task()),
        (CURRENT, task) | (task, _) => Ok(task),
    }
}

fn task_of<'a>(undo: &Undo<'a>, call: &Call<'a>) -> &'a str {
    match undo {
        Undo::Task { task, .. } => task_named(task, call).unwrap_or_default(),
        _ => "",
    }
}

fn plan(
    history: &History<SqliteStore>,
    undo: &Undo<'_>,
    task: &str,
    names: &[Vec<u8>],
    disk: &mut impl file_history::Workspace,
) -> Result<Plan, file_history::Error> {
    let names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
    match *undo {
        Undo::Version(id) => history.restore_plan(ChangeId(id), disk),
        Undo::Task { on_conflict, .. } => history.undo_plan(task, &names, on_conflict, disk),
        Undo::Resume { set, on_conflict } => history.resume_plan(SetId(set), on_conflict, disk),
        Undo::Rollback { set, on_conflict } => history.rollback_plan(SetId(set), on_conflict, disk),
    }
}
