//! SY: the quick syntax check of `write_file`.

use serde_json::{Value, json};

use super::Vector;

/// What the check said: `ok`, a `problem`, or `none` where the field is omitted.
#[track_caller]
fn check(id: &'static str, name: &str, content: &str, expected: &str) {
    // What an editor obeys needs a person's yes, which is not what is tested here.
    let vector = Vector::with(id, "", &json!({"fs_tools": {"policy": {"run_later": {"vscode": "allow"}}}}));
    let reply = vector.ok("write_file", json!({"path": name, "content": content})).reply;
    let value = reply.structured.unwrap();
    let said = match (value.get("syntax"), value.get("syntax_error")) {
        (Some(Value::String(ok)), None) if ok == "ok" => "ok",
        (None, Some(Value::String(problem))) if !problem.is_empty() => "problem",
        (None, None) => "none",
        other => panic!("{id}: {other:?}"),
    };
    assert_eq!(said, expected, "{id}: {name}");
    vector.holds(name, content);
}

#[test]
fn languages() {
    check("SY1", "a.json", "{\"a\": [1, 2]}\n", "ok");
    check("SY1", "a.json", "{\"a\": [1, 2],}\n", "problem");
    for name in ["tsconfig.base.json", ".vscode/extensions.json", "devcontainer.json", "jsconfig.json"] {
        check("SY2", name, "{ // a comment\n}\n", "none");
    }
    check("SY3", "a.go", "package a\nfunc f() {\n", "problem");
    check("SY4", "a.cpp", "int a = 1'000'000;\n", "ok");
    check("SY5", "a.c", "#if A\n{\n#endif\n#if B\n{\n#endif\n}\n", "none");
    // A single condition that leaves a brace open has nothing that could make up for it.
    check("SY5", "a.c", "#if A\nvoid f() {\n#else\nvoid f(int x);\n#endif\n", "problem");
    check("SY6", "a.py", "s = \"\"\"\n{ ( [\n\"\"\"\n", "ok");
    check("SY7", "a.toml", "a = 1 # it's a \" quote\n", "ok");
    check("SY8", "a.json", &format!("{}{}", "[".repeat(257), "]".repeat(257)), "none");
    check("SY8", "a.json", &format!("{}{}", "[".repeat(256), "]".repeat(256)), "ok");
    for name in ["a.rs", "a.js", "a.java", "a.yaml", "a.txt"] {
        check("SY9", name, "{ ( [\n", "none");
    }
    check("SY12", "a.json", "", "problem");
    check("SY12", "a.py", "", "ok");
}

#[test]
fn whole_files_and_failures() {
    let vector = Vector::new("SY10", "//- /a.go\npackage a\nfunc f() {\n");
    vector
        .ok("write_file", json!({"path": "a.go", "content": "package a\nfunc f() {\n}\n"}))
        .field("action", json!("appended"))
        .field("syntax", json!("ok"));
    let vector = Vector::new("SY11", "//- /a.json\n{}\n");
    vector
        .refused("write_file", json!({"path": "a.json", "content": "{"}), "file_exists")
        .field("syntax", Value::Null)
        .field("syntax_error", Value::Null);
}
