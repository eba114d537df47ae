//! Benches of `syntax-scan`, each beside a pass of `memchr` over the same bytes.
//!
//! Limit: C-family source at 1 GB/s or 0.15 of `memchr`, JSON as fast as `serde_json` passes over a value.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use memchr::memchr_iter;
use serde::de::IgnoredAny;
use std::{hint::black_box, iter};
use syntax_scan::{Language, Outcome, scan};

const C: &str = "/*\n * The first comment of the file, with (parentheses) and 'quotes'.\n */\n#include <stdio.h>\n\n\
#define LIMIT(a, b) ((a) < (b) ? (a) : (b))\n\nstatic int parse_header(struct request *req, const char *buf, size_t len)\n{\n\
\tint ret = 0;\n\tsize_t i;\n\n\tif (!req || !buf)\n\t\treturn -EINVAL; // nothing to do\n\n\
\tfor (i = 0; i < len && buf[i] != '\\0'; i++) {\n\t\tif (buf[i] == '\"' || buf[i] == '\\'')\n\
\t\t\tret += handle_quote(req, &buf[i], len - i);\n\t\telse\n\t\t\treq->count[(unsigned char)buf[i]]++;\n\t}\n\
#ifdef CONFIG_DEBUG\n\tpr_debug(\"parsed %zu bytes of \\\"header\\\", %d quotes\\n\", i, ret);\n#endif\n\treturn ret;\n}\n\n";
const GO: &str = "// parse reads the header.\nfunc parse(r *Reader, limit int) (map[string][]string, error) {\n\
\theader := make(map[string][]string, limit)\n\tfor i := 0; i < limit; i++ {\n\t\tline, err := r.line()\n\
\t\tif err != nil {\n\t\t\treturn nil, fmt.Errorf(\"line %d: %w\", i, err)\n\t\t}\n\
\t\tkey, value, ok := strings.Cut(line, `:`)\n\t\tif !ok || key[0] == ' ' {\n\t\t\tcontinue\n\t\t}\n\
\t\theader[key] = append(header[key], value)\n\t}\n\treturn header, nil\n}\n\n";
const PYTHON: &str = "class Parser:\n    \"\"\"Reads a header.\n\n    It's strict (see the notes).\n    \"\"\"\n\n\
    def parse(self, lines, limit=100):\n        header = {}\n        for number, line in enumerate(lines[:limit]):\n\
            key, _, value = line.partition(':')\n            if not value:  # nothing to do\n\
                raise ValueError(f\"line {number + 1}: {line!r:>{self.width}}\")\n\
            header.setdefault(key.lower(), []).append(value.strip(' \\t'))\n        return header\n\n";
const TOML: &str = "# One package.\n[[package]]\nname = \"syntax-scan\"\nversion = \"0.1.0\"\ndependencies = [\n \"alloc\",\n \"core\",\n]\n\
checksum = '4c9db8a3f0c1e2'\nreleased = 2024-01-01T00:00:00Z\n\n";
const JSON: &str = "    {\n      \"id\": 12345,\n      \"name\": \"a name of some length\",\n      \"tags\": [\"one\", \"two\", \"three\"],\n\
      \"score\": -12.5e3,\n      \"active\": true,\n      \"nested\": {\"path\": \"/usr/lib/python3\\n\", \"empty\": [], \"none\": null}\n    }";

fn source(part: &str) -> Vec<u8> {
    part.bytes().cycle().take(part.len() * ((1_usize << 20) / part.len())).collect()
}

fn json() -> Vec<u8> {
    let rows: Vec<&str> = iter::repeat_n(JSON, (1 << 20) / JSON.len()).collect();
    format!("[\n{}\n]\n", rows.join(",\n")).into_bytes()
}

fn bench(c: &mut Criterion) {
    let inputs = [
        ("c_family", Language::CFamily, source(C)),
        ("go", Language::Go, source(GO)),
        ("python", Language::Python, source(PYTHON)),
        ("toml", Language::Toml, source(TOML)),
        ("json", Language::Json, json()),
    ];
    for (name, language, bytes) in &inputs {
        assert_eq!(scan(*language, bytes), Outcome::Ok, "{name}");
        let mut group = c.benchmark_group(format!("syntax_scan/scan/{name}_1mib"));
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("syntax_scan", |b| b.iter(|| scan(*language, black_box(bytes))));
        group.bench_function("memchr", |b| b.iter(|| memchr_iter(b'\n', black_box(bytes)).count()));
        if *language == Language::Json {
            group.bench_function("serde_json", |b| {
                b.iter(|| serde_json::from_slice::<IgnoredAny>(black_box(bytes)).is_ok());
            });
            // RFC 8259 wants UTF-8: the scanner checks it, and a reader of a slice does not.
            group.bench_function("serde_json_of_utf8", |b| {
                b.iter(|| {
                    let text = std::str::from_utf8(black_box(bytes));
                    text.is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
