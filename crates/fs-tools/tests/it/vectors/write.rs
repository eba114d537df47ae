//! WF and AT: `write_file`, and the atomic writer below it.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::thread;

use rooted_fs::faults::{Fault, Step, inject};
use serde_json::{Value, json};

use super::Vector;

fn write(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

fn replace(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content, "overwrite": true})
}

fn mode(vector: &Vector, name: &str) -> u32 {
    fs::metadata(vector.files.path(name)).unwrap().permissions().mode() & 0o777
}

fn old(id: &'static str) -> Vector {
    Vector::file(id, "old")
}

/// A configuration with only these two tools on or off.
fn others(append: bool, edit: bool) -> Value {
    json!({"tools": {"append_file": {"enabled": append}, "edit_file": {"enabled": edit}}})
}

#[test]
fn new_files() {
    let vector = Vector::new("WF1", "");
    vector.ok("write_file", write("f", "hello world")).field("action", json!("created")).silent();
    vector.holds("f", "hello world");
    for (id, content) in [("WF2", "a\\nb"), ("WF3", "a\r\nb\r\n"), ("WF11", "x")] {
        let vector = Vector::new(id, "");
        vector.ok("write_file", write("f", content)).field("bytes_written", json!(content.len()));
        vector.holds("f", content);
    }
    for (id, path) in [("WF4", "a/f"), ("WF14", "deep/nested/path/to/f")] {
        let vector = Vector::new(id, "");
        vector.ok("write_file", write(path, "x")).field("resolved_path", json!(vector.files.path(path)));
        vector.holds(path, "x");
    }
    let vector = Vector::new("WF5", "");
    vector.refused("write_file", json!({"content": "x"}), "invalid_arguments").has("path is required");
    vector.refused("write_file", json!({"path": "f"}), "invalid_arguments").has("content is required");
    Vector::file("WF15", "x").refused("write_file", write("f/g", "x"), "not_a_directory");
    let vector = Vector::new("WF19", "");
    let place = vector.files.path("a/f");
    assert!(place.is_absolute());
    vector.ok("write_file", write("a/f", "x")).field("resolved_path", json!(place));
}

#[test]
fn existing_files() {
    let vector = old("WF6");
    let conflict = vector.refused("write_file", write("f", "new"), "file_exists");
    conflict.has("already exists").has("overwrite=true").has("append_file").has("edit_file");
    vector.holds("f", "old");
    let vector = old("WF10");
    vector.ok("write_file", replace("f", "new")).field("action", json!("overwritten"));
    vector.holds("f", "new");
    let vector = old("WF12");
    let args = json!({"path": "f", "content": "new", "overwrite": false});
    vector.refused("write_file", args, "file_exists");
    vector.holds("f", "old");
    let vector = old("WF13");
    vector.refused("write_file", write("f", "new"), "file_exists");
    vector.ok("write_file", replace("f", "new"));
    let vector = old("WF16");
    let before = fs::metadata(vector.files.path("f")).unwrap().modified().unwrap();
    vector
        .ok("write_file", write("f", "old"))
        .field("action", json!("unchanged"))
        .field("bytes_written", json!(0))
        .field("verified", json!(true));
    assert_eq!(fs::metadata(vector.files.path("f")).unwrap().modified().unwrap(), before);
    let vector = Vector::file("WF17", "a\n");
    vector
        .ok("write_file", write("f", "a\nb\n"))
        .field("action", json!("appended"))
        .field("bytes_written", json!(2));
    vector.holds("f", "a\nb\n");
    let vector = Vector::file("WF18", "longer");
    vector
        .refused("write_file", write("f", "long"), "file_exists")
        .field("error", json!("file_exists"))
        .field("existing_bytes", json!(6))
        .field("new_bytes", json!(4))
        .field("overwrite_required", json!(true));
    let vector = Vector::file("WF20", "");
    vector.ok("write_file", write("f", "x")).field("action", json!("appended"));
}

