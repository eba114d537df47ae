//! Databases that earlier releases wrote: every later one has to read them.
//!
//! `FILE_HISTORY_BLESS=2` writes that of format 2 anew, which only a change of the format justifies.

use std::{fs, path::Path};

use file_history::{SqliteStore, sqlite::SqliteOptions};

use crate::script::World;

const STORY: &str = "F a=o; w T1 a 1; ext a u; w T1 a 2; rm T2 a; secret T2 .env K=1; w T1 d/b x; undo T1 T3 skip; \
    crash P1 T4 c lost; reopen";

/// The same for sealed content, with the key of 32 bytes 1.
const SEALED_STORY: &str = "F a=o; w T1 a 1; key 1; F .env=K=1; seal T1 .env K=2; w T1 b x";

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

/// Opens a copy of the database that was written by the release of `format`, or writes it with `story` when blessed.
fn check(format: u32, story: &str, then: impl FnOnce(&mut World<SqliteStore, &dyn Fn() -> SqliteStore>)) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/format-{format}"));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("history");
    let open = || SqliteStore::open(&path, &SqliteOptions::default()).unwrap();
    if std::env::var_os("FILE_HISTORY_BLESS").is_some_and(|asked| asked == *format.to_string()) {
        World::new(open).run(story);
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
    assert_eq!(fs::read_to_string(path.join("FORMAT")).unwrap(), format!("{format}\n"));
    then(&mut World::new(&open));
}

#[test]
fn format_1_is_read() {
    check(1, STORY, |world| {
        world.run("list all");
        let told: Vec<&str> = TOLD.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(world.transcript, told);
        world.transcript.clear();
        world.run("verify; rs 5 T5; disk a; rs 1 T5; disk a; list limit=1");
        assert_eq!(world.transcript, ["sound", "done", "a=2", "done", "a=o", "11:restore a T5 o from=1"]);
    });
}

#[test]
fn format_2_is_read() {
    check(2, SEALED_STORY, |world| {
        world.run("key 1; list path=.env; rs 3 T2; disk .env; rs 4 T2; disk .env; key 2; rs 3 T2; rs 1 T2; disk a; verify");
        let told = [
            "4:edit .env T1 K=2",
            "3:baseline .env - K=1",
            "done",
            ".env=K=1",
            "done",
            ".env=K=2",
            "error key_mismatch",
            "done",
            "a=o",
            "sound",
        ];
        assert_eq!(world.transcript, told);
    });
}
