//! DF: the diff of an edit, as the model and the user see it.

use serde_json::{Value, json};

use super::{Vector, token};

fn swap(old: &str, new: &str) -> Value {
    json!({"path": "f", "old_text": old, "new_text": new})
}

#[test]
fn hunks() {
    Vector::file("DF1", "alpha\nbeta\ngamma\n")
        .ok("edit_file", swap("beta", "beta 2"))
        .ends("@@ -1,3 +1,3 @@\n alpha\n-beta\n+beta 2\n gamma\n");
    let vector = Vector::file("DF2", "same\n");
    vector.ok("edit_file", swap("same", "same")).has("(no content change)").lacks("@@");
    Vector::file("DF3", "a\nb\n")
        .ok("edit_file", swap("b\n", "b"))
        .ends("@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n");
    Vector::file("DF4", "a\nb")
        .ok("edit_file", swap("b", "b\n"))
        .ends("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
    let vector = Vector::file("DF12", "");
    vector
        .ok("edit_file", json!({"path": "f", "patch": "@@\n+zz\n*** End of File\n"}))
        .has("@@ -0,0 +1")
        .has("\n+zz\n");
}

#[test]
fn headers() {
    let vector = Vector::file("DF5", "old\n");
    let place = vector.files.path("f").to_str().unwrap().to_owned();
    let edit = vector.ok("edit_file", json!({"path": place, "old_text": "old", "new_text": "new"}));
    assert!(edit.reply.for_model.contains(&format!("--- a{place}\n+++ b{place}\n")), "{}", edit.text());
    let vector = Vector::new("DF6", "//- /x/e.txt\nold\n");
    let edit = vector.ok("edit_file", json!({"path": "x/e.txt", "old_text": "old", "new_text": "new"}));
    edit.has("--- a/x/e.txt\n+++ b/x/e.txt\n");
}

#[test]
fn bounds() {
    let note = "[no diff: the file is over 65536 bytes or 2000 lines; read_file shows the changed part]";
    // The limit is inclusive on each side.
    let vector = Vector::file("DF7", format!("old\n{}", "x".repeat(65_532)));
    vector.ok("edit_file", swap("old", "new")).lacks("[no diff").has("-old\n+new\n");
    let vector = Vector::file("DF7", format!("old\n{}", "x".repeat(65_533)));
    let edit = vector.ok("edit_file", swap("old", "new"));
    edit.is(&format!("File edited: f\n{note}")).user_has(note);
    let vector = Vector::file("DF10", format!("old\n{}", "x\n".repeat(1_999)));
    vector.ok("edit_file", swap("old", "new")).has("-old\n+new\n");
    let vector = Vector::file("DF10", format!("old\n{}", "x\n".repeat(2_000)));
    vector.ok("edit_file", swap("old", "new")).has(note).lacks("-old");
    let long: String = (0..700).map(|n| format!("a line of some length, number {n}\n")).collect();
    let vector = Vector::file("DF8", "old\n");
    let edit = vector.ok("edit_file", swap("old\n", &long));
    edit.has("[diff truncated: ").user_has("[diff truncated: the rest is not shown]");
    assert!(edit.reply.for_user.as_ref().unwrap().len() <= 16_384 + 64);
    let vector = Vector::file("DF9", "old\n");
    let edit = vector.ok("edit_file", swap("old\n", &long));
    assert!(edit.reply.for_model.chars().count() <= 12_288 + 64 && edit.reply.attachments.is_empty());
    edit.has("+a line of some length, number 0\n").has("+a line of some length, number 699\n");
    edit.has("read_file shows the full content");
}

#[test]
fn credentials() {
    let vector = Vector::file("DF11", format!("key = {}\nold\n", token()));
    let edit = vector.ok("edit_file", swap("old", &format!("other {}", token())));
    edit.has(" key = [FILTERED]\n").has(&format!("+other {}\n", token()));
    edit.user_has(&format!(" key = {}\n", token()));
}
