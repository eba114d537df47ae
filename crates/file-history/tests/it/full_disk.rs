//! V73 on a disk that really is full: a small file system in memory, in a private mount namespace.

use std::{env, fs, path::PathBuf, process::Command};

use file_history::{
    ChangeId, Context, Error, FileState, History, Intent, Op, Options, Outcome, Policy, Room, SqliteStore,
    UnixMillis, sqlite::SqliteOptions,
};

const DIR: &str = "FILE_HISTORY_TEST_DISK";
const INNER: &str = "full_disk::inner_full_disk";

#[test]
fn v73_on_a_full_disk_what_was_acknowledged_is_kept_and_the_store_works_again() {
    let dir = tempfile::tempdir().unwrap();
    let mount = "mount -t tmpfs -o size=1536k none \"$1\"";
    let run = |script: &str| {
        let script = format!("set -e; mount --make-rprivate /; {script}");
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &script, "sh"]).arg(dir.path()).arg(env::current_exe().unwrap());
        command.args(["--exact", INNER, "--nocapture"]).env(DIR, dir.path()).output()
    };
    let probe = run(mount);
    if !probe.as_ref().is_ok_and(|probe| probe.status.success()) {
        eprintln!("SKIPPED {INNER}: mounting is not permitted here ({probe:?})");
        return;
    }
    let output = run(&format!("{mount}; shift; exec \"$@\"")).unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}\n{errors}");
}

#[test]
fn inner_full_disk() {
    let Some(dir) = env::var_os(DIR).map(PathBuf::from) else { return };
    // What a user can throw away when the disk is full.
    let ballast = dir.join("ballast");
    fs::write(&ballast, vec![7; 192 << 10]).unwrap();
    let open = || SqliteStore::open(&dir.join("history"), &SqliteOptions::default());
    let mut history = History::new(open().unwrap(), Options::default());
    let noise = |n: u32| -> Vec<u8> {
        (0..3000_u32).flat_map(|i| (i + n * 100_000).wrapping_mul(2_654_435_761).to_be_bytes()).collect()
    };
    let record = |history: &mut History<SqliteStore>, n: u32| -> Result<ChangeId, Error> {
        let (path, new) = (format!("f{n}"), noise(n));
        let intent = Intent::new(path.as_bytes(), Op::Edit, None, Some(FileState::of(&new)), "test");
        let id = history.begin(&[intent], &Context::task("T"), UnixMillis(0))?[0].unwrap();
        // The change is acknowledged by now; how it ended may be lost with the disk.
        let _ = history.settle(&[(id, Outcome::Landed)]);
        Ok(id)
    };
    let mut kept = Vec::new();
    let refused = loop {
        let n = u32::try_from(kept.len()).unwrap();
        match record(&mut history, n) {
            Ok(id) => kept.push(id),
            Err(error) => break error,
        }
        assert!(kept.len() < 1000, "the disk is never full");
    };
    assert_eq!(refused, Error::StoreFull);
    assert!(kept.len() > 20, "{}", kept.len());
    let check = |history: &History<SqliteStore>, kept: &[ChangeId]| {
        for (n, id) in kept.iter().enumerate() {
            assert_eq!(history.read(*id).unwrap().unwrap().bytes, noise(u32::try_from(n).unwrap()));
        }
        assert!(history.verify().unwrap().is_sound());
    };
    check(&history, &kept);
    // The host would not have let it come to this: a disk with this little left is pruned for, and then refused.
    let room = Room { total_bytes: 1536 << 10, free_bytes: 0 };
    let low = history.make_room(|| Some(room), 256 << 20, &Policy::default(), UnixMillis(0));
    assert_eq!(low.unwrap_err().code(), "low_space");
    drop(history);
    // Opening needs a little room of its own. Without it the answer is the same, and nothing is lost.
    match open() {
        Ok(store) => check(&History::new(store, Options::default()), &kept),
        Err(error) => assert_eq!(error, Error::StoreFull),
    }
    fs::remove_file(&ballast).unwrap();
    let mut history = History::new(open().unwrap(), Options::default());
    check(&history, &kept);
    record(&mut history, 5000).unwrap();
    assert!(history.verify().unwrap().is_sound());
}
