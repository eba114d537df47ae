//! Every shape of a reply, as it is, in one file.

use expect_test::expect_file;
use serde_json::{Value, json};

use crate::fixture::Fixture;

const TREE: &str = "\
//- /notes.md
# Notes
one
two
three
//- /src/main.rs
fn main() {
    old();
}
//- /src/lib.rs
pub fn old() {}
//- /empty.txt
//- /.env
KEY=1
";

/// Makes the calls one after another on one workspace and writes down what each reader gets.
fn record(out: &mut String, title: &str, config: &Value, calls: Vec<(&str, Value)>) {
    let files = Fixture::with(TREE, &config.to_string());
    files.write("logo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    files.write("long.txt", "a line of a file that is too long for one answer\n".repeat(40));
    std::fs::create_dir(files.path("nothing")).unwrap();
    out.push_str(&format!("######## {title}\n"));
    for (tool, args) in calls {
        let reply = files.call(tool, args.clone());
        let outcome = match &reply.error {
            Some(error) => format!("error, exit status {}", error.class().exit_status()),
            None if reply.is_negative => "negative answer".into(),
            None => "success".into(),
        };
        out.push_str(&format!("\n==== {tool} {args}\n---- model ({outcome})\n"));
        let model = files.portable(&reply.for_model);
        out.push_str(&model);
        out.push_str(if model.ends_with('\n') { "" } else { "⏎\n" });
        if let Some(user) = &reply.for_user {
            out.push_str(&format!("---- user\n{}⏎\n", files.portable(user)));
        }
        if let Some(structured) = &reply.structured {
            out.push_str(&format!("---- structured\n{}\n", files.portable(&structured.to_string())));
        }
        if !reply.attachments.is_empty() {
            out.push_str(&format!("---- attachments\n{}\n", reply.attachments.join("\n")));
        }
    }
    out.push('\n');
}

#[test]
fn every_shape_of_a_reply() {
    let mut out = String::new();
    record(
        &mut out,
        "by bytes",
        &json!({}),
        vec![
            ("read_file", json!({"path": "notes.md"})),
            ("read_file", json!({"path": "notes.md", "offset": 2, "length": 5})),
            ("read_file", json!({"path": "notes.md", "offset": 99})),
            ("read_file", json!({"path": "empty.txt"})),
            ("read_file", json!({"path": "logo.png"})),
            ("read_file", json!({"path": "notes.txt"})),
            ("read_file", json!({"path": "src"})),
            ("read_file", json!({"path": ".env"})),
            ("read_file", json!({"path": "../x"})),
            ("read_file", json!({"path": ""})),
            ("read_file", json!({"path": "notes.md", "start_line": 2})),
            ("write_file", json!({"path": "new/config.json", "content": "{\"a\": 1}\n"})),
            ("write_file", json!({"path": "new/config.json", "content": "{\"a\": 1}\n"})),
            ("write_file", json!({"path": "notes.md", "content": "# Notes\none\ntwo\nthree\nfour\n"})),
            ("write_file", json!({"path": "notes.md", "content": "other"})),
            ("write_file", json!({"path": "new/config.json", "content": "{", "overwrite": true})),
            ("write_file", json!({"path": ".git/hooks/pre-commit", "content": "x"})),
            ("edit_file", json!({"path": "src/main.rs", "old_text": "old()", "new_text": "new()"})),
            ("edit_file", json!({"path": "src/main.rs", "patch": "@@\n-    new();\n+    newer();\n"})),
            ("edit_file", json!({"path": "src/main.rs", "old_text": "newer", "new_text": "newer"})),
            ("edit_file", json!({"path": "src/main.rs", "old_text": "newest", "new_text": "x"})),
            ("edit_file", json!({"path": "src/main.rs", "old_text": "n", "new_text": "x"})),
            ("edit_file", json!({"path": "src/main.rs", "patch": "@@\n-    gone();\n+    x();\n"})),
            ("append_file", json!({"path": "log.txt", "content": "first\n"})),
            ("append_file", json!({"path": "log.txt", "content": ""})),
            ("list_dir", json!({"path": "."})),
            ("list_dir", json!({"path": "nothing"})),
            ("list_dir", json!({"path": "src", "offset": 9})),
            ("list_dir", json!({"path": "notes.md"})),
            ("search_files", json!({"pattern": "fn \\w+"})),
            ("search_files", json!({"pattern": "newer", "context": 1})),
            ("search_files", json!({"pattern": "fn", "output_mode": "count"})),
            ("search_files", json!({"pattern": "fn", "output_mode": "files_only"})),
            ("search_files", json!({"pattern": "*.rs", "target": "files"})),
            ("search_files", json!({"pattern": "fn", "limit": 1})),
            ("search_files", json!({"pattern": "fn", "offset": 9})),
            ("search_files", json!({"pattern": "nowhere"})),
            ("search_files", json!({"pattern": "("})),
        ],
    );
    record(
        &mut out,
        "by lines",
        &json!({"tools": {"read_file": {"mode": "lines", "max_line_length": 20}}}),
        vec![
            ("read_file", json!({"path": "notes.md"})),
            ("read_file", json!({"path": "notes.md", "start_line": 2, "max_lines": 2})),
            ("read_file", json!({"path": "notes.md", "start_line": 9})),
            ("read_file", json!({"path": "empty.txt"})),
            ("read_file", json!({"path": "long.txt", "max_lines": 1})),
            ("read_file", json!({"path": "logo.png"})),
            ("read_file", json!({"path": "notes.md", "offset": 2})),
        ],
    );
    record(
        &mut out,
        "small results and a tool less",
        &json!({"tools": {"max_inline_result_chars": 300, "edit_file": {"enabled": false}}}),
        vec![
            ("read_file", json!({"path": "long.txt"})),
            ("edit_file", json!({"path": "notes.md"})),
            ("write_file", json!({"path": "notes.md", "content": "other"})),
            ("no_such_tool", json!({})),
        ],
    );
    expect_file!["../data/replies.txt"].assert_eq(&out);
}