#[test]
fn advice() {
    let vector = Vector::with("WF7", "//- /f\nold\n", &others(false, false));
    let conflict = vector.refused("write_file", write("f", "new"), "file_exists");
    conflict.lacks("append_file").lacks("edit_file");
    for spec in vector.files.tools.specs() {
        let offer = spec.to_json().to_string();
        assert!(!offer.contains("append_file") && !offer.contains("edit_file"), "{offer}");
    }
    Vector::with("WF8", "//- /f\nold\n", &others(true, false))
        .refused("write_file", write("f", "new"), "file_exists")
        .has("append_file")
        .lacks("edit_file");
    let reversed = json!({"tools": {"edit_file": {"enabled": true}, "append_file": {"enabled": true}}});
    let vector = Vector::with("WF9", "//- /f\nold\n", &reversed);
    let conflict = vector.refused("write_file", write("f", "new"), "file_exists");
    let text = conflict.text();
    assert!(text.find("append_file") < text.find("edit_file"), "{text}");
    let actions = json!(["append_file", "edit_file", "write_file(overwrite=true)"]);
    conflict.field("available_actions", actions);
}

thread_local! {
    static PLACE: RefCell<PathBuf> = const { RefCell::new(PathBuf::new()) };
}

/// What another program does that writes into the new file before it is read back.
const TAMPERS: Fault = Fault::Calls(|| PLACE.with_borrow(|file| fs::write(file, "nXY").unwrap()));

#[test]
fn a_read_back_that_differs() {
    for (action, before, args) in [
        ("created", None, write("f", "new")),
        ("overwritten", Some("old"), replace("f", "new")),
        ("appended", Some("n"), write("f", "new")),
    ] {
        let vector = Vector::new("WF21", "");
        PLACE.set(vector.files.path("f"));
        if let Some(before) = before {
            vector.files.write("f", before);
        }
        let (reply, met) = inject(Step::ReadBack, TAMPERS, || {
            vector.refused("write_file", args, "read_back_mismatch").reply
        });
        assert!(met);
        let value = reply.structured.unwrap();
        assert_eq!(
            (&value["success"], &value["verified"], &value["action"], &value["error"]),
            (&json!(false), &json!(false), &json!(action), &json!("read_back_mismatch"))
        );
        assert_eq!(value["resolved_path"], json!(vector.files.path("f")));
        assert_eq!(value["bytes_written"], json!(if action == "appended" { 2 } else { 3 }));
        assert!(value["message"].as_str().unwrap().contains("differs from the content at byte 1"), "{value}");
        assert!(value.get("syntax").is_none() && value.get("syntax_error").is_none(), "{value}");
    }
}

#[test]
fn other_tools_say_it_too() {
    for (tool, args) in [
        ("edit_file", json!({"path": "f", "old_text": "o", "new_text": "new"})),
        ("append_file", json!({"path": "f", "content": "new"})),
    ] {
        for (fault, code) in [(TAMPERS, "read_back_mismatch"), (Fault::Fails(5), "read_back_failed")] {
            let vector = Vector::file("WF21", "o");
            PLACE.set(vector.files.path("f"));
            let ((), met) = inject(Step::ReadBack, fault, || {
                let reply = vector.refused(tool, args.clone(), code);
                reply.has("read");
            });
            assert!(met, "{tool}");
        }
    }
}

#[test]
fn a_read_back_that_fails() {
    let vector = Vector::new("WF22", "");
    let (reply, met) = inject(Step::ReadBack, Fault::Fails(5), || {
        vector.refused("write_file", write("f.json", "{}"), "read_back_failed").reply
    });
    assert!(met);
    let value = reply.structured.unwrap();
    assert_eq!((&value["verified"], &value["error"]), (&json!(false), &json!("read_back_failed")));
    assert!(!value["detail"].as_str().unwrap().is_empty(), "{value}");
    assert!(value.get("syntax").is_none(), "{value}");
}

