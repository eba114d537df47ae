//! Properties of `file-history`.

mod database;

use std::{collections::BTreeMap, sync::Arc};

use file_history::{
    ChangeId, Context, Current, Doer, Exchange, Failed, FileState, Filter, FixedZone, History, Intent, Keep,
    Key, KeySource, MemKeys, MemStore, MemWorkspace, OnConflict, Op, Options, Outcome, Policy, Purge, Side,
    Status, UnixMillis, Workspace, codec, time_range,
};

/// The fuzz targets of this module and the property each of them calls.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("file_history_codec", codec),
    ("file_history_database", database),
    ("file_history_model", model),
    ("file_history_times", times),
];

pub use database::database;

const PATHS: [&[u8]; 4] = [b"a", b"b", b"d/e/f", b"d/g"];
const TASKS: [&str; 3] = ["T1", "T2", "T3"];

/// Longest story that is played: each step copies the tables of the store.
const MAX_STEPS: usize = 160;

/// Plays a story of writes, removals, foreign changes, restores, undos, crashes and pruning against a plain model: two
/// maps of what is on disk and what each version held.
///
/// # Panics
///
/// Panics when the disk is not what the model says, a version does not read back, an id is issued twice, a refusal
/// leaves a trace, or undoing an undo is not the identity.
pub fn model(data: &[u8]) {
    let mut story = Story::new();
    for step in data.chunks(3).take(MAX_STEPS) {
        let byte = |index: usize| usize::from(step.get(index).copied().unwrap_or(0));
        story.step(byte(0), byte(1), byte(2));
        story.check();
    }
    story.check_all();
}

/// One of the files is sensitive.
fn keep(path: &[u8]) -> Keep {
    if path == b"b" { Keep::Seal } else { Keep::Content }
}

type Files = BTreeMap<Vec<u8>, Vec<u8>>;

struct Story {
    store: MemStore,
    keys: Arc<dyn KeySource>,
    histories: Vec<History<MemStore>>,
    disk: MemWorkspace,
    files: Files,
    versions: BTreeMap<u64, Option<Vec<u8>>>,
    last: u64,
    now: i64,
}

/// Content that differs in a few lines, so that patches are worth their while.
fn content(seed: usize) -> Vec<u8> {
    if seed.is_multiple_of(7) {
        return vec![b'x'; seed % 5];
    }
    let line = |n: usize| {
        if n == seed % 40 { format!("line {seed}\n") } else { format!("the line with number {n}\n") }
    };
    (0..40).map(line).collect::<String>().into_bytes()
}

impl Story {
    fn new() -> Self {
        let store = MemStore::new();
        let keys: Arc<dyn KeySource> = Arc::new(MemKeys::new(Key::new([1; 32]), []));
        let histories = (0..2)
            .map(|_| History::new(store.reopen(), Options::default()).with_keys(Arc::clone(&keys)))
            .collect();
        let disk = MemWorkspace::new();
        let (files, versions) = (Files::new(), BTreeMap::new());
        Self { store, keys, histories, disk, files, versions, last: 0, now: 0 }
    }

