//! `read_files`. The numbers are those of the vectors in `docs/conformance-batch.md`.

use std::fs;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::fixture::Fixture;

#[track_caller]
fn check(files: &Fixture, entry: Value, expected: Expect) {
    expected.assert_eq(&files.text("read_files", json!({ "files": [entry] })));
}

fn read(files: &Fixture, entry: Value) -> String {
    files.text("read_files", json!({ "files": [entry] }))
}

/// One file `f` with this content.
fn holding(content: impl AsRef<[u8]>) -> Fixture {
    let files = Fixture::batch("//- /f\nx\n");
    files.write("f", content);
    files
}

fn numbered(lines: u64) -> String {
    (1..=lines).map(|line| format!("l{line}\n")).collect()
}

#[test]
fn v48_to_v53_lines_and_how_to_go_on() {
    check(
        &holding("a\nb\nc\n"),
        json!({"path": "f"}),
        expect![[r#"
            1	a
            2	b
            3	c"#]],
    );
    let long = holding(numbered(5_000));
    let text = read(&long, json!({"path": "f"}));
    assert!(text.starts_with("1\tl1\n"), "49");
    assert!(
        text.ends_with("2048\tl2048\n[lines 1-2048 of 5000; call again with offset=2049 for more]"),
        "49"
    );
    check(
        &long,
        json!({"path": "f", "offset": 4999}),
        expect![[r#"
            4999	l4999
            5000	l5000"#]],
    );
    let past = long.ok("read_files", json!({"files": [{"path": "f", "offset": 5001}]}));
    assert_eq!(past, "[offset 5001 exceeds 5000 lines of f]", "51");
    let short = holding("a\nb\nc\n");
    assert_eq!(read(&short, json!({"path": "f", "offset": 0})), "1\ta\n2\tb\n3\tc", "52");
    let negative = json!({"files": [{"path": "f", "offset": -3}]});
    assert_eq!(short.code("read_files", negative), "invalid_arguments", "52: design D13");
    check(
        &short,
        json!({"path": "f", "limit": 2}),
        expect![[r#"
            1	a
            2	b
            [lines 1-2 of 3; call again with offset=3 for more]"#]],
    );
}

#[test]
fn v54_to_v61_odd_texts() {
    assert_eq!(read(&holding(""), json!({"path": "f"})), "f is empty", "54");
    assert_eq!(read(&holding("\n"), json!({"path": "f"})), "1\t", "55");
    assert_eq!(read(&holding("a\nb"), json!({"path": "f"})), "1\ta\n2\tb", "56");
    assert_eq!(read(&holding("a\r\nb\r\n"), json!({"path": "f"})), "1\ta\n2\tb", "57");
    assert_eq!(read(&holding("a\rb\rc"), json!({"path": "f"})), "1\ta\n2\tb\n3\tc", "58");
    assert_eq!(
        read(&holding(b"\0\x01\x02"), json!({"path": "f"})),
        "f is a binary file (unknown format, 3 bytes)",
        "59"
    );
    assert_eq!(read(&holding("\u{feff}a\n"), json!({"path": "f"})), "1\ta", "60");
    let latin = holding(b"caf\xe9 cr\xe8me\n");
    let text = read(&latin, json!({"path": "f"}));
    assert_eq!(text, "1\tcafé crème\n[decoded as windows-1252; the file is unchanged]", "61");
    assert_eq!(fs::read(latin.path("f")).unwrap(), b"caf\xe9 cr\xe8me\n", "61");
    let wide = holding("\u{feff}é\n日".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    assert_eq!(
        read(&wide, json!({"path": "f"})),
        "1\té\n2\t日\n[decoded as UTF-16LE; the file is unchanged]"
    );
}

#[test]
fn v62_and_v63_large_texts_and_long_lines() {
    let log = holding("x".repeat(99).to_owned() + "\n");
    log.write("f", ("x".repeat(99) + "\n").repeat(32 * 1024));
    let text = read(&log, json!({"path": "f", "offset": 30_000, "limit": 2}));
    assert!(text.starts_with("30000\txxx"), "62");
    assert!(text.ends_with("[lines 30000-30001 of 32768; call again with offset=30002 for more]"), "62");
    let long = holding("é".repeat(1_600_000) + "\nnext\n");
    let text = read(&long, json!({"path": "f"}));
    assert!(text.len() <= 1024 * 1024 + 200, "63: {}", text.len());
    assert!(text.contains(" … [line of 3200000 bytes, cut]\n"), "63");
    assert!(text.ends_with("[lines 1-1 of 2; call again with offset=2 for more]"), "63");
    // A page that is full ends with a whole line.
    let many = holding(("y".repeat(1_000) + "\n").repeat(2_000));
    let text = read(&many, json!({"path": "f"}));
    assert!(text.len() <= 1024 * 1024 + 200);
    let last = text.lines().rev().nth(1).unwrap();
    assert_eq!(last.split_once('\t').unwrap().1.len(), 1_000);
    let next: u64 = last.split_once('\t').unwrap().0.parse::<u64>().unwrap() + 1;
    assert!(text.ends_with(&format!("of 2000; call again with offset={next} for more]")));
}

#[test]
fn v64_to_v66_one_entry_that_fails_leaves_the_others() {
    let files = holding("a\n");
    fs::create_dir(files.path("dir")).unwrap();
    rustix_fifo(&files.path("fifo"));
    let paths = ["missing", "f", "dir", "fifo", "/dev/zero", "/proc/self/status"];
    let entries: Vec<Value> = paths.iter().map(|path| json!({ "path": path })).collect();
    let text = files.ok("read_files", json!({ "files": entries }));
    let blocks: Vec<&str> = text.split("== ").skip(1).collect();
    assert_eq!(blocks.len(), 6, "{text}");
    for (block, expected) in blocks.iter().zip([
        "missing\nerror (not_found)",
        "f\n1\ta",
        "dir\nerror (is_a_directory)",
        "fifo\nerror (not_a_regular_file)",
        "/dev/zero\nerror (outside_workspace)",
        "/proc/self/status\nerror (outside_workspace)",
    ]) {
        assert!(block.starts_with(expected), "{block}");
    }
    assert!(
        blocks[2].contains("find_files") && !text.contains("list_dir"),
        "the next step names a tool of this family: {text}"
    );
    assert_eq!(files.code("read_files", json!({"files": [{"path": "missing"}]})), "not_found");
}

fn rustix_fifo(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

#[test]
fn v67_and_v68_tabs_stay_and_invisible_characters_are_said() {
    assert_eq!(read(&holding("\ta\tb\n"), json!({"path": "f"})), "1\t\ta\tb", "67");
    let text = read(&holding("a\u{a0}b\u{200b}c\n"), json!({"path": "f"}));
    assert_eq!(
        text, "1\ta\u{a0}bc\n[not shown: 1 invisible character(s); the file itself is unchanged]",
        "68: design section 5"
    );
}

#[test]
fn v69_to_v77_around() {
    let five = holding(numbered(5));
    check(
        &five,
        json!({"path": "f", "around": [3], "context": 1}),
        expect![[r#"
            2	l2
            3	l3
            4	l4
            [3 of 5 lines shown around rows [3]]"#]],
    );
    let around = |rows: Value, context: Option<i64>| {
        let mut entry = json!({"path": "f", "around": rows});
        if let Some(context) = context {
            entry["context"] = json!(context);
        }
        read(&five, entry)
    };
    assert_eq!(
        around(json!([1, 5]), Some(0)),
        "1\tl1\n...\n5\tl5\n[2 of 5 lines shown around rows [1, 5]]",
        "70"
    );
    assert!(around(json!([2, 4]), Some(1)).starts_with("1\tl1\n2\tl2\n3\tl3\n4\tl4\n5\tl5\n["), "71");
    assert!(around(json!([1, 3]), Some(0)).starts_with("1\tl1\n...\n3\tl3\n["), "72");
    assert!(around(json!([2, 3]), Some(0)).starts_with("2\tl2\n3\tl3\n["), "73");
    assert!(
        around(json!([3, 99]), Some(0))
            .ends_with("[1 of 5 lines shown around rows [3, 99]; rows [99] are outside the file]"),
        "74"
    );
    assert_eq!(
        around(json!([0, -1, 99]), None),
        "[none of the rows [0, -1, 99] is in f, which has 5 lines]",
        "75"
    );
    let ignored = read(&five, json!({"path": "f", "around": [3], "context": 0, "offset": 5, "limit": 1}));
    assert!(ignored.starts_with("3\tl3\n["), "76");
    let hundred = holding(numbered(100));
    assert!(
        read(&hundred, json!({"path": "f", "around": [50]})).starts_with("30\tl30\n"),
        "77: 20 by default"
    );
    assert!(
        read(&hundred, json!({"path": "f", "around": [50], "context": 0})).starts_with("50\tl50\n["),
        "77"
    );
    let negative = json!({"files": [{"path": "f", "around": [50], "context": -2}]});
    assert_eq!(hundred.code("read_files", negative), "invalid_arguments", "77: design D13");
    assert!(around(json!([5, 1, 5]), Some(0)).starts_with("1\tl1\n...\n5\tl5\n[2 of 5"), "80");
    assert!(around(json!("[2]"), Some(0)).starts_with("2\tl2\n["), "a list that came as text");
    assert!(around(json!(2), Some(0)).starts_with("2\tl2\n["), "one row without brackets");
    assert!(around(json!([]), None).starts_with("1\tl1\n2\tl2"), "no rows: an ordinary read");
}

#[test]
fn v78_around_is_for_text() {
    let files = holding("a\n");
    files.write("t.csv", "a,b\n1,2\n");
    files.write("p.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0");
    for path in ["t.csv", "p.png"] {
        let args = json!({"files": [{"path": path, "around": [1]}]});
        assert_eq!(files.code("read_files", args), "around_needs_text", "{path}");
    }
}

#[test]
fn v79_the_same_path_twice_is_joined_in_order() {
    let files = holding(numbered(9));
    files.write("g", "other\n");
    let args = json!({"files": [
        {"path": "f", "around": [1], "context": 0}, {"path": "g"}, {"path": "f", "around": [5], "context": 0},
    ]});
    expect![[r#"
        == f
        1	l1
        [1 of 9 lines shown around rows [1]]
        5	l5
        [1 of 9 lines shown around rows [5]]
        == g
        1	other"#]]
    .assert_eq(&files.text("read_files", args));
}

#[test]
fn v91_to_v93_tables() {
    let files = holding("x");
    files.write("q.csv", "\u{feff}id,note\n1,\"two\nlines\"\n2,a;b\n3\n4,x,extra\n");
    check(
        &files,
        json!({"path": "q.csv"}),
        expect![[r#"
            header	["id","note"]
            1	["1","two\nlines"]
            2	["2","a;b"]
            3	["3"]
            4	["4","x","extra"]"#]],
    );
    files.write("t.tsv", "a\tb\n1\t2,3\n");
    assert_eq!(read(&files, json!({"path": "t.tsv"})), "header\t[\"a\",\"b\"]\n1\t[\"1\",\"2,3\"]", "91");
    files.write("n.csv", (0..=9).map(|n| format!("r{n}\n")).collect::<String>());
    check(
        &files,
        json!({"path": "n.csv", "offset": 3, "limit": 2}),
        expect![[r#"
            header	["r0"]
            3	["r3"]
            4	["r4"]
            [rows 3-4 of 9; call again with offset=5 for more]"#]],
    );
    assert!(
        read(&files, json!({"path": "n.csv", "offset": 10})).ends_with("[offset 10 exceeds 9 rows of n.csv]")
    );
}

#[test]
fn credentials_are_masked_also_when_they_begin_above_the_part() {
    let key = format!("{}{}", "ghp_", "0123456789abcdefghijABCDEFGHIJ012345");
    let pem = format!(
        "-----BEGIN RSA {} KEY-----\n{}-----END RSA {} KEY-----\n",
        "PRIVATE",
        "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\n".repeat(20),
        "PRIVATE"
    );
    let files = holding(format!("a\ntoken {key}\nb\n{pem}end\n"));
    let text = read(&files, json!({"path": "f", "offset": 2, "limit": 2}));
    assert!(text.starts_with("2\ttoken [FILTERED]\n3\tb\n"), "{text}");
    assert!(text.ends_with("[values masked in 1 line(s); the file is unchanged]"), "{text}");
    let inside = read(&files, json!({"path": "f", "around": [12], "context": 0}));
    assert!(!inside.contains("QUJD"), "{inside}");
    files.write("t.csv", format!("name,token\nx,{key}\n"));
    assert!(!read(&files, json!({"path": "t.csv"})).contains(&key));
}

#[test]
fn forms_that_models_send_by_mistake() {
    let files = holding("a\n");
    assert_eq!(files.ok("read_files", json!({"files": ["f"]})), "1\ta", "a path instead of an entry");
    assert_eq!(files.ok("read_files", json!({"files": {"path": "f"}})), "1\ta", "an entry instead of a list");
    assert_eq!(files.ok("read_files", json!({"files": "[{\"path\": \"f\"}]"})), "1\ta", "a list as text");
    let text = files.text("read_files", json!({"path": "f"}));
    assert!(text.contains("put it into `files`"), "{text}");
    assert!(files.text("read_file", json!({"path": "f"})).contains("did you mean read_files?"));
}

#[test]
fn a_text_too_large_for_memory_is_read_in_pieces() {
    let files = holding("x");
    let line = "z".repeat(1_023) + "\n";
    // Over 64 MiB: one line of which differs.
    let mut content = line.repeat(66 * 1024).into_bytes();
    let at = 40_000 * 1024;
    content[at..at + 6].copy_from_slice(b"needle");
    content.truncate(content.len() - 1);
    files.write("f", &content);
    let text = read(&files, json!({"path": "f", "offset": 40_001, "limit": 1}));
    assert!(text.starts_with("40001\tneedlezzz"), "{}", &text[..40]);
    assert!(
        text.ends_with("[lines 40001-40001 of 67584; call again with offset=40002 for more]"),
        "{}",
        &text[1000..]
    );
    let text = read(&files, json!({"path": "f", "around": [40_001, 67_584], "context": 0}));
    assert!(text.contains("\n...\n67584\tzzz"), "{}", &text[..40]);
}
