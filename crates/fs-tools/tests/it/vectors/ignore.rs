//! GI: ignore files.

use serde_json::json;

use super::Vector;

/// Searches for what every one of `names` holds, and compares the files.
#[track_caller]
fn visible(id: &'static str, ignore: &[(&str, &str)], names: &[&str], expected: &[&str]) {
    let tree: String = names.iter().map(|name| format!("//- /{name}\nneedle\n")).collect();
    let vector = Vector::new(id, &tree);
    for (name, rules) in ignore {
        vector.files.write(name, rules);
    }
    let found = vector.ok("search_files", json!({"pattern": "needle", "output_mode": "files_only"})).text();
    let found: Vec<&str> = found.split("\n\n").next().unwrap().lines().collect();
    assert_eq!(found, expected, "{id}");
}

#[test]
fn rules() {
    visible(
        "GI1",
        &[(".gitignore", ".env\nignored/\n*.log\n")],
        &["visible.txt", ".env", "ignored/a", "b.log"],
        &["visible.txt"],
    );
    visible("GI4", &[("sub/.gitignore", "secret.txt\n")], &["sub/secret.txt", "secret.txt"], &["secret.txt"]);
    visible("GI7", &[(".gitignore", "*.log\n!keep.log\n")], &["a.log", "keep.log"], &["keep.log"]);
    visible("GI8", &[(".gitignore", "x\n"), (".ignore", "!x\n")], &["x"], &["x"]);
    visible(
        "GI9",
        &[(".gitignore", "a.txt\n"), ("d/.gitignore", "!a.txt\n")],
        &["a.txt", "d/a.txt"],
        &["d/a.txt"],
    );
    visible("GI10", &[(".gitignore", "/build\n")], &["build/a", "src/build/a"], &["src/build/a"]);
    visible("GI11", &[("d/.gitignore", "foo/bar\n")], &["d/foo/bar", "d/e/foo/bar"], &["d/e/foo/bar"]);
    visible("GI12", &[(".gitignore", "build/\n")], &["build", "d/build/a"], &["build"]);
    visible("GI14", &[(".gitignore", "dir\n!dir/keep\n")], &["dir/keep", "a"], &["a"]);
    visible("GI15", &[(".gitignore", "\\#x\n\\!x\n")], &["#x", "!x", "x"], &["x"]);
    visible("GI15", &[(".gitignore", "sp\\ \n")], &["sp ", "sp"], &["sp"]);
    visible("GI16", &[(".gitignore", "[!a]*\n")], &["a1", "b1"], &["a1"]);
    visible("GI16", &[(".gitignore", "**/n\n")], &["n", "d/e/n", "m"], &["m"]);
    visible("GI16", &[(".gitignore", "d/**\n")], &["d/a", "d/e/b", "m"], &["m"]);
    visible("GI16", &[(".gitignore", "a/**/b\n")], &["a/b", "a/c/d/b", "b"], &["b"]);
}

#[test]
fn what_is_asked_for_by_name() {
    let vector = Vector::new("GI3", "//- /.gitignore\n*.log\n//- /a.log\nneedle\n");
    vector.ok("search_files", json!({"pattern": "needle", "path": "a.log"})).has("a.log:1: needle");
    let vector = Vector::new("GI13", "//- /.gitignore\nbuild\n//- /build/a\nneedle\n");
    vector.ok("search_files", json!({"pattern": "needle", "path": "build"})).has("build/a:1: needle");
    let vector = Vector::new("GI2", "//- /.gitignore\n*.log\n//- /a.log\nneedle\n");
    let unknown = json!({"pattern": "needle", "include_ignored": true});
    vector.refused("search_files", unknown, "invalid_arguments").has("name the path");
}

#[test]
fn what_is_reported() {
    let vector = Vector::new("GI5", "//- /.gitignore\n*.log\n//- /a.log\nx\n//- /b.txt\nx\n");
    let files = json!({"pattern": "*.txt", "target": "files"});
    vector.ok("search_files", files).has("b.txt\n\n1 file(s)").lacks("ignored");
    let vector = Vector::new("GI6", "//- /.gitignore\n*\n//- /a.log\nx\n");
    let files = json!({"pattern": "*.log", "target": "files"});
    vector.ok("search_files", files).has("No matching files").has("ignored by .gitignore");
}