    fn step(&mut self, action: usize, what: usize, seed: usize) {
        let path = PATHS[what % PATHS.len()];
        let task = TASKS[what / PATHS.len() % TASKS.len()];
        let handle = action / 16 % 2;
        self.now += 1000;
        match action % 16 {
            0..=3 => self.write(handle, task, path, Op::Edit, Some(content(seed)), true),
            4 => {
                let mut whole = self.files.get(path).cloned().unwrap_or_default();
                whole.extend(format!("more {seed}\n").bytes());
                self.write(handle, task, path, Op::Append, Some(whole), true);
            }
            5 if self.files.contains_key(path) => self.write(handle, task, path, Op::Remove, None, true),
            6 => {
                self.disk.put(path, &content(seed));
                self.files.insert(path.to_vec(), content(seed));
            }
            7 => {
                self.disk.remove(path);
                self.files.remove(path);
            }
            8 | 9 => self.restore(handle, task, ChangeId(seed as u64 % (self.last + 2))),
            10 => self.undo(handle, TASKS[seed % 3], task, OnConflict::Refuse),
            11 => {
                let policy = [OnConflict::Skip, OnConflict::Force][seed / 3 % 2];
                self.undo(handle, TASKS[seed % 3], task, policy);
            }
            12 => {
                self.write(handle, task, path, Op::Edit, Some(content(seed)), false);
                self.reopen(handle);
            }
            13 => self.reopen(handle),
            14 => {
                let policy = Policy { keep_ms: 20_000, keep_newest: seed % 6, ..Policy::default() };
                let policy = if seed > 200 { Policy { quota_bytes: 2000, ..policy } } else { policy };
                self.histories[handle].prune(&policy, UnixMillis(self.now)).unwrap();
            }
            15 if seed.is_multiple_of(4) => {
                self.histories[handle].purge(Purge::Path(path)).unwrap();
            }
            _ => self.now -= 3_600_000,
        }
    }

    fn reopen(&mut self, handle: usize) {
        let history = History::new(self.store.reopen(), Options::default());
        self.histories[handle] = history.with_keys(Arc::clone(&self.keys));
        let before = files(&self.disk);
        let found = self.histories[handle].recover(&mut self.disk).unwrap();
        assert_eq!(found.interrupted, []);
        assert!(found.strays.is_empty());
        let mut after = files(&self.disk);
        after.retain(|path, _| !path.ends_with(b".tmp"));
        let mut kept = before;
        kept.retain(|path, _| !path.ends_with(b".tmp"));
        assert_eq!(kept, after, "recovery changed a file");
    }

    /// Writes as a tool does; or begins, and stops at a point that the content chooses.
    fn write(&mut self, handle: usize, task: &str, path: &[u8], op: Op, new: Option<Vec<u8>>, whole: bool) {
        let current = self.disk.look(path).unwrap();
        if matches!(current, Current::Blocked(_)) {
            return;
        }
        let temp = self.disk.temp_name(path).unwrap();
        let after = new.as_deref().map(FileState::of);
        let new_dirs = if path.starts_with(b"d/") && !self.disk.paths().any(|name| name == b"d") {
            u32::try_from(path.iter().filter(|&&byte| byte == b'/').count()).unwrap()
        } else {
            0
        };
        let intent = Intent {
            temp: Some(&temp),
            new_dirs,
            keep: keep(path),
            ..Intent::new(path, op, current.file(), after, "t")
        };
        let id =
            self.histories[handle].begin(&[intent], &Context::task(task), UnixMillis(self.now)).unwrap()[0];
        assert_eq!(
            id.is_none(),
            self.files.get(path) == new.as_ref(),
            "no row for no change, one for a change"
        );
        let Some(id) = id else { return };
        let stop = new.as_ref().map_or(0, Vec::len) % 3;
        if let Some(after) = after
            && (whole || stop > 0)
        {
            self.disk.stage(path, &temp, after).unwrap();
        }
        if whole || stop > 1 {
            let how = match (&current, after) {
                (Current::Absent, _) => Exchange::Place,
                (_, None) => Exchange::Take,
                _ => Exchange::Both,
            };
            self.disk.exchange(path, &temp, how).unwrap();
            match new {
                Some(new) => self.files.insert(path.to_vec(), new),
                None => self.files.remove(path),
            };
        }
        if whole {
            self.disk.discard(&temp, 0).unwrap();
            self.histories[handle].settle(&[(id, Outcome::Landed)]).unwrap();
        }
    }

