//! Reports of users of other tools that no vector covers.

use std::fs;

use serde_json::json;

use crate::fixture::Fixture;

#[track_caller]
fn gives(before: &str, old: &str, new: &str, after: &str) {
    let files = Fixture::batch("//- /f\nx\n");
    files.write("f", before);
    files.ok("read_files", json!({"files": ["f"]}));
    files.ok("edit_file", json!({"path": "f", "targets": [{"old_string": old, "new_string": new}]}));
    assert_eq!(fs::read_to_string(files.path("f")).unwrap(), after);
}

#[test]
fn escapes_and_templates_are_literal() {
    gives("log(`${a}\\n`);\n", "`${a}\\n`", "`${b}\\t${c}`", "log(`${b}\\t${c}`);\n");
    gives("re = r'\\d+\\.\\1'\n", "\\d+\\.\\1", "[0-9]{1,3}\\.\\2", "re = r'[0-9]{1,3}\\.\\2'\n");
    gives("a\\\nb\n", "a\\\nb", "c\\\nd", "c\\\nd\n");
    let files = Fixture::batch("//- /f\nprint(\"a\")\nprint(\"b\")\n");
    files.ok("read_files", json!({"files": ["f"]}));
    let doubled =
        json!({"path": "f", "targets": [{"old_string": "print(\"a\")\\nprint(\"b\")", "new_string": "x"}]});
    let text = files.text("edit_file", doubled);
    assert!(text.contains("error (text_not_found)") && text.contains("\\n"), "{text}");
}

#[test]
fn characters_of_several_bytes_are_never_cut() {
    gives("名前：山田\n住所：東京\n", "山田", "田中", "名前：田中\n住所：東京\n");
    gives("👩‍👩‍👧 family 👨‍👩‍👦\n", "family", "家族", "👩‍👩‍👧 家族 👨‍👩‍👦\n");
    let files = Fixture::batch("//- /f\nx\n");
    files.write("f", "é".repeat(300) + "needle" + &"日".repeat(300) + "\n");
    let args = json!({"queries": [{"pattern": "needle", "file_pattern": "f"}], "output": "content"});
    let text = files.ok("find_files", args);
    assert!(!text.contains('\u{fffd}') && text.contains("needle"), "{text}");
}
