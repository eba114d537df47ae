//! NZ: what happens to a result on its way to the model.

use serde_json::json;

use super::Vector;

#[test]
fn large_base64() {
    // The diff of an edit is such a result; what the tool itself says stays.
    let added = |id, len: usize| {
        let vector = Vector::file(id, "old\n");
        let text = format!("{}\n", &"QUJD".repeat(1_000)[..len]);
        vector.ok("edit_file", json!({"path": "f", "old_text": "old\n", "new_text": text})).text()
    };
    let text = added("NZ1", 1_600);
    assert!(
        !text.contains("QUJDQUJD") && text.contains("[large base64 payload of 1600 bytes omitted]"),
        "NZ1: {text}"
    );
    assert!(text.starts_with("File edited: f\n"), "NZ1: {text}");
    let text = added("NZ10", 1_023);
    assert!(text.contains(&"QUJD".repeat(255)) && !text.contains("omitted"), "NZ10: {text}");
    let text = added("NZ10", 1_024);
    assert!(!text.contains("QUJDQUJD") && text.contains("of 1024 bytes omitted"), "NZ10: {text}");
    let vector = Vector::file("NZ11", "old\n");
    let wrapped: String = (0..30).map(|_| format!("{}\n", "QUJD".repeat(19))).collect();
    let edit = vector.ok("edit_file", json!({"path": "f", "old_text": "old\n", "new_text": wrapped}));
    edit.has("large base64 payload").lacks("QUJDQUJD");
    vector.holds("f", &wrapped);
}

#[test]
fn data_urls_and_invisible_characters() {
    let url = format!("data:image/png;base64,{}", "QUJD".repeat(30));
    let vector = Vector::file("NZ3", format!("before ![a picture]({url}) after\n"));
    vector
        .ok("read_file", json!({"path": "f"}))
        .has("before [inline data omitted] after\n")
        .has("[not shown: 1 data URL(s); the file itself is unchanged]");
    for (text, expected) in [
        ("Hello\u{200b}world\n", "Helloworld\n"),
        ("Hi\u{202e}evil\n", "Hievil\n"),
        ("\u{feff}text\n", "text\n"),
        ("a\u{200b}b\u{2060}c\u{ad}\n", "abc\n"),
        ("café 日本語\n", "café 日本語\n"),
    ] {
        let vector = Vector::file("NZ12", text);
        for (tool, args) in
            [("read_file", json!({"path": "f"})), ("search_files", json!({"pattern": "", "path": "f"}))]
        {
            vector.ok(tool, args).has(expected);
        }
    }
}

#[test]
fn spilled_results() {
    let text: String = (0..1_500).map(|n| format!("row number {n:06}\n")).collect();
    let vector = Vector::file("NZ5", &text);
    let page = vector.ok("read_file", json!({"path": "f"}));
    let [artifact] = page.reply.attachments.as_slice() else { panic!("NZ5: {:?}", page.reply.attachments) };
    assert!(vector.files.read(artifact).contains(&text), "NZ5");
    page.has("row number 000000").has("row number 001499").lacks("row number 000900");
    let tiny = json!({"tools": {"max_inline_result_chars": 32}});
    let vector = Vector::with("NZ6", "", &tiny);
    vector.files.write("f", "some text that is longer than the limit\n");
    assert_eq!(vector.ok("read_file", json!({"path": "f"})).reply.attachments.len(), 1, "NZ6");
    let vector = Vector::with("NZ7", "//- /.fs-tools\nnot a directory\n", &tiny);
    vector.files.write("f", "some text that is longer than the limit\n");
    let page = vector.ok("read_file", json!({"path": "f"}));
    page.has("could not be stored").lacks("text that is longer");
    assert!(page.reply.attachments.is_empty(), "NZ7");
    let vector = Vector::with("NZ9", "", &tiny);
    vector.files.write("f", "some text that is longer than the limit\n");
    let page = vector.ok("read_file", json!({"path": "f"}));
    let artifact = &page.reply.attachments[0];
    assert_eq!(page.text().matches(artifact.as_str()).count(), 1, "NZ9: {}", page.text());
}
