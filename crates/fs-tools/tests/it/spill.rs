//! Results that are too long: an artifact, a head, a tail.

use serde_json::json;

use crate::fixture::Fixture;

#[test]
fn a_long_result_is_kept_whole_in_an_artifact_and_never_spilled_again() {
    let files = Fixture::with("", r#"{"tools": {"max_inline_result_chars": 1000}}"#);
    let text: String = (0..400).map(|n| format!("row {n} ✓\n")).collect();
    files.write("f", &text);
    let reply = files.call("read_file", json!({"path": "f"}));
    assert!(reply.for_model.contains("characters omitted here"), "{}", reply.for_model);
    assert!(reply.for_model.starts_with("[file: f | ") && reply.for_model.ends_with("row 399 ✓\n"));
    let [artifact] = reply.attachments.as_slice() else { panic!("{:?}", reply.attachments) };
    assert!(artifact.starts_with(".fs-tools/artifacts/read_file-"));
    assert!(files.read(artifact).ends_with(&text[text.len() - 500..]));
    assert_eq!(files.read(".fs-tools/artifacts/.gitignore"), "*\n");
    let again = files.call("read_file", json!({"path": artifact}));
    assert!(again.attachments.is_empty() && again.for_model.contains("row 200 ✓"), "{}", again.for_model);
    // The same result has the same name.
    assert_eq!(files.call("read_file", json!({"path": "f"})).attachments, std::slice::from_ref(artifact));
}

#[test]
fn artifacts_are_masked_private_and_not_searched_or_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let files = Fixture::with("", r#"{"tools": {"max_inline_result_chars": 500}}"#);
    let token = format!("{}{}", "ghp_", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5");
    files.write("f", format!("{}{token}\n", "padding\n".repeat(200)));
    let reply = files.call("read_file", json!({"path": "f"}));
    let artifact = &reply.attachments[0];
    assert!(!files.read(artifact).contains(&token[8..20]));
    let mode = |name: &str| std::fs::metadata(files.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(artifact), mode(".fs-tools/artifacts"), mode(".fs-tools")), (0o600, 0o700, 0o700));
    let text = files.text("search_files", json!({"pattern": "padding", "output_mode": "files_only"}));
    assert!(text.starts_with("f\n\n1 result(s)"), "{text}");
    assert_eq!(
        files.code("write_file", json!({"path": artifact, "content": "x", "overwrite": true})),
        "own_state"
    );
}

#[test]
fn what_cannot_be_stored_is_withheld_all_the_same() {
    let files =
        Fixture::with("//- /.fs-tools\nnot a directory\n", r#"{"tools": {"max_inline_result_chars": 500}}"#);
    files.write("f", "padding\n".repeat(500));
    let reply = files.call("read_file", json!({"path": "f"}));
    assert!(
        reply.for_model.contains("could not be stored") && reply.attachments.is_empty(),
        "{}",
        reply.for_model
    );
    assert!(reply.for_model.chars().count() < 1_000);
}
