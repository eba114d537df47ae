//! RL: `read_file` by lines.

use serde_json::{Value, json};

use super::{Vector, by_lines, token};

fn six(id: &'static str) -> Vector {
    Vector::with(id, "//- /f\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\n", &by_lines())
}

fn of(id: &'static str, bytes: impl AsRef<[u8]>) -> Vector {
    let vector = Vector::with(id, "", &by_lines());
    vector.files.write("f", bytes);
    vector
}

fn from(start: u64, max: u64) -> Value {
    json!({"path": "f", "start_line": start, "max_lines": max})
}

#[test]
fn pages() {
    let page = six("RL1");
    page.ok("read_file", from(1, 2))
        .has("\n1|line 1\n2|line 2\n")
        .has("lines 1-2")
        .has("start_line=3 and max_lines=2");
    six("RL2").ok("read_file", from(3, 2)).has("\n3|line 3\n4|line 4\n").has("start_line=5 and max_lines=2");
    six("RL3").ok("read_file", from(5, 2)).has("5|line 5\n6|line 6\n").has("[END OF FILE").lacks("PARTIAL");
    of("RL4", "a\nb\nc\n").ok("read_file", json!({"path": "f"})).has("1|a\n2|b\n3|c\n").has("lines 1-3");
    of("RL5", "a\nb\n")
        .ok("read_file", json!({"path": "f", "start_line": 100}))
        .is("[END OF FILE - no content at or after start_line=100]");
    six("RL10").ok("read_file", json!({"path": "f", "max_lines": 1})).has("\n1|line 1\n").lacks("2|");
    of("RL13", "line 1\nline 2")
        .ok("read_file", json!({"path": "f"}))
        .has("[END OF FILE")
        .ends("1|line 1\n2|line 2");
    of("RL15", "")
        .ok("read_file", json!({"path": "f"}))
        .is("[END OF FILE - no content at or after start_line=1: the file is empty]");
    of("RL24", "a\nb").ok("read_file", from(2, 1)).has("lines 2-2").has("[END OF FILE").ends("2|b");
    of("RL25", "a\nb\n").ok("read_file", from(1, 2)).has("[END OF FILE").lacks("PARTIAL");
    of("RL26", "x\n".repeat(5_000))
        .ok("read_file", json!({"path": "f", "max_lines": 9_999}))
        .has("lines 1-2000 ")
        .has("start_line=2001");
    of("RL27", "a\n").ok("read_file", json!({"path": "f", "max_lines": null})).has("1|a\n");
    let last = of("RL29", "x\n".repeat(5_000_000));
    last.ok("read_file", json!({"path": "f", "start_line": 4_999_990})).has("4999990|x\n").has("5000000|x\n");
}

#[test]
fn budgets() {
    let cut = format!("\n2|{} … [truncated]", "x".repeat(2_000));
    of("RL12", format!("first line\n{}", "x".repeat(70 * 1024)))
        .ok("read_file", json!({"path": "f"}))
        .has("1|first line\n")
        .has("[END OF FILE")
        .ends(&cut);
    let small = json!({"tools": {"read_file": {"mode": "lines", "max_read_file_size": 10}}});
    Vector::with("RL14", "//- /f\n1234567\nsecond line\n", &small)
        .ok("read_file", json!({"path": "f"}))
        .has("file_bytes: 8 | output_bytes: 10")
        .has("start_line=2")
        .has("1|1234567\n")
        .lacks("2|");
    of("RL23", "x".repeat(300_000))
        .ok("read_file", json!({"path": "f"}))
        .has(&format!("\n1|{} … [truncated]", "x".repeat(2_000)))
        .lacks(&"x".repeat(2_001))
        .lacks("mid-line");
}

#[test]
fn what_is_shown() {
    of("RL16", "a\r\nb\r\n")
        .ok("read_file", json!({"path": "f"}))
        .has("file_bytes: 6 | output_bytes: 10")
        .ends("1|a\r\n2|b\r\n");
    of("RL20", b"abc \xff\xfe\n").ok("read_file", json!({"path": "f"})).has("1|abc \u{fffd}\u{fffd}\n");
    let text = format!("one\ntwo\n{}\nfour\n", token());
    of("RL28", &text)
        .ok("read_file", json!({"path": "f"}))
        .has("2|two\n3|[FILTERED]\n4|four\n")
        .has(&format!("file_bytes: {}", text.len()));
}

#[test]
fn binary_files() {
    let to_bytes = "switch read_file mode to 'bytes'";
    of("RL11", b"\0\x01AAAA").refused("read_file", json!({"path": "f"}), "binary_file").has(to_bytes);
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("ab\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    of("RL21", utf16).refused("read_file", json!({"path": "f"}), "binary_file").has("8 bytes");
    of("RL22", "%PDF-1.7\nplain head\n").refused("read_file", json!({"path": "f"}), "binary_file").has("PDF");
}

#[test]
fn arguments() {
    for (id, name, right) in
        [("RL6", "offset", "start_line"), ("RL7", "length", "max_lines"), ("RL8", "limit", "max_lines")]
    {
        six(id)
            .refused("read_file", json!({"path": "f", name: 1}), "invalid_arguments")
            .has("not supported")
            .has(&format!("use `{right}`"));
    }
    six("RL9")
        .refused("read_file", json!({"path": "f", "limit": 1}), "invalid_arguments")
        .has("unexpected property \"limit\"");
    six("RL17")
        .refused("read_file", json!({"path": "f", "start_line": 0}), "invalid_arguments")
        .has("start_line must be >= 1");
    for max in [0, -1] {
        let args = json!({"path": "f", "max_lines": max});
        six("RL18").refused("read_file", args, "invalid_arguments").has("max_lines must be >= 1");
    }
    Vector::with("RL19", "//- /d/f\nx\n", &by_lines())
        .refused("read_file", json!({"path": "d"}), "is_a_directory")
        .has("path is a directory");
    Vector::with("RL30", "//- /.env\nKEY=1\n", &by_lines())
        .refused("read_file", json!({"path": ".env"}), "sensitive")
        .lacks("KEY");
}
