//! Benches of `rooted-fs`: each way to a handle beside a plain open, each write beside a plain write.
#![allow(clippy::unwrap_used, reason = "a bench that cannot set up its files has nothing to measure")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use rooted_fs::{
    Durability, Follow, HardLinks, Parents, Place, RelName, Root, Tier, TierChoice, WriteOptions,
};
use tempfile::TempDir;

/// Bytes of the file that is written; a typical source file.
const CONTENT_BYTES: usize = 8 * 1024;

struct Tree {
    dir: TempDir,
    roots: Vec<Root>,
}

fn tree() -> Tree {
    let dir = TempDir::new().unwrap();
    let roots =
        [TierChoice::Auto, TierChoice::Nofollow].map(|choice| Root::open(dir.path(), choice).unwrap());
    let [best, nofollow] = roots;
    let roots = if best.tier() == Tier::Openat2 { vec![best, nofollow] } else { vec![nofollow] };
    Tree { dir, roots }
}

/// Makes a file below `depth - 1` directories, and a link to it.
fn deep_file(dir: &Path, depth: usize) -> PathBuf {
    let mut path = PathBuf::from(format!("depth{depth}"));
    for _ in 1..depth {
        path.push("directory");
    }
    fs::create_dir_all(dir.join(&path)).unwrap();
    path.push("file");
    fs::write(dir.join(&path), b"content").unwrap();
    let link = dir.join(format!("link{depth}"));
    std::os::unix::fs::symlink(&path, link).unwrap();
    path
}

/// What a caller does for one request: find out where the path leads, then open exactly that.
fn hint_and_open(root: &Root, asked: &Path) {
    let hint = root.hint(asked, Follow::Leaf).unwrap();
    let Place::Inside(name) = hint.place else { panic!("the file is inside") };
    black_box(root.open_file(&name).unwrap());
}

fn opening(criterion: &mut Criterion) {
    let tree = tree();
    for depth in [1, 4, 12] {
        let path = deep_file(tree.dir.path(), depth);
        // The limit: hint and open at depth 4 cost at most six plain opens on the kernel tier.
        let mut group = criterion.benchmark_group(format!("rooted_fs/open/depth_{depth}"));
        let absolute = fs::canonicalize(tree.dir.path()).unwrap().join(&path);
        group.bench_function("baseline_plain", |bench| {
            bench.iter(|| File::open(black_box(&absolute)).unwrap())
        });
        group.bench_function("baseline_canonicalize_prefix_open", |bench| {
            bench.iter(|| {
                let canonical = fs::canonicalize(black_box(&absolute)).unwrap();
                assert!(canonical.starts_with(tree.roots[0].path()));
                File::open(canonical).unwrap()
            });
        });
        for root in &tree.roots {
            let tier = root.tier();
            group.bench_function(format!("{tier}_hint"), |bench| {
                bench.iter(|| root.hint(black_box(&path), Follow::Leaf).unwrap());
            });
            group.bench_function(format!("{tier}_hint_and_open"), |bench| {
                bench.iter(|| hint_and_open(root, black_box(&path)));
            });
            let link = PathBuf::from(format!("link{depth}"));
            group.bench_function(format!("{tier}_hint_and_open_by_link"), |bench| {
                bench.iter(|| hint_and_open(root, black_box(&link)));
            });
            let name = RelName::parse(&path).unwrap();
            group.bench_function(format!("{tier}_open_listed"), |bench| {
                bench.iter(|| root.open_listed(black_box(&name)).unwrap());
            });
        }
        group.finish();
    }
}

