//! `read_files` on documents, pictures and sound. The numbers are those of the vectors in `docs/conformance-batch.md`.

use std::fmt;
use std::fs;
use std::sync::{Arc, Mutex};

use expect_test::expect;
use fs_tools::{Class, Config, Options, Sound, ToolError, Toolset, Transcriber};
use serde_json::{Value, json};

use crate::fixture::Fixture;

#[path = "../../../../document-text/tests/it/make.rs"]
#[allow(dead_code, reason = "shared with the tests of the core")]
mod make;

fn holding(name: &str, bytes: impl AsRef<[u8]>) -> Fixture {
    let files = Fixture::batch("//- /ok.txt\nfine\n");
    files.write(name, bytes);
    files
}

fn read(files: &Fixture, entry: Value) -> String {
    files.text("read_files", json!({ "files": [entry] }))
}

/// Every file that cannot be read costs its own slot.
#[track_caller]
fn check_slot(name: &str, bytes: impl AsRef<[u8]>, code: &str) {
    let files = holding(name, bytes);
    let text = files.ok("read_files", json!({"files": [{"path": name}, {"path": "ok.txt"}]}));
    assert!(text.starts_with(&format!("== {name}\nerror ({code}): ")), "{name}: {text}");
    assert!(text.ends_with("== ok.txt\n1\tfine"), "{name}: {text}");
}

