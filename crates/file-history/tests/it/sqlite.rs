//! The durable store: reopening, formats, permissions, damage, room, time.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use file_history::{
    ChangeId, Context, Error, FileState, Filter, History, Intent, Keep, Op, Options, Outcome, Purge,
    SqliteStore, UnixMillis,
    sqlite::{FORMAT, SqliteOptions},
};

use crate::{limits::text, script::quiet};

fn open(dir: &Path) -> Result<History<SqliteStore>, Error> {
    let options = SqliteOptions { wait: Duration::from_millis(200), ..SqliteOptions::default() };
    SqliteStore::open(dir, &options).map(|store| History::new(store, Options::default()))
}

fn write(
    history: &mut History<SqliteStore>,
    path: &[u8],
    old: Option<&[u8]>,
    new: &[u8],
) -> Result<ChangeId, Error> {
    let intent = Intent::new(path, Op::Edit, old.map(FileState::of), Some(FileState::of(new)), "test");
    let context = Context { task: "T1", goal: "make it work", run: "R1" };
    let id = history.begin(&[intent], &context, UnixMillis(7))?[0].unwrap();
    history.settle(&[(id, Outcome::Landed)])?;
    Ok(id)
}

/// Every file below a directory with its bytes.
pub(crate) fn snapshot(dir: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(snapshot(&path));
        } else {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

pub(crate) fn contains(dir: &Path, needle: &[u8]) -> bool {
    snapshot(dir).iter().any(|(_, bytes)| bytes.windows(needle.len()).any(|window| window == needle))
}

#[test]
fn what_was_recorded_is_there_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path()).unwrap();
    let id = write(&mut history, b"a", Some(b"old"), b"new").unwrap();
    drop(history);
    let history = open(dir.path()).unwrap();
    let row = history.version(id).unwrap();
    assert_eq!((row.task.as_str(), row.goal.as_str(), row.run.as_str()), ("T1", "make it work", "R1"));
    assert_eq!((row.at, row.tool.as_str(), row.outcome), (UnixMillis(7), "test", Outcome::Landed));
    assert_eq!(history.read(ChangeId(1)).unwrap().unwrap().bytes, b"old");
    assert_eq!(history.read(ChangeId(2)).unwrap().unwrap().bytes, b"new");
    assert!(history.verify().unwrap().is_sound());
    assert!(history.store().has_wal());
}

#[test]
fn v90_a_newer_format_is_refused_without_writing_a_byte() {
    let dir = tempfile::tempdir().unwrap();
    write(&mut open(dir.path()).unwrap(), b"a", None, b"x").unwrap();
    fs::write(dir.path().join("FORMAT"), format!("{}\n", FORMAT + 1)).unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let before = snapshot(dir.path());
    assert_eq!(open(dir.path()).unwrap_err(), Error::FormatTooNew { found: FORMAT + 1, supported: FORMAT });
    assert_eq!(snapshot(dir.path()), before);
    assert_eq!(fs::metadata(dir.path()).unwrap().permissions().mode() & 0o777, 0o755);

    // The same for the number in the database, with a FORMAT file that claims less.
    fs::write(dir.path().join("FORMAT"), "1\n").unwrap();
    let mut bytes = fs::read(dir.path().join("history.db")).unwrap();
    bytes[60..64].copy_from_slice(&9_u32.to_be_bytes()); // `user_version` in the header of SQLite
    fs::write(dir.path().join("history.db"), bytes).unwrap();
    let before = snapshot(dir.path());
    assert_eq!(open(dir.path()).unwrap_err(), Error::FormatTooNew { found: 9, supported: FORMAT });
    assert_eq!(snapshot(dir.path()), before);
    assert_eq!(
        SqliteStore::repair(dir.path(), "x", &SqliteOptions::default()).unwrap_err().code(),
        "format_too_new"
    );
    assert_eq!(snapshot(dir.path()), before);
}

#[test]
fn v71_the_store_is_for_its_owner_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/history");
    let mut history = open(&path).unwrap();
    write(&mut history, b"a", None, b"x").unwrap();
    assert!(!history.store().was_tightened());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for name in ["history.db", "history.db-wal", "history.db-shm", "write.lock", "FORMAT"] {
        assert_eq!(mode(&path.join(name)), 0o600, "{name}");
    }
    drop(history);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(path.join("history.db"), fs::Permissions::from_mode(0o644)).unwrap();
    let history = open(&path).unwrap();
    assert!(history.store().was_tightened());
    assert_eq!((mode(&path), mode(&path.join("history.db"))), (0o700, 0o600));
}

