//! Pruning beside other writers, and the room on the disk.

use std::{cell::RefCell, path::Path, rc::Rc, time::Duration};

use file_history::{
    ChangeId, Context, Error, FileState, Filter, History, Intent, Op, Options, Outcome, Policy, Room,
    SqliteStore, Store, UnixMillis,
    sqlite::SqliteOptions,
    store::{OwnerId, Rows, Sync},
};

use crate::limits::text;

/// The policy under which everything goes that may.
const ALL_OLD: Policy<'_> = Policy { keep_ms: 0, keep_newest: 0, quota_bytes: u64::MAX, protect: &[] };

fn open(dir: &Path) -> SqliteStore {
    // Whoever has to wait longer than this for a slice fails the test.
    SqliteStore::open(dir, &SqliteOptions { wait: Duration::from_secs(5), ..SqliteOptions::default() })
        .unwrap()
}

fn write<S: Store>(
    history: &mut History<S>,
    task: &str,
    path: &[u8],
    old: Option<&[u8]>,
    new: &[u8],
) -> ChangeId {
    let intent = Intent::new(path, Op::Edit, old.map(FileState::of), Some(FileState::of(new)), "test");
    let id = history.begin(&[intent], &Context::task(task), UnixMillis(0)).unwrap()[0].unwrap();
    history.settle(&[(id, Outcome::Landed)]).unwrap();
    id
}

/// A store that lets something happen before each transaction and before compaction, and counts what each one takes away.
struct Between {
    store: SqliteStore,
    before: Box<dyn FnMut(u32)>,
    turns: u32,
    most_rows: u64,
}

impl Between {
    fn new(store: SqliteStore, before: impl FnMut(u32) + 'static) -> Self {
        Self { store, before: Box::new(before), turns: 0, most_rows: 0 }
    }

    fn turn(&mut self) {
        self.turns += 1;
        (self.before)(self.turns);
    }
}

impl Store for Between {
    type View<'a> = <SqliteStore as Store>::View<'a>;
    type Tx<'a> = <SqliteStore as Store>::Tx<'a>;

    fn view<T>(&self, f: impl FnOnce(&Self::View<'_>) -> Result<T, Error>) -> Result<T, Error> {
        self.store.view(f)
    }

    fn transact<T>(
        &mut self,
        sync: Sync,
        f: impl FnOnce(&mut Self::Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.turn();
        let mut gone = 0;
        let value = self.store.transact(sync, |tx| {
            let rows = |size: file_history::Size| size.changes + size.blobs + size.paths;
            let before = rows(tx.size()?);
            let value = f(tx)?;
            gone = before - rows(tx.size()?);
            Ok(value)
        });
        self.most_rows = self.most_rows.max(gone);
        value
    }

    fn owner(&self) -> OwnerId {
        self.store.owner()
    }

    fn is_alive(&self, owner: OwnerId) -> bool {
        self.store.is_alive(owner)
    }

    fn compact(&mut self) -> Result<(), Error> {
        self.turn();
        self.store.compact()
    }

    fn check(&self) -> Result<Vec<String>, Error> {
        self.store.check()
    }
}

#[test]
fn others_write_between_the_slices_and_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = History::new(open(dir.path()), Options::default());
    let path = |n: u64| format!("f{}", n % 300).into_bytes();
    let content = |n: u64| text(n, 3);
    for round in 0..5 {
        let all: Vec<_> = (round * 300..(round + 1) * 300)
            .map(|n| (path(n), (round > 0).then(|| content(n - 300)), content(n)))
            .collect();
        let intents: Vec<Intent<'_>> = all
            .iter()
            .map(|(path, old, new)| {
                let before = old.as_deref().map(FileState::of);
                Intent::new(path, Op::Edit, before, Some(FileState::of(new)), "test")
            })
            .collect();
        let ids = history.begin(&intents, &Context::task(&format!("T{round}")), UnixMillis(0)).unwrap();
        let landed: Vec<_> = ids.into_iter().flatten().map(|id| (id, Outcome::Landed)).collect();
        history.settle(&landed).unwrap();
    }
    drop(history);
    let other = Rc::new(RefCell::new(History::new(open(dir.path()), Options::default())));
    let written = Rc::new(RefCell::new(Vec::<(ChangeId, Vec<u8>)>::new()));
    let (writer, log) = (Rc::clone(&other), Rc::clone(&written));
    let store = Between::new(open(dir.path()), move |turn| {
        let turn = u64::from(turn);
        // Content that is being forgotten comes back under another name, a path that is being pruned is written, and a
        // path that is new.
        let known = content(1200 + turn % 300);
        for (name, old, new) in [
            (format!("back{turn}"), None, content(turn * 7)),
            (format!("f{}", turn % 300), Some(known), content(90_000 + turn)),
            (format!("new{turn}"), None, content(80_000 + turn)),
        ] {
            let id = write(&mut writer.borrow_mut(), "other", name.as_bytes(), old.as_deref(), &new);
            log.borrow_mut().push((id, new));
        }
    });
    let mut pruning = History::new(store, Options::default());
    let pruned = pruning.prune(&ALL_OLD, UnixMillis(1_000_000)).unwrap();
    let Between { turns, most_rows, .. } = pruning.into_store();
    let (other, written) = (other.borrow(), written.borrow());
    assert!(turns > 10, "many short turns, not a few long ones: {turns}");
    assert!(most_rows <= 128, "{most_rows} rows in one turn");
    assert!(pruned.changes > 1000, "{pruned:?}");
    assert_eq!(written.len(), 3 * turns as usize);
    let verified = other.verify().unwrap();
    assert!(verified.is_sound(), "{verified:?}");
    for (id, content) in written.iter() {
        assert_eq!(&other.read(*id).unwrap().unwrap().bytes, content, "version {id}");
    }
    // Every path still has its newest version.
    for n in 1200..1500 {
        let newest = other.newest(&path(n)).unwrap().expect("a version");
        assert!(newest.id.0 > 1200);
    }
    // What was left alone for its neighbours' sake goes the next time, and the room with it.
    let mut again = History::new(open(dir.path()), Options::default());
    again.prune(&ALL_OLD, UnixMillis(1_000_000)).unwrap();
    assert!(again.verify().unwrap().is_sound());
    let rows = again.list(&Filter { limit: 1000, ..Filter::default() }).unwrap().rows;
    let mut paths: Vec<_> = rows.iter().map(|row| row.path.clone()).collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len() as u64, again.stats().unwrap().paths);
}

