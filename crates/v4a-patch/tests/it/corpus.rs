//! The conformance corpus in `tests/data`: every case with its class, its place and its result.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use v4a_patch::{
    DiffError, DiffOptions, Error, Headers, MemFiles, Options, ParseError, PatchStream, Profile, StreamState,
    Wrapping, apply, apply_multi, diff,
};

fn group(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).with_extension("json");
    let text = fs::read_to_string(&path).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for byte in text.bytes().filter(|&byte| byte != b'=') {
        bits = bits << 6 | ALPHABET.iter().position(|&known| known == byte).unwrap() as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}

fn bytes(holder: &Value, key: &str) -> Option<Vec<u8>> {
    let plain = holder.get(key).and_then(Value::as_str).map(|text| text.as_bytes().to_vec());
    plain.or_else(|| holder.get(format!("{key}_b64")).and_then(Value::as_str).map(base64))
}

fn options(case: &Value) -> Options<'static> {
    let mut options = Options::default();
    if let Some(wanted) = case.get("options") {
        if wanted.get("headers").and_then(Value::as_str) == Some("disambiguate") {
            options.headers = Headers::Disambiguate;
        }
        if wanted.get("lenient").and_then(Value::as_bool) == Some(true) {
            options.wrapping = Wrapping::Lenient;
        }
    }
    options
}

fn check_error(name: &str, expect: &Value, error: &Error) {
    let wanted = expect["error"].as_str();
    assert_eq!(Some(error.code()), wanted, "{name}: {error}");
    assert_eq!(error.patch_line().map(|line| line as u64), expect["at"].as_u64(), "{name}: line of {error}");
    if let Some(hunk) = expect.get("hunk").and_then(Value::as_u64) {
        assert_eq!(error.hunk(), Some(hunk as usize), "{name}: hunk of {error}");
    }
    if let Some(candidates) = expect.get("candidates").and_then(Value::as_array) {
        let candidates: Vec<usize> = candidates.iter().map(|line| line.as_u64().unwrap() as usize).collect();
        assert_eq!(error.candidates(), candidates, "{name}: candidates of {error}");
    }
}

fn check_edit(case: &Value) {
    let name = case["name"].as_str().unwrap();
    let file = bytes(case, "file").unwrap();
    let patch = case["patch"].as_str().unwrap().as_bytes();
    let path = case["path"].as_str().unwrap();
    let expect = &case["expect"];
    match (apply(&file, patch, path, &options(case)), bytes(expect, "ok")) {
        (Ok(done), Some(wanted)) => {
            let (got, wanted) = (String::from_utf8_lossy(&done.bytes), String::from_utf8_lossy(&wanted));
            assert_eq!(got, wanted, "{name}");
            assert_eq!(done.report.changed, done.bytes != file, "{name}");
        }
        (Ok(_), None) => panic!("{name}: applied, expected {}", expect["error"]),
        (Err(error), Some(_)) => panic!("{name}: {error}"),
        (Err(error), None) => check_error(name, expect, &error),
    }
}

fn check_multi(case: &Value) {
    let name = case["name"].as_str().unwrap();
    let files: MemFiles = texts(&case["files"]);
    let patch = case["patch"].as_str().unwrap().as_bytes();
    let expect = &case["expect"];
    match (apply_multi(&files, patch, &options(case)), expect.get("ok")) {
        (Ok(done), Some(wanted)) => {
            let mut after = files.clone();
            for change in done.changes {
                assert_eq!(change.existed, files.contains_key(&change.path), "{name}");
                match change.content {
                    Some(content) => after.insert(change.path, content),
                    None => after.remove(&change.path),
                };
            }
            assert_eq!(after, texts(wanted), "{name}");
        }
        (Ok(_), None) => panic!("{name}: applied, expected {}", expect["error"]),
        (Err(error), Some(_)) => panic!("{name}: {error}"),
        (Err(error), None) => check_error(name, expect, &error),
    }
}

fn texts(map: &Value) -> BTreeMap<String, Vec<u8>> {
    let entries = map.as_object().unwrap();
    entries.iter().map(|(path, text)| (path.clone(), text.as_str().unwrap().as_bytes().to_vec())).collect()
}

#[track_caller]
fn check(name: &str, count: usize) {
    let cases = group(name);
    assert_eq!(cases.len(), count, "{name}");
    for case in &cases {
        if case["mode"] == "multi" { check_multi(case) } else { check_edit(case) }
    }
}

#[test]
fn seed_core() {
    check("01_seed_core", 37);
}

#[test]
fn matching() {
    check("02_matching", 49);
}

