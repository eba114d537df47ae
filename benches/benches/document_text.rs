//! Benches of `document-text`.

use std::hint::black_box;
use std::io::{Cursor, Write};
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use document_text::{Document, Limits, classify, decode, detect, hex_dump};

const MIB: usize = 1 << 20;

/// Limit: deciding what a file is costs less than reading its head.
fn classify_head(c: &mut Criterion) {
    let head = source(8 << 10);
    let mut group = c.benchmark_group("document-text/classify/source_8kib");
    group.throughput(Throughput::Bytes(head.len() as u64));
    group.bench_function("ours", |b| b.iter(|| classify(Path::new("a.rs"), black_box(&head))));
    group.bench_function("baseline_copy", |b| b.iter(|| black_box(&head).to_vec()));
    group.finish();
}

/// Limit: opening a text in UTF-8 stays within a few passes of validating it.
fn open_source(c: &mut Criterion) {
    let text = source(MIB);
    let mut group = c.benchmark_group("document-text/open/source_1mib");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("ours", |b| {
        b.iter(|| Document::open(Path::new("a.rs"), black_box(&text), Limits::STANDARD).map(|it| it.count()));
    });
    group.bench_function("baseline_utf8", |b| b.iter(|| std::str::from_utf8(black_box(&text)).is_ok()));
    group.bench_function("baseline_newlines", |b| {
        b.iter(|| memchr::memchr_iter(b'\n', black_box(&text)).count())
    });
    group.finish();
}

/// Limit: a part in the middle of a document does not cost a pass over what is before it.
fn read_middle(c: &mut Criterion) {
    let text = source(MIB);
    let document = Document::open(Path::new("a.rs"), &text, Limits::STANDARD).expect("source is text");
    let middle = document.count() / 2;
    let mut group = c.benchmark_group("document-text/read/100_lines_of_1mib");
    group.bench_function("ours", |b| {
        b.iter(|| document.read(black_box(middle)..middle + 100).map(|it| it.units.len()))
    });
    group.bench_function("baseline_scan", |b| {
        b.iter(|| memchr::memchr_iter(b'\n', black_box(&text)).nth(middle as usize));
    });
    group.finish();
}

/// Limit: a table costs no more than a few times its lines.
fn open_table(c: &mut Criterion) {
    let row = b"1234,some words,\"quoted, with a comma\",2024-05-06\n";
    let table = row.repeat(MIB / row.len());
    let mut group = c.benchmark_group("document-text/open/table_1mib");
    group.throughput(Throughput::Bytes(table.len() as u64));
    let open =
        |name| Document::open(Path::new(name), black_box(&table), Limits::STANDARD).map(|it| it.count());
    group.bench_function("ours", |b| b.iter(|| open("a.csv")));
    group.bench_function("baseline_as_lines", |b| b.iter(|| open("a.txt")));
    group.finish();
}

/// Limit: guessing an encoding is bounded, so a large legacy file costs little more than decoding it.
fn decode_legacy(c: &mut Criterion) {
    let text = b"d\xe9j\xe0 vu, caf\xe9 cr\xe8me et plus de texte\n".repeat(MIB / 40);
    let encoding = detect(&text);
    let mut group = c.benchmark_group("document-text/decode/windows_1252_1mib");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group
        .bench_function("ours", |b| b.iter(|| decode(black_box(&text), detect(black_box(&text))).text.len()));
    group.bench_function("baseline_decode", |b| b.iter(|| decode(black_box(&text), encoding).text.len()));
    group.finish();
}

/// Limit: a page of a dump is far cheaper than the call that asks for it.
fn dump(c: &mut Criterion) {
    let bytes: Vec<u8> = (0..=255).cycle().take(12 << 10).collect();
    let mut group = c.benchmark_group("document-text/hex/12kib");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("ours", |b| b.iter(|| hex_dump(black_box(&bytes), 0, bytes.len()).len()));
    group.bench_function("baseline_copy", |b| b.iter(|| black_box(&bytes).to_vec()));
    group.finish();
}

/// Limit: a page of a PDF costs some tens of times what unpacking its content does.
fn read_pdf(c: &mut Criterion) {
    let file = pdf(64);
    let open = || Document::open(Path::new("a.pdf"), black_box(&file), Limits::STANDARD);
    let mut group = c.benchmark_group("document-text/pdf/64_pages");
    group.throughput(Throughput::Elements(64));
    group.bench_function("ours", |b| {
        b.iter(|| open().and_then(|it| it.read(1..65).map(|it| it.units.len())));
    });
    group.bench_function("ours_first_page", |b| {
        b.iter(|| open().and_then(|it| it.read(1..2).map(|it| it.units.len())));
    });
    group.bench_function("baseline_copy", |b| b.iter(|| black_box(&file).to_vec()));
    group.finish();
}

/// Limit: a table or a text of a Word document comes at the speed of its XML.
fn read_docx(c: &mut Criterion) {
    let paragraph = "<w:p><w:r><w:t>some words of a paragraph &amp; a few more of them</w:t></w:r></w:p>";
    let body =
        format!("<w:document><w:body>{}</w:body></w:document>", paragraph.repeat(MIB / paragraph.len()));
    let file = archive("word/document.xml", body.as_bytes());
    let mut group = c.benchmark_group("document-text/docx/text_1mib");
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function("ours", |b| {
        b.iter(|| {
            Document::open(Path::new("a.docx"), black_box(&file), Limits::STANDARD).map(|it| it.count())
        });
    });
    group.bench_function("baseline_newlines", |b| {
        b.iter(|| memchr::memchr_iter(b'<', black_box(body.as_bytes())).count());
    });
    group.finish();
}

/// A PDF of pages of forty lines.
fn pdf(pages: usize) -> Vec<u8> {
    let line = "(The quick brown fox jumps over the lazy dog, and so on and on.) Tj T* ";
    let content = format!("BT /F1 11 Tf 14 TL 72 700 Td {} ET", line.repeat(40));
    let stream = format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len());
    let kids: Vec<String> = (0..pages).map(|it| format!("{} 0 R", 5 + it)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Count {pages} /Kids [{}] /Resources << /Font << /F1 3 0 R >> >> >>",
            kids.join(" ")
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        stream,
    ];
    objects.extend((0..pages).map(|_| "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>".to_owned()));
    let mut out = "%PDF-1.7\n".to_owned();
    let mut table = String::new();
    for (at, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", at + 1));
    }
    let (count, place) = (objects.len() + 1, out.len());
    out.push_str(&format!(
        "xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{place}\n%%EOF\n"
    ));
    out.into_bytes()
}

fn archive(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file(name, zip::write::SimpleFileOptions::default()).expect("memory takes everything");
    writer.write_all(bytes).expect("memory takes everything");
    writer.finish().expect("memory takes everything").into_inner()
}

/// Lines like those of a program, mostly ASCII.
fn source(bytes: usize) -> Vec<u8> {
    let lines =
        "    let total = items.iter().map(|it| it.price).sum::<u64>(); // Σ of all\n}\n\nfn next() {\n";
    lines.bytes().cycle().take(bytes / lines.len() * lines.len()).collect()
}

criterion_group!(
    benches,
    classify_head,
    open_source,
    read_middle,
    open_table,
    decode_legacy,
    dump,
    read_pdf,
    read_docx
);
criterion_main!(benches);
