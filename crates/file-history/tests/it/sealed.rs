//! Sealed content in the durable store: no trace without the key, one format higher, local damage.

use std::{fs, path::Path, sync::Arc};

use file_history::{
    ChangeId, Context, Error, FileState, Filter, History, Intent, Keep, Key, MemKeys, Op, Options, Outcome,
    Purge, SqliteStore, UnixMillis,
    sqlite::{PLAIN_FORMAT, SEALED_FORMAT, SqliteOptions},
};
use rusqlite::Connection;

use crate::{
    script::quiet,
    sqlite::{contains, snapshot},
};

const OLD: &[u8] = b"PASSWORD=before-1234-before";
const NEW: &[u8] = b"PASSWORD=after-56789-after-1";

fn open(dir: &Path, key: u8) -> History<SqliteStore> {
    let store = SqliteStore::open(dir, &SqliteOptions::default()).unwrap();
    let history = History::new(store, Options::default());
    // Every handle of a test counts its nonces anew, which only a test may do.
    history.with_keys(Arc::new(MemKeys::new(Key::new([key; 32]), [])))
}

fn record(
    history: &mut History<SqliteStore>,
    path: &[u8],
    old: Option<&[u8]>,
    new: Option<&[u8]>,
    keep: Keep,
) -> Result<ChangeId, Error> {
    let (before, after) = (old.map(FileState::of), new.map(FileState::of));
    let intent = Intent { keep, ..Intent::new(path, Op::Edit, before, after, "test") };
    let id = history.begin(&[intent], &Context::task("T"), UnixMillis(0))?[0].unwrap();
    history.settle(&[(id, Outcome::Landed)])?;
    Ok(id)
}

fn formats(dir: &Path) -> (String, u32) {
    let database = fs::read(dir.join("history.db")).unwrap();
    let number = database[60..64].try_into().unwrap(); // `user_version` in the header of SQLite
    (fs::read_to_string(dir.join("FORMAT")).unwrap(), u32::from_be_bytes(number))
}

#[test]
fn v67_sealed_content_leaves_no_trace_of_itself_or_its_hash() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path(), 1);
    record(&mut history, b".env", Some(OLD), Some(NEW), Keep::Seal).unwrap();
    record(&mut history, b"copy/.env", None, Some(NEW), Keep::Seal).unwrap();
    assert_eq!(history.read(ChangeId(1)).unwrap().unwrap().bytes, OLD);
    assert_eq!(history.read(ChangeId(3)).unwrap().unwrap().bytes, NEW);
    assert_eq!(history.stats().unwrap().blobs, 3, "equal content is stored twice");
    for content in [OLD, NEW] {
        // Whole, in part, as a hash; in the database, its log and everything else.
        for part in [content, &content[9..20], blake3::hash(content).as_bytes()] {
            assert!(!contains(dir.path(), part));
        }
    }
    assert!(!contains(dir.path(), &[1; 32]), "the key");
    // The negative control: the same content kept in the open is found.
    record(&mut history, b"open", None, Some(NEW), Keep::Content).unwrap();
    assert!(contains(dir.path(), NEW) && contains(dir.path(), blake3::hash(NEW).as_bytes()));
}

#[test]
fn v67_another_key_opens_nothing_and_harms_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path(), 1);
    record(&mut history, b".env", Some(OLD), Some(NEW), Keep::Seal).unwrap();
    record(&mut history, b"plain", Some(b"x"), Some(b"y"), Keep::Content).unwrap();
    drop(history);
    let mut history = open(dir.path(), 2);
    assert_eq!(history.read(ChangeId(2)), Err(Error::KeyMismatch(ChangeId(2))));
    assert_eq!(history.read(ChangeId(4)).unwrap().unwrap().bytes, b"y");
    let verified = history.verify().unwrap();
    assert!(verified.is_sound() && verified.locked == 2, "{verified:?}");
    // Writing on with another key is possible: what is on disk counts as unknown and is sealed anew.
    let id = record(&mut history, b".env", Some(NEW), Some(b"K=3"), Keep::Seal).unwrap();
    assert_eq!(history.version(ChangeId(id.0 - 1)).unwrap().op, Op::External);
    assert_eq!(history.read(ChangeId(id.0 - 1)).unwrap().unwrap().bytes, NEW);
    drop(history);
    let history = open(dir.path(), 1);
    assert_eq!(history.read(ChangeId(2)).unwrap().unwrap().bytes, NEW);
    assert_eq!(history.read(id), Err(Error::KeyMismatch(id)));
}

#[test]
fn without_a_key_sealing_is_refused_and_nothing_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path(), &SqliteOptions::default()).unwrap();
    let mut history = History::new(store, Options::default());
    assert_eq!(record(&mut history, b".env", None, Some(NEW), Keep::Seal), Err(Error::NoKey));
    assert_eq!(history.stats().unwrap().changes, 0);
    history.purge(Purge::Task("nobody")).unwrap(); // empties the log
    assert_eq!(formats(dir.path()), ("1\n".into(), 1), "nor is the format raised");
}