#[test]
fn pruning_gives_every_free_page_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = History::new(open(dir.path()), Options::default());
    let noise = |n: u32| -> Vec<u8> {
        (0..20_000_u32).flat_map(|i| (i + n * 100_000).wrapping_mul(2_654_435_761).to_be_bytes()).collect()
    };
    for n in 0..40_u32 {
        write(&mut history, &format!("T{n}"), b"a", (n > 0).then(|| noise(n - 1)).as_deref(), &noise(n));
    }
    let len = || std::fs::metadata(dir.path().join("history.db")).unwrap().len();
    let before = len();
    let pruned = history.prune(&ALL_OLD, UnixMillis(1)).unwrap();
    assert_eq!(pruned.changes, 39);
    // More than one slice of the vacuum, and nothing left: the file is about as long as what is kept.
    assert!(before > 700 * 4096 && len() < 300_000, "{before} to {}", len());
    assert_eq!(len(), history.stats().unwrap().stored_bytes, "no free page is left");
}

#[test]
fn a_prune_that_is_interrupted_leaves_no_task_that_seems_to_begin_later() {
    // Three changes of one task, all old: as long as any of them is there, the first is.
    let dir = tempfile::tempdir().unwrap();
    let mut history = History::new(open(dir.path()), Options::default());
    for n in 0..400_u64 {
        let old = (n > 0).then(|| text(n - 1, 2));
        write(&mut history, "T", b"a", old.as_deref(), &text(n, 2));
    }
    write(&mut history, "T2", b"a", Some(&text(399, 2)), b"newest");
    drop(history);
    let store = Between::new(open(dir.path()), |turn| assert!(turn < 3, "the process dies"));
    let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        History::new(store, Options::default()).prune(&ALL_OLD, UnixMillis(1)).map(drop)
    }));
    assert!(died.is_err());
    let history = History::new(open(dir.path()), Options::default());
    let rows = history.list(&Filter { task: Some("T"), limit: 1000, ..Filter::default() }).unwrap().rows;
    assert!(rows.len() < 400 && rows.last().unwrap().id == ChangeId(1), "{}", rows.len());
    assert!(history.verify().unwrap().is_sound());
}

/// V84, by what the disk has left: first the oldest task goes, then overwriting is refused.
#[test]
fn a_disk_that_fills_up_is_pruned_for_and_then_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = History::new(open(dir.path()), Options::default());
    for task in 0..10_u64 {
        for n in 0..10 {
            let path = format!("{task}/{n}").into_bytes();
            write(&mut history, &format!("T{task}"), &path, None, &text(task * 100 + n, 100));
            write(&mut history, &format!("T{task}"), &path, Some(&text(task * 100 + n, 100)), b"x");
        }
    }
    let policy = Policy { protect: &["T9"], ..Policy::default() };
    let min = 256 << 20;
    let stored = history.stats().unwrap().stored_bytes;
    let enough = || Some(Room { total_bytes: 1 << 40, free_bytes: min });
    assert_eq!(history.make_room(enough, min, &policy, UnixMillis(1)).unwrap().changes, 0);
    assert_eq!(history.make_room(|| None, min, &policy, UnixMillis(1)).unwrap().changes, 0);

    // A disk on which the store is: what it gives back is free afterwards.
    let len = || std::fs::metadata(dir.path().join("history.db")).unwrap().len();
    let start = len();
    let filling =
        || Some(Room { total_bytes: 1 << 40, free_bytes: min - stored / 2 + start.saturating_sub(len()) });
    let pruned = history.make_room(filling, min, &policy, UnixMillis(1)).unwrap();
    assert!(pruned.changes > 0);
    let of = |history: &History<SqliteStore>, task| {
        history.list(&Filter { task: Some(task), limit: 100, ..Filter::default() }).unwrap().rows.len()
    };
    assert!(of(&history, "T0") < 20);
    assert_eq!(of(&history, "T9"), 20, "what runs stays");

    // What is missing is more than the store has: nothing goes in vain.
    let rows = history.stats().unwrap().changes;
    let full = || Some(Room { total_bytes: 1 << 40, free_bytes: 1 << 20 });
    let refused = history.make_room(full, min, &policy, UnixMillis(1)).unwrap_err();
    assert_eq!(refused, Error::LowSpace { free: 1 << 20, min });
    assert_eq!((refused.code(), history.stats().unwrap().changes), ("low_space", rows));
    assert!(
        refused.to_string().contains("1 MiB are left") && refused.to_string().contains("256 MiB"),
        "{refused}"
    );
}
