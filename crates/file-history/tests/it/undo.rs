//! Plans and files that change while a plan is made, looked at, and carried out.

use file_history::{
    Class, Context, Current, Doer, Error, Exchange, FileResult, FileState, History, Intent, Keep, MemStore,
    MemWorkspace, OnConflict, Op, Options, Outcome, Report, Status, UnixMillis, Workspace,
};

fn doer<'a>() -> Doer<'a> {
    Doer { context: Context::task("undo"), tool: "t", keep: &|_| Keep::Content, now: UnixMillis(1) }
}

/// Writes a file as a tool does, and lets the disk follow.
fn write(history: &mut History<MemStore>, disk: &mut MemWorkspace, path: &[u8], new: &[u8]) {
    let old = disk.get(path).map(<[u8]>::to_vec);
    let before = old.as_deref().map(FileState::of);
    let intent = Intent::new(path, Op::Edit, before, Some(FileState::of(new)), "t");
    let id = history.begin(&[intent], &Context::task("T"), UnixMillis(0)).unwrap()[0].unwrap();
    disk.put(path, new);
    history.settle(&[(id, Outcome::Landed)]).unwrap();
}

fn three() -> (History<MemStore>, MemWorkspace) {
    let mut history = History::new(MemStore::new(), Options::default());
    let mut disk = MemWorkspace::new();
    for path in [b"a", b"b", b"c"] {
        disk.put(path, b"old");
        write(&mut history, &mut disk, path, b"new");
    }
    (history, disk)
}

/// A workspace in which somebody else writes a file just before the exchange with this number.
struct Meddled<'a> {
    disk: &'a mut MemWorkspace,
    exchanges: usize,
    before: usize,
    path: &'a [u8],
}

impl Workspace for Meddled<'_> {
    fn look(&mut self, path: &[u8]) -> Result<Current, Error> {
        self.disk.look(path)
    }

    fn temp_name(&mut self, path: &[u8]) -> Result<Vec<u8>, Error> {
        self.disk.temp_name(path)
    }

    fn stage(&mut self, path: &[u8], temp: &[u8], file: FileState<'_>) -> Result<u32, Error> {
        self.disk.stage(path, temp, file)
    }

    fn sync(&mut self) -> Result<(), Error> {
        self.disk.sync()
    }

    fn exchange(&mut self, path: &[u8], temp: &[u8], how: Exchange) -> Result<(), Error> {
        if self.exchanges == self.before {
            self.disk.put(self.path, b"somebody else's");
        }
        self.exchanges += 1;
        self.disk.exchange(path, temp, how)
    }

    fn discard(&mut self, temp: &[u8], dirs: u32) -> Result<(), Error> {
        self.disk.discard(temp, dirs)
    }
}

fn results(report: &Report) -> Vec<FileResult> {
    report.files.iter().map(|file| file.result).collect()
}

#[test]
fn a_file_that_changes_between_plan_and_execution_stands_in_the_way() {
    let (mut history, mut disk) = three();
    let plan = history.undo_plan("T", &[], OnConflict::Refuse, &mut disk).unwrap();
    disk.put(b"b", b"somebody else's");
    let report = history.execute(&plan, &mut disk, &doer()).unwrap();
    assert_eq!((report.status, report.error.clone()), (Status::Refused, Some(Error::Stale)));
    assert_eq!(results(&report)[1], FileResult::InTheWay);
    assert_eq!(disk.get(b"a"), Some(&b"new"[..]));
    assert_eq!(disk.get(b"b"), Some(&b"somebody else's"[..]));
    assert_eq!(history.stats().unwrap().changes, 6);
}

#[test]
fn v81_a_file_that_changes_in_the_last_moment_keeps_the_change_and_all_is_taken_back() {
    for (moment, path) in [(0, b"a"), (1, b"b"), (2, b"c"), (0, b"c")] {
        let (mut history, mut disk) = three();
        let plan = history.undo_plan("T", &[], OnConflict::Refuse, &mut disk).unwrap();
        let mut meddled = Meddled { disk: &mut disk, exchanges: 0, before: moment, path };
        let report = history.execute(&plan, &mut meddled, &doer()).unwrap();
        assert_eq!((report.status, report.error.clone()), (Status::Failed, Some(Error::Stale)));
        for other in [b"a", b"b", b"c"] {
            let wanted: &[u8] = if other == path { b"somebody else's" } else { b"new" };
            assert_eq!(disk.get(other), Some(wanted), "moment {moment}");
        }
        assert_eq!(disk.paths().count(), 3);
        assert_eq!(history.newest(b"a").unwrap().unwrap().op, Op::Edit, "failed changes are hidden");
    }
}