#[test]
fn the_first_sealed_content_raises_the_format() {
    let _quiet = quiet();
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path(), 1);
    record(&mut history, b"plain", Some(b"x"), Some(b"y"), Keep::Content).unwrap();
    record(&mut history, b".env", None, Some(OLD), Keep::Withhold).unwrap();
    history.purge(Purge::Task("nobody")).unwrap(); // empties the log
    assert_eq!((PLAIN_FORMAT, formats(dir.path())), (1, ("1\n".into(), 1)), "older versions read this");
    record(&mut history, b".env", Some(OLD), Some(NEW), Keep::Seal).unwrap();
    history.purge(Purge::Task("nobody")).unwrap();
    assert_eq!((SEALED_FORMAT, formats(dir.path())), (2, ("2\n".into(), 2)), "and refuse this");
    drop(history);
    // A lost mark is written anew as the database has it.
    fs::remove_file(dir.path().join("FORMAT")).unwrap();
    drop(open(dir.path(), 1));
    assert_eq!(formats(dir.path()), ("2\n".into(), 2));
    // So does a repair, which saves sealed content like any other.
    let saved = SqliteStore::repair(dir.path(), "1", &SqliteOptions::default()).unwrap();
    assert_eq!((saved.blobs, saved.lost), (4, 0));
    assert_eq!(formats(dir.path()), ("2\n".into(), 2));
    assert_eq!(open(dir.path(), 1).read(ChangeId(4)).unwrap().unwrap().bytes, OLD);
    // And forgets the number together with the last of it.
    open(dir.path(), 1).purge(Purge::Path(b".env")).unwrap();
    SqliteStore::repair(dir.path(), "2", &SqliteOptions::default()).unwrap();
    assert_eq!(formats(dir.path()), ("1\n".into(), 1));
}

#[test]
fn purged_sealed_content_is_gone_byte_by_byte() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path(), 1);
    record(&mut history, b".env", None, Some(NEW), Keep::Seal).unwrap();
    record(&mut history, b"other", None, Some(b"kept"), Keep::Content).unwrap();
    let sealed: Vec<u8> = Connection::open(dir.path().join("history.db"))
        .unwrap()
        .query_row("SELECT data FROM blob WHERE codec = 3", [], |row| row.get(0))
        .unwrap();
    assert!(contains(dir.path(), &sealed));
    history.purge(Purge::Path(b".env")).unwrap();
    assert!(!contains(dir.path(), &sealed[..24]));
    assert!(history.verify().unwrap().is_sound());
}

#[test]
fn sealed_content_moved_to_another_path_or_change_is_damaged_there_alone() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path(), 1);
    record(&mut history, b".env", None, Some(OLD), Keep::Seal).unwrap();
    record(&mut history, b"sub/.env", None, Some(&NEW[..OLD.len()]), Keep::Seal).unwrap();
    record(&mut history, b"plain", None, Some(b"y"), Keep::Content).unwrap();
    let database = Connection::open(dir.path().join("history.db")).unwrap();
    // Somebody lets the second file point to the content of the first.
    database.execute("UPDATE change SET after_blob = 1 WHERE id = 2", []).unwrap();
    assert_eq!(history.read(ChangeId(2)), Err(Error::Damaged(ChangeId(2))));
    assert_eq!(history.read(ChangeId(1)).unwrap().unwrap().bytes, OLD);
    assert_eq!(history.verify().unwrap().damaged, [ChangeId(2)]);
    // Or puts data of one in the place of the other, header and all.
    database.execute("UPDATE change SET after_blob = 2 WHERE id = 2", []).unwrap();
    assert!(history.verify().unwrap().is_sound());
    database.execute("UPDATE blob SET data = (SELECT data FROM blob WHERE id = 1) WHERE id = 2", []).unwrap();
    assert_eq!(history.read(ChangeId(2)), Err(Error::Damaged(ChangeId(2))));
    assert_eq!(history.read(ChangeId(3)).unwrap().unwrap().bytes, b"y");
}

#[test]
fn v66_what_the_history_was_told_before_is_not_sealed_over() {
    // A file that becomes sensitive: its rows from then on refer to sealed content alone.
    let dir = tempfile::tempdir().unwrap();
    let mut history = open(dir.path(), 1);
    record(&mut history, b"conf", None, Some(OLD), Keep::Content).unwrap();
    let id = record(&mut history, b"conf", Some(OLD), Some(NEW), Keep::Seal).unwrap();
    let filter = Filter { paths: &[b"conf"], limit: 10, ..Filter::default() };
    assert_eq!(history.list(&filter).unwrap().rows.len(), 2, "no change from outside is made up");
    history.purge(Purge::Change(ChangeId(1))).unwrap();
    assert!(!contains(dir.path(), OLD) && !contains(dir.path(), blake3::hash(OLD).as_bytes()));
    assert!(snapshot(dir.path()).len() > 2);
    let (old, new) = history.sides(id).unwrap();
    assert!(matches!(old, file_history::Side::File(content) if content.bytes == OLD));
    assert!(matches!(new, file_history::Side::File(content) if content.bytes == NEW));
}
