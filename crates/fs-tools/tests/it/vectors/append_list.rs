//! AP and LD: `append_file` and `list_dir`.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::Vector;

fn append(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

#[test]
fn appends() {
    let vector = Vector::file("AP1", "Initial content");
    vector.ok("append_file", append("f", "\nAppended content")).silent();
    vector.holds("f", "Initial content\nAppended content");
    let vector = Vector::new("AP2", "");
    vector.refused("append_file", json!({"content": "x"}), "invalid_arguments").has("path is required");
    vector.refused("append_file", json!({"path": "f"}), "invalid_arguments").has("content is required");
    let vector = Vector::new("AP3", "");
    vector.ok("append_file", append("f", "new"));
    vector.holds("f", "new");
    let vector = Vector::file("AP4", "initial");
    vector.ok("append_file", append("f", " appended"));
    vector.holds("f", "initial appended");
    let vector = Vector::new("AP5", "");
    vector.ok("append_file", append("a/b/c/f", "x"));
    vector.holds("a/b/c/f", "x");
    let vector = Vector::file("AP7", "one\n");
    symlink("f", vector.files.path("link")).unwrap();
    vector.ok("append_file", append("link", "two\n"));
    vector.holds("f", "one\ntwo\n");
    assert!(vector.files.path("link").is_symlink());
    let vector = Vector::new("AP8", "");
    fs::write(vector.files.outside("secret"), "theirs").unwrap();
    symlink("../secret", vector.files.path("link")).unwrap();
    vector.refused("append_file", append("link", "x"), "outside_workspace").has("access denied");
    assert_eq!(fs::read_to_string(vector.files.outside("secret")).unwrap(), "theirs");
    Vector::new("AP9", "//- /d/f\nx\n").refused("append_file", append("d", "x"), "is_a_directory");
    let vector = Vector::file("AP10", "x");
    fs::set_permissions(vector.files.path("f"), fs::Permissions::from_mode(0o755)).unwrap();
    vector.ok("append_file", append("f", "y"));
    assert_eq!(fs::metadata(vector.files.path("f")).unwrap().permissions().mode() & 0o777, 0o755);
    let vector = Vector::new("AP11", "//- /.env\nKEY=1\n");
    vector.refused("append_file", append(".env", "x"), "sensitive").has("access denied");
    vector.holds(".env", "KEY=1\n");
}

#[test]
fn lists() {
    let here = || json!({"path": "."});
    Vector::new("LD1", "//- /a\nx\n//- /b\nx\n//- /sub/c\nx\n")
        .ok("list_dir", here())
        .is("FILE: a (2 bytes)\nFILE: b (2 bytes)\nDIR:  sub\n");
    Vector::new("LD2", "").refused("list_dir", json!({"path": "missing"}), "not_found").has("not found");
    Vector::new("LD3", "").refused("list_dir", json!({}), "invalid_arguments").has("path is required");
    Vector::file("LD4", "x")
        .refused("list_dir", json!({"path": "f"}), "not_a_directory")
        .has("not a directory");
    let vector = Vector::new("LD5", "");
    vector.ok("list_dir", here()).is("[directory . is empty]");
    let vector = Vector::new("LD6", "//- /.env\nKEY=1\n//- /.aws/credentials\nx\n//- /normal.txt\nx\n");
    symlink(".env", vector.files.path("alias")).unwrap();
    vector.ok("list_dir", here()).has("normal.txt").lacks(".env").lacks(".aws").lacks("alias");
    Vector::new("LD7", "//- /.aws/canary\nx\n")
        .refused("list_dir", json!({"path": ".aws"}), "protected")
        .lacks("canary");
    let vector = Vector::file("LD8", "x");
    symlink("f", vector.files.path("link")).unwrap();
    mknodat(CWD, vector.files.path("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    vector.ok("list_dir", here()).is("FILE: f (1 bytes)\nLINK: link\nOTHER: pipe (FIFO)\n");
    Vector::new("LD9", "//- /src/Sources/a\nx\n")
        .ok("list_dir", json!({"path": "src/Sources/"}))
        .is("FILE: a (2 bytes)\n");
}
