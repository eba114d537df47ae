//! Scripts of short commands over a history and a workspace: what the vectors are written in.
//!
//! `;` separates commands, spaces separate words. Commands that answer add one line to the transcript.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use file_history::{
    ChangeId, Class, Context, Current, Doer, Error, Exchange, Failed, Fault, Faults, FileState, Filter,
    History, Intent, Keep, Key, Look, MemKeys, MemWorkspace, OnConflict, Op, Options, Outcome, Plan, Policy,
    Purge, Report, SetId, Side, State, Store, UnixMillis, Version, Workspace,
    store::{OwnerId, Sync},
    tool_limit,
};

/// 2026-08-13 10:00:00 UTC.
pub(crate) const START: i64 = 1_786_615_200_000;

/// Lets a test that starts processes and tests that watch locks take turns: between fork and exec a child holds
/// whatever locks its parent holds, so that a handle that was dropped seems alive for a moment longer.
pub(crate) static SPAWNING: RwLock<()> = RwLock::new(());

/// Waits until no process is being started, and keeps it so.
pub(crate) fn quiet() -> RwLockReadGuard<'static, ()> {
    SPAWNING.read().unwrap_or_else(PoisonError::into_inner)
}

/// A history, its workspace, its clock, and what was answered so far.
pub(crate) struct World<S: Store + 'static, F: Fn() -> S> {
    open: F,
    pub(crate) history: Option<History<Faulty<S>>>,
    pub(crate) disk: MemWorkspace,
    pub(crate) faults: Faults,
    /// The key of the host, one byte repeated; 0 is none.
    key: u8,
    pub(crate) now: i64,
    tick: i64,
    pub(crate) transcript: Vec<String>,
    _quiet: RwLockReadGuard<'static, ()>,
}

/// A store whose commits can fail.
pub(crate) struct Faulty<S>(pub(crate) S, pub(crate) Faults);

impl<S: Store + 'static> Store for Faulty<S> {
    type View<'a>
        = S::View<'a>
    where
        Self: 'a;
    type Tx<'a>
        = S::Tx<'a>
    where
        Self: 'a;

    fn view<T>(&self, f: impl FnOnce(&Self::View<'_>) -> Result<T, Error>) -> Result<T, Error> {
        self.0.view(f)
    }

    fn transact<T>(
        &mut self,
        sync: Sync,
        f: impl FnOnce(&mut Self::Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let faults = &self.1;
        self.0.transact(sync, |tx| {
            let value = f(tx)?;
            faults.step()?;
            Ok(value)
        })
    }

    fn owner(&self) -> OwnerId {
        self.0.owner()
    }

    fn is_alive(&self, owner: OwnerId) -> bool {
        self.0.is_alive(owner)
    }

    fn compact(&mut self) -> Result<(), Error> {
        self.0.compact()
    }

    fn check(&self) -> Result<Vec<String>, Error> {
        self.0.check()
    }
}

fn with_key<S: Store>(history: History<S>, key: u8) -> History<S> {
    match key {
        0 => history,
        // Nonces of one test may repeat across reopening: its contents are no secrets.
        byte => history.with_keys(Arc::new(MemKeys::new(Key::new([byte; 32]), []))),
    }
}

/// Where a write is cut off.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Point {
    Intent = 1,
    Staged,
    Exchanged,
    Synced,
    Settled,
}