    fn doer<'a>(&self, task: &'a str) -> Doer<'a> {
        Doer { context: Context::task(task), tool: "t", keep: &keep, now: UnixMillis(self.now) }
    }

    fn restore(&mut self, handle: usize, task: &str, id: ChangeId) {
        let Ok(plan) = self.histories[handle].restore_plan(id, &mut self.disk) else { return };
        let path = plan.files()[0].path.clone();
        let wanted = self.histories[handle].read(id).unwrap().map(|content| content.bytes);
        let doer = self.doer(task);
        let report = self.histories[handle].execute(&plan, &mut self.disk, &doer).unwrap();
        assert!(matches!(report.status, Status::Done | Status::Nothing), "{report:?}");
        match wanted {
            Some(bytes) => self.files.insert(path, bytes),
            None => self.files.remove(&path),
        };
    }

    fn undo(&mut self, handle: usize, task: &str, by: &str, on_conflict: OnConflict) {
        let Ok(plan) = self.histories[handle].undo_plan(task, &[], on_conflict, &mut self.disk) else {
            return;
        };
        let (before, rows) = (self.files.clone(), self.last);
        let expected = naive_undo(&self.histories[handle], &before, task, on_conflict);
        let doer = self.doer(by);
        let report = self.histories[handle].execute(&plan, &mut self.disk, &doer).unwrap();
        self.files = files(&self.disk);
        self.files.retain(|path, _| !path.ends_with(b".tmp"));
        assert_eq!(
            self.files,
            expected.clone().unwrap_or_else(|| before.clone()),
            "undo of {task}: {report:?}"
        );
        assert_eq!(expected.is_none(), report.status == Status::Refused, "{report:?}");
        match report.status {
            Status::Refused | Status::Nothing => {
                assert_eq!(self.files, before, "a refusal changed a file");
                self.check();
                assert_eq!(self.last, rows, "a refusal left a row");
            }
            _ => {
                // What the undo took away is a version: nothing was lost.
                for file in &report.files {
                    if let Some(version) = file.version
                        && let Side::File(old) = self.histories[handle].sides(version).unwrap().0
                    {
                        assert_eq!(
                            before.get(&file.path),
                            Some(&old.bytes),
                            "the undone content is not a version"
                        );
                    }
                }
            }
        }
    }

    /// What must hold after every step.
    fn check(&mut self) {
        let mut disk = files(&self.disk);
        disk.retain(|path, _| !path.ends_with(b".tmp"));
        assert_eq!(disk, self.files, "the disk is not what the model says");
        let filter = Filter { failed: Failed::Show, limit: 12, ..Filter::default() };
        let page = self.histories[0].list(&filter).unwrap();
        assert!(page.rows.is_sorted_by(|a, b| a.id > b.id));
        for row in page.rows.iter().rev() {
            let after = match self.histories[0].sides(row.id).unwrap().1 {
                Side::Absent => None,
                Side::File(content) => Some(content.bytes),
                Side::Omitted(why) => panic!("version {} is not readable: {}", row.id, why.code()),
            };
            match self.versions.get(&row.id.0) {
                Some(known) => assert_eq!(*known, after, "version {} changed", row.id),
                None => {
                    assert!(row.id.0 > self.last, "id {} was issued twice", row.id);
                    self.versions.insert(row.id.0, after);
                    self.last = row.id.0;
                }
            }
        }
    }

    /// What must hold at the end, over everything.
    fn check_all(&mut self) {
        let history = &mut self.histories[0];
        assert!(history.verify().unwrap().is_sound());
        let filter = Filter { failed: Failed::Show, limit: 1000, ..Filter::default() };
        for row in history.list(&filter).unwrap().rows {
            let wanted = self.versions.get(&row.id.0).cloned().flatten();
            if let (Ok(Some(content)), true) = (history.read(row.id), row.op != Op::Remove) {
                assert_eq!(Some(content.bytes), wanted);
            }
        }
        undo_of_undo_is_identity(history, &mut self.disk);
    }
}

