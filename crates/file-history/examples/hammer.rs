//! Writes files through the history until it is killed, saying what is acknowledged; and checks that afterwards.
//!
//! `hammer write DIR` prints one line per acknowledged version. `hammer lazy DIR` prints what it wrote to a plain file without
//! waiting for the disk: a power cut does lose that, so that a harness can prove that its cuts are real. `hammer check DIR` reads
//! those lines from standard input, recovers, and fails if one of them is not true. `hammer count DIR N NAME` records N
//! versions of a file of that name and prints how long the slowest took: run two at once to see how they share the store.
//! `hammer list DIR` prints how long opening and listing take.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "an example on the real disk"
)]

use std::{
    fs::{self, File},
    io::{self, BufRead, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use file_history::{
    ChangeId, Content, Context, Current, Error, Exchange, FileState, Filter, History, Intent, Op, Options,
    Outcome, SqliteStore, UnixMillis, Workspace, sqlite::SqliteOptions,
};

type Anything = Box<dyn std::error::Error>;

fn main() -> Result<(), Anything> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["write", dir] => write(Path::new(dir)),
        ["lazy", dir] => lazy(Path::new(dir)),
        ["check", dir] => check(Path::new(dir)),
        ["count", dir, versions, name] => count(Path::new(dir), versions.parse()?, name),
        ["list", dir] => list(Path::new(dir)),
        _ => Err("hammer write|lazy|check|list DIR, or hammer count DIR N NAME".into()),
    }
}

fn open(dir: &Path) -> Result<History<SqliteStore>, Error> {
    let store = SqliteStore::open(&dir.join("history"), &SqliteOptions::default())?;
    Ok(History::new(store, Options::default()))
}

/// Makes content that says which version it is, twice: a torn file shows.
fn content(n: u64) -> Vec<u8> {
    let lines: String = (0..200 + n % 50).map(|line| format!("{line} of version {n}\n")).collect();
    lines.into_bytes()
}

fn write(dir: &Path) -> Result<(), Anything> {
    fs::create_dir_all(dir.join("work"))?;
    File::open(dir)?.sync_all()?;
    let mut history = open(dir)?;
    let mut disk = Flat(dir.join("work"));
    let start = history.stats()?.changes;
    for n in start.. {
        let path = format!("f{}", n % 20);
        let path = path.as_bytes();
        let new = content(n);
        let (current, temp) = (disk.look(path)?, disk.temp_name(path)?);
        let after = FileState::of(&new);
        let intent = Intent {
            temp: Some(&temp),
            ..Intent::new(path, Op::Write, current.file(), Some(after), "hammer")
        };
        for id in history.begin(&[intent], &Context::task("hammer"), UnixMillis(0))?.into_iter().flatten() {
            disk.stage(path, &temp, after)?;
            disk.exchange(path, &temp, Exchange::Both)?;
            disk.sync()?;
            history.settle(&[(id, Outcome::Landed)])?;
            println!("version {id} is {n}");
            io::stdout().flush()?;
        }
    }
    Ok(())
}

fn lazy(dir: &Path) -> Result<(), Anything> {
    let mut log = File::create(dir.join("lazy.log"))?;
    for n in 0_u64.. {
        writeln!(log, "line {n}")?;
        println!("line {n}");
        io::stdout().flush()?;
    }
    Ok(())
}

fn count(dir: &Path, versions: u64, name: &str) -> Result<(), Anything> {
    let mut history = open(dir)?;
    let mut times = Vec::new();
    let mut old: Option<Vec<u8>> = None;
    for n in 0..versions {
        let new = content(n);
        let before = old.as_deref().map(FileState::of);
        let intent = Intent::new(name.as_bytes(), Op::Write, before, Some(FileState::of(&new)), "hammer");
        let start = Instant::now();
        for id in history.begin(&[intent], &Context::task(name), UnixMillis(0))?.into_iter().flatten() {
            history.settle(&[(id, Outcome::Landed)])?;
        }
        times.push(start.elapsed());
        old = Some(new);
    }
    times.sort_unstable();
    let at = |per_mille: usize| times[(times.len() - 1) * per_mille / 1000];
    println!("{name}: {versions} versions, p50 {:?}, p99 {:?}, slowest {:?}", at(500), at(990), at(1000));
    Ok(())
}

