//! ED: `edit_file`, exact text.

use serde_json::{Value, json};

use super::Vector;

fn swap(old: &str, new: &str) -> Value {
    json!({"path": "f", "old_text": old, "new_text": new})
}

#[test]
fn exact_text() {
    let vector = Vector::file("ED1", "Hello World\nThis is a test");
    let edit = vector.ok("edit_file", swap("World", "Universe"));
    edit.user_has("```diff\n--- a/f\n+++ b/f\n").user_has("-Hello World\n+Hello Universe\n");
    let vector = Vector::new("ED7", "//- /edit_target.txt\nold\n");
    let edit =
        vector.ok("edit_file", json!({"path": "edit_target.txt", "old_text": "old", "new_text": "new"}));
    edit.is("File edited: edit_target.txt\n--- a/edit_target.txt\n+++ b/edit_target.txt\n@@ -1 +1 @@\n-old\n+new\n");
    let vector = Vector::file("ED8", "hello world");
    vector.ok("edit_file", swap("world", "universe"));
    vector.holds("f", "hello universe");
    let vector = Vector::file("ED10", "same\n");
    vector.ok("edit_file", swap("same", "same")).is("File edited: f\n(no content change)");
}

#[test]
fn refusals() {
    Vector::new("ED2", "").refused("edit_file", swap("a", "b"), "not_found").has("not found");
    Vector::file("ED3", "abc").refused("edit_file", swap("zzz", "b"), "text_not_found").has("not found");
    Vector::file("ED4", "test test test").refused("edit_file", swap("test", "x"), "ambiguous").has("3 times");
    let vector = Vector::new("ED5", "");
    std::fs::write(vector.files.outside("secret"), "old").unwrap();
    let args = json!({"path": "../secret", "old_text": "old", "new_text": "new"});
    vector.refused("edit_file", args, "outside_workspace").has("escapes");
    let vector = Vector::file("ED6", "x");
    for (args, missing) in [
        (json!({"old_text": "x", "new_text": "y"}), "path is required"),
        (json!({"path": "f", "new_text": "y"}), "old_text is required"),
        (json!({"path": "f", "old_text": "x"}), "new_text is required"),
    ] {
        vector.refused("edit_file", args, "invalid_arguments").has(missing);
    }
    let vector = Vector::file("ED9", "a\r\nb\r\n");
    vector.refused("edit_file", swap("a\nb", "x"), "text_not_found").has("CR");
    vector.holds("f", "a\r\nb\r\n");
    let vector = Vector::file("ED11", "");
    vector.refused("edit_file", swap("", "x"), "invalid_arguments").has("old_text is empty");
    vector.holds("f", "");
    Vector::file("ED12", "sixsix").refused("edit_file", swap("", "x"), "invalid_arguments");
    let vector = Vector::file("ED13", "aaa");
    vector.refused("edit_file", swap("aa", "b"), "ambiguous").has("2 times");
    vector.holds("f", "aaa");
    let vector = Vector::new("ED15", "//- /.env\nKEY=1\n");
    let args = json!({"path": ".env", "old_text": "KEY=1", "new_text": "x"});
    vector.refused("edit_file", args, "sensitive").has("access denied").lacks("KEY");
    let vector = Vector::file("ED16", "x");
    let both = json!({"path": "f", "old_text": "x", "new_text": "y", "patch": "@@\n-x\n+y\n"});
    vector.refused("edit_file", both, "invalid_arguments").has("not both");
    vector.refused("edit_file", json!({"path": "f"}), "invalid_arguments").has("required, or patch");
    vector.holds("f", "x");
}
