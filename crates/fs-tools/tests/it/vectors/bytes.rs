//! RB: `read_file` by bytes.

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use super::Vector;

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
const NOTHING: &str = "[END OF FILE - no content at this offset]";

#[test]
fn pages() {
    Vector::file("RB1", "test content").ok("read_file", json!({"path": "f"})).has("test content").silent();
    let page = |id, offset: u64, length: u64| {
        let vector = Vector::file(id, LETTERS);
        let reply = vector.ok("read_file", json!({"path": "f", "offset": offset, "length": length})).text();
        move |has: &[&str], lacks: &[&str]| {
            assert!(has.iter().all(|part| reply.contains(part)), "{id}: {reply}");
            assert!(!lacks.iter().any(|part| reply.contains(part)), "{id}: {reply}");
        }
    };
    page("RB4", 0, 10)(&["abcdefghij", "[TRUNCATED", "offset=10"], &["klm"]);
    page("RB5", 10, 10)(&["klmnopqrst", "offset=20"], &["uvw"]);
    page("RB6", 20, 10)(&["uvwxyz", "[END OF FILE"], &["[TRUNCATED"]);
    page("RB8", 10, 5)(&["read: bytes 10-14", "klmno"], &["lines "]);
    page("RB20", 16, 10)(&["qrstuvwxyz", "[END OF FILE"], &["[TRUNCATED"]);
    Vector::file("RB7", "12345").ok("read_file", json!({"path": "f", "offset": 100})).is(NOTHING);
    // Says what the plain sentence leaves open: that there is nothing anywhere.
    Vector::file("RB9", "")
        .ok("read_file", json!({"path": "f"}))
        .is("[END OF FILE - no content at this offset: the file is empty]");
    let vector = Vector::file("RB12", "x".repeat(70_000));
    vector.ok("read_file", json!({"path": "f", "length": 999_999})).has("bytes 0-65535]").has("offset=65536");
    let vector = Vector::file("RB13", "x".repeat(70_000));
    let last = vector.ok("read_file", json!({"path": "f", "offset": 65_536}));
    last.has("bytes 65536-69999]").has("[END OF FILE").lacks("[TRUNCATED");
}

#[test]
fn what_is_shown() {
    let vector = Vector::file("RB14", "a\r\nb\r\n");
    vector.ok("read_file", json!({"path": "f"})).has("total: 6 bytes").ends("\n\na\r\nb\r\n");
    let vector = Vector::file("RB15", "\u{feff}text\n");
    let page = vector.ok("read_file", json!({"path": "f"}));
    page.has("\n\ntext\n").lacks("\u{feff}").has("[not shown: 1 invisible character(s)");
    let vector = Vector::file("RB16", "é\n");
    vector.ok("read_file", json!({"path": "f", "length": 1})).has("bytes 0-1]").has("offset=2").has("\né\n");
    let vector = Vector::file("RB18", "a\0b");
    vector.ok("read_file", json!({"path": "f"})).has("binary").has("61 00 62");
    let vector = Vector::file("RB25", "QUJD".repeat(300));
    vector.ok("read_file", json!({"path": "f"})).has(&"QUJD".repeat(300)).lacks("omitted");
    let url = format!("data:image/png;base64,{}", "QUJD".repeat(20));
    let vector = Vector::file("RB26", format!("before {url} after\n"));
    vector.ok("read_file", json!({"path": "f"})).has("before [inline data omitted] after").lacks("QUJDQUJD");
}

#[test]
fn paths() {
    let vector = Vector::new("RB2", "");
    let missing = vector.files.path("missing").to_str().unwrap().to_owned();
    vector.refused("read_file", json!({"path": missing}), "not_found").has("not found");
    Vector::new("RB17", "//- /d/f\nx\n")
        .refused("read_file", json!({"path": "d"}), "is_a_directory")
        .has("is a directory");
    let vector = Vector::new("RB19", "");
    mknodat(CWD, vector.files.path("fifo"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    vector.refused("read_file", json!({"path": "fifo"}), "not_a_regular_file").has("not a regular file");
    Vector::new("RB21", "//- /x/f\nhere\n").ok("read_file", json!({"path": "x/../x/f"})).has("here");
    Vector::file("RB22", "x")
        .refused("read_file", json!({"path": "f/x"}), "not_a_directory")
        .has("not a directory");
    Vector::new("RB23", "")
        .refused("read_file", json!({"path": ""}), "empty_path")
        .has("path must not be empty");
}

#[test]
fn arguments() {
    Vector::new("RB3", "").refused("read_file", json!({}), "invalid_arguments").has("path is required");
    Vector::file("RB10", "x")
        .refused("read_file", json!({"path": "f", "offset": -5}), "invalid_arguments")
        .has("offset must be >= 0");
    Vector::file("RB11", "x")
        .refused("read_file", json!({"path": "f", "length": 0}), "invalid_arguments")
        .has("length must be >= 1");
    let vector = Vector::file("RB24", LETTERS);
    for offset in [json!("10"), json!(10.0)] {
        vector.ok("read_file", json!({"path": "f", "offset": offset})).has("bytes 10-25]");
    }
    let fraction = json!({"path": "f", "offset": 10.5});
    vector.refused("read_file", fraction, "invalid_arguments").has("must be an integer");
}
