//! Credentials never reach the model's view, wherever a page, a window or a diff cuts.

use serde_json::json;

use crate::fixture::Fixture;

/// A token of a documented format, put together here so that none stands in the repository.
fn token() -> String {
    format!("{}{}", "ghp_", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5")
}

#[test]
fn reads_mask_values_and_say_how_many() {
    let files = Fixture::new("");
    files.write("f", format!("first\ntoken = {}\nlast\n", token()));
    let page = files.ok("read_file", json!({"path": "f"}));
    assert!(page.contains("token = [FILTERED]\nlast\n"), "{page}");
    assert!(page.contains("[1 value(s) masked; the file on disk is unchanged]"), "{page}");
}

#[test]
fn a_page_that_cuts_a_value_does_not_leak_its_parts() {
    let files = Fixture::new("");
    let text = format!("token = {}\n", token());
    files.write("f", &text);
    for cut in 8..text.len() {
        let head = files.ok("read_file", json!({"path": "f", "length": cut}));
        let tail = files.ok("read_file", json!({"path": "f", "offset": cut}));
        for page in [head, tail] {
            assert!(
                !page.contains(&token()[8..14]) && !page.contains(&token()[20..26]),
                "cut at {cut}: {page}"
            );
        }
    }
}

#[test]
fn numbered_lines_keep_their_numbers() {
    let files = Fixture::with("", r#"{"tools": {"read_file": {"mode": "lines"}}}"#);
    files.write("f", format!("a\n{}\nb\n", token()));
    let page = files.ok("read_file", json!({"path": "f"}));
    assert!(page.contains("1|a\n2|[FILTERED]\n3|b\n"), "{page}");
}

#[test]
fn search_rows_mask_matches_and_context() {
    let files = Fixture::new("");
    files.write("f", format!("{}needle key={}\ncontext {}\n", "x".repeat(300), token(), token()));
    for args in [json!({"pattern": "needle"}), json!({"pattern": "ghp_", "context": 2})] {
        let text = files.ok("search_files", args);
        assert!(text.contains("[FILTERED]") && !text.contains("ghp_"), "{text}");
        assert!(text.contains("[values masked in "), "{text}");
    }
}

#[test]
fn matching_the_masked_text_closes_the_oracle() {
    let files = Fixture::with("", r#"{"tools": {"search_files": {"match_masked": true}}}"#);
    files.write("f", format!("key={}\n", token()));
    assert!(files.call("search_files", json!({"pattern": "ghp_a"})).is_negative);
    assert!(files.ok("search_files", json!({"pattern": "key="})).contains("key=[FILTERED]"));
}

#[test]
fn lines_of_a_key_block_are_masked_in_every_view() {
    let body: Vec<String> = (0..6)
        .map(|n| format!("{}{n}", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7").replace('7', "x"))
        .collect();
    let block =
        format!("-----BEGIN {0}-----\n{1}\nq8Zz\n-----END {0}-----\n", "RSA PRIVATE KEY", body.join("\n"));
    let files = Fixture::new("");
    files.write("notes.txt", format!("before\n{block}after\n"));
    let text = files.text("search_files", json!({"pattern": "q8Z|^before|^after"}));
    assert!(!text.contains("q8Zz") && text.contains("before") && text.contains("after"), "{text}");
    let page = files.ok("read_file", json!({"path": "notes.txt"}));
    assert!(!page.contains("q8Zz") && !page.contains("MIIEv") && page.contains("after"), "{page}");
}

#[test]
fn diffs_mask_context_and_show_what_was_edited() {
    let files = Fixture::new("");
    files.write("f", format!("key = {}\nold\n", token()));
    let reply = files.call("edit_file", json!({"path": "f", "old_text": "old", "new_text": "new"}));
    assert!(reply.for_model.contains(" key = [FILTERED]\n-old\n+new\n"), "{}", reply.for_model);
    assert!(reply.for_user.unwrap().contains(&token()));
}

#[test]
fn explanations_mask_the_lines_they_quote() {
    let files = Fixture::new("");
    files.write("f", format!("key =  {}\n", token()));
    let old = format!("key = {}", token());
    let text = files.text("edit_file", json!({"path": "f", "old_text": old, "new_text": "x"}));
    assert!(text.starts_with("error (text_not_found)") && !text.contains(&token()[10..20]), "{text}");
}

#[test]
fn the_mask_is_not_written_over_a_value() {
    let files = Fixture::new("");
    files.write("f", format!("key = {}\nx\n", token()));
    for (tool, args) in [
        ("edit_file", json!({"path": "f", "old_text": "x\n", "new_text": "key = [FILTERED]\n"})),
        ("edit_file", json!({"path": "f", "patch": "@@\n-x\n+key = [FILTERED]\n"})),
        ("write_file", json!({"path": "f", "content": "key = [FILTERED]\ny\n", "overwrite": true})),
        ("append_file", json!({"path": "f", "content": "key = [FILTERED]\n"})),
    ] {
        assert_eq!(files.code(tool, args), "masked_value");
    }
    assert_eq!(files.read("f"), format!("key = {}\nx\n", token()));
    // A new file loses no value, but its writer is told.
    let text = files.ok("write_file", json!({"path": "new", "content": "key = [FILTERED]\n"}));
    assert!(text.contains("stands for a masked value"), "{text}");
    // Where the marker is ordinary text of the file, it may be written.
    files.ok("append_file", json!({"path": "new", "content": "other = [FILTERED]\n"}));
}

#[test]
fn configured_values_are_masked() {
    let config = r#"{"models": [{"api_key": "correct horse battery"}], "fs_tools": {"secrets": ["staple"]}}"#;
    let files = Fixture::with("", config);
    files.write("f", "say correct horse battery staple\n");
    let page = files.ok("read_file", json!({"path": "f"}));
    assert!(page.contains("say [FILTERED] [FILTERED]\n"), "{page}");
}