#[test]
fn v66_withheld_content_leaves_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path()).unwrap();
    let (old, new) = (b"PASSWORD-BEFORE-1234".as_slice(), b"PASSWORD-AFTER-56789".as_slice());
    let mut intent =
        Intent::new(b".env", Op::Edit, Some(FileState::of(old)), Some(FileState::of(new)), "test");
    intent.keep = Keep::Withhold;
    let id = history.begin(&[intent], &Context::task("T"), UnixMillis(0)).unwrap()[0].unwrap();
    assert_eq!(history.read(id).unwrap_err().code(), "not_restorable");
    for content in [old, new] {
        assert!(!contains(dir.path(), content));
        assert!(!contains(dir.path(), blake3::hash(content).as_bytes()));
    }
}

#[test]
fn purged_content_leaves_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path()).unwrap();
    // Random enough not to be compressed away.
    let secret: Vec<u8> = (0..4000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
    write(&mut history, b"keep", None, &text(1, 30)).unwrap();
    write(&mut history, b"a", None, &secret).unwrap();
    write(&mut history, b"a", Some(&secret), b"harmless").unwrap();
    assert!(contains(dir.path(), &secret[..64]));
    history.purge(Purge::Path(b"a")).unwrap();
    assert!(!contains(dir.path(), &secret[..64]));
    assert!(!contains(dir.path(), blake3::hash(&secret).as_bytes()));
    assert!(history.newest(b"a").unwrap().is_none());
    assert!(history.verify().unwrap().is_sound());
    history.purge(Purge::Task("T1")).unwrap();
    assert_eq!(history.task_paths("T1"), Err(Error::UnknownTask));
    assert!(!contains(dir.path(), b"make it work"));
}

#[test]
fn pruning_gives_room_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path()).unwrap();
    for n in 0..60_u32 {
        let noise: Vec<u8> =
            (0..8000_u32).flat_map(|i| (i + n * 100_000).wrapping_mul(2_654_435_761).to_be_bytes()).collect();
        write(&mut history, format!("f{n}").as_bytes(), None, &noise).unwrap();
        write(&mut history, format!("f{n}").as_bytes(), Some(&noise), b"small").unwrap();
    }
    let size = || fs::metadata(dir.path().join("history.db")).unwrap().len();
    history.purge(Purge::Task("nobody")).unwrap();
    let before = size();
    history.purge(Purge::Task("T1")).unwrap();
    assert!(size() * 4 < before, "{} of {before}", size());
}

#[test]
fn v73_a_full_store_refuses_and_stays_sound() {
    let dir = tempfile::tempdir().unwrap();
    let options = SqliteOptions { max_bytes: Some(256 << 10), ..SqliteOptions::default() };
    let mut history = History::new(SqliteStore::open(dir.path(), &options).unwrap(), Options::default());
    let mut last = Ok(ChangeId(0));
    let mut recorded = 0;
    for n in 0..100_u32 {
        let noise: Vec<u8> =
            (0..4000_u32).flat_map(|i| (i + n * 100_000).wrapping_mul(2_654_435_761).to_be_bytes()).collect();
        last = write(&mut history, format!("f{n}").as_bytes(), None, &noise);
        match last {
            Ok(_) => recorded += 1,
            Err(_) => break,
        }
    }
    assert_eq!(last, Err(Error::StoreFull));
    assert!(recorded > 3);
    drop(history);
    let history = open(dir.path()).unwrap();
    assert_eq!(history.stats().unwrap().changes, recorded);
    assert!(history.verify().unwrap().is_sound());
}

#[test]
fn v72_a_place_that_cannot_be_written_is_unavailable() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    assert_eq!(open(&dir.path().join("file/history")).unwrap_err().code(), "history_unavailable");
    assert_eq!(open(&dir.path().join("file")).unwrap_err().code(), "history_unavailable");
}

#[test]
fn v80_a_lock_that_is_held_is_busy_and_names_its_holder() {
    let _quiet = quiet();
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path()).unwrap();
    let locks = history.store().path_locks();
    let guard = locks.lock(&[b"a", b"b"]).unwrap();
    assert_eq!(locks.lock(&[b"b"]).unwrap_err(), Error::Busy { owner: Some(std::process::id()) });
    let file = fs::File::open(dir.path().join("write.lock")).unwrap();
    file.lock().unwrap();
    assert_eq!(write(&mut history, b"a", None, b"x").unwrap_err().code(), "busy");
    drop(file);
    write(&mut history, b"a", None, b"x").unwrap();
    drop(guard);
    drop(locks.lock(&[b"b"]).unwrap());
}

