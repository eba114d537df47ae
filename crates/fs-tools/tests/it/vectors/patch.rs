//! PA: `edit_file` with a V4A patch.

use serde_json::json;

use super::Vector;

#[track_caller]
fn check(id: &'static str, before: &str, patch: &str, after: &str) {
    let vector = Vector::file(id, before);
    vector.ok("edit_file", json!({"path": "f", "patch": patch})).user_has("```diff\n");
    vector.holds("f", after);
}

#[track_caller]
fn refused(id: &'static str, before: &str, patch: &str, code: &str) {
    let vector = Vector::file(id, before);
    vector.refused("edit_file", json!({"path": "f", "patch": patch}), code).has("nothing was changed");
    vector.holds("f", before);
}

#[test]
fn applied() {
    check(
        "PA1",
        "a\nb\nc\n",
        "*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+B\n c\n*** End Patch\n",
        "a\nB\nc\n",
    );
    check("PA6", "a\nb\n", "@@\n-a\n+A\n", "A\nb\n");
    check("PA9", "a\n", "@@\n+z\n*** End of File\n", "a\nz\n");
    check("PA11", "a\nb\nc\nd\n", "@@\n-d\n+D\n@@\n-a\n+A\n", "A\nb\nc\nD\n");
    check("PA12", "a  \nb\t\nc\n", "@@\n a\n b\n-c\n+C\n", "a  \nb\t\nC\n");
    check("PA13", "a\r\nb\r\nc\r\n", "@@\n a\n-b\n+B\n+B2\n", "a\r\nB\r\nB2\r\nc\r\n");
    check("PA14", "a\nb", "@@\n a\n-b\n+B\n", "a\nB");
    check("PA15", "a\r\nb\nc\r\n", "@@\n-a\n+A\n@@\n b\n+b2\n", "A\r\nb\nb2\nc\r\n");
    check("PA16", "a\n\nb\n", "@@\n a\n \n-b\n+B\n", "a\n\nB\n");
    check("PA17", "a\n", "*** Begin Patch\n@@\n-a\n+A\n\n*** End Patch\n", "A\n");
    check("PA18", "a\n\nb\n", "@@\n a\n\n-b\n+B\n", "a\n\nB\n");
    check("PA21", "func Start(\nx\n", "@@ no such text in the file\n-x\n+y\n", "func Start(\ny\n");
    check("PA24", "x\na\nx\nb\n", "@@\n-x\n-a\n+y\n@@\n x\n-b\n+B\n", "y\nx\nB\n");
    check("PA25", "one\ntwo\nthree\n", "@@\n-three\n+3\n@@\n-one\n+1\n", "1\ntwo\n3\n");
    check("PA26", "x\ny\nx\n", "@@\n-x\n+z\n*** End of File\n", "x\ny\nz\n");
}

#[test]
fn refusals() {
    let vector = Vector::file("PA2", "same\nsame\n");
    vector
        .refused("edit_file", json!({"path": "f", "patch": "@@\n-same\n+x\n"}), "context_ambiguous")
        .has("2");
    vector.holds("f", "same\nsame\n");
    let one = |body: &str| format!("*** Begin Patch\n{body}*** End Patch\n");
    let moved = one("*** Update File: f\n*** Move to: g\n@@\n-a\n+b\n");
    refused("PA3", "a\n", &moved, "unsupported_section");
    refused("PA4", "a\n", &one("*** Add File: g\n+x\n"), "unsupported_section");
    refused("PA4", "a\n", &one("*** Delete File: f\n"), "unsupported_section");
    refused("PA5", "a\n", &one("*** Update File: g\n@@\n-a\n+b\n"), "path_mismatch");
    refused("PA7", "a\n", "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n", "unterminated_patch");
    let two = one("*** Update File: f\n@@\n-a\n+b\n*** Update File: g\n@@\n-a\n+b\n");
    refused("PA8", "a\n", &two, "multiple_sections");
    refused("PA10", "a\n", "@@\n+z\n", "ambiguous_insertion");
    refused("PA19", "a\nb\n", "@@\n-a\n+A\n@@\n-zz\n+y\n", "context_not_found");
    refused("PA20", "abc\nab\n", "@@\n-bc\n+x\n", "context_not_found");
    refused("PA22", "a\n", "", "empty_patch");
    refused("PA22", "a\n", "*** Begin Patch\n*** Update File: f\n*** End Patch\n", "empty_patch");
    let vector = Vector::new("PA23", "");
    let args = json!({"path": "../new", "patch": "@@\n+x\n*** End of File\n"});
    vector.refused("edit_file", args, "outside_workspace").has("escapes");
}
