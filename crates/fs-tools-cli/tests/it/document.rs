//! `fs-tools document`: real children read real files, and what kills one costs one answer.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::client::run;

/// A PDF of one page whose content is this stream.
fn pdf(entries: &str, content: &[u8]) -> Vec<u8> {
    let stream =
        [format!("<< {entries} /Length {} >>\nstream\n", content.len()).as_bytes(), content, b"\nendstream"]
            .concat();
    let objects: [&[u8]; 5] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        &stream,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ];
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut table = String::new();
    for (at, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.extend_from_slice(format!("{} 0 obj\n", at + 1).as_bytes());
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    let place = out.len();
    let tail = format!(
        "xref\n0 6\n0000000000 65535 f \n{table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{place}\n%%EOF\n"
    );
    out.extend_from_slice(tail.as_bytes());
    out
}

fn files() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::write(root.join("good.pdf"), pdf("", b"BT /F1 12 Tf (the good one) Tj ET")).unwrap();
    fs::write(root.join("cut.pdf"), &pdf("", b"BT ET")[..200]).unwrap();
    fs::write(root.join("table.csv"), "name,token\nann,ghp_abcdefghijklmnopqrstuvwxyz0123456789\nbob,none\n")
        .unwrap();
    fs::write(root.join("legacy.txt"), b"caf\xe9\nth\xe9\n").unwrap();
    (dir, root)
}

#[track_caller]
fn check(args: &[&str], expected: &str, status: i32) -> String {
    let (_dir, root) = files();
    let args: Vec<&str> = ["document"].into_iter().chain(args.iter().copied()).collect();
    let output = run(&root, &args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{error}");
    assert_eq!(output.status.code(), Some(status), "{error}");
    error
}

#[test]
fn documents_become_text_in_their_units() {
    check(&["good.pdf"], "--- page 1/1 ---\nthe good one\n", 0);
    check(&["legacy.txt"], "café\nthé\n", 0);
    check(&["--limit", "1", "legacy.txt"], "café\n[legacy.txt: lines 1-1 of 2; more with --offset 2]\n", 0);
}

#[test]
fn credentials_in_documents_are_masked() {
    let (_dir, root) = files();
    let output = run(&root, &["document", "table.csv"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("name\ttoken\nann\t") && text.ends_with("bob\tnone\n"), "{text}");
    assert!(!text.contains("ghp_abcdefghijklmnop"), "{text}");
}

#[test]
fn the_answer_has_a_form_for_programs() {
    let (_dir, root) = files();
    let output = run(&root, &["--json", "document", "good.pdf", "cut.pdf"]);
    let part: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((part["kind"].as_str(), part["count"].as_u64()), (Some("PDF document"), Some(1)));
    assert_eq!(part["units"][0]["text"], "the good one");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["error"]["code"], "document_broken");
}

#[test]
fn a_document_that_kills_its_reader_costs_one_answer() {
    // The reader gets too little memory for the one document, and enough for the other.
    let (_dir, root) = files();
    let large = [b"BT /F1 12 Tf (".as_slice(), &vec![b'x'; 60 << 20], b") Tj ET"].concat();
    fs::write(root.join("large.pdf"), pdf("", &large)).unwrap();
    let output = run(&root, &["document", "--worker-memory-mib", "160", "large.pdf", "good.pdf"]);
    let error = String::from_utf8(output.stderr).unwrap();
    // Where the memory runs out, and so which of the two it is, depends on the size of the program.
    let codes = [
        "(document_reader_crashed): large.pdf: the document could",
        "(no_thread): large.pdf: the PDF document could",
    ];
    assert!(codes.iter().any(|it| error.contains(it)), "{error}");
    assert_eq!(output.stdout, b"--- page 1/1 ---\nthe good one\n");
    assert_eq!(output.status.code(), Some(5));
}

#[test]
fn a_broken_document_does_not_hide_the_others() {
    let error = check(&["cut.pdf", "missing.pdf", "good.pdf"], "--- page 1/1 ---\nthe good one\n", 4);
    assert!(error.contains("cut.pdf: the PDF document could not be read"), "{error}");
    let error = check(&["--offset", "0", "good.pdf"], "--- page 1/1 ---\nthe good one\n", 0);
    assert_eq!(error, "");
}

#[test]
fn sound_needs_an_engine_that_is_configured() {
    let (_dir, root) = files();
    let wav = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0";
    fs::write(root.join("talk.wav"), wav).unwrap();
    let output = run(&root, &["document", "talk.wav"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("fs_tools.transcribe.url") && output.status.code() == Some(2), "{error}");
    let config = root.parent().unwrap().join(format!("{}.json", root.file_name().unwrap().to_str().unwrap()));
    fs::write(
        &config,
        "{\"fs_tools\": {\"transcribe\": {\"command\": [\"/usr/bin/wc\", \"-c\", \"{input}\"]}}}",
    )
    .unwrap();
    let output = run(&root, &["--config", config.to_str().unwrap(), "document", "talk.wav"]);
    fs::remove_file(&config).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("44 ") && text.trim_end().ends_with("sound.wav"), "{text}");
}

#[test]
fn a_worker_without_a_request_fails_quietly() {
    let mut worker = std::process::Command::new(env!("CARGO_BIN_EXE_fs-tools"));
    let output = worker.arg("document-worker").stdin(std::process::Stdio::null()).output().unwrap();
    assert_eq!((output.stdout.len(), output.status.code()), (0, Some(5)));
}