fn walking(criterion: &mut Criterion) {
    let tree = tree();
    let path = deep_file(tree.dir.path(), 4);
    let root = &tree.roots[0];
    let dir = root.open_dir(&RelName::parse(path.parent().unwrap()).unwrap()).unwrap();
    let absolute = fs::canonicalize(tree.dir.path()).unwrap().join(&path);
    // The limit: at most one and a half plain opens.
    let mut group = criterion.benchmark_group("rooted_fs/walk");
    group.bench_function("baseline_plain_open", |bench| {
        bench.iter(|| File::open(black_box(&absolute)).unwrap())
    });
    group.bench_function("baseline_plain_open_and_stat", |bench| {
        bench.iter(|| File::open(black_box(&absolute)).unwrap().metadata().unwrap());
    });
    group.bench_function("open_file", |bench| {
        bench.iter(|| dir.open_file(black_box(OsStr::new("file"))).unwrap())
    });

    let many = tree.dir.path().join("many");
    fs::create_dir(&many).unwrap();
    for n in 0..1000 {
        fs::write(many.join(format!("entry{n}")), b"").unwrap();
    }
    group.throughput(Throughput::Elements(1000));
    group.bench_function("baseline_read_dir_1000", |bench| {
        bench.iter(|| {
            let kinds = fs::read_dir(&many).unwrap().map(|entry| {
                let entry = entry.unwrap();
                (entry.file_name(), entry.file_type().unwrap())
            });
            kinds.collect::<Vec<_>>()
        });
    });
    let dir = root.open_dir(&RelName::parse(Path::new("many")).unwrap()).unwrap();
    let mut entries = Vec::new();
    group.bench_function("entries_1000", |bench| {
        bench.iter(|| {
            entries.clear();
            dir.entries(&mut entries).unwrap();
            entries.len()
        });
    });
    group.finish();
}

fn each_durability(
    group: &mut BenchmarkGroup<'_, WallTime>,
    what: &str,
    mut work: impl FnMut(&WriteOptions),
) {
    for durability in [Durability::None, Durability::Data, Durability::Full] {
        let options = WriteOptions { durability, parents: Parents::Require, ..WriteOptions::default() };
        group.bench_function(format!("{what}_{durability:?}").to_lowercase(), |bench| {
            bench.iter(|| work(&options))
        });
    }
}

fn writing(criterion: &mut Criterion) {
    let tree = tree();
    let root = &tree.roots[0];
    let content = vec![b'x'; CONTENT_BYTES];
    let name = RelName::parse(Path::new("file")).unwrap();
    let path = tree.dir.path().join("file");
    fs::write(&path, &content).unwrap();

    let mut group = criterion.benchmark_group("rooted_fs/write_8kib");
    group.sample_size(10);
    let beside = tree.dir.path().join("beside");
    group.bench_function("baseline_truncate_and_write", |bench| {
        bench.iter(|| fs::write(&path, &content).unwrap())
    });
    group.bench_function("baseline_write_and_rename", |bench| {
        bench.iter(|| {
            fs::write(&beside, &content).unwrap();
            fs::rename(&beside, &path).unwrap();
        });
    });
    group.bench_function("baseline_write_fsync_rename", |bench| {
        bench.iter(|| {
            let mut file = File::create(&beside).unwrap();
            file.write_all(&content).unwrap();
            file.sync_all().unwrap();
            fs::rename(&beside, &path).unwrap();
        });
    });
    each_durability(&mut group, "replace", |options| {
        let old = root.open_file(&name).unwrap();
        let _ = black_box(root.replace(&name, &old, &content, options).unwrap());
    });
    each_durability(&mut group, "append", |options| {
        let old = root.open_file(&name).unwrap();
        let _ = black_box(root.append(&name, Some(&old), b"one line\n", options, HardLinks::Refuse).unwrap());
    });
    let new = RelName::parse(Path::new("new")).unwrap();
    each_durability(&mut group, "create_and_remove", |options| {
        let _ = root.create(&new, &content, options).unwrap();
        root.remove(&new, &root.open_file(&new).unwrap(), options.durability).unwrap();
    });
    let old = root.open_file(&name).unwrap();
    let written = root.replace(&name, &old, &content, &WriteOptions::default()).unwrap();
    group.throughput(Throughput::Bytes(CONTENT_BYTES as u64));
    group.bench_function("verify", |bench| bench.iter(|| root.verify(&name, &written, &content, 0).unwrap()));
    group.finish();
}

criterion_group!(benches, opening, walking, writing);
criterion_main!(benches);