/// Says what the disk is after undoing a task, by the rules as they are written down, from the list of versions alone;
/// `None` if the undo is to be refused.
fn naive_undo(
    history: &History<MemStore>,
    disk: &Files,
    task: &str,
    on_conflict: OnConflict,
) -> Option<Files> {
    let mut result = disk.clone();
    for path in PATHS {
        let filter = Filter { paths: &[path], limit: 1000, ..Filter::default() };
        let mut rows = history.list(&filter).unwrap().rows;
        rows.reverse();
        let own: Vec<usize> = (0..rows.len()).filter(|&n| rows[n].task == task).collect();
        let (Some(&first), Some(&last)) = (own.first(), own.last()) else { continue };
        let bytes = |side: Side| match side {
            Side::Absent => Some(None),
            Side::File(content) => Some(Some(content.bytes)),
            Side::Omitted(_) => None,
        };
        let target = bytes(history.sides(rows[first].id).unwrap().0);
        let left = bytes(history.sides(rows[last].id).unwrap().1);
        let now = Some(disk.get(path).cloned());
        if target == now {
            continue;
        }
        let foreign = (first..last).any(|n| rows[n].task != task);
        let certain = matches!(rows[last].outcome, Outcome::Landed | Outcome::Open);
        let clean = !foreign && left == now && certain;
        match (target, clean, on_conflict) {
            (Some(content), true, _) | (Some(content), false, OnConflict::Force) => match content {
                Some(content) => drop(result.insert(path.to_vec(), content)),
                None => drop(result.remove(path)),
            },
            (_, _, OnConflict::Skip) => {}
            _ => return None,
        }
    }
    Some(result)
}

/// Takes back each task, and then the taking back.
fn undo_of_undo_is_identity(history: &mut History<MemStore>, disk: &mut MemWorkspace) {
    for task in TASKS {
        let before = files(disk);
        let undo = |history: &mut History<MemStore>, disk: &mut MemWorkspace, task: &str, by: &str| {
            let plan = history.undo_plan(task, &[], OnConflict::Refuse, disk).ok()?;
            let doer = Doer { context: Context::task(by), tool: "t", keep: &keep, now: UnixMillis(0) };
            Some(history.execute(&plan, disk, &doer).unwrap().status)
        };
        let by = format!("undo of {task}");
        if undo(history, disk, task, &by) == Some(Status::Done) {
            assert_eq!(undo(history, disk, &by, "redo"), Some(Status::Done));
        }
        assert_eq!(files(disk), before);
    }
}

fn files(disk: &MemWorkspace) -> Files {
    disk.paths().filter_map(|path| Some((path.to_vec(), disk.get(path)?.to_vec()))).collect()
}

/// Decodes arbitrary data under arbitrary claims, and codes arbitrary content against arbitrary bases.
///
/// # Panics
///
/// Panics when decoding yields another length than claimed, or coding and decoding is not the identity.
pub fn codec(data: &[u8]) {
    let Some((&[kind, len_a, len_b, cut], rest)) = data.split_first_chunk::<4>() else { return };
    let (base, body) = rest.split_at(usize::from(cut).min(rest.len()));
    let claimed = u64::from(u16::from_le_bytes([len_a, len_b]));
    for base in [None, Some(base)] {
        for claimed in [claimed, body.len() as u64, u64::MAX - claimed] {
            if let Ok(content) = codec::decode(kind % 4, claimed, body, base) {
                assert_eq!(content.len() as u64, claimed);
            }
        }
        let (kind, coded) = codec::encode(body, base);
        assert!(coded.len() <= body.len());
        assert_eq!(codec::decode(kind, body.len() as u64, &coded, base).as_deref(), Ok(body));
        // A length that is not the true one is never accepted.
        assert!(codec::decode(kind, body.len() as u64 + 1, &coded, base).is_err());
    }
}

/// Reads arbitrary text as the two bounds of a time range, split at the first line end.
///
/// # Panics
///
/// Panics when a range that was accepted is empty, or a bound taken alone lies elsewhere.
pub fn times(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (from, to) = text.split_once('\n').unwrap_or((&text, &text));
    let zone = FixedZone { offset_s: 3600 };
    if let Ok((Some(first), Some(end))) = time_range(Some(from), Some(to), &zone) {
        assert!(first < end);
        assert_eq!(time_range(Some(from), None, &zone), Ok((Some(first), None)));
        assert_eq!(time_range(None, Some(to), &zone), Ok((None, Some(end))));
    }
}
