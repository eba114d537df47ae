//! Every tool on a copy of this very repository.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::fixture::Fixture;

/// Copies the sources of the workspace, without what builds leave.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && name != "target" && name != ".git" {
            copy(&entry.path(), &to.join(&name));
        } else if kind.is_file() {
            fs::copy(entry.path(), to.join(&name)).unwrap();
        }
    }
}

#[test]
fn an_agents_session_on_this_repository() {
    let files = Fixture::new("");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    copy(&repository.join("src"), &files.path("src"));
    copy(&repository.join("tests"), &files.path("tests"));
    fs::copy(repository.join("Cargo.toml"), files.path("Cargo.toml")).unwrap();
    fs::copy(repository.join("README.md"), files.path("README.md")).unwrap();

    let listed = files.ok("list_dir", json!({"path": "."}));
    assert_eq!(listed.lines().filter(|line| line.starts_with("DIR:")).count(), 2, "{listed}");
    let names = files.ok("search_files", json!({"pattern": "toolset.rs", "target": "files"}));
    assert!(names.starts_with("src/toolset.rs\n"), "{names}");
    let hits = files.ok("search_files", json!({"pattern": r"pub fn classic\(", "context": 2}));
    assert!(
        hits.starts_with("src/toolset.rs:\n") && hits.contains("pub fn classic(workspace: Workspace)"),
        "{hits}"
    );

    let page = files.ok("read_file", json!({"path": "src/toolset.rs", "length": 400}));
    assert!(page.contains("//! The tools of one workspace"), "{page}");
    let edited = files.ok(
        "edit_file",
        json!({"path": "src/toolset.rs", "old_text": "/// The workspace of the tools.\n", "new_text": "/// The place of the tools.\n"}),
    );
    assert!(
        edited.contains("-    /// The workspace of the tools.\n+    /// The place of the tools.\n"),
        "{edited}"
    );
    let patched = files.ok(
        "edit_file",
        json!({"path": "src/toolset.rs", "patch": "@@\n-    /// The place of the tools.\n+    /// The directory of the tools.\n"}),
    );
    assert!(patched.contains("hunk 1 applied at line"), "{patched}");
    let wrote = files.call("write_file", json!({"path": "src/new/mod.json", "content": "{\"a\": [1, 2]}\n"}));
    assert_eq!(wrote.structured.unwrap()["syntax"], "ok");
    files.ok("append_file", json!({"path": "README.md", "content": "\nAppended.\n"}));
    assert!(files.read("README.md").ends_with("\nAppended.\n"));
    let original = fs::read_to_string(repository.join("src/toolset.rs")).unwrap();
    let now = files.read("src/toolset.rs");
    assert_eq!(
        now,
        original.replacen("/// The workspace of the tools.", "/// The directory of the tools.", 1)
    );
}
