//! Benches of `v4a-patch`, each beside a line-index pass over the same file.
//!
//! Limits: 1 MB with 100 hunks under 2 ms and 10 MB with 1000 hunks under 40 ms, or six times the index pass; equal
//! lines within three times the distinct ones; a streamed patch byte by byte within three times one push; the
//! diagnosis of a failed hunk within five times a successful call; ten targets in a file of 1000 lines within the time
//! of ten searches and ten replacements by the standard library, or within three times that when they are found by
//! quotes of another style.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use v4a_patch::{
    DiffOptions, Limits, Options, PatchStream, Profile, Target, apply, diff, explain_text, find_unique,
    plan_targets,
};

const MB: usize = 1_000_000;

/// Distinct lines of 40 bytes.
fn text(bytes: usize) -> Vec<u8> {
    (0..bytes / 40)
        .flat_map(|at| format!("    let value_{at:07} = compute({:07});\n", at * 7 % 9_999_991).into_bytes())
        .collect()
}

/// Hunks of three context lines and one replaced line, evenly spread and in order.
fn patch(file: &[u8], hunks: usize) -> Vec<u8> {
    let lines: Vec<&[u8]> = file.split_inclusive(|&byte| byte == b'\n').collect();
    let mut out = Vec::new();
    for hunk in 0..hunks {
        let at = (lines.len() - 8) * (2 * hunk + 1) / (2 * hunks);
        out.extend_from_slice(b"@@\n");
        for line in &lines[at..at + 3] {
            out.push(b' ');
            out.extend_from_slice(line);
        }
        out.push(b'-');
        out.extend_from_slice(lines[at + 3]);
        out.extend_from_slice(b"+    let replaced = true;\n");
    }
    out
}

fn index(file: &[u8]) -> Vec<u32> {
    memchr::memchr_iter(b'\n', file).map(|at| at as u32 + 1).collect()
}

fn options() -> Options<'static> {
    Options { limits: Limits { max_patch_bytes: 64 * MB, ..Limits::default() }, ..Options::default() }
}

fn apply_files(c: &mut Criterion) {
    let mut group = c.benchmark_group("v4a_patch/apply");
    for (name, size) in [("1mb", MB), ("10mb", 10 * MB)] {
        let file = text(size);
        group.throughput(Throughput::Bytes(file.len() as u64));
        group.bench_function(format!("{name}_line_index"), |b| b.iter(|| index(black_box(&file))));
        for hunks in [1, 100, 1000] {
            let patch = patch(&file, hunks);
            let _ = apply(&file, &patch, "a.rs", &options()).expect("the patch fits");
            group.bench_function(format!("{name}_{hunks}_hunks"), |b| {
                b.iter(|| apply(black_box(&file), &patch, "a.rs", &options()));
            });
        }
    }
    group.finish();
}

fn equal_lines(c: &mut Criterion) {
    let mut group = c.benchmark_group("v4a_patch/equal_lines");
    let line = "the same line everywhere, forty bytes..\n";
    let file = line.repeat(100_000).into_bytes();
    let distinct = text(file.len());
    group.throughput(Throughput::Bytes(file.len() as u64));
    group.bench_function("line_index", |b| b.iter(|| index(black_box(&file))));
    let friendly = patch(&distinct, 1);
    group.bench_function("distinct_lines", |b| {
        b.iter(|| apply(black_box(&distinct), &friendly, "a", &options()))
    });
    // The last of 1000 lines is the one that does not fit, and it is not missing from the file.
    let mut odd = file.clone();
    odd.extend_from_slice(b"odd\n");
    odd.extend_from_slice(&file[..40 * 10]);
    let block = |last: &str| format!("@@\n{}-{last}+new\n", format!(" {line}").repeat(999)).into_bytes();
    let ambiguous = block(line);
    group.bench_function("hunk_1000_ambiguous", |b| {
        b.iter(|| apply(black_box(&file), &ambiguous, "a", &options()))
    });
    let placed = block("odd\n");
    let _ = apply(&odd, &placed, "a", &options()).expect("the patch fits");
    group.bench_function("hunk_1000_fits_once", |b| {
        b.iter(|| apply(black_box(&odd), &placed, "a", &options()))
    });
    // Two kinds of lines, so that no line is rare and every place matches for a while.
    let periodic: Vec<u8> = (0..100_000)
        .flat_map(|at| {
            if at % 500 == 499 {
                b"odd line of thirty-nine bytes, or about it\n".to_vec()
            } else {
                line.as_bytes().to_vec()
            }
        })
        .collect();
    let mut hunk = format!("@@\n{}", format!(" {line}").repeat(600));
    hunk.push_str("-odd line of thirty-nine bytes, or about it\n+new\n");
    group.bench_function("hunk_600_never_fits", |b| {
        b.iter(|| apply(black_box(&periodic), hunk.as_bytes(), "a", &options()));
    });
    group.finish();
}

