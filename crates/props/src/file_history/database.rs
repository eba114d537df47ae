//! A database of the history in which bytes were changed: it errs, and never tells a lie.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use file_history::sqlite::SqliteOptions;
use file_history::{
    ChangeId, Context, Error, Failed, FileState, Filter, History, Intent, Keep, Key, MemKeys, MemWorkspace,
    Op, Options, Outcome, Policy, Purge, Side, SqliteStore, UnixMillis,
};

/// Most places of the database that one input changes.
const MAX_EDITS: usize = 24;

/// A database as it was written, and every content that was ever in it.
struct Sound {
    database: Vec<u8>,
    contents: BTreeSet<Vec<u8>>,
}

fn open(dir: &Path) -> Result<History<SqliteStore>, Error> {
    let options = SqliteOptions { wait: Duration::from_secs(2), ..SqliteOptions::default() };
    let store = SqliteStore::open(dir, &options)?;
    let history = History::new(store, Options::default());
    Ok(history.with_keys(Arc::new(MemKeys::new(Key::new([7; 32]), []))))
}

/// A database with patches, removals, what others did, failures, sealed and withheld content.
fn sound() -> &'static Sound {
    static SOUND: OnceLock<Sound> = OnceLock::new();
    SOUND.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let mut history = open(dir.path()).unwrap();
        let mut contents = BTreeSet::new();
        let mut write =
            |path: &[u8], old: Option<&[u8]>, new: Option<&[u8]>, keep: Keep, outcome: Outcome| {
                let (before, after) = (old.map(FileState::of), new.map(FileState::of));
                let intent = Intent { keep, ..Intent::new(path, Op::Edit, before, after, "tool") };
                let context = Context { task: "task", goal: "goal", run: "run" };
                let ids = history.begin(&[intent], &context, UnixMillis(1_000_000)).unwrap();
                history.settle(&[(ids[0].unwrap(), outcome)]).unwrap();
                contents.extend([old, new].into_iter().flatten().map(<[u8]>::to_vec));
            };
        let mut text: Vec<u8> = (0..60).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
        for n in 0..18 {
            let old = text.clone();
            text.extend(format!("added {n}\n").bytes());
            write(b"dir/a", Some(&old), Some(&text), Keep::Content, Outcome::Landed);
        }
        write(b"dir/a", Some(b"by somebody else"), None, Keep::Content, Outcome::Landed);
        write(b"b", None, Some(b"failed"), Keep::Content, Outcome::Failed);
        write(b".env", Some(b"KEY=old"), Some(b"KEY=new!"), Keep::Seal, Outcome::Landed);
        write(b"secret", None, Some(b"withheld"), Keep::Withhold, Outcome::Landed);
        contents.remove(&b"withheld"[..]);
        contents.extend([b"x".to_vec(), b"y".to_vec()]);
        // Empties the log, so that the database file is all there is.
        history.purge(Purge::Task("nobody")).unwrap();
        Sound { database: std::fs::read(dir.path().join("history.db")).unwrap(), contents }
    })
}

/// Changes bytes of a sound database as the input says: place, kind, value.
fn change(database: &mut Vec<u8>, data: &[u8]) {
    for edit in data.chunks_exact(5).take(MAX_EDITS) {
        let place = usize::from(edit[0]) << 16 | usize::from(edit[1]) << 8 | usize::from(edit[2]);
        if database.is_empty() {
            return;
        }
        let at = place % database.len();
        match edit[3] % 4 {
            0 => database[at] = edit[4],
            1 => database[at] ^= 1 << (edit[4] % 8),
            2 => {
                let end = (at + usize::from(edit[4])).min(database.len());
                database[at..end].fill(edit[3]);
            }
            _ => database.truncate(at),
        }
    }
}

/// Opens a database in which some bytes were changed, uses it in every way, and repairs it.
///
/// # Panics
///
/// Panics when anything does, when a content is read that was never stored, when a store that was repaired does not open,
/// and when something outside the directory of the store is touched.
pub fn database(data: &[u8]) {
    let Sound { database, contents } = sound();
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("history");
    std::fs::create_dir(&store).unwrap();
    std::fs::write(dir.path().join("outside"), "untouched").unwrap();
    let mut changed = database.clone();
    change(&mut changed, data);
    std::fs::write(store.join("history.db"), &changed).unwrap();
    if let Ok(mut history) = open(&store) {
        use_it(&mut history, contents);
    }
    match SqliteStore::repair(&store, "1", &SqliteOptions::default()) {
        Ok(_) => use_it(&mut open(&store).expect("a repaired store opens"), contents),
        Err(error) => assert!(matches!(error, Error::FormatTooNew { .. }), "{error}"),
    }
    let mut names: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["history", "outside"]);
    assert_eq!(std::fs::read(dir.path().join("outside")).unwrap(), b"untouched");
}

/// Does everything that can be done; errors are answers.
fn use_it(history: &mut History<SqliteStore>, contents: &BTreeSet<Vec<u8>>) {
    let known = |bytes: &[u8]| assert!(contents.contains(bytes), "a content that was never stored");
    let filter = Filter { failed: Failed::Show, limit: 1000, ..Filter::default() };
    for row in history.list(&filter).map_or_else(|_| Vec::new(), |page| page.rows) {
        if let Ok(Some(content)) = history.read(row.id) {
            known(&content.bytes);
        }
        if let Ok((old, new)) = history.sides(row.id) {
            for side in [old, new] {
                if let Side::File(content) = side {
                    known(&content.bytes);
                }
            }
        }
    }
    for path in [&b"dir/a"[..], b"b", b".env", b"secret"] {
        let _ = history.look(path, Some(FileState::of(b"x")));
    }
    let _ = history.verify();
    let _ = history.interrupted();
    let mut disk = MemWorkspace::new();
    disk.put(b"dir/a", b"x");
    let _ = history.recover(&mut disk);
    let _ = history.restore_plan(ChangeId(3), &mut disk);
    let _ = history.undo_plan("task", &[], file_history::OnConflict::Force, &mut disk);
    assert_eq!(disk.get(b"dir/a"), Some(&b"x"[..]));
    let intent =
        Intent::new(b"dir/a", Op::Edit, Some(FileState::of(b"x")), Some(FileState::of(b"y")), "tool");
    let _ = history.begin(&[intent], &Context::task("task"), UnixMillis(2_000_000));
    let policy = Policy { keep_ms: 0, keep_newest: 1, quota_bytes: 1, protect: &[] };
    let _ = history.prune(&policy, UnixMillis(3_000_000));
    let _ = history.purge(Purge::Path(b"dir/a"));
}