#[test]
fn handles_have_numbers_of_their_own_and_readers_wait_for_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let (mut one, two) = (open(dir.path()).unwrap(), open(dir.path()).unwrap());
    write(&mut one, b"a", None, b"x").unwrap();
    let file = fs::File::open(dir.path().join("write.lock")).unwrap();
    file.lock().unwrap();
    assert_eq!(two.list(&Filter::default()).unwrap().rows.len(), 1);
}

#[test]
fn a_change_of_a_live_handle_is_left_alone() {
    let _quiet = quiet();
    let dir = tempfile::tempdir().unwrap();
    let (mut one, mut two) = (open(dir.path()).unwrap(), open(dir.path()).unwrap());
    let mut disk = file_history::MemWorkspace::new();
    let intent = Intent::new(b"a", Op::Edit, None, Some(FileState::of(b"x")), "test");
    let id = one.begin(&[intent], &Context::task("T"), UnixMillis(0)).unwrap()[0].unwrap();
    assert_eq!(two.recover(&mut disk).unwrap(), file_history::Recovered::default());
    drop(one);
    assert_eq!(two.recover(&mut disk).unwrap().settled, [(id, Outcome::Failed)]);
    // And when its number was given to somebody else in the meantime.
    let mut three = open(dir.path()).unwrap();
    let id = three.begin(&[intent], &Context::task("T"), UnixMillis(0)).unwrap()[0].unwrap();
    drop(three);
    let four = open(dir.path()).unwrap();
    assert_eq!(two.recover(&mut disk).unwrap().settled, [(id, Outcome::Failed)]);
    drop(four);
}

/// Fills a store and returns the contents by version.
fn fill(dir: &Path) -> Vec<(ChangeId, Vec<u8>)> {
    let mut history = open(dir).unwrap();
    let mut contents = Vec::new();
    for n in 0..40 {
        let new = text(n, 60);
        contents.push((write(&mut history, format!("f{n}").as_bytes(), None, &new).unwrap(), new));
    }
    history.purge(Purge::Task("nobody")).unwrap(); // empties the log
    contents
}

#[test]
fn a_damaged_database_errs_and_never_tells_lies() {
    let dir = tempfile::tempdir().unwrap();
    let contents = fill(dir.path());
    let sound = fs::read(dir.path().join("history.db")).unwrap();
    for round in 0..60_usize {
        let mut bytes = sound.clone();
        let at = (round * 6_151 + 97) * 31 % bytes.len();
        let end = (at + 1 + round % 3 * 200).min(bytes.len());
        bytes[at..end].iter_mut().for_each(|byte| *byte = byte.wrapping_add(1 + round as u8));
        fs::write(dir.path().join("history.db"), &bytes).unwrap();
        for name in ["history.db-wal", "history.db-shm"] {
            let _ = fs::remove_file(dir.path().join(name));
        }
        let Ok(history) = open(dir.path()) else { continue };
        for (id, content) in &contents {
            if let Ok(Some(read)) = history.read(*id) {
                assert_eq!(&read.bytes, content, "a lie in round {round}");
            }
        }
        let _ = history.verify();
    }
}

#[test]
fn repair_saves_what_can_be_read_and_deletes_nothing() {
    let _quiet = quiet();
    let dir = tempfile::tempdir().unwrap();
    let contents = fill(dir.path());
    let database = dir.path().join("history.db");
    let mut bytes = fs::read(&database).unwrap();
    let middle = bytes.len() / 4096 / 2 * 4096;
    bytes[middle..middle + 4096].fill(0xAA);
    fs::write(&database, &bytes).unwrap();
    let live = open(dir.path());
    if let Ok(live) = live {
        let busy = SqliteStore::repair(dir.path(), "x", &SqliteOptions::default());
        assert_eq!(busy.unwrap_err().code(), "busy");
        drop(live);
    }
    let saved = SqliteStore::repair(dir.path(), "2026", &SqliteOptions::default()).unwrap();
    assert!(saved.changes >= 30, "{saved:?}");
    assert!(dir.path().join("history.damaged-2026").exists());
    let mut history = open(dir.path()).unwrap();
    let mut read = 0;
    for (id, content) in &contents {
        match history.read(*id) {
            Ok(Some(found)) => {
                assert_eq!(&found.bytes, content);
                read += 1;
            }
            Ok(None) => panic!("a file became no file"),
            Err(_) => {}
        }
    }
    assert!(read >= 25, "{read}");
    let next = write(&mut history, b"new", None, b"x").unwrap();
    assert!(next > contents.last().unwrap().0);
}