fn list(dir: &Path) -> Result<(), Anything> {
    let start = Instant::now();
    let history = open(dir)?;
    println!("open {:?}", start.elapsed());
    let newest = history.list(&Filter { limit: 24, ..Filter::default() })?.rows;
    let Some(row) = newest.last() else { return Ok(()) };
    let path: &[&[u8]] = &[&row.path];
    let of_time = Filter { from: Some(row.at), to: Some(UnixMillis(row.at.0 + 1)), ..Filter::default() };
    for (name, filter) in [
        ("newest", Filter::default()),
        ("path", Filter { paths: path, ..Filter::default() }),
        ("task", Filter { task: Some(&row.task), ..Filter::default() }),
        ("time", of_time),
    ] {
        let filter = Filter { limit: 24, ..filter };
        history.list(&filter)?; // warm
        let start = Instant::now();
        let rows = history.list(&filter)?.rows.len();
        println!("{name}: {rows} rows in {:?}", start.elapsed());
    }
    println!("{:?}", history.stats()?);
    Ok(())
}

fn check(dir: &Path) -> Result<(), Anything> {
    let mut history = open(dir)?;
    let mut disk = Flat(dir.join("work"));
    let log = fs::read(dir.join("lazy.log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lazy: std::collections::HashSet<&str> = log.lines().collect();
    let mut lost = 0;
    let mut checked = 0;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let kept = match line.split(' ').collect::<Vec<_>>().as_slice() {
            ["version", id, "is", n] => {
                let wanted = content(n.parse()?);
                history.read(ChangeId(id.parse()?)).ok().flatten().is_some_and(|found| found.bytes == wanted)
            }
            ["line", _] => lazy.contains(line.as_str()),
            _ => continue, // a line that was cut off by the kill
        };
        checked += 1;
        lost += u64::from(!kept);
    }
    let found = history.recover(&mut disk)?;
    let mut torn = 0;
    let mut left = 0;
    for entry in fs::read_dir(&disk.0).into_iter().flatten() {
        let name = entry?.file_name();
        let name = name.as_encoded_bytes();
        if name.ends_with(b".tmp") {
            left += 1;
        } else if let Current::File(Content { bytes, .. }) = disk.look(name)? {
            let n =
                bytes.split(|&byte| byte == b'\n').next().and_then(|line| line.rsplit(|&b| b == b' ').next());
            let n = n.and_then(|n| std::str::from_utf8(n).ok()).and_then(|n| n.parse().ok());
            torn += u64::from(n.is_none_or(|n| content(n) != bytes));
        }
    }
    let sound = history.verify()?.is_sound();
    println!(
        "checked {checked} lost {lost} torn {torn} temporary {left} settled {} sound {sound}",
        found.settled.len()
    );
    if lost + torn + left > 0 || !sound { Err("something was lost".into()) } else { Ok(()) }
}

/// One directory of files.
struct Flat(PathBuf);

impl Flat {
    fn at(&self, name: &[u8]) -> PathBuf {
        self.0.join(String::from_utf8_lossy(name).as_ref())
    }
}

fn failed(error: io::Error) -> Error {
    Error::Workspace(error.to_string())
}

impl Workspace for Flat {
    fn look(&mut self, path: &[u8]) -> Result<Current, Error> {
        match fs::read(self.at(path)) {
            Ok(bytes) => Ok(Current::File(Content { bytes, mode: None })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Current::Absent),
            Err(error) => Err(failed(error)),
        }
    }

    fn temp_name(&mut self, path: &[u8]) -> Result<Vec<u8>, Error> {
        Ok([b".", path, format!(".{}.tmp", std::process::id()).as_bytes()].concat())
    }

    fn stage(&mut self, _: &[u8], temp: &[u8], file: FileState<'_>) -> Result<u32, Error> {
        let mut out = File::create(self.at(temp)).map_err(failed)?;
        out.write_all(file.bytes).and_then(|()| out.sync_all()).map_err(failed)?;
        Ok(0)
    }

    fn sync(&mut self) -> Result<(), Error> {
        File::open(&self.0).and_then(|dir| dir.sync_all()).map_err(failed)
    }

    /// Renames over: this workspace has one writer, and nothing is taken back here.
    fn exchange(&mut self, path: &[u8], temp: &[u8], _: Exchange) -> Result<(), Error> {
        fs::rename(self.at(temp), self.at(path)).map_err(failed)
    }

    fn discard(&mut self, temp: &[u8], _: u32) -> Result<(), Error> {
        match fs::remove_file(self.at(temp)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }
}
