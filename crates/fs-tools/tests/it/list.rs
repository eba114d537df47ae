//! `list_dir`.

use expect_test::expect;
use serde_json::json;

use crate::fixture::Fixture;

#[test]
fn entries_are_typed_sized_and_sorted() {
    let files = Fixture::new(
        "//- /b.txt\nxx\n//- /a/x\n\n//- /Z\n\n//- /.env\ns\n//- /.ssh/id\ns\n//- /.hidden\nh\n",
    );
    std::os::unix::fs::symlink(".env", files.path("alias")).unwrap();
    expect![[r#"
        FILE: .hidden (2 bytes)
        FILE: Z (1 bytes)
        DIR:  a
        FILE: b.txt (3 bytes)
    "#]]
    .assert_eq(&files.ok("list_dir", json!({"path": "."})));
}

#[test]
fn an_empty_directory_says_so() {
    let files = Fixture::new("");
    assert_eq!(files.ok("list_dir", json!({"path": "."})), "[directory . is empty]");
}

#[test]
fn a_large_directory_comes_in_pages() {
    let files = Fixture::new("");
    for n in 0..1_005 {
        files.write(&format!("f{n:04}"), "");
    }
    let first = files.tools.call("list_dir", &json!({"path": "."}), &fs_tools::Call::plain());
    let text = first.for_model;
    assert!(text.starts_with("[entries 1-1000 of 1005; next offset=1000]\n"), "{}", &text[..80]);
    let last = files.ok("list_dir", json!({"path": ".", "offset": 1000}));
    assert!(last.starts_with("[entries 1001-1005 of 1005; last page]\nFILE: f1000 (0 bytes)\n"), "{last}");
    assert!(files.ok("list_dir", json!({"path": ".", "offset": 5000})).contains("the directory has 1005"));
}

#[test]
fn what_is_no_directory_is_refused() {
    let files = Fixture::new("//- /f\nx\n//- /.aws/credentials\ns\n");
    assert_eq!(files.code("list_dir", json!({"path": "f"})), "not_a_directory");
    assert_eq!(files.code("list_dir", json!({"path": "missing"})), "not_found");
    assert_eq!(files.code("list_dir", json!({"path": ".ssh"})), "protected");
    assert_eq!(files.code("list_dir", json!({"path": ".."})), "outside_workspace");
}