#[test]
fn what_stands_in_the_way() {
    let vector = Vector::new("WF23", "//- /d/f\nx\n");
    vector.refused("write_file", replace("d", "x"), "is_a_directory").has("is a directory");
    let vector = old("WF24");
    symlink("f", vector.files.path("link")).unwrap();
    vector.ok("write_file", replace("link", "new")).field("action", json!("overwritten"));
    assert!(vector.files.path("link").is_symlink());
    vector.holds("f", "new");
    let vector = old("WF25");
    fs::set_permissions(vector.files.path("f"), fs::Permissions::from_mode(0o755)).unwrap();
    vector.ok("write_file", replace("f", "new"));
    assert_eq!(mode(&vector, "f"), 0o755);
    vector.ok("edit_file", json!({"path": "f", "old_text": "new", "new_text": "newer"}));
    assert_eq!(mode(&vector, "f"), 0o755);
    // Who may read everything, as root does, meets the conflict; who may not, the permission.
    let vector = old("WF26");
    fs::set_permissions(vector.files.path("f"), fs::Permissions::from_mode(0o000)).unwrap();
    let code = vector.call("write_file", write("f", "new")).reply.error.unwrap().code().to_owned();
    assert!(["file_exists", "permission_denied"].contains(&code.as_str()), "{code}");
    fs::set_permissions(vector.files.path("f"), fs::Permissions::from_mode(0o600)).unwrap();
    vector.holds("f", "old");
    let all = json!({"tools": {"allow_write_paths": ["/.*"]}});
    Vector::with("WF29", "", &all).refused("write_file", write(".env", "x"), "sensitive");
    let vector = Vector::with("WF30", "", &all);
    vector.refused("write_file", write("/etc/shadow", "x"), "protected");
    vector.refused("write_file", write("sessions/x", "x"), "write_denied");
}

#[test]
fn the_atomic_writer() {
    let vector = Vector::new("AT1", "");
    vector.ok("write_file", write("f", "one"));
    vector.holds("f", "one");
    vector.ok("write_file", replace("f", "two"));
    vector.holds("f", "two");
    vector.ok("write_file", replace("f", ""));
    vector.holds("f", "");
    let vector = old("AT2");
    fs::set_permissions(vector.files.path("f"), fs::Permissions::from_mode(0o600)).unwrap();
    vector.ok("write_file", replace("f", "new"));
    assert_eq!(mode(&vector, "f"), 0o600);
    let vector = Vector::new("AT3", "");
    vector.ok("write_file", write("a/b/c/f", "x"));
    vector.holds("a/b/c/f", "x");
    let vector = old("AT4");
    vector.ok("write_file", replace("f", "new"));
    assert_eq!(fs::read_dir(vector.files.path("")).unwrap().count(), 1);
    let vector = Vector::new("AT5", "");
    let pattern: String = (0..1024 * 1024).map(|n| char::from(b'!' + (n % 90) as u8)).collect();
    vector.ok("write_file", write("f", &pattern)).field("bytes_written", json!(1024 * 1024));
    vector.holds("f", &pattern);
    Vector::new("AT7", "").refused("write_file", write("/dev/null/f", "x"), "outside_workspace");
    let vector = Vector::new("AT8", "");
    vector.ok("write_file", write("f", "first"));
    vector.ok("write_file", replace("f", "second"));
    vector.holds("f", "second");
}

#[test]
fn ten_writers_at_once() {
    let vector = old("AT6");
    let codes: Vec<Option<String>> = thread::scope(|scope| {
        let writers: Vec<_> = (0..10)
            .map(|n: u8| {
                let vector = &vector;
                scope.spawn(move || {
                    let reply = vector.files.call("write_file", replace("f", &n.to_string()));
                    reply.error.map(|error| error.code().to_owned())
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    assert!(codes.contains(&None), "nobody won: {codes:?}");
    assert!(codes.iter().flatten().all(|code| code == "changed"), "{codes:?}");
    assert_eq!(vector.files.read("f").len(), 1);
}
