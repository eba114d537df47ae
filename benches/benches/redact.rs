//! Benches of `redact`: each input beside a newline count over the same bytes.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use redact::{Pass, Redactor};
use std::hint::black_box;

const SIZE: usize = 1 << 20;

/// Clean source text: the sources of this repository, repeated.
fn source() -> Vec<u8> {
    let parts = [
        include_str!("../../crates/redact/src/engine.rs"),
        include_str!("../../crates/redact/src/pem.rs"),
        include_str!("../../crates/redact/src/stream.rs"),
        include_str!("../../crates/props/src/redact.rs"),
    ];
    parts.concat().bytes().cycle().take(SIZE).collect()
}

/// A small generator for values: they are drawn at run time.
fn draw(state: &mut u64, letters: &[u8], len: usize) -> String {
    (0..len)
        .map(|_| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(letters[(*state >> 33) as usize % letters.len()])
        })
        .collect()
}

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A credential in every line.
fn dense() -> Vec<u8> {
    let mut state = 1;
    let mut text = String::new();
    while text.len() < SIZE {
        text += &format!("TOKEN=gh{}_{}\n", "p", draw(&mut state, LETTERS, 36));
        text += &format!("api_key: \"{}\"\n", draw(&mut state, LETTERS, 32));
    }
    text.into_bytes()
}

/// Inputs that are costly for rules that are not linear.
fn worst() -> Vec<(&'static str, Vec<u8>)> {
    let mut state = 7;
    vec![
        ("base64_run_1mib", draw(&mut state, LETTERS, SIZE).into_bytes()),
        ("assignments_1mib", b"a=".repeat(SIZE / 2)),
        ("upper_underscore_256kib", b"A_".repeat(128 * 1024)),
    ]
}

fn mask(c: &mut Criterion) {
    let mut inputs = vec![("source_1mib", source()), ("dense_1mib", dense())];
    inputs.extend(worst());
    let mut group = c.benchmark_group("redact/mask");
    group.sample_size(20);
    for (name, text) in &inputs {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(*name, |b| {
            b.iter(|| black_box(Redactor::new().redact_bytes(black_box(text)).len()))
        });
    }
    group.finish();
    let source = source();
    let mut group = c.benchmark_group("redact/baseline");
    group.sample_size(20).throughput(Throughput::Bytes(source.len() as u64));
    group.bench_function("newline_count_1mib", |b| {
        b.iter(|| memchr::memchr_iter(b'\n', black_box(&source)).count())
    });
    let scalar = Redactor::builder().pass(Pass::Scalar).build().expect("the settings are valid");
    group.bench_function("scalar_pass_1mib", |b| {
        b.iter(|| black_box(scalar.redact_bytes(black_box(&source)).len()))
    });
    group.finish();
}

criterion_group!(benches, mask);
criterion_main!(benches);
