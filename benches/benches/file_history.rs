//! Benches of `file-history`.
//!
//! Recording waits for the disk, so its baseline does: an append of 4 KiB and `fdatasync`, in the same directory and run.

#![allow(clippy::print_stderr, reason = "criterion prints neither sizes nor ratios")]

use std::{
    fs::{self, File, OpenOptions},
    hint::black_box,
    io::{ErrorKind, Write},
    path::PathBuf,
    time::{Duration, Instant},
};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use file_history::{
    ChangeId, Content, Context, Current, Doer, Error, Exchange, FileState, Filter, History, Intent, Keep,
    OnConflict, Op, Options, Outcome, SqliteStore, Status, UnixMillis, Workspace, codec,
    sqlite::SqliteOptions,
};

/// Makes text that compresses like source code: a number of lines, different by seed.
fn source(seed: u64, lines: u64) -> Vec<u8> {
    let line = |n: u64| {
        let mixed = (n ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        format!("    let value_{} = compute({:x}, offset + {});\n", n % 97, mixed >> 32, mixed >> 56)
    };
    (0..lines).map(line).collect::<String>().into_bytes()
}

/// Replaces a few lines somewhere.
fn edit(content: &mut Vec<u8>, n: u64) {
    let at = usize::try_from(n.wrapping_mul(7_919)).unwrap_or(0) % content.len();
    content.splice(at..at, source(n, 1 + n % 5));
}

fn open(dir: &std::path::Path) -> History<SqliteStore> {
    let store = SqliteStore::open(&dir.join("history"), &SqliteOptions::default()).expect("opens");
    History::new(store, Options::default())
}

fn record(
    history: &mut History<SqliteStore>,
    path: &[u8],
    old: Option<&[u8]>,
    new: &[u8],
    task: &str,
) -> ChangeId {
    let intent = Intent::new(path, Op::Edit, old.map(FileState::of), Some(FileState::of(new)), "bench");
    let ids = history.begin(&[intent], &Context::task(task), UnixMillis(0)).expect("records");
    let id = ids[0].expect("a change");
    history.settle(&[(id, Outcome::Landed)]).expect("settles");
    id
}

/// Limit: recording takes at most four times as long as the append in the median.
fn records(c: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut group = c.benchmark_group("file_history/record");
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    group.bench_function("append_4kib_fdatasync", |b| {
        let mut file =
            OpenOptions::new().create(true).append(true).open(dir.path().join("log")).expect("opens");
        let page = [7; 4096];
        b.iter(|| {
            file.write_all(&page).expect("writes");
            file.sync_data().expect("syncs");
        });
    });
    for (name, lines) in [("source_6kib", 120), ("source_60kib", 1200)] {
        let mut history = open(dir.path());
        let mut content = source(1, lines);
        let mut n = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                let old = content.clone();
                edit(&mut content, n);
                n += 1;
                if content.len() > 2 * usize::try_from(lines).unwrap_or(0) * 50 {
                    content.truncate(usize::try_from(lines).unwrap_or(0) * 50);
                }
                record(&mut history, name.as_bytes(), Some(&old), &content, "T")
            });
        });
    }
    group.finish();
    sizes_and_tails();
}