impl<S: Store + 'static, F: Fn() -> S> World<S, F> {
    pub(crate) fn new(open: F) -> Self {
        let quiet = quiet();
        let faults = Faults::default();
        let history = Some(with_key(History::new(Faulty(open(), faults.clone()), Options::default()), 0));
        let disk = MemWorkspace::new().with_faults(faults.clone());
        Self {
            open,
            history,
            disk,
            faults,
            key: 0,
            now: START,
            tick: 1000,
            transcript: Vec::new(),
            _quiet: quiet,
        }
    }

    pub(crate) fn reopen(&mut self) {
        let history = History::new(Faulty((self.open)(), self.faults.clone()), Options::default());
        self.history = Some(with_key(history, self.key));
    }

    pub(crate) fn run(&mut self, script: &str) {
        for command in script.split(';').map(str::trim).filter(|command| !command.is_empty()) {
            let words: Vec<&str> = command.split_whitespace().collect();
            self.command(&words);
        }
    }

    fn say(&mut self, line: impl Into<String>) {
        self.transcript.push(line.into());
    }

    pub(crate) fn history(&mut self) -> &mut History<Faulty<S>> {
        self.history.as_mut().expect("the history is open")
    }

    fn tick(&mut self) -> UnixMillis {
        let now = UnixMillis(self.now);
        self.now += self.tick;
        now
    }

    fn command(&mut self, words: &[&str]) {
        match *words {
            ["F", file] => {
                let (path, text) = file.split_once('=').expect("F path=text");
                self.disk.put(path.as_bytes(), text.as_bytes());
            }
            ["mode", path, mode] => {
                let bytes = self.disk.get(path.as_bytes()).expect("a file").to_vec();
                self.disk.put_mode(path.as_bytes(), &bytes, u32::from_str_radix(mode, 8).expect("octal"));
            }
            ["ext", path, text] => self.disk.put(path.as_bytes(), text.as_bytes()),
            ["extrm", path] => self.disk.remove(path.as_bytes()),
            ["extdir", path] => self.disk.put_dir(path.as_bytes()),
            ["extlink", path] => self.disk.put_link(path.as_bytes()),
            ["extout", path] => self.disk.put_link_outside(path.as_bytes()),
            ["deny", path] => self.disk.deny(path.as_bytes()),
            ["w", task, path, text] => {
                self.write(task, path, Some(text), Op::Edit, Keep::Content, Point::Settled)
            }
            ["secret", task, path, text] => {
                self.write(task, path, Some(text), Op::Edit, Keep::Withhold, Point::Settled);
            }
            ["seal", task, path, text] => {
                self.write(task, path, Some(text), Op::Edit, Keep::Seal, Point::Settled);
            }
            ["key", byte] => {
                self.key = byte.parse().expect("a byte");
                self.history = None;
                self.reopen();
            }
            ["ap", task, path, text] => {
                let old = self.disk.get(path.as_bytes()).unwrap_or_default();
                let text = format!("{}{text}", String::from_utf8_lossy(old));
                self.write(task, path, Some(&text), Op::Append, Keep::Content, Point::Settled);
            }
            ["rm", task, path] => {
                if self.disk.get(path.as_bytes()).is_none() {
                    self.say("not_found");
                } else {
                    self.write(task, path, None, Op::Remove, Keep::Content, Point::Settled);
                }
            }
            ["crash", point, task, path, text] => {
                let point = match point {
                    "P1" => Point::Intent,
                    "P2" => Point::Staged,
                    "P3" => Point::Exchanged,
                    "P4" => Point::Synced,
                    _ => Point::Settled,
                };
                self.write(task, path, Some(text), Op::Edit, Keep::Content, point);
                self.history = None;
            }
            ["crashap", task, path, text, left] => {
                let old =
                    String::from_utf8_lossy(self.disk.get(path.as_bytes()).unwrap_or_default()).into_owned();
                let whole = format!("{old}{text}");
                self.write(task, path, Some(&whole), Op::Append, Keep::Content, Point::Intent);
                self.disk.put(path.as_bytes(), left.as_bytes());
                self.history = None;
            }
            ["cut", kept] => {
                self.history = None;
                self.disk.power_cut(|| kept == "kept");
            }
            ["kill"] => self.history = None,
            ["reopen"] => {
                self.history = None;
                self.faults.disarm();
                self.reopen();
                let mut disk = std::mem::take(&mut self.disk);
                let found = self.history().recover(&mut disk).expect("recovers");
                self.disk = disk;
                for (id, outcome) in found.settled {
                    self.say(format!("{id} {}", outcome.code()));
                }
                for (set, applied, total) in found.interrupted {
                    self.say(format!("set {set} interrupted {applied} of {total}"));
                }
                for stray in found.strays {
                    self.say(format!("stray {}", String::from_utf8_lossy(&stray)));
                }
            }
            ["rs", id, task] => {
                let id = ChangeId(id.parse().expect("an id"));
                self.planned(task, |history, disk| history.restore_plan(id, disk));
            }
            ["undo", task, by] => self.undo(task, by, OnConflict::Refuse, &[]),
            ["undo", task, by, "skip"] => self.undo(task, by, OnConflict::Skip, &[]),
            ["undo", task, by, "force"] => self.undo(task, by, OnConflict::Force, &[]),
            ["undo", task, by, path] => self.undo(task, by, OnConflict::Refuse, &[path.as_bytes()]),
            ["resume", set, by] => {
                let set = SetId(set.parse().expect("a set"));
                self.planned(by, |history, disk| history.resume_plan(set, OnConflict::Refuse, disk));
            }
            ["rollback", set, by] => {
                let set = SetId(set.parse().expect("a set"));
                self.planned(by, |history, disk| history.rollback_plan(set, OnConflict::Refuse, disk));
            }
            ["fault", steps] => self.faults.arm(steps.parse().expect("steps"), Fault::Error),
            ["stop", steps] => self.faults.arm(steps.parse().expect("steps"), Fault::Stop),
            ["heal"] => self.faults.disarm(),
            ["know", task] => self.history().know_task(&Context::task(task)).expect("knows"),
            ["disk", path] => {
                let content = self.disk.get(path.as_bytes());
                let text = content.map_or("∅".into(), |bytes| String::from_utf8_lossy(bytes).into_owned());
                self.say(format!("{path}={text}"));
            }
            ["modeof", path] => {
                let mode = self.disk.mode(path.as_bytes()).unwrap_or(0);
                self.say(format!("{path} {mode:o}"));
            }
            ["paths"] => {
                let paths: Vec<_> =
                    self.disk.paths().map(|path| String::from_utf8_lossy(path).into_owned()).collect();
                self.say(paths.join(" "));
            }
            ["list", ref words @ ..] => self.list(words),
            ["count", limit] => {
                let filter = Filter { limit: tool_limit(limit.parse().ok()), ..Filter::default() };
                let page = self.history().list(&filter).expect("lists");
                self.say(format!("{}{}", page.rows.len(), if page.more { "+" } else { "" }));
            }
            ["read", path] => self.read(path),
            ["clock", text] => self.now += text.parse::<i64>().expect("ms"),
            ["tick", text] => self.tick = text.parse().expect("ms"),
            ["prune", days, newest] => self.prune(days, newest, u64::MAX, &[]),
            ["prune", days, newest, quota, protect] => {
                self.prune(days, newest, quota.parse().expect("bytes"), &[protect]);
            }
            ["purge", "path", path] => {
                self.history().purge(Purge::Path(path.as_bytes())).expect("purges");
            }
            ["purge", "task", task] => {
                self.history().purge(Purge::Task(task)).expect("purges");
            }
            ["blobs"] => {
                let blobs = self.history().stats().expect("counts").blobs;
                self.say(format!("{blobs} blobs"));
            }
            ["verify"] => {
                let verified = self.history().verify().expect("verifies");
                self.say(if verified.is_sound() { "sound" } else { "damaged" });
            }
            _ => panic!("no such command: {words:?}"),
        }
    }

    fn prune(&mut self, days: &str, newest: &str, quota_bytes: u64, protect: &[&str]) {
        let policy = Policy {
            keep_ms: days.parse::<i64>().expect("days") * 86_400_000,
            keep_newest: newest.parse().expect("rows"),
            quota_bytes,
            protect,
        };
        let now = UnixMillis(self.now);
        let pruned = self.history().prune(&policy, now).expect("prunes");
        self.say(format!("pruned {}", pruned.changes));
    }

    /// Does what a tool does: begin, stage, exchange, sync, settle; up to a point.
    fn write(&mut self, task: &str, path: &str, text: Option<&str>, op: Op, keep: Keep, until: Point) {
        let path = path.as_bytes();
        let now = self.tick();
        let mut disk = std::mem::take(&mut self.disk);
        let current = disk.look(path).expect("looks");
        let temp = disk.temp_name(path).expect("names");
        let before = current.file();
        let mode = before.and_then(|file| file.mode);
        let after = text.map(|text| FileState { bytes: text.as_bytes(), mode });
        let depth = u32::try_from(path.iter().filter(|&&byte| byte == b'/').count()).expect("small");
        let dirs_there = disk.paths().filter(|dir| path.starts_with(&[*dir, b"/"].concat())).count();
        let new_dirs = depth - u32::try_from(dirs_there).expect("small");
        let intent =
            Intent { keep, temp: Some(&temp), new_dirs, ..Intent::new(path, op, before, after, "test") };
        let ids = self.history().begin(&[intent], &Context::task(task), now).expect("begins");
        if let Some(id) = ids[0] {
            if until >= Point::Staged
                && let Some(after) = after
            {
                disk.stage(path, &temp, after).expect("stages");
                disk.sync().expect("syncs");
            }
            if until >= Point::Exchanged {
                let how = match (&current, after) {
                    (Current::Absent, _) => Exchange::Place,
                    (_, None) => Exchange::Take,
                    _ => Exchange::Both,
                };
                disk.exchange(path, &temp, how).expect("exchanges");
            }
            if until >= Point::Synced {
                disk.sync().expect("syncs");
            }
            if until >= Point::Settled {
                disk.discard(&temp, 0).expect("discards");
                disk.sync().expect("syncs");
                self.history().settle(&[(id, Outcome::Landed)]).expect("settles");
            }
        } else {
            self.say("unchanged");
        }
        self.disk = disk;
    }

    fn undo(&mut self, task: &str, by: &str, on_conflict: OnConflict, paths: &[&[u8]]) {
        self.planned(by, |history, disk| history.undo_plan(task, paths, on_conflict, disk));
    }

    /// Makes a plan and carries it out.
    fn planned(
        &mut self,
        by: &str,
        plan: impl FnOnce(&History<Faulty<S>>, &mut MemWorkspace) -> Result<Plan, Error>,
    ) {
        let now = self.tick();
        let mut disk = std::mem::take(&mut self.disk);
        let has_key = self.key != 0;
        let keep = |path: &[u8]| if has_key && path == b".env" { Keep::Seal } else { Keep::Content };
        let doer = Doer { context: Context::task(by), tool: "test", keep: &keep, now };
        let history = self.history.as_mut().expect("the history is open");
        let report = plan(history, &mut disk).and_then(|plan| history.execute(&plan, &mut disk, &doer));
        self.disk = disk;
        let line = match report {
            Ok(report) => describe(&report),
            Err(Error::Blocked(block)) => format!("error blocked {}", block.code()),
            Err(error) => format!("error {}", error.code()),
        };
        self.say(line);
    }

    fn list(&mut self, words: &[&str]) {
        let mut filter = Filter { limit: 24, ..Filter::default() };
        let mut paths: Vec<&[u8]> = Vec::new();
        for word in words {
            match word.split_once('=') {
                Some(("task", task)) => filter.task = Some(task),
                Some(("path", path)) => paths.push(path.as_bytes()),
                Some(("from", ms)) => filter.from = Some(UnixMillis(START + ms.parse::<i64>().expect("ms"))),
                Some(("to", ms)) => filter.to = Some(UnixMillis(START + ms.parse::<i64>().expect("ms"))),
                Some(("limit", rows)) => filter.limit = rows.parse().expect("rows"),
                Some(("below", id)) => filter.below = Some(ChangeId(id.parse().expect("id"))),
                _ => filter.failed = Failed::Show,
            }
        }
        filter.paths = &paths;
        let page = match self.history().list(&filter) {
            Ok(page) => page,
            Err(error) => return self.say(format!("error {}", error.code())),
        };
        if page.rows.is_empty() {
            self.say("no recorded changes");
        }
        for row in page.rows {
            let line = self.describe_row(&row);
            self.say(line);
        }
    }

    fn describe_row(&mut self, row: &Version) -> String {
        let content = match row.after {
            State::Absent => "∅".into(),
            State::Omitted { why, .. } => format!("({})", why.code()),
            _ => match self.history().sides(row.id).expect("reads").1 {
                Side::File(content) => String::from_utf8_lossy(&content.bytes).into_owned(),
                other => format!("{other:?}"),
            },
        };
        let task = if row.task.is_empty() { "-" } else { &row.task };
        let mut line =
            format!("{}:{} {} {task} {content}", row.id, row.op.code(), String::from_utf8_lossy(&row.path));
        if let Some(from) = row.from {
            line.push_str(&format!(" from={from}"));
        }
        if !matches!(row.outcome, Outcome::Landed) {
            line.push_str(&format!(" {}", row.outcome.code()));
        }
        line.trim_end().to_owned()
    }

    fn read(&mut self, path: &str) {
        let text = |side: Side| match side {
            Side::Absent => "∅".to_owned(),
            Side::File(content) => String::from_utf8_lossy(&content.bytes).into_owned(),
            Side::Omitted(why) => format!("({})", why.code()),
        };
        let current = self.disk.look(path.as_bytes()).expect("looks");
        let look = self.history().look(path.as_bytes(), current.file()).expect("compares");
        self.say(match look {
            Look::Unrecorded => "no recorded changes".into(),
            Look::Same { newest, old, new } => {
                format!("{} by {}: {} -> {}", newest.op.code(), newest.task, text(old), text(new))
            }
            Look::Changed { newest, old } => format!("changed outside since {}: {}", newest.id, text(old)),
            Look::Gone { newest, old } => format!("gone since {}: {}", newest.id, text(old)),
        });
    }
}

/// Writes a report as one line: the status, and every file that is not simply done.
fn describe(report: &Report) -> String {
    let mut line = report.status.code().to_owned();
    for file in &report.files {
        let path = String::from_utf8_lossy(&file.path);
        match &file.class {
            Class::Clean => {}
            Class::LaterTask { task, version } => {
                line.push_str(&format!(" {path}:later_task({task},{version})"))
            }
            Class::External { version: Some(version) } => {
                line.push_str(&format!(" {path}:external({version})"))
            }
            Class::NotRestorable(gap) => line.push_str(&format!(" {path}:not_restorable({})", gap.code())),
            class => line.push_str(&format!(" {path}:{}", class.code())),
        }
    }
    if let Some(set) = report.set {
        line.push_str(&format!(" set={set}"));
    }
    line
}
