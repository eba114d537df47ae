//! Benches of `sandbox-policy`.
//!
//! The limits that are defended: a name of a walk costs tens of nanoseconds (a directory entry costs the kernel several
//! hundred), and a decision costs less than the open that follows it. The baselines are a pass over the same bytes and
//! a look-up of the same names in a hash set.

use std::{
    collections::HashSet,
    ffi::OsStr,
    hint::black_box,
    path::{Path, PathBuf},
};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sandbox_policy::{Facts, Kind, Object, Op, RequestPath, Ruleset, Settings, decide, escape};

/// Names as they come in a source tree: mostly ordinary, some dot files, a few that a rule catches.
const NAMES: &[&str] = &[
    "main.rs",
    "lib.rs",
    "mod.rs",
    "Cargo.toml",
    "README.md",
    "index.ts",
    "package.json",
    "tsconfig.json",
    "style.css",
    "util.go",
    "server_test.go",
    "Makefile",
    "docker-compose.yml",
    "test_models.py",
    "__init__.py",
    "conftest.py",
    "node_modules",
    "src",
    "target",
    "build",
    ".gitignore",
    ".github",
    ".eslintrc.json",
    ".editorconfig",
    "a.png",
    "ComponentFactoryResolverImplementation.java",
    "libfoo.so.1.2.3",
    "CHANGELOG.md",
    "20240101-120000-migration.sql",
    ".env.example",
    "jquery.min.js",
    ".env",
];

const PATHS: &[(&str, &str)] = &[
    ("depth_1", "/home/u/project/main.rs"),
    ("depth_4", "/home/u/project/crates/core/src/main.rs"),
    ("depth_12", "/home/u/project/a/b/c/d/e/f/g/h/i/j/k/main.rs"),
    ("sensitive", "/home/u/project/config/.env"),
    ("outside_refused", "/opt/other/x/y/main.rs"),
    ("outside_listed", "/opt/data/x/y/main.rs"),
];

fn rules() -> Ruleset {
    let mut settings = Settings::new("/home/u/project");
    settings.home = Some("/home/u".into());
    settings.allow_read_paths = vec!["^/opt/data".into(), "^/srv/shared/.*".into()];
    Ruleset::new(&settings).expect("the settings are valid")
}

fn names(c: &mut Criterion) {
    let rules = rules();
    let dir = rules.enter(Path::new("src"));
    let mut group = c.benchmark_group("sandbox-policy/shows");
    group.throughput(Throughput::Elements(NAMES.len() as u64));
    group.bench_function("names_32", |b| {
        b.iter(|| NAMES.iter().filter(|name| dir.shows(OsStr::new(black_box(**name)), Kind::File)).count());
    });
    let few = NAMES.iter().copied().filter(|name| !name.starts_with(".env")).collect::<Vec<_>>();
    group.throughput(Throughput::Elements(few.len() as u64));
    group.bench_function("ordinary_30", |b| {
        b.iter(|| few.iter().filter(|name| dir.shows(OsStr::new(black_box(**name)), Kind::File)).count());
    });
    group.throughput(Throughput::Elements(NAMES.len() as u64));
    group.bench_function("baseline_pass", |b| {
        b.iter(|| NAMES.iter().map(|name| black_box(*name).bytes().map(u64::from).sum::<u64>()).sum::<u64>());
    });
    let set = NAMES.iter().copied().collect::<HashSet<_>>();
    group.bench_function("baseline_hash_set", |b| {
        b.iter(|| NAMES.iter().filter(|name| set.contains(black_box(**name))).count());
    });
    group.finish();
}

fn decisions(c: &mut Criterion) {
    let rules = rules();
    let mut group = c.benchmark_group("sandbox-policy/decide");
    group.throughput(Throughput::Elements(1));
    for (name, path) in PATHS {
        let path = Path::new(path);
        let facts = Facts::names(path).with(Object::file(1, 2));
        group.bench_function(*name, |b| b.iter(|| decide(&rules, Op::Read, black_box(&facts))));
    }
    let path = Path::new(PATHS[1].1);
    group.bench_function("baseline_copy_depth_4", |b| b.iter(|| black_box(path).to_owned()));
    group.finish();
}

fn paths(c: &mut Criterion) {
    let mut group = c.benchmark_group("sandbox-policy/path");
    group.throughput(Throughput::Elements(1));
    group.bench_function("parse_depth_4", |b| {
        b.iter(|| RequestPath::parse(black_box("./crates/core//src/main.rs")))
    });
    let plain = PathBuf::from("crates/core/src/main.rs");
    let strange = PathBuf::from("crates/co\u{202e}re/src/ma\nin.rs");
    group.bench_function("escape_plain", |b| b.iter(|| escape(black_box(&plain)).len()));
    group.bench_function("escape_strange", |b| b.iter(|| escape(black_box(&strange)).len()));
    group.finish();
}

fn start(c: &mut Criterion) {
    let mut group = c.benchmark_group("sandbox-policy/start");
    let plain = Settings::new("/home/u/project");
    let mut listed = plain.clone();
    listed.allow_read_paths = vec!["^/opt/data".into(), "^/srv/shared/.*".into()];
    group.bench_function("ruleset_plain", |b| b.iter(|| Ruleset::new(black_box(&plain))));
    group.bench_function("ruleset_two_patterns", |b| b.iter(|| Ruleset::new(black_box(&listed))));
    group.finish();
}

criterion_group!(benches, names, decisions, paths, start);
criterion_main!(benches);
