//! Records two changes of a task in a store on disk, and takes both back.
#![allow(clippy::print_stdout, reason = "an example shows what it did")]

use file_history::{
    Context, Doer, FileState, History, Intent, Keep, MemWorkspace, OnConflict, Op, Options, Outcome,
    SqliteStore, UnixMillis, sqlite::SqliteOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let store = SqliteStore::open(&dir.path().join("history"), &SqliteOptions::default())?;
    let mut history = History::new(store, Options::default());
    let mut disk = MemWorkspace::new();
    disk.put(b"notes.txt", b"one\n");

    for new in [&b"one\ntwo\n"[..], b"one\ntwo\nthree\n"] {
        let old = disk.get(b"notes.txt").unwrap_or_default().to_vec();
        let intent = Intent::new(
            b"notes.txt",
            Op::Edit,
            Some(FileState::of(&old)),
            Some(FileState::of(new)),
            "edit_file",
        );
        let context = Context { task: "task-1", goal: "count", run: "run-1" };
        for id in history.begin(&[intent], &context, UnixMillis(0))?.into_iter().flatten() {
            disk.put(b"notes.txt", new); // old and new content are durable already
            history.settle(&[(id, Outcome::Landed)])?;
            println!("version {id}");
        }
    }

    let plan = history.undo_plan("task-1", &[], OnConflict::Refuse, &mut disk)?;
    let doer =
        Doer { context: Context::task("task-2"), tool: "undo", keep: &|_| Keep::Content, now: UnixMillis(1) };
    let report = history.execute(&plan, &mut disk, &doer)?;
    println!(
        "{}: {:?}",
        report.status.code(),
        String::from_utf8_lossy(disk.get(b"notes.txt").unwrap_or_default())
    );
    Ok(())
}
