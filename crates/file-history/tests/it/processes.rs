//! Several processes on one store: this test binary starts itself again.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::PoisonError,
    time::Duration,
};

use file_history::{
    ChangeId, Context, Current, Exchange, FileState, Filter, History, Intent, Op, Options, Outcome,
    SqliteStore, UnixMillis, Workspace, sqlite::SqliteOptions,
};

use crate::{limits::text, script::SPAWNING};

/// The variable that tells a started test what to do: role, directory, name of the writer.
const ROLE: &str = "FILE_HISTORY_TEST_ROLE";

fn open(dir: &Path) -> History<SqliteStore> {
    let store = SqliteStore::open(&dir.join("history"), &SqliteOptions::default()).unwrap();
    History::new(store, Options::default())
}

fn start(test: &str, role: &str) -> Child {
    let _alone = SPAWNING.write().unwrap_or_else(PoisonError::into_inner);
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("processes::{test}"), "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Finds an id in a line; the first one follows what the test runner prints.
fn printed_id(line: &str) -> Option<u64> {
    line.split_once("ID ")?.1.parse().ok()
}

fn role() -> Option<Vec<String>> {
    let role = std::env::var(ROLE).ok()?;
    Some(role.split('|').map(str::to_owned).collect())
}

/// A workspace on the real disk, as small as it can be: flat names, one directory.
struct Dir(std::path::PathBuf);

impl Dir {
    fn at(&self, name: &[u8]) -> std::path::PathBuf {
        self.0.join(std::str::from_utf8(name).unwrap())
    }
}

impl Workspace for Dir {
    fn look(&mut self, path: &[u8]) -> Result<Current, file_history::Error> {
        Ok(match std::fs::read(self.at(path)) {
            Ok(bytes) => Current::File(file_history::Content { bytes, mode: None }),
            Err(_) => Current::Absent,
        })
    }

    fn temp_name(&mut self, path: &[u8]) -> Result<Vec<u8>, file_history::Error> {
        Ok([b".", path, format!(".{}.tmp", std::process::id()).as_bytes()].concat())
    }

    fn stage(&mut self, _: &[u8], temp: &[u8], file: FileState<'_>) -> Result<u32, file_history::Error> {
        std::fs::write(self.at(temp), file.bytes).unwrap();
        Ok(0)
    }

    fn sync(&mut self) -> Result<(), file_history::Error> {
        Ok(())
    }

    fn exchange(&mut self, path: &[u8], temp: &[u8], _: Exchange) -> Result<(), file_history::Error> {
        std::fs::rename(self.at(temp), self.at(path)).unwrap();
        Ok(())
    }

    fn discard(&mut self, temp: &[u8], _: u32) -> Result<(), file_history::Error> {
        let _ = std::fs::remove_file(self.at(temp));
        Ok(())
    }
}

const RECORDS: u64 = 100;

#[test]
fn v76_two_processes_record_and_no_id_is_lost() {
    if let Some(role) = role() {
        let mut history = open(Path::new(&role[0]));
        let mut old: Option<Vec<u8>> = None;
        for n in 0..RECORDS {
            let new = text(n, 20);
            let path = format!("file-of-{}", role[1]);
            let before = old.as_deref().map(FileState::of);
            let intent = Intent::new(path.as_bytes(), Op::Edit, before, Some(FileState::of(&new)), "test");
            let id = history.begin(&[intent], &Context::task(&role[1]), UnixMillis(0)).unwrap()[0].unwrap();
            history.settle(&[(id, Outcome::Landed)]).unwrap();
            println!("ID {id}");
            old = Some(new);
        }
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let test = "v76_two_processes_record_and_no_id_is_lost";
    let children = ["one", "two"].map(|name| start(test, &format!("{}|{name}", dir.path().display())));
    let mut ids = BTreeSet::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let own: Vec<u64> = printed.lines().filter_map(printed_id).collect();
        assert_eq!(own.len() as u64, RECORDS);
        assert!(own.is_sorted());
        ids.extend(own);
    }
    assert_eq!(ids.len() as u64, 2 * RECORDS);
    let history = open(dir.path());
    assert_eq!(history.stats().unwrap().changes, 2 * RECORDS);
    assert!(history.verify().unwrap().is_sound());
}

#[test]
fn v77_two_processes_write_one_file_and_every_state_is_a_version() {
    if let Some(role) = role() {
        let dir = Path::new(&role[0]);
        let mut history = open(dir);
        let mut disk = Dir(dir.join("work"));
        let locks = history.store().path_locks();
        for n in 0..40 {
            let _guard = locks.lock(&[b"shared"]).unwrap();
            let current = disk.look(b"shared").unwrap();
            let mut new = current.file().map_or(Vec::new(), |file| file.bytes.to_vec());
            new.extend(format!("{} {n}\n", role[1]).bytes());
            let intent =
                Intent::new(b"shared", Op::Append, current.file(), Some(FileState::of(&new)), "test");
            let id = history.begin(&[intent], &Context::task(&role[1]), UnixMillis(0)).unwrap()[0].unwrap();
            let temp = disk.temp_name(b"shared").unwrap();
            disk.stage(b"shared", &temp, FileState::of(&new)).unwrap();
            disk.exchange(b"shared", &temp, Exchange::Both).unwrap();
            history.settle(&[(id, Outcome::Landed)]).unwrap();
        }
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("work")).unwrap();
    drop(open(dir.path()));
    let test = "v77_two_processes_write_one_file_and_every_state_is_a_version";
    for child in ["one", "two"].map(|name| start(test, &format!("{}|{name}", dir.path().display()))) {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    let end = std::fs::read(dir.path().join("work/shared")).unwrap();
    assert_eq!(end.iter().filter(|&&byte| byte == b'\n').count(), 80, "an update is lost");
    let history = open(dir.path());
    let rows = history.list(&Filter { limit: 1000, ..Filter::default() }).unwrap().rows;
    assert_eq!(rows.len(), 80, "no state was a surprise to the history");
    for (index, row) in rows.iter().enumerate() {
        let content = history.read(row.id).unwrap().unwrap().bytes;
        assert!(end.starts_with(&content));
        assert_eq!(content.iter().filter(|&&byte| byte == b'\n').count(), 80 - index);
    }
}

#[test]
fn v79_a_killed_writer_loses_nothing_it_acknowledged() {
    const ROUNDS: u64 = 40;
    if let Some(role) = role() {
        let dir = Path::new(&role[0]);
        let mut history = open(dir);
        let mut disk = Dir(dir.join("work"));
        let locks = history.store().path_locks();
        for n in 0.. {
            let _guard = locks.lock(&[b"a"]).unwrap();
            let current = disk.look(b"a").unwrap();
            let new = text(n, 40);
            let temp = disk.temp_name(b"a").unwrap();
            let mut intent = Intent::new(b"a", Op::Edit, current.file(), Some(FileState::of(&new)), "test");
            intent.temp = Some(&temp);
            let id = history.begin(&[intent], &Context::task(&role[1]), UnixMillis(0)).unwrap();
            let Some(id) = id[0] else { continue };
            disk.stage(b"a", &temp, FileState::of(&new)).unwrap();
            disk.exchange(b"a", &temp, Exchange::Both).unwrap();
            history.settle(&[(id, Outcome::Landed)]).unwrap();
            println!("ID {id}");
        }
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("work")).unwrap();
    drop(open(dir.path()));
    let test = "v79_a_killed_writer_loses_nothing_it_acknowledged";
    for round in 0..ROUNDS {
        let mut child = start(test, &format!("{}|{round}", dir.path().display()));
        let mut last = 0;
        let mut wanted = 1 + round % 5;
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            if let Some(id) = printed_id(&line.unwrap()) {
                last = id;
                wanted -= 1;
                if wanted == 0 {
                    break;
                }
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let options = SqliteOptions { wait: Duration::from_secs(5), ..SqliteOptions::default() };
        let store = SqliteStore::open(&dir.path().join("history"), &options).unwrap();
        let mut history = History::new(store, Options::default());
        let mut disk = Dir(dir.path().join("work"));
        history.recover(&mut disk).unwrap();
        assert!(history.version(ChangeId(last)).is_ok());
        let content = std::fs::read(dir.path().join("work/a")).unwrap();
        let newest = history.newest(b"a").unwrap().unwrap();
        assert_eq!(
            history.read(newest.id).unwrap().unwrap().bytes,
            content,
            "the file is the newest version"
        );
        let left: Vec<_> = std::fs::read_dir(dir.path().join("work")).unwrap().collect();
        assert_eq!(left.len(), 1, "temporary files are gone: {left:?}");
        assert!(history.verify().unwrap().is_sound());
        drop(history.store().path_locks().lock(&[b"a"]).unwrap());
    }
}
