//! SE: `search_files` in the content of files.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::{Vector, token};

fn needle() -> Value {
    json!({"pattern": "needle"})
}

fn with_fifo(id: &'static str, tree: &str) -> Vector {
    let vector = Vector::new(id, tree);
    mknodat(CWD, vector.files.path("fifo"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    vector
}

#[test]
fn rows() {
    let count = json!({"pattern": "needle", "output_mode": "count"});
    Vector::new("SE8", "//- /a.txt\nneedle\nneedle\n//- /b.txt\nneedle\n")
        .ok("search_files", count)
        .has("a.txt: 2\nb.txt: 1\n");
    Vector::new("SE7", "//- /a.go\nneedle\n//- /a.md\nneedle\n")
        .ok("search_files", json!({"pattern": "needle", "file_glob": "*.go"}))
        .has("a.go:1: needle")
        .lacks("a.md");
    let around = json!({"pattern": "hit", "context": 2});
    Vector::file("SE13", "1\n2\nhit 3\n4\nhit 5\n6\n7\n8\n")
        .ok("search_files", around)
        .has("f:\n  1: 1\n  2: 2\n> 3: hit 3\n  4: 4\n> 5: hit 5\n  6: 6\n  7: 7\n\n1 result(s)");
    let blank = Vector::file("SE14", "a\n\n\nb\n");
    blank.ok("search_files", json!({"pattern": "^$"})).has("f:2: \nf:3: \n").has("2 result(s)");
    Vector::file("SE15", "a\nb\n").ok("search_files", json!({"pattern": ""})).has("f:1: a\nf:2: b\n");
    let long = format!("{}needle{}\n", "x".repeat(2_000), "y".repeat(2_000));
    let window = Vector::file("SE19", long);
    let row = window.ok("search_files", needle()).text().lines().next().unwrap().to_owned();
    assert!(row.starts_with("f:1: …x") && row.contains("needle") && row.ends_with("y…"), "SE19: {row}");
    Vector::file("SE31", "a needle\r\nother\r\n")
        .ok("search_files", json!({"pattern": "needle$"}))
        .has("f:1: a needle\n");
}

#[test]
fn pages() {
    Vector::new("SE1", "//- /a/1\nneedle\n//- /a/2\nneedle\n//- /b/1\nneedle\n//- /b/2\nneedle\n")
        .ok("search_files", json!({"pattern": "needle", "limit": 1}))
        .has("1 result(s), 2 files scanned.")
        .has("offset=1");
    let text: String =
        (0..100).map(|_| format!("needle {}\n{}", "n".repeat(223), "other\n".repeat(60))).collect();
    let vector = Vector::file("SE2", text);
    let (mut offset, mut pages) = (0, 0);
    loop {
        let args = json!({"pattern": "needle", "limit": 50, "context": 20, "offset": offset});
        let page = vector.ok("search_files", args).text();
        assert!(page.len() <= 65_536 && page.chars().count() <= 16_384, "SE2: {}", page.len());
        let blocks = page.lines().filter(|line| *line == "f:").count();
        assert!(page.contains(&format!("\n{blocks} result(s)")), "SE2: {page}");
        offset += blocks;
        pages += 1;
        if !page.contains("more results") {
            break;
        }
        assert!(page.contains(&format!("offset={offset}")), "SE2: {page}");
    }
    assert!(offset == 100 && pages > 1, "SE2: {offset} in {pages} pages");
    let five: String = (0..5).map(|n| format!("//- /{n}.txt\nneedle\n")).collect();
    Vector::new("SE9", &five)
        .ok("search_files", json!({"pattern": "needle", "output_mode": "count", "limit": 2}))
        .has("[results 1-2; more follow at offset=2]")
        .has("2 result(s)");
    let vector = Vector::file("SE11", format!("needle é{}\n", "x".repeat(300)).repeat(500));
    let page = vector.ok("search_files", json!({"pattern": "needle", "limit": 200})).text();
    assert!(page.len() <= 65_536, "SE11: {}", page.len());
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("f:")).collect();
    assert!(rows.len() > 10 && rows.iter().all(|row| row.ends_with('…')), "SE11: {page}");
    let two = Vector::file("SE30", "needle 1\nneedle 2\n");
    let second = json!({"pattern": "needle", "offset": 1, "limit": 1});
    two.ok("search_files", second).has("f:2: needle 2").lacks("needle 1").has("1 result(s)");
    Vector::file("SE32", "needle\n")
        .ok("search_files", json!({"pattern": "needle", "offset": 10}))
        .has("No more results: 1 in all");
}

#[test]
fn what_is_not_opened() {
    let vector = with_fifo("SE3", "//- /match.txt\nneedle\n");
    vector.ok("search_files", needle()).has("match.txt:1: needle");
    let vector = with_fifo("SE4", "");
    vector.ok("search_files", json!({"pattern": "needle", "path": "fifo"})).has("No matches found");
    let vector = Vector::new("SE5", "//- /.env\nneedle\n//- /.ssh/config\nneedle\n//- /plain\nneedle\n");
    symlink(".env", vector.files.path("alias")).unwrap();
    vector.ok("search_files", needle()).has("plain:1:").lacks(".env").lacks(".ssh").lacks("alias");
    let vector = Vector::new("SE6", "//- /.env\nneedle\n");
    for target in ["content", "files"] {
        let args = json!({"pattern": "needle", "path": ".env", "target": target});
        vector.refused("search_files", args, "sensitive");
    }
    let vector = Vector::new("SE10", "");
    vector
        .refused("search_files", json!({"pattern": "x", "path": "../"}), "outside_workspace")
        .has("escapes");
    let vector = Vector::new("SE26", "//- /.hidden\nneedle\n");
    vector.ok("search_files", needle()).has(".hidden:1: needle");
    let vector = Vector::new("SE27", "//- /.git/x\nneedle\n//- /sub/.git/x\nneedle\n//- /y\nneedle\n");
    vector.ok("search_files", needle()).has("y:1: needle").lacks(".git");
    let vector = Vector::new("SE28", "//- /real\nneedle\n");
    symlink("real", vector.files.path("link")).unwrap();
    vector.ok("search_files", needle()).has("real:1:").lacks("link");
    vector.ok("search_files", json!({"pattern": "needle", "path": "link"})).has("link:1: needle");
    let vector = Vector::new("SE29", "//- /.env\nneedle\n");
    fs::hard_link(vector.files.path(".env"), vector.files.path("notes.txt")).unwrap();
    vector.ok("search_files", needle()).has("No matches found").lacks("notes.txt:");
}

#[test]
fn bounds() {
    let vector = Vector::file("SE12", format!("{}needle\n", "x\n".repeat(70)));
    vector.ok("search_files", needle()).has("f:71: needle");
    Vector::file("SE20", b"caf\xe9 needle\n").ok("search_files", needle()).has("f:1: caf\u{fffd} needle");
    let mut late = vec![b'a'; 9_000];
    late.extend_from_slice(b"\0\nneedle\n");
    Vector::file("SE21", late).ok("search_files", needle()).has("f:2: needle");
    let mut early = vec![b'a'; 100];
    early.extend_from_slice(b"\0\nneedle\n");
    Vector::file("SE21", early).ok("search_files", needle()).has("[not searched, binary: 1 file(s)]");
    let vector = Vector::file("SE22", format!("{}needle\n", "a line of a log\n".repeat(100_000)));
    vector.ok("search_files", needle()).has("f:100001: needle");
    let mut line = vec![b'x'; 3 * 1024 * 1024];
    line[500_000..500_006].copy_from_slice(b"needle");
    Vector::file("SE23", &line).ok("search_files", needle()).has("needle").has("1 result(s)");
    let mut line = vec![b'x'; 3 * 1024 * 1024];
    line[2_500_000..2_500_006].copy_from_slice(b"needle");
    Vector::file("SE23", &line)
        .ok("search_files", needle())
        .has("No matches found")
        .has("lines over 1 MiB: only their start was searched");
    let vector = Vector::new("SE24", "");
    for n in 0..5_100 {
        vector.files.write(&format!("f{n:04}"), "x\n");
    }
    vector.ok("search_files", needle()).has("(5000 files scanned)").has("limit reached");
    let vector = Vector::new("SE25", "//- /small\nneedle\n");
    vector.files.write("big", "a line of a log\n".repeat(65 * 65_536));
    vector
        .ok("search_files", needle())
        .has("small:1: needle")
        .has("[not searched, over the budget of bytes: 1 file(s): big]");
}

#[test]
fn refusals() {
    Vector::file("SE16", "x")
        .refused("search_files", json!({"pattern": "("}), "invalid_regex")
        .has("invalid regex");
    let vector = Vector::file("SE17", "needle\n");
    for (name, value) in [("limit", 0), ("offset", -1), ("limit", -1), ("context", -1)] {
        vector
            .refused("search_files", json!({"pattern": "x", name: value}), "invalid_arguments")
            .has(&format!("{name} must be >= "));
    }
    for (name, value, max) in [("limit", 201, 200), ("context", 21, 20)] {
        vector
            .ok("search_files", json!({"pattern": "needle", name: value}))
            .has(&format!("[{name} {value} is over the maximum: {max} is used]"));
    }
    vector.ok("search_files", json!({"pattern": "needle", "offset": 10_001})).has("1 in all");
    let vector = Vector::file("SE18", "x");
    for (name, allowed) in [
        ("target", "`content`, `files`"),
        ("order", "`discovery`, `modified`"),
        ("output_mode", "`content`, `files_only`, `count`"),
    ] {
        vector
            .refused("search_files", json!({"pattern": "x", name: "x"}), "invalid_arguments")
            .has(&format!("one of {allowed}"));
    }
}

#[test]
fn credentials() {
    let vector = Vector::file("SE33", format!("key = {0}\nneedle {0}\n", token()));
    let found = vector.ok("search_files", json!({"pattern": "needle", "context": 1}));
    found.has("  1: key = [FILTERED]\n> 2: needle [FILTERED]\n").lacks("ghp_");
    let vector = Vector::file("SE34", format!("key = {}\n", token()));
    let found = vector.ok("search_files", json!({"pattern": "aB3dE5gH7"}));
    found.has("f:1: key = [FILTERED]\n").has("1 result(s)").lacks("aB3dE");
}