#[test]
fn v92_equal_files_are_not_rewritten() {
    let mut history = History::new(MemStore::new(), Options::default());
    let mut disk = MemWorkspace::new();
    let path = |n: u32| format!("d{}/f{n}", n % 5).into_bytes();
    for n in 0..50 {
        disk.put(&path(n), b"old");
        write(&mut history, &mut disk, &path(n), b"new");
        if n >= 3 {
            disk.put(&path(n), b"old");
        }
    }
    let stamps: Vec<_> = (0..50).map(|n| disk.stamp(&path(n))).collect();
    let plan = history.undo_plan("T", &[], OnConflict::Refuse, &mut disk).unwrap();
    let report = history.execute(&plan, &mut disk, &doer()).unwrap();
    assert_eq!(report.status, Status::Done);
    assert_eq!(report.files.iter().filter(|file| file.result == FileResult::Already).count(), 47);
    for n in 0..50 {
        assert_eq!(disk.get(&path(n)), Some(&b"old"[..]));
        assert_eq!(disk.stamp(&path(n)) == stamps[n as usize], n >= 3);
    }
}

#[test]
fn a_plan_touches_nothing() {
    let (history, mut disk) = three();
    disk.put(b"b", b"other");
    let before: Vec<_> = disk.paths().map(|path| (path.to_vec(), disk.stamp(path))).collect();
    let rows = history.stats().unwrap();
    let plan = history.undo_plan("T", &[], OnConflict::Refuse, &mut disk).unwrap();
    assert!(plan.is_refused());
    let classes: Vec<_> = plan.files().iter().map(|file| file.class.code()).collect();
    assert_eq!(classes, ["clean", "external", "clean"]);
    assert_eq!(plan.files()[1].class, Class::External { version: None });
    let after: Vec<_> = disk.paths().map(|path| (path.to_vec(), disk.stamp(path))).collect();
    assert_eq!((before, rows), (after, history.stats().unwrap()));
}

#[test]
fn a_sensitive_file_in_the_way_of_a_restore_is_recorded_without_content() {
    let (mut history, mut disk) = three();
    disk.put(b"a", b"secret");
    let plan = history.restore_plan(file_history::ChangeId(1), &mut disk).unwrap();
    let doer = Doer { keep: &|_| Keep::Withhold, ..doer() };
    let report = history.execute(&plan, &mut disk, &doer).unwrap();
    assert_eq!((report.status, disk.get(b"a")), (Status::Done, Some(&b"old"[..])));
    let id = report.files[0].version.unwrap();
    assert_eq!(history.sides(id).unwrap().0, file_history::Side::Omitted(file_history::Gap::Sensitive));
}

#[test]
fn a_file_in_place_of_a_parent_blocks() {
    let mut history = History::new(MemStore::new(), Options::default());
    let mut disk = MemWorkspace::new();
    write(&mut history, &mut disk, b"d/a", b"1");
    disk.remove(b"d");
    disk.put(b"d", b"a file now");
    let blocked = history.restore_plan(file_history::ChangeId(1), &mut disk).unwrap_err();
    assert_eq!(blocked.code(), "blocked");
    let plan = history.undo_plan("T", &[], OnConflict::Force, &mut disk).unwrap();
    assert!(plan.is_refused(), "force does not go through what is blocked");
}

#[test]
fn what_was_changed_outside_can_be_noted_without_a_write() {
    let (mut history, mut disk) = three();
    disk.put(b"a", b"by hand");
    let state = disk.get(b"a").map(FileState::of);
    let id = history.note(b"a", state, Keep::Content, UnixMillis(5)).unwrap().unwrap();
    assert_eq!(history.read(id).unwrap().unwrap().bytes, b"by hand");
    assert_eq!(history.note(b"a", state, Keep::Content, UnixMillis(6)).unwrap(), None);
    assert_eq!(history.version(id).unwrap().op, Op::External);
}