fn stream(c: &mut Criterion) {
    let mut group = c.benchmark_group("v4a_patch/stream");
    let file = text(30 * MB);
    let patch = patch(&file, 9_900).repeat(1);
    let patch: Vec<u8> = patch
        .iter()
        .copied()
        .chain(patch.iter().copied())
        .chain(patch.iter().copied())
        .chain(patch.iter().copied())
        .chain(patch.iter().copied())
        .collect();
    let patch = &patch[..patch.len().min(10 * MB)];
    let cut = patch.iter().rposition(|&byte| byte == b'@').expect("there is a header") - 1;
    let patch = &patch[..cut];
    let options = Options {
        limits: Limits { max_patch_bytes: 64 * MB, max_hunks: 1 << 20, ..Limits::default() },
        ..Options::default()
    };
    group.throughput(Throughput::Bytes(patch.len() as u64));
    for (name, size) in [("one_push", patch.len()), ("4_kib", 4096), ("byte_by_byte", 1)] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut stream = PatchStream::new(Profile::EditFile { path: "a" }, &options);
                for chunk in patch.chunks(size) {
                    stream
                        .push(chunk, &mut |event| {
                            black_box(event);
                        })
                        .expect("the patch is well formed");
                }
                stream.finish(&mut |_| {})
            });
        });
    }
    group.finish();
}

fn explain(c: &mut Criterion) {
    let mut group = c.benchmark_group("v4a_patch/explain");
    let file = text(10 * MB);
    group.throughput(Throughput::Bytes(file.len() as u64));
    let good = patch(&file, 1);
    group.bench_function("10mb_applied", |b| b.iter(|| apply(black_box(&file), &good, "a", &options())));
    let text = String::from_utf8(good).expect("the patch is text");
    let indented = text.replace("     let", " \tlet").replace("-    let", "-\tlet");
    let diverging = text.replacen("compute", "computed", 1);
    let absent = text.replace("value_", "valeur_").replace("compute", "berechne");
    for (name, patch) in
        [("10mb_indentation", indented), ("10mb_diverges", diverging), ("10mb_absent", absent)]
    {
        let error = apply(&file, patch.as_bytes(), "a", &options()).expect_err("the patch does not fit");
        assert_eq!(error.code(), "context_not_found");
        group.bench_function(name, |b| b.iter(|| apply(black_box(&file), patch.as_bytes(), "a", &options())));
    }
    group.finish();
}

fn texts(c: &mut Criterion) {
    let mut group = c.benchmark_group("v4a_patch/text");
    let file = text(10 * MB);
    group.throughput(Throughput::Bytes(file.len() as u64));
    let old = &file[5 * MB..5 * MB + 200];
    group.bench_function("10mb_memmem", |b| b.iter(|| memchr::memmem::find(black_box(&file), old)));
    group.bench_function("10mb_find_unique", |b| b.iter(|| find_unique(black_box(&file), old)));
    let wrong = String::from_utf8_lossy(old).replace("    ", "\t");
    group.bench_function("10mb_explain_indentation", |b| {
        b.iter(|| explain_text(black_box(&file), wrong.as_bytes()))
    });
    let periodic = vec![b'a'; MB];
    group.throughput(Throughput::Bytes(MB as u64));
    group.bench_function("1mb_overlapping", |b| {
        b.iter(|| explain_text(black_box(&periodic), &periodic[..1000]))
    });
    group.finish();
}

