//! Benches of `search-engine`: a search beside plain reading of the same tree, listing beside the `ignore` crate, ignore rules and
//! windows beside a pass over the bytes.
//!
//! The tree is generated once in a temporary folder: 2,000 files in 200 directories, 20 MB. Limits that are defended: a search
//! costs at most 1.3 times what opening and reading the files costs; a listing at most what the `ignore` crate
//! takes on one thread.

use std::{
    ffi::OsStr,
    fs,
    hint::black_box,
    io::{self, Read},
    mem::MaybeUninit,
    ops::ControlFlow,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::Path,
};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat};
use search_engine::{
    Case, FileFacts, IgnoreFile, Kind, Limits, Listing, NamePattern, Output, Page, Pattern, Query, Row, Span,
    Tree, Unattended, Unit, search, window,
};

/// The port over directory handles, without a sandbox.
struct Disk(OwnedFd);

struct Content(OwnedFd);

impl Read for Content {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(&self.0, buf)?)
    }
}

const DIR: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

fn facts(stat: &Stat) -> FileFacts {
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    FileFacts { size, modified_ns: stat.st_mtime.saturating_mul(1_000_000_000) }
}

impl Tree for Disk {
    type Dir = OwnedFd;
    type File = Content;

    fn root(&self) -> io::Result<OwnedFd> {
        Ok(rustix::fs::openat(&self.0, ".", DIR, Mode::empty())?)
    }

    fn entries(&self, dir: &OwnedFd, out: &mut Listing) -> io::Result<()> {
        let mut buf = [MaybeUninit::<u8>::uninit(); 32 << 10];
        let mut entries = RawDir::new(dir, &mut buf);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            let kind = match entry.file_type() {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Dir,
                FileType::Symlink => Kind::Symlink,
                _ => Kind::Other,
            };
            if name != b"." && name != b".." {
                out.push(OsStr::from_bytes(name), kind);
            }
        }
        Ok(())
    }

    fn enter(&self, dir: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
        Ok(rustix::fs::openat(dir, name, DIR, Mode::empty())?)
    }

    fn open(&self, dir: &OwnedFd, name: &OsStr) -> io::Result<(Content, FileFacts)> {
        let file = rustix::fs::openat(dir, name, FILE, Mode::empty())?;
        let stat = rustix::fs::fstat(&file)?;
        Ok((Content(file), facts(&stat)))
    }

    fn facts(&self, dir: &OwnedFd, name: &OsStr) -> io::Result<FileFacts> {
        Ok(facts(&rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }
}

const IGNORED: &str = "*.o\n*.tmp\n/build/\nnode_modules/\n!keep.o\ndocs/**/*.html\n";

fn generate(root: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    fs::write(root.join(".gitignore"), IGNORED)?;
    for d in 0..200 {
        let dir = root.join(format!("part{}/dir{d:03}", d % 10));
        fs::create_dir_all(&dir)?;
        for f in 0..10 {
            let mut text = String::new();
            for line in 0..200 {
                text.push_str(&format!(
                    "    let value_{line} = lookup({d}, {f}, \"some text to fill a line\");\n"
                ));
            }
            if f == 3 && d % 20 == 0 {
                text.push_str("needle in a haystack\n");
            }
            bytes += text.len() as u64;
            fs::write(dir.join(format!("file{f}.rs")), text)?;
        }
        fs::write(dir.join("made.o"), "ignored")?;
    }
    Ok(bytes)
}

fn rows(tree: &Disk, query: &Query, page: &Page, threads: usize) -> u64 {
    let limits = Limits::LIFTED.with_threads(threads);
    let mut rows = 0;
    let summary = search(tree, query, page, &limits, &Unattended, &mut |_: &Row<'_>| {
        rows += 1;
        ControlFlow::Continue(())
    });
    assert!(summary.is_ok(), "the generated tree can be searched");
    rows
}

fn plain_read(tree: &Disk, dir: &OwnedFd, buf: &mut Vec<u8>) -> io::Result<usize> {
    let mut listing = Listing::new();
    tree.entries(dir, &mut listing)?;
    let mut total = 0;
    for entry in listing.iter() {
        match entry.kind {
            Kind::Dir => total += plain_read(tree, &tree.enter(dir, entry.name)?, buf)?,
            Kind::File => {
                buf.clear();
                total += tree.open(dir, entry.name)?.0.read_to_end(buf)?;
            }
            Kind::Symlink | Kind::Other => {}
        }
    }
    Ok(total)
}

fn trees(c: &mut Criterion) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let bytes = generate(folder.path())?;
    let tree = Disk(rustix::fs::open(folder.path(), DIR, Mode::empty())?);
    let pattern = |source: &str| Pattern::new(source, Case::Sensitive, Span::Line);
    let lines = Output::Lines { context: 0, unit: Unit::Line };

    let mut group = c.benchmark_group("search_engine/content");
    group.sample_size(10).throughput(Throughput::Bytes(bytes));
    group.bench_function("baseline_plain_read", |b| {
        let mut buf = Vec::new();
        b.iter(|| plain_read(&tree, &tree.0, &mut buf).unwrap_or(0));
    });
    for (name, source) in
        [("rare", "needle"), ("regex", r"value_1\d+ = \w+\("), ("no_literal", r"\w{7}\s\w{4}\s")]
    {
        let Ok(pattern) = pattern(source) else { continue };
        for threads in [1, 2] {
            let query = Query::content(pattern.clone(), lines);
            group.bench_function(format!("{name}_{threads}_threads"), |b| {
                b.iter(|| rows(&tree, &query, &Page::ALL, threads));
            });
        }
    }
    if let Ok(pattern) = pattern("value_7") {
        let query = Query::content(pattern, lines);
        group.bench_function("first_50_of_a_common_literal", |b| {
            b.iter(|| rows(&tree, &query, &Page::first(50), 2))
        });
    }
    group.finish();

    let mut group = c.benchmark_group("search_engine/names");
    group.sample_size(20).throughput(Throughput::Elements(2_000));
    group.bench_function("baseline_ignore_crate", |b| {
        b.iter(|| {
            let mut walk = ignore::WalkBuilder::new(folder.path());
            walk.require_git(false).hidden(false).sort_by_file_name(OsStr::cmp).build().count()
        });
    });
    if let Ok(glob) = NamePattern::classic("*.{rs,toml}") {
        for (name, names) in [("all", NamePattern::all()), ("glob", glob)] {
            let query = Query::names(names);
            group.bench_function(name, |b| b.iter(|| rows(&tree, &query, &Page::ALL, 1)));
        }
    }
    group.finish();
    Ok(())
}

fn on_disk(c: &mut Criterion) {
    let done = trees(c);
    assert!(done.is_ok(), "a temporary folder can be written");
}

fn in_memory(c: &mut Criterion) {
    let rules = IgnoreFile::parse(IGNORED.as_bytes());
    let path = b"docs/reference/api/index.html";
    c.bench_function("search_engine/ignore/six_rules", |b| b.iter(|| rules.verdict(black_box(path), false)));
    let line = "some text with a needle in it ".repeat(40_000);
    let at = line.len() / 2;
    let mut group = c.benchmark_group("search_engine/window");
    group.bench_function("240_of_1mib", |b| b.iter(|| window(black_box(line.as_bytes()), at..at + 6, 240)));
    group.bench_function("baseline_memchr_pass", |b| {
        b.iter(|| memchr::memchr(b'\n', black_box(line.as_bytes())))
    });
    group.finish();
}

criterion_group!(benches, on_disk, in_memory);
criterion_main!(benches);
