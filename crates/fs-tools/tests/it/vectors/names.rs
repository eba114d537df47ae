//! SN: `search_files` in the names of files.

use std::fs::File;
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::Vector;

fn names(pattern: &str) -> Value {
    json!({"pattern": pattern, "target": "files"})
}

#[test]
fn patterns() {
    Vector::new("SN3", "//- /cmd/app/main.go\nx\n//- /pkg/app/app_test.go\nx\n//- /pkg/app/x.md\nx\n")
        .ok("search_files", names("*.go"))
        .has("cmd/app/main.go\npkg/app/app_test.go\n\n2 file(s)");
    Vector::new("SN6", "//- /a\nx\n//- /d/b\nx\n//- /.c\nx\n")
        .ok("search_files", names(""))
        .has(".c\na\nd/b\n\n3 file(s)");
    Vector::new("SN7", "//- /xyz/a\nx\n//- /b\nx\n").ok("search_files", names("z")).has("xyz/a\n\n1 file(s)");
    Vector::new("SN8", "//- /docker-compose.yml\nx\n//- /deploy/docker-compose.prod.yml\nx\n//- /x\nx\n")
        .ok("search_files", names("docker-compose"))
        .has("deploy/docker-compose.prod.yml\ndocker-compose.yml\n\n2 file(s)");
    Vector::new("SN9", "//- /src/main.ts\nx\n//- /src/a/b/c.ts\nx\n//- /other/d.ts\nx\n")
        .ok("search_files", names("src/**/*.ts"))
        .has("src/a/b/c.ts\nsrc/main.ts\n\n2 file(s)");
    Vector::new("SN10", "//- /a.js\nx\n//- /b.ts\nx\n//- /c.rs\nx\n")
        .ok("search_files", names("*.{js,ts}"))
        .has("a.js\nb.ts\n\n2 file(s)");
    Vector::new("SN11", "//- /a/y.go\nx\n//- /a/b/z.go\nx\n")
        .ok("search_files", names("a/*.go"))
        .has("a/y.go\n\n1 file(s)")
        .lacks("z.go");
    Vector::new("SN12", "").refused("search_files", names("["), "invalid_glob").has("invalid");
}

#[test]
fn walks() {
    Vector::new("SN1", "//- /a/1.txt\nx\n//- /a/2.txt\nx\n//- /b/1.txt\nx\n//- /b/2.txt\nx\n")
        .ok("search_files", json!({"pattern": "*.txt", "target": "files", "limit": 1}))
        .has("1 file(s), 2 files scanned.");
    let vector = Vector::new("SN2", "//- /match.txt\nx\n");
    mknodat(CWD, vector.files.path("fifo"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    vector.ok("search_files", names("*")).has("match.txt\n\n1 file(s)").lacks("fifo");
    let direct = json!({"pattern": "", "target": "files", "path": "fifo"});
    vector.ok("search_files", direct).has("No matching files");
    let vector = Vector::new("SN13", "//- /a\nx\n//- /b\nx\n//- /c\nx\n//- /d\nx\n");
    for (name, seconds) in [("a", 50), ("b", 50), ("c", 10), ("d", 90)] {
        let file = File::options().append(true).open(vector.files.path(name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 + seconds)).unwrap();
    }
    let newest = json!({"pattern": "", "target": "files", "order": "modified"});
    vector.ok("search_files", newest).has("d\na\nb\nc\n\n4 file(s)");
}

#[test]
fn bounds() {
    let vector = Vector::new("SN4", "");
    for n in 0..500 {
        vector.files.write(&format!("f{n:03}"), "");
    }
    vector
        .ok("search_files", json!({"pattern": "", "target": "files", "limit": 500}))
        .has("[limit 500 is over the maximum: 200 is used]")
        .has("200 file(s)")
        .has("offset=200");
    let vector = Vector::new("SN5", "");
    for n in 0..500 {
        vector.files.write(&format!("{n:03}{}", "n".repeat(200)), "");
    }
    let page = vector.ok("search_files", json!({"pattern": "", "target": "files", "limit": 500}));
    page.has("[limit 500 is over the maximum: 200 is used]").has("more results");
    assert!(page.text().chars().count() <= 16_384);
}