/// Ten targets of three lines each in a file of 1000 lines, the middle one changed and one added.
fn targets(c: &mut Criterion) {
    let mut group = c.benchmark_group("v4a_patch/targets");
    let file = String::from_utf8(text(40_000)).expect("the file is text");
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let pairs: Vec<(String, String)> = (0..10)
        .map(|at| {
            let old = lines[at * 100 + 20..at * 100 + 23].concat();
            let new = old.replacen("compute", "recompute", 1) + "    let added = true;\n";
            (old, new)
        })
        .collect();
    let list = |pairs: &'static [(String, String)]| -> Vec<Target<'static>> {
        let target = |pair: &'static (String, String)| Target {
            old: pair.0.as_bytes(),
            new: pair.1.as_bytes(),
            replace_all: false,
        };
        pairs.iter().map(target).collect()
    };
    let pairs: &'static [(String, String)] = pairs.leak();
    let all = list(pairs);
    let planned = |file: &[u8], targets: &[Target<'_>]| {
        plan_targets(file, targets).map(|plan| plan.render(file)).expect("each text occurs once")
    };
    let naive = |file: &str| {
        let mut out = file.to_owned();
        for (old, new) in pairs {
            let at = file.find(old.as_str()).expect("the text occurs");
            assert!(file[at + 1..].find(old.as_str()).is_none(), "the text occurs once");
            out = out.replacen(old.as_str(), new, 1);
        }
        out.into_bytes()
    };
    assert_eq!(planned(file.as_bytes(), &all), naive(&file));
    group.throughput(Throughput::Bytes(file.len() as u64));
    group.bench_function("baseline_find_and_replacen", |b| b.iter(|| naive(black_box(&file))));
    group.bench_function("ours", |b| b.iter(|| planned(black_box(file.as_bytes()), &all)));
    let crlf = file.replace('\n', "\r\n");
    group.bench_function("ours_crlf", |b| b.iter(|| planned(black_box(crlf.as_bytes()), &all)));
    let curly = file.replace("compute(", "compute(\u{201c}").replace(')', "\u{201d})");
    let quoted: &'static [(String, String)] = pairs
        .iter()
        .map(|(old, new)| {
            let quote = |text: &str| text.replace("compute(", "compute(\"").replace(')', "\")");
            (quote(old), quote(new))
        })
        .collect::<Vec<_>>()
        .leak();
    let quoted = list(quoted);
    group.bench_function("ours_quotes", |b| b.iter(|| planned(black_box(curly.as_bytes()), &quoted)));
    group.finish();
}

fn write(c: &mut Criterion) {
    let mut group = c.benchmark_group("v4a_patch/diff");
    let old = text(MB);
    let patch = patch(&old, 100);
    let new = apply(&old, &patch, "a", &options()).expect("the patch fits").bytes;
    group.throughput(Throughput::Bytes(old.len() as u64));
    group.bench_function("1mb_100_changes", |b| {
        b.iter(|| diff(black_box(&old), &new, &DiffOptions::default()))
    });
    let equal = b"same\n".repeat(100_000);
    let mut changed = equal.clone();
    changed.splice(250_000..250_000, *b"new\n");
    group.bench_function("100k_equal_lines", |b| {
        b.iter(|| diff(black_box(&equal), &changed, &DiffOptions::default()))
    });
    group.finish();
}

criterion_group!(benches, apply_files, equal_lines, stream, explain, texts, targets, write);
criterion_main!(benches);