#[test]
fn garbage_is_not_a_history() {
    let _quiet = quiet();
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("history.db"), [0x55; 20_000]).unwrap();
    assert_eq!(open(dir.path()).unwrap_err().code(), "history_damaged");
    let saved = SqliteStore::repair(dir.path(), "1", &SqliteOptions::default()).unwrap();
    assert_eq!((saved.changes, saved.blobs), (0, 0));
    write(&mut open(dir.path()).unwrap(), b"a", None, b"x").unwrap();
}

#[test]
fn ranges_of_time_agree_with_a_plain_filter() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path()).unwrap();
    // A clock that jumps about, and enough rows that no lower bound is looked for.
    let intents = |n: i64| (format!("f{}", n % 7), format!("{n}").into_bytes());
    let time = |n: i64| UnixMillis((n * 7_919) % 400);
    for chunk in 0..12 {
        for n in [chunk * 2, chunk * 2 + 1] {
            let (path, _) = intents(n);
            let context = Context::task("T");
            let many: Vec<(String, Vec<u8>)> =
                (0..60).map(|k| (format!("{path}/{n}/{k}"), b"x".to_vec())).collect();
            let list: Vec<Intent<'_>> = many
                .iter()
                .map(|(path, new)| {
                    Intent::new(path.as_bytes(), Op::Edit, None, Some(FileState::of(new)), "t")
                })
                .collect();
            history.begin(&list, &context, time(n)).unwrap();
        }
    }
    let all = history.list(&Filter { limit: 1000, ..Filter::default() }).unwrap();
    let older =
        history.list(&Filter { limit: 1000, below: Some(all.rows[999].id), ..Filter::default() }).unwrap();
    let rows: Vec<_> = all.rows.into_iter().chain(older.rows).collect();
    assert_eq!(rows.len(), 24 * 60);
    let bounds = [None, Some(0), Some(5), Some(150), Some(399), Some(400), Some(1000)];
    for from in bounds {
        for to in bounds {
            if matches!((from, to), (Some(from), Some(to)) if from >= to) {
                continue;
            }
            let (from, to) = (from.map(UnixMillis), to.map(UnixMillis));
            let filter = Filter { from, to, limit: 24, below: Some(ChangeId(1300)), ..Filter::default() };
            let page = history.list(&filter).unwrap();
            let fits = |at: UnixMillis| from.is_none_or(|from| at >= from) && to.is_none_or(|to| at < to);
            let naive: Vec<_> =
                rows.iter().filter(|row| row.id.0 < 1300 && fits(row.at)).map(|row| row.id).collect();
            let found: Vec<_> = page.rows.iter().map(|row| row.id).collect();
            assert_eq!(found, naive[..naive.len().min(24)], "{from:?} to {to:?}");
            assert_eq!(page.more, naive.len() > 24);
        }
    }
}

#[test]
fn v78_parallel_writers_of_one_file_take_turns() {
    let dir = tempfile::tempdir().unwrap();
    let history = open(&dir.path().join("history")).unwrap();
    let options = SqliteOptions { wait: Duration::from_secs(10), ..SqliteOptions::default() };
    let locks = SqliteStore::open(&dir.path().join("history"), &options).unwrap().path_locks();
    let history = std::sync::Mutex::new(history);
    let file = dir.path().join("shared");
    fs::write(&file, "").unwrap();
    std::thread::scope(|scope| {
        for writer in 0..6 {
            let (history, locks, file) = (&history, locks.clone(), &file);
            scope.spawn(move || {
                for turn in 0..5 {
                    let _guard = locks.lock(&[b"shared"]).unwrap();
                    let old = fs::read(file).unwrap();
                    let new = [&old[..], format!("{writer}:{turn}\n").as_bytes()].concat();
                    write(&mut history.lock().unwrap(), b"shared", Some(&old), &new).unwrap();
                    fs::write(file, &new).unwrap();
                }
            });
        }
    });
    let end = fs::read_to_string(&file).unwrap();
    assert_eq!(end.lines().count(), 30);
    let rows = history.lock().unwrap().list(&Filter { limit: 100, ..Filter::default() }).unwrap().rows;
    // The empty file that was there first, then one version per write, and no surprise in between.
    assert_eq!((rows.len(), rows[30].op), (31, Op::Baseline));
    assert!(rows[..30].iter().all(|row| row.op == Op::Edit));
}