/// Limit: 25 times less than raw for 10,000 versions (`FILE_HISTORY_VERSIONS` asks for another number).
fn sizes_and_tails() {
    let dir = tempfile::tempdir().expect("a directory");
    let versions: u64 =
        std::env::var("FILE_HISTORY_VERSIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(1000);
    let mut history = open(dir.path());
    let mut files: Vec<Vec<u8>> = (0..300).map(|n| source(n, 40 + (n * n * 37) % 4000)).collect();
    let mut log = OpenOptions::new().create(true).append(true).open(dir.path().join("log")).expect("opens");
    let (mut raw, mut times, mut baseline) = (0, Vec::new(), Vec::new());
    for n in 0..versions {
        // Few files get most of the edits.
        let mixed = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let pick = usize::try_from((mixed % 300) * (mixed / 300 % 300) / 300).unwrap_or(0);
        let old = files[pick].clone();
        edit(&mut files[pick], n);
        raw += files[pick].len() as u64;
        let start = Instant::now();
        record(
            &mut history,
            format!("src/{pick}.rs").as_bytes(),
            Some(&old),
            &files[pick],
            &format!("T{}", n / 20),
        );
        times.push(start.elapsed());
        if n % 10 == 0 {
            let start = Instant::now();
            log.write_all(&[7; 4096]).expect("writes");
            log.sync_data().expect("syncs");
            baseline.push(start.elapsed());
        }
    }
    times.sort_unstable();
    baseline.sort_unstable();
    let stored = history.stats().expect("counts").stored_bytes;
    let at = |times: &[Duration], per_mille: usize| times[(times.len() - 1) * per_mille / 1000].as_micros();
    eprintln!(
        "{versions} versions: raw {raw}, stored {stored}, {:.1} times less; record p50 {} us, p99 {} us; \
         append and fdatasync p50 {} us, p99 {} us; ratio of p50 {:.2}",
        raw as f64 / stored as f64,
        at(&times, 500),
        at(&times, 990),
        at(&baseline, 500),
        at(&baseline, 990),
        at(&times, 500) as f64 / at(&baseline, 500) as f64,
    );
}

/// Limit: opening takes at most 50 ms and the newest 24 at most 1 ms, whatever the number of versions.
fn lists(c: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut history = open(dir.path());
    // Rows without content of their own are enough here; `FILE_HISTORY_ROWS=1000000` is the real size.
    let rows: u64 =
        std::env::var("FILE_HISTORY_ROWS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let contents: Vec<Vec<u8>> = (0..50).map(|n| source(n, 3)).collect();
    for chunk in 0..rows / 1000 {
        let paths: Vec<String> = (0..1000).map(|n| format!("dir/{}", (chunk * 1000 + n) % 20_000)).collect();
        let content = |turn: u64| &contents[usize::try_from(turn % 50).unwrap_or(0)];
        let intents: Vec<Intent<'_>> = paths
            .iter()
            .enumerate()
            .map(|(n, path)| {
                let turn = (chunk * 1000 + n as u64) / 20_000;
                let before = (turn > 0).then(|| FileState::of(content(turn - 1)));
                Intent::new(path.as_bytes(), Op::Edit, before, Some(FileState::of(content(turn))), "bench")
            })
            .collect();
        let at = UnixMillis(i64::try_from(chunk).unwrap_or(0) * 1000);
        let task = format!("T{chunk}");
        let ids = history.begin(&intents, &Context::task(&task), at).expect("records");
        let outcomes: Vec<_> = ids.into_iter().flatten().map(|id| (id, Outcome::Landed)).collect();
        history.settle(&outcomes).expect("settles");
    }
    drop(history);
    let mut group = c.benchmark_group("file_history/list");
    group.sample_size(20);
    group.bench_function("open", |b| b.iter(|| open(dir.path())));
    let history = open(dir.path());
    let middle = UnixMillis(i64::try_from(rows / 2000).unwrap_or(0) * 1000);
    for (name, filter) in [
        ("newest_24", Filter::default()),
        ("path_24", Filter { paths: &[b"dir/77"], ..Filter::default() }),
        ("task_24", Filter { task: Some("T3"), ..Filter::default() }),
        ("hour_24", Filter { from: Some(middle), to: Some(UnixMillis(middle.0 + 1)), ..Filter::default() }),
    ] {
        let filter = Filter { limit: 24, ..filter };
        group.bench_function(name, |b| b.iter(|| black_box(history.list(&filter).expect("lists"))));
    }
    group.finish();
}

/// A workspace on the real disk that makes everything durable with one `syncfs`.
struct OnDisk(PathBuf);

impl OnDisk {
    fn at(&self, name: &[u8]) -> PathBuf {
        self.0.join(String::from_utf8_lossy(name).as_ref())
    }
}

fn failed(error: impl ToString) -> Error {
    Error::Workspace(error.to_string())
}

impl Workspace for OnDisk {
    fn look(&mut self, path: &[u8]) -> Result<Current, Error> {
        match fs::read(self.at(path)) {
            Ok(bytes) => Ok(Current::File(Content { bytes, mode: None })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Current::Absent),
            Err(error) => Err(failed(error)),
        }
    }

    fn temp_name(&mut self, path: &[u8]) -> Result<Vec<u8>, Error> {
        Ok([path, b".tmp"].concat())
    }

    fn stage(&mut self, _: &[u8], temp: &[u8], file: FileState<'_>) -> Result<u32, Error> {
        fs::write(self.at(temp), file.bytes).map_err(failed)?;
        Ok(0)
    }

    fn sync(&mut self) -> Result<(), Error> {
        let dir = File::open(&self.0).map_err(failed)?;
        rustix::fs::syncfs(dir).map_err(failed)
    }

    fn exchange(&mut self, path: &[u8], temp: &[u8], _: Exchange) -> Result<(), Error> {
        let flags = rustix::fs::RenameFlags::EXCHANGE;
        rustix::fs::renameat_with(rustix::fs::CWD, self.at(temp), rustix::fs::CWD, self.at(path), flags)
            .map_err(failed)
    }

    fn discard(&mut self, temp: &[u8], _: u32) -> Result<(), Error> {
        match fs::remove_file(self.at(temp)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }
}

/// Limit: undoing 500 files takes at most four times what writing them with one sync takes.
fn undoes(c: &mut Criterion) {
    let mut group = c.benchmark_group("file_history/undo");
    group.sample_size(10);
    let dir = tempfile::tempdir().expect("a directory");
    let mut history = open(dir.path());
    let mut disk = OnDisk(dir.path().join("work"));
    let paths: Vec<String> = (0..500).map(|n| format!("d{}/f{n}", n % 25)).collect();
    let mut contents = Vec::new();
    for (n, path) in paths.iter().enumerate() {
        let (old, mut new) = (source(n as u64, 800), source(n as u64, 800));
        edit(&mut new, n as u64);
        fs::create_dir_all(disk.0.join(format!("d{}", n % 25))).expect("creates");
        fs::write(disk.at(path.as_bytes()), &new).expect("writes");
        record(&mut history, path.as_bytes(), Some(&old), &new, "T");
        contents.push(new);
    }
    group.bench_function("stage_500_files_one_sync", |b| {
        b.iter(|| {
            for (path, content) in paths.iter().zip(&contents) {
                fs::write(disk.at(&[path.as_bytes(), b".base"].concat()), content).expect("writes");
            }
            disk.sync().expect("syncs");
            for path in &paths {
                let temp = disk.at(&[path.as_bytes(), b".base"].concat());
                fs::rename(temp, disk.at(&[path.as_bytes(), b".other"].concat())).expect("renames");
            }
        });
    });
    let mut task = "T".to_owned();
    let mut turn = 0;
    group.bench_function("500_files", |b| {
        b.iter(|| {
            let plan = history.undo_plan(&task, &[], OnConflict::Refuse, &mut disk).expect("plans");
            turn += 1;
            task = format!("undo {turn}");
            let context = Context::task(&task);
            let doer = Doer { context, tool: "bench", keep: &|_| Keep::Content, now: UnixMillis(0) };
            let report = history.execute(&plan, &mut disk, &doer).expect("undoes");
            assert_eq!((report.status, report.files.len()), (Status::Done, 500));
        });
    });
    group.finish();
}

/// Baseline: zstd of the whole content.
fn codes(c: &mut Criterion) {
    let base = source(1, 1200);
    let mut content = base.clone();
    edit(&mut content, 77);
    let mut group = c.benchmark_group("file_history/codec");
    group.throughput(Throughput::Bytes(content.len() as u64));
    group.bench_function("encode_alone", |b| b.iter(|| codec::encode(black_box(&content), None)));
    group.bench_function("encode_patch", |b| b.iter(|| codec::encode(black_box(&content), Some(&base))));
    let (kind, data) = codec::encode(&content, Some(&base));
    let len = content.len() as u64;
    group.bench_function("decode_patch", |b| {
        b.iter(|| codec::decode(kind, len, black_box(&data), Some(&base)))
    });
    group.finish();
}

criterion_group!(benches, records, lists, undoes, codes);
criterion_main!(benches);
