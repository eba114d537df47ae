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

/// Inputs that are costly for rules that are not linear, or that look at the same bytes again from every place.
fn worst() -> Vec<(&'static str, Vec<u8>)> {
    let mut state = 7;
    vec![
        ("base64_run_1mib", draw(&mut state, LETTERS, SIZE).into_bytes()),
        ("assignments_1mib", b"a=".repeat(SIZE / 2)),
        ("upper_underscore_256kib", b"A_".repeat(128 * 1024)),
    ]
}

/// Inputs that begin a token, or data, everywhere.
fn stress() -> Vec<(&'static str, Vec<u8>)> {
    let mut state = 9;
    let lines = draw(&mut state, LETTERS, SIZE).as_bytes().chunks(76).collect::<Vec<_>>().join(&b'\n');
    vec![
        ("prefixes_1mib", ["gh", "p_"].concat().repeat(SIZE / 4).into_bytes()),
        ("token_heads_1mib", ["eyJ", "hbGciOiJIUzI1NiJ9."].concat().repeat(SIZE / 21).into_bytes()),
        ("base64_lines_1mib", lines),
    ]
}

/// One group per input: the whole engine, beside a newline count over the same bytes. They defend that clean source is read at a
/// gigabyte per second, that the worst cases stay within four times of that, and that files full of credentials are no trap.
fn mask(c: &mut Criterion) {
    let mut inputs = vec![("source_1mib", source()), ("dense_1mib", dense())];
    inputs.extend(worst());
    inputs.extend(stress());
    let redactor = Redactor::new();
    let scalar = Redactor::builder().pass(Pass::Scalar).build().expect("the settings are valid");
    for (name, text) in &inputs {
        let mut group = c.benchmark_group(format!("redact/mask/{name}"));
        group.sample_size(20).throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("ours", |b| b.iter(|| black_box(redactor.redact_bytes(black_box(text)).len())));
        if *name == "source_1mib" {
            group.bench_function("ours_scalar", |b| {
                b.iter(|| black_box(scalar.redact_bytes(black_box(text)).len()))
            });
        }
        group.bench_function("baseline_newline_count", |b| {
            b.iter(|| memchr::memchr_iter(b'\n', black_box(text)).count())
        });
        group.finish();
    }
}

criterion_group!(benches, mask);
criterion_main!(benches);