#[test]
fn line_endings_and_byte_order_marks() {
    check("03_eol_bom", 32);
}

#[test]
fn end_of_file() {
    check("04_eof_append", 24);
}

#[test]
fn parse_errors() {
    check("05_parse_errors", 37);
}

#[test]
fn blank_lines() {
    check("06_blank_lines", 19);
}

#[test]
fn several_files() {
    check("07_multi_file", 33);
}

#[test]
fn situations_of_another_applier() {
    check("08_codex_scenarios", 22);
}

#[test]
fn public_bug_reports() {
    check("09_issues", 44);
}

#[test]
fn headers_that_choose() {
    check("10_headers_option", 7);
}

fn parse_error(name: &str, expect: &Value, error: &ParseError) {
    assert_eq!(Some(error.code()), expect["error"].as_str(), "{name}: {error}");
    assert_eq!(Some(error.patch_line as u64), expect["at"].as_u64(), "{name}: {error}");
}

fn check_finish(name: &str, stream: PatchStream, expect: &Value) {
    match (stream.finish(&mut |_| {}), expect["ok"].as_u64()) {
        (Ok(hunks), Some(wanted)) => assert_eq!(hunks as u64, wanted, "{name}"),
        (Ok(_), None) => panic!("{name}: expected {expect}"),
        (Err(error), Some(_)) => panic!("{name}: {error}"),
        (Err(error), None) => parse_error(name, expect, &error),
    }
}

#[test]
fn streaming() {
    let cases = group("12_streaming");
    assert_eq!(cases.len(), 12);
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let start = || PatchStream::new(Profile::EditFile { path: "a.txt" }, &Options::default());
        let chunks: Vec<&str> =
            case["chunks"].as_array().unwrap().iter().map(|chunk| chunk.as_str().unwrap()).collect();
        let mut stream = start();
        for (chunk, after) in chunks.iter().zip(case["expect"]["after"].as_array().unwrap()) {
            let result = stream.push(chunk.as_bytes(), &mut |_| {});
            match stream.state() {
                StreamState::Failed(error) => {
                    assert_eq!(result.as_ref(), Err(&error), "{name}");
                    parse_error(name, after, &error);
                }
                state => {
                    let word = if state == StreamState::Complete { "complete" } else { "open" };
                    assert_eq!(after["state"], word, "{name}");
                    assert_eq!(after["hunks"].as_u64(), Some(stream.closed_hunks() as u64), "{name}");
                }
            }
        }
        check_finish(name, stream, &case["expect"]["finish"]);
        let mut stream = start();
        for byte in chunks.concat().bytes() {
            let _ = stream.push(&[byte], &mut |_| {});
        }
        check_finish(name, stream, &case["expect"]["finish"]);
    }
}

#[test]
fn writer() {
    let cases = group("11_generate");
    assert_eq!(cases.len(), 27);
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let (old, new) = (bytes(case, "file").unwrap(), bytes(case, "new").unwrap());
        for context_lines in [0, 1, 3] {
            for path in [None, Some("a.txt")] {
                check_diff(
                    name,
                    &old,
                    &new,
                    &case["expect"],
                    &DiffOptions { context_lines, path, ..DiffOptions::default() },
                );
            }
        }
    }
}

fn check_diff(name: &str, old: &[u8], new: &[u8], expect: &Value, options: &DiffOptions<'_>) {
    let patch = match (diff(old, new, options), expect["reason"].as_str()) {
        (Ok(patch), None) => patch,
        (Ok(patch), Some(reason)) => panic!("{name}: wrote {patch:?}, expected {reason}"),
        (Err(DiffError::Unrepresentable { reason, .. }), Some(wanted)) => {
            assert_eq!(reason.code(), wanted, "{name}");
            return;
        }
        (Err(error), _) => panic!("{name}: {error}"),
    };
    let musts = expect["must"].as_array().map_or(&[][..], |musts| musts);
    let hunks = patch.lines().filter(|line| line.starts_with("@@")).count();
    for must in musts.iter().map(|must| must.as_str().unwrap()) {
        let kept = match must {
            "empty_patch_text" => patch.is_empty(),
            "uses_end_of_file" => patch.contains("*** End of File\n"),
            "single_hunk" => hunks == 1,
            "two_hunks" => hunks == 2,
            other => panic!("{name}: unknown property {other}"),
        };
        assert!(kept, "{name}: {must} in {patch:?}");
    }
    if !patch.is_empty() {
        let done = apply(old, patch.as_bytes(), "a.txt", &Options::default()).unwrap();
        assert_eq!(done.bytes, new, "{name}: {patch:?}");
    }
}
