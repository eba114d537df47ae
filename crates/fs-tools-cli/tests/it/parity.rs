//! The command line and the server give the same answer.

use std::fs;

use serde_json::{Value, json};

use crate::client::{Session, run, text};

#[test]
fn every_call_has_one_answer() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir_all(root.join("src")).unwrap();
    let reset = || {
        fs::write(root.join("src/a.rs"), "fn main() {\n    old();\n}\n").unwrap();
        fs::write(root.join(".env"), "SECRET=1\n").unwrap();
        let _ = fs::remove_file(root.join("new.json"));
        let _ = fs::remove_file(root.join("log"));
    };
    reset();
    let mut session = Session::open(&root);
    for (tool, args) in [
        ("read_file", json!({"path": "src/a.rs"})),
        ("read_file", json!({"path": "src/a.rs", "length": 5})),
        ("read_file", json!({"path": ".env"})),
        ("read_file", json!({"path": "../x"})),
        ("read_file", json!({"path": "src/b.rs"})),
        ("write_file", json!({"path": "new.json", "content": "{}"})),
        ("write_file", json!({"path": "src/a.rs", "content": "x"})),
        ("edit_file", json!({"path": "src/a.rs", "old_text": "old", "new_text": "new"})),
        ("edit_file", json!({"path": "src/a.rs", "patch": "@@\n-    nope();\n+    x();\n"})),
        ("append_file", json!({"path": "log", "content": "x\n"})),
        ("list_dir", json!({"path": "src"})),
        ("search_files", json!({"pattern": "fn", "context": 1})),
        ("search_files", json!({"pattern": "absent"})),
        ("search_files", json!({"pattern": "("})),
        ("bad_tool", json!({})),
        ("list_dir", json!({"paths": "."})),
    ] {
        reset();
        let served = session.call(tool, args.clone());
        reset();
        let output = run(&root, &["--json", "call", tool, &args.to_string()]);
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(printed["for_model"], text(&served), "{tool} {args}");
        assert_eq!(printed["is_error"], served["isError"], "{tool} {args}");
        assert_eq!(printed["structured"], served["structuredContent"], "{tool} {args}");
        reset();
        let plain = run(&root, &["call", tool, &args.to_string()]);
        let shown = if served["isError"] == true { plain.stderr } else { plain.stdout };
        assert_eq!(String::from_utf8(shown).unwrap().trim_end(), text(&served).trim_end(), "{tool} {args}");
    }
}

#[test]
fn the_list_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let mut session = Session::open(&root);
    let served = session.request("tools/list", json!({}))["result"]["tools"].clone();
    let printed: Value = serde_json::from_slice(&run(&root, &["--json", "tools"]).stdout).unwrap();
    assert_eq!(printed, served);
}
