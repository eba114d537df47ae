//! The guard of sensitive files, and `open_file`. The numbers are those of the vectors in `docs/conformance-batch.md`.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fs_tools::{Answer, Call, Config, Confirm, Opened, Opener, Options, Origin, Question, Reply, Toolset};
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// A person who says yes to these paths, and remembers the questions.
#[derive(Default)]
struct Person {
    yes: Vec<&'static str>,
    asked: Mutex<Vec<String>>,
}

impl Person {
    fn allows(yes: &[&'static str]) -> Self {
        Self { yes: yes.to_vec(), ..Self::default() }
    }

    fn questions(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

impl Confirm for Person {
    fn ask(&self, question: &Question) -> Answer {
        self.asked.lock().unwrap().push(question.path.clone());
        if self.yes.contains(&question.path.as_str()) { Answer::Yes } else { Answer::No }
    }
}

fn call(files: &Fixture, person: &Person, tool: &str, args: Value) -> Reply {
    let origin = Origin { task: "t", goal: "", run: "r" };
    files.tools.call(tool, &args, &Call { confirm: person, origin, ..Call::plain() })
}

const SECRETS: &str = "\
//- /.env
KEY=value
//- /.env.local
KEY=value
//- /server.KEY
x
//- /a.pem
x
//- /b.pem
x
//- /id_rsa
x
//- /ok.txt
fine
//- /environment.ts
fine
//- /keyboard.md
fine
//- /monkey
fine
//- /.env.example
fine
";

fn read(path: &str) -> Value {
    json!({"files": [{"path": path}]})
}

#[test]
fn v172_sensitive_files_need_a_confirmation_whatever_is_configured() {
    let config = r#"{"tools": {"allow_read_paths": [".*"], "allow_write_paths": [".*"]}, "fs_tools": {"policy": {"open": [".env"]}}}"#;
    for files in [Fixture::batch(SECRETS), Fixture::batch_with(SECRETS, config)] {
        for path in [".env", ".env.local", "server.KEY", "id_rsa"] {
            assert_eq!(files.code("read_files", read(path)), "confirmation_needed", "{path}");
            let person = Person::default();
            let reply = call(&files, &person, "read_files", read(path));
            assert!(reply.is_error && !reply.for_model.contains("value"), "{path}: {}", reply.for_model);
            assert_eq!(person.questions(), [path]);
            let edit = json!({"path": path, "content": "y\n"});
            assert!(call(&files, &person, "edit_file", edit).is_error, "{path}");
            assert!(
                call(&files, &person, "edit_file", json!({"path": path, "mode": "remove"})).is_error,
                "{path}"
            );
            assert!(call(&files, &person, "open_file", json!({"path": path})).is_error, "{path}");
            assert!(files.path(path).exists());
        }
    }
}

#[test]
fn v173_a_link_to_a_sensitive_file_is_one() {
    let files = Fixture::batch(SECRETS);
    symlink("id_rsa", files.path("notes.txt")).unwrap();
    let person = Person::default();
    assert!(call(&files, &person, "read_files", read("notes.txt")).is_error);
    assert_eq!(person.questions(), ["notes.txt"]);
    fs::hard_link(files.path(".env"), files.path("plain.txt")).unwrap();
    let listed = files.ok("find_files", json!({"queries": [{}]}));
    assert!(
        listed.contains("ok.txt") && !listed.contains("notes.txt") && !listed.contains("id_rsa"),
        "{listed}"
    );
    let found = files.text("find_files", json!({"queries": [{"pattern": "value", "file_pattern": "**/*"}]}));
    assert!(!found.contains(".env") && !found.contains("KEY"), "{found}");
}

#[test]
fn v174_names_that_only_look_like_it() {
    let files = Fixture::batch(SECRETS);
    for path in ["environment.ts", "keyboard.md", "monkey", ".env.example"] {
        assert_eq!(files.ok("read_files", read(path)), "1\tfine");
    }
}

#[test]
fn v175_and_v176_a_grant_is_for_one_file() {
    let files = Fixture::batch(SECRETS);
    let text = files.ok("read_files", json!({"files": [{"path": ".env"}, {"path": "ok.txt"}]}));
    assert!(
        text.contains("== .env\nerror (confirmation_needed)") && text.contains("== ok.txt\n1\tfine"),
        "175: {text}"
    );
    let person = Person::allows(&["a.pem"]);
    assert!(!call(&files, &person, "read_files", read("a.pem")).is_error);
    assert!(!call(&files, &person, "read_files", read("a.pem")).is_error);
    assert_eq!(person.questions(), ["a.pem"], "asked once in this run");
    assert!(call(&files, &person, "read_files", read("b.pem")).is_error, "176");
    assert_eq!(person.questions(), ["b.pem"], "176");
    let edit = json!({"path": "a.pem", "targets": [{"old_string": "x", "new_string": "y"}]});
    let reply = call(&files, &person, "edit_file", edit);
    assert!(!reply.is_error, "the same file may be edited: {}", reply.for_model);
}

#[test]
fn v177_the_history_of_a_sensitive_file_is_guarded() {
    let files = Fixture::batch_recorded(SECRETS);
    let person = Person::allows(&[".env"]);
    assert!(!call(&files, &person, "read_files", read(".env")).is_error);
    let reply = call(&files, &person, "edit_file", json!({"path": ".env", "content": "KEY=other\n"}));
    assert!(!reply.is_error, "{}", reply.for_model);
    let args = json!({"paths": [".env"]});
    let text = files.text("file_history", args.clone());
    assert!(text.contains("confirmation_needed") && !text.contains("KEY"), "{text}");
    let seen = call(&files, &person, "file_history", args).for_model;
    assert!(seen.contains("== .env") && !seen.contains("value"), "{seen}");
}

/// Notes what it is asked to open.
#[derive(Debug)]
struct Recording {
    opened: Mutex<Vec<(PathBuf, Duration)>>,
    answer: Opened,
}

impl Opener for Recording {
    fn open(&self, path: &Path, wait: Duration) -> Opened {
        self.opened.lock().unwrap().push((path.to_owned(), wait));
        self.answer.clone()
    }
}

fn opening(tree: &str, answer: Opened) -> (Fixture, Arc<Recording>) {
    let opener = Arc::new(Recording { opened: Mutex::default(), answer });
    let given = Arc::clone(&opener);
    let files = Fixture::open(tree, |root| Options {
        toolset: Toolset::Batch,
        opener: given,
        ..Options::new(root, Config::default())
    });
    (files, opener)
}

#[test]
fn v178_to_v180_open() {
    let (files, opener) = opening("//- /-a b.pdf\nx\n//- /run.sh\n#!/bin/sh\n//- /.env\nx\n", Opened::Done);
    assert_eq!(files.ok("open_file", json!({"path": "-a b.pdf"})), "Opened -a b.pdf.", "178");
    fs::create_dir(files.path("dir")).unwrap();
    files.ok("open_file", json!({"path": "dir"}));
    let opened = std::mem::take(&mut *opener.opened.lock().unwrap());
    let wait = Duration::from_secs(10);
    assert_eq!(opened, [(files.path("-a b.pdf"), wait), (files.path("dir"), wait)]);
    fs::set_permissions(files.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(files.code("open_file", json!({"path": "run.sh"})), "confirmation_needed");
    assert_eq!(files.code("open_file", json!({"path": ".env"})), "confirmation_needed");
    assert_eq!(files.code("open_file", json!({"path": "missing"})), "not_found");
    assert_eq!(files.code("open_file", json!({"path": "/etc/hostname"})), "outside_workspace");
    assert!(opener.opened.lock().unwrap().is_empty(), "nothing was started");
    let person = Person::allows(&["run.sh"]);
    assert!(!call(&files, &person, "open_file", json!({"path": "run.sh"})).is_error);

    let (files, _) = opening("//- /f\nx\n", Opened::HandedOver);
    let text = files.ok("open_file", json!({"path": "f"}));
    assert_eq!(text, "Handed f over: the opener still runs after 10 s and is left running.", "179");
    let (files, _) = opening("//- /f\nx\n", Opened::NoOpener);
    assert_eq!(files.code("open_file", json!({"path": "f"})), "no_opener", "180");
    let failed = Opened::Failed { status: "exit status 3".into(), stderr: "no display".into() };
    let (files, _) = opening("//- /f\nx\n", failed);
    assert!(files.text("open_file", json!({"path": "f"})).contains("(exit status 3): no display"), "180");
}