#[test]
fn v81_to_v90_pages_slides_and_what_is_broken() {
    let texts: Vec<String> = (1..=36).map(|page| make::lines(&[&format!("this is page {page}")])).collect();
    let contents: Vec<&str> = texts.iter().map(String::as_str).collect();
    let files = holding("a.pdf", make::pages(&contents, "", &[]));
    expect![[r#"
        --- page 10/36 ---
        this is page 10

        --- page 11/36 ---
        this is page 11

        [pages 10-11 of 36; call again with offset=12 for more]"#]]
    .assert_eq(&read(&files, json!({"path": "a.pdf", "offset": 10, "limit": 2})));
    assert_eq!(read(&files, json!({"path": "a.pdf", "offset": 37})), "[offset 37 exceeds 36 pages of a.pdf]");
    let around = json!({"files": [{"path": "a.pdf", "around": [1]}]});
    assert_eq!(files.code("read_files", around), "around_needs_text");

    let image = make::stream("/Type /XObject /Subtype /Image /Width 1 /Height 1", b"\0");
    let (one, four) = (make::lines(&["one"]), make::lines(&["four"]));
    let contents = [&*one, "", "q 9 0 0 9 0 0 cm /Im Do Q", &*four];
    let files = holding("a.pdf", make::pages(&contents, "/XObject << /Im @0 >>", &[image]));
    expect![[r#"
        --- page 1/4 ---
        one

        --- page 2/4 (no text) ---

        --- page 3/4 (no text, only pictures) ---

        --- page 4/4 ---
        four"#]]
    .assert_eq(&read(&files, json!({"path": "a.pdf"})));

    let whole = make::pages(&[&one], "", &[]);
    for bytes in [&whole[..whole.len() / 2], &b"%PDF-1.7\ngarbage"[..]] {
        check_slot("a.pdf", bytes, "document_broken");
    }
    for bytes in [&b""[..], &b"only text\n"[..]] {
        check_slot("a.pdf", bytes, "wrong_extension");
    }
    let bomb = make::stream("/Filter /FlateDecode", &make::zeros(400 << 20));
    check_slot("a.pdf", make::pages_of(&[bomb], "", &[]), "document_bomb");
    let cycle = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Count 1 /Kids [2 0 R] >>".to_vec(),
    ];
    check_slot("a.pdf", make::pdf(&cycle), "document_part_missing");

    let shape = |text: &str| make::shape("", &[text]);
    let deck = make::pptx(&[
        (3, &shape("first shown"), Some(&make::shape("body", &["say this"]))),
        (1, &shape("second shown"), None),
    ]);
    let files = holding("a.pptx", deck);
    let text = read(&files, json!({"path": "a.pptx"}));
    let (first, second) = (text.find("first shown").unwrap(), text.find("second shown").unwrap());
    assert!(
        text.starts_with("--- slide 1/2 ---\n") && first < second && text.contains("say this"),
        "88: {text}"
    );

    let cell = |text: &str| format!("<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>");
    let body = format!(
        "<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>\
         <w:tbl><w:tr>{}{}</w:tr></w:tbl>",
        cell("a"),
        cell("b")
    );
    let files = holding("a.docx", make::docx(&body, &[]));
    assert_eq!(read(&files, json!({"path": "a.docx"})), "1\tkept\n2\ta\tb", "89");
    check_slot("a.docx", make::zip(&[("word/other.xml", b"<x/>")]), "document_part_missing");
    let zeros = vec![b' '; 200 << 20];
    check_slot("a.docx", make::zip(&[("word/document.xml", &zeros)]), "document_bomb");
}

#[test]
fn a_page_larger_than_the_cap_is_cut_and_said() {
    let line = "word ".repeat(20_000);
    let dense: Vec<&str> = std::iter::repeat_n(line.as_str(), 16).collect();
    let files = holding("a.pdf", make::pages(&[&make::lines(&dense), &make::lines(&["next"])], "", &[]));
    let text = read(&files, json!({"path": "a.pdf"}));
    assert!(text.len() <= (1 << 20) + 500, "{}", text.len());
    assert!(
        text.contains("bytes of this page are not shown]") && text.contains("call again with offset=2"),
        "{}",
        &text[text.len() - 200..]
    );
    assert!(read(&files, json!({"path": "a.pdf", "offset": 2})).contains("next"));
}

/// A PNG of these bounds with nothing behind its header.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let mut header = b"IHDR".to_vec();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([1, 0, 0, 0, 0]);
    let mut crc = flate2::Crc::new();
    crc.update(&header);
    let mut out = b"\x89PNG\r\n\x1a\n\0\0\0\x0d".to_vec();
    out.extend(&header);
    out.extend(crc.sum().to_be_bytes());
    out
}

/// A whole PNG, black and white.
fn png(width: u32, height: u32) -> Vec<u8> {
    png_of(width, height, &vec![0u8; (height * (1 + width.div_ceil(8))) as usize])
}

fn png_of(width: u32, height: u32, raw: &[u8]) -> Vec<u8> {
    let mut out = png_header(width, height);
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, raw).unwrap();
    let packed = packed.finish().unwrap();
    for (name, content) in [(b"IDAT", packed.as_slice()), (b"IEND", &[])] {
        let mut crc = flate2::Crc::new();
        crc.update(name);
        crc.update(content);
        out.extend((content.len() as u32).to_be_bytes());
        out.extend(name);
        out.extend(content);
        out.extend(crc.sum().to_be_bytes());
    }
    out
}

#[test]
fn v94_and_v95_images() {
    let small = png(3, 2);
    let files = holding("a.png", &small);
    files.write("b.jpg", &small);
    let args = json!({"files": [{"path": "a.png"}, {"path": "b.jpg"}, {"path": "ok.txt"}]});
    let reply = files.call("read_files", args);
    expect![[r#"
        == a.png
        [image a.png: image/png, 3x2]
        == b.jpg
        [image b.jpg: image/png, 3x2]
        == ok.txt
        1	fine"#]]
    .assert_eq(&reply.for_model);
    assert_eq!(reply.images.len(), 2, "95: the content decides");
    assert!(reply.images.iter().all(|image| image.mime == "image/png" && image.bytes == small), "as it is");
    let files = holding("wide.png", png(4_000, 1_000));
    let reply = files.call("read_files", json!({"files": [{"path": "wide.png"}]}));
    assert_eq!(reply.for_model, "[image wide.png: image/jpeg, 4000x1000, shown at 2000x500]");
    let mut large = small.clone();
    large.resize(11 << 20, 0);
    let files = holding("large.png", large);
    assert_eq!(files.code("read_files", json!({"files": ["large.png"]})), "image_too_large", "94");
    check_slot("huge.png", png_of(40_000, 40_000, &[0]), "picture_too_large");
}

/// Says what it is told to say, and notes what it heard.
struct Ear {
    answer: Result<&'static str, &'static str>,
    heard: Mutex<Vec<(String, String, usize)>>,
}

impl fmt::Debug for Ear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ear")
    }
}

impl Transcriber for Ear {
    fn transcribe(&self, sound: &Sound<'_>) -> Result<String, ToolError> {
        self.heard.lock().unwrap().push((sound.name.into(), sound.mime.into(), sound.bytes.len()));
        self.answer
            .map(str::to_owned)
            .map_err(|code| ToolError::new(Class::Failure, code, "it failed").hint("try again"))
    }
}

#[test]
fn v96_and_v97_sound() {
    let wav = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0";
    let files = holding("a.wav", wav);
    let text = read(&files, json!({"path": "a.wav"}));
    assert!(
        text.starts_with("error (transcription_not_configured)") && text.contains("fs_tools.transcribe"),
        "96: {text}"
    );
    for (answer, expected) in [
        (Ok("hello\nworld"), "[transcript of a.wav]\nhello\nworld"),
        (
            Err("transcription_time_out"),
            "error (transcription_time_out): it failed\npath: a.wav\nnext step: try again",
        ),
    ] {
        let ear = Arc::new(Ear { answer, heard: Mutex::default() });
        let given: Arc<dyn Transcriber> = Arc::clone(&ear) as _;
        let files = Fixture::open("", |root| Options {
            toolset: Toolset::Batch,
            transcriber: given,
            ..Options::new(root, Config::default())
        });
        fs::write(files.path("a.wav"), wav).unwrap();
        assert_eq!(read(&files, json!({"path": "a.wav"})), expected, "97");
        assert_eq!(*ear.heard.lock().unwrap(), [("a.wav".to_owned(), "audio/wav".to_owned(), wav.len())]);
    }
}

#[test]
fn credentials_in_documents_are_masked() {
    let key = format!("{}{}", "ghp_", "0123456789abcdefghijABCDEFGHIJ012345");
    let files = holding("a.pdf", make::pages(&[&make::lines(&[&format!("token {key}")])], "", &[]));
    let text = read(&files, json!({"path": "a.pdf"}));
    assert!(text.contains("token [FILTERED]") && !text.contains(&key), "{text}");
    assert!(text.ends_with("[values masked in 1 line(s); the file is unchanged]"), "{text}");
}

#[test]
fn a_document_that_was_read_may_be_replaced() {
    let files = holding("a.pdf", make::pages(&[&make::lines(&["x"])], "", &[]));
    assert_eq!(files.code("edit_file", json!({"path": "a.pdf", "content": "y\n"})), "not_read");
    read(&files, json!({"path": "a.pdf"}));
    files.ok("edit_file", json!({"path": "a.pdf", "content": "y\n"}));
    assert_eq!(files.read("a.pdf"), "y\n");
}
