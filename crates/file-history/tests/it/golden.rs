//! A database that the first release wrote: every later one has to read it.
//!
//! `FILE_HISTORY_BLESS=1` writes it anew, which only a change of the format justifies.

use std::{fs, path::Path};

use file_history::{SqliteStore, sqlite::SqliteOptions};

use crate::script::World;

const STORY: &str = "F a=o; w T1 a 1; ext a u; w T1 a 2; rm T2 a; secret T2 .env K=1; w T1 d/b x; undo T1 T3 skip; \
    crash P1 T4 c lost; reopen";

const TOLD: &str = "
    9:create c T4 lost aborted
    8:remove d/b T3 ∅
    7:create d/b T1 x
    6:create .env T2 (sensitive)
    5:remove a T2 ∅
    4:edit a T1 2
    3:external a - u
    2:edit a T1 1
    1:baseline a - o";

#[test]
fn format_1_is_read() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format-1");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("history");
    let open = || SqliteStore::open(&path, &SqliteOptions::default()).unwrap();
    if std::env::var_os("FILE_HISTORY_BLESS").is_some() {
        World::new(open).run(STORY);
        fs::create_dir_all(&data).unwrap();
        for name in ["FORMAT", "history.db"] {
            fs::copy(path.join(name), data.join(name)).unwrap();
        }
        fs::remove_dir_all(&path).unwrap();
    }
    fs::create_dir(&path).unwrap();
    for name in ["FORMAT", "history.db"] {
        fs::copy(data.join(name), path.join(name)).unwrap();
    }
    let mut world = World::new(open);
    world.run("list all");
    let told: Vec<&str> = TOLD.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(world.transcript, told);
    world.transcript.clear();
    world.run("verify; rs 5 T5; disk a; rs 1 T5; disk a; list limit=1");
    assert_eq!(world.transcript, ["sound", "done", "a=2", "done", "a=o", "11:restore a T5 o from=1"]);
}
