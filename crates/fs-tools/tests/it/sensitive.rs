//! What the history keeps of sensitive files, and what it takes to keep it sealed.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Mutex;

use fs_tools::{
    Answer, Call, Config, Confirm, OpenError, Options, Question, Scope, ToolSet, Undo, Workspace,
};
use serde_json::json;

use crate::fixture::Fixture;

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const OTHER: &str = "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// Writes a key file beside a workspace.
fn write_key(path: &Path, text: &str, mode: u32) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Options of a workspace whose `.env` is open to the tools, with further settings of the history.
fn options(root: &Path, history: &serde_json::Value) -> Options {
    let document = json!({
        "tools": {"file_history": {"enabled": true}},
        "fs_tools": {"policy": {"open": [".env"]}, "history": history},
    });
    let loaded = Config::load(&document.to_string(), &|_| None).unwrap();
    assert_eq!(loaded.warnings, [] as [String; 0]);
    let mut options = Options::new(root, loaded.config);
    options.state_dir = Some(root.parent().unwrap().join("state"));
    options
}

fn with_key(tree: &str) -> Fixture {
    Fixture::open(tree, |root| {
        let key = root.parent().unwrap().join("key");
        write_key(&key, &format!("{KEY}\n"), 0o600);
        options(&root, &json!({"key_file": key}))
    })
}

/// Opens the workspace of a fixture once more.
fn again(files: &Fixture, history: &serde_json::Value) -> ToolSet {
    ToolSet::classic(Workspace::open(options(&files.path(""), history)).unwrap())
}

fn restore(tools: &ToolSet, version: u64) -> Result<(), String> {
    let undone = tools.workspace().undo(&Undo::Version(version), Scope::Workspace, "test", &Call::plain());
    match undone {
        Err(error) => Err(error.code().to_owned()),
        Ok(undone) => undone.error().map_or(Ok(()), |error| Err(error.code().to_owned())),
    }
}

/// Whether any file below a directory holds these bytes.
fn holds(dir: &Path, what: &[u8]) -> bool {
    fs::read_dir(dir).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, what);
        }
        fs::read(&path).unwrap().windows(what.len()).any(|window| window == what)
    })
}

/// V67: with a key a sensitive file is restored; with another one it is not, and other files are unaffected.
#[test]
fn a_key_brings_sensitive_content_back_and_another_key_does_not() {
    let files = with_key("//- /.env\nNAME=first-of-all\n//- /a\no\n");
    let written =
        files.ok("write_file", json!({"path": ".env", "content": "NAME=second-of-all\n", "overwrite": true}));
    assert!(!written.contains("undone"), "{written}");
    files.ok("write_file", json!({"path": "a", "content": "1\n", "overwrite": true}));
    for text in ["NAME=first-of-all\n", "NAME=second-of-all\n"] {
        for what in [&text.as_bytes()[5..17], text.as_bytes(), blake3::hash(text.as_bytes()).as_bytes()] {
            assert!(!holds(&files.outside("state"), what));
        }
    }
    restore(&files.tools, 1).unwrap();
    assert_eq!(files.read(".env"), "NAME=first-of-all\n");

    write_key(&files.outside("other"), OTHER, 0o600);
    let other = again(&files, &json!({"key_file": files.outside("other")}));
    assert_eq!(restore(&other, 2), Err("key_mismatch".to_owned()));
    assert_eq!(files.read(".env"), "NAME=first-of-all\n");
    restore(&other, 3).unwrap();
    assert_eq!(files.read("a"), "o\n");
    let without = again(&files, &json!({}));
    assert_eq!(restore(&without, 2), Err("key_mismatch".to_owned()));

    // Both keys in one file: the second one opens what it sealed.
    write_key(&files.outside("both"), &format!("{OTHER}\n\n  {KEY}\r\n"), 0o400);
    let both = again(&files, &json!({"key_file": files.outside("both"), "sensitive": "encrypt"}));
    restore(&both, 2).unwrap();
    assert_eq!(files.read(".env"), "NAME=second-of-all\n");
}

/// V68: of a sensitive file no value is shown, whether it looks like a credential or not.
#[test]
fn values_of_sensitive_files_are_masked() {
    let files = with_key("//- /.env\nNAME=first\nMODE=dark\n");
    files.ok(
        "write_file",
        json!({"path": ".env", "content": "NAME=first\nMODE=light\nNEW=third\n", "overwrite": true}),
    );
    let check = |text: &str, shown: &[&str]| {
        assert!(!["first", "dark", "light", "third"].iter().any(|value| text.contains(value)), "{text}");
        assert!(shown.iter().all(|part| text.contains(part)), "{text}");
    };
    let text = files.ok("file_history", json!({"mode": "read", "paths": [".env"]}));
    check(&text, &["+NEW=[FILTERED]", " MODE=[FILTERED]", "version 2, write"]);
    check(&files.tools.workspace().change_text(2, Scope::Workspace).unwrap(), &["+NEW=[FILTERED]"]);
    files.write(".env", "NAME=first\nMODE=light\nNEW=third!\n");
    check(
        &files.ok("file_history", json!({"mode": "read", "paths": [".env"]})),
        &["only masked values differ"],
    );
    fs::remove_file(files.path(".env")).unwrap();
    check(
        &files.ok("file_history", json!({"mode": "read", "paths": [".env"]})),
        &["version 2 holds", "NEW=[FILTERED]"],
    );
}

#[test]
fn a_sealed_file_can_be_removed_and_comes_back() {
    let files = with_key("//- /.env\nK=1\n");
    let version = files.tools.workspace().remove(".env", "test", &Call::plain()).unwrap();
    assert!(!files.path(".env").exists());
    restore(&files.tools, version).unwrap();
    assert_eq!(files.read(".env"), "K=1\n");
}

#[test]
fn content_of_sensitive_files_is_kept_in_the_open_only_when_that_is_asked_for() {
    let files =
        Fixture::open("//- /.env\nNAME=first-of-all\n", |root| options(&root, &json!({"sensitive": "keep"})));
    files.ok("write_file", json!({"path": ".env", "content": "NAME=x\n", "overwrite": true}));
    restore(&files.tools, 1).unwrap();
    assert_eq!(files.read(".env"), "NAME=first-of-all\n");
}

/// A person who remembers what was asked.
#[derive(Default)]
struct Asked(Mutex<Vec<String>>);

impl Confirm for Asked {
    fn ask(&self, question: &Question) -> Answer {
        self.0.lock().unwrap().push(question.text.clone());
        Answer::Yes
    }
}

/// D20: that a change cannot be undone is said before it is made.
#[test]
fn what_is_not_kept_is_said_before_the_write() {
    let files = Fixture::open("//- /.env\nK=1\n", |root| options(&root, &json!({})));
    let told = |tools: &ToolSet| {
        let writing: Vec<_> = tools.specs().filter(|spec| spec.annotations.destructive).collect();
        assert!(writing.len() >= 2);
        writing.iter().filter(|spec| spec.description.contains("(.env) cannot be undone")).count()
    };
    assert!(told(&files.tools) >= 2);
    let sealed = with_key("");
    assert_eq!(told(&sealed.tools), 0);
    assert_eq!(
        told(&again(&files, &json!({"enabled": false}))),
        0,
        "without a history nothing can be undone at all"
    );
    let asked = Asked::default();
    let call = Call { confirm: &asked, ..Call::plain() };
    let args = json!({"path": ".git/hooks/pre-commit", "content": "x"});
    fs::create_dir_all(files.path(".git/hooks")).unwrap();
    assert!(!files.tools.call("write_file", &args, &call).is_error);
    let asked = asked.0.into_inner().unwrap();
    assert!(asked.len() == 1 && !asked[0].contains("undone"), "an ordinary question is as it was: {asked:?}");
    // `.envrc` is sensitive and run by a shell: the question of the one rule carries the warning of the other.
    let files = Fixture::open("//- /.envrc\nexport K=1\n", |root| {
        let mut options = options(&root, &json!({}));
        options.config.open_sensitive.push(".envrc".into());
        options
    });
    let asked = Asked::default();
    let call = Call { confirm: &asked, ..Call::plain() };
    let args = json!({"path": ".envrc", "content": "x", "overwrite": true});
    assert!(!files.tools.call("write_file", &args, &call).is_error);
    let asked = asked.0.into_inner().unwrap();
    assert!(asked.len() == 1 && asked[0].ends_with("this could not be undone."), "{asked:?}");
}

#[track_caller]
fn check_refused(files: &Fixture, history: &serde_json::Value, code: &str, says: &str) {
    let error: OpenError = Workspace::open(options(&files.path(""), history)).err().expect("is refused");
    assert_eq!(error.code(), code);
    let text = error.to_string();
    assert!(text.contains(says), "{text}");
    assert!(!text.contains(&KEY[..16]), "{text}");
}

#[test]
fn a_key_that_is_not_private_is_refused() {
    let files = Fixture::new("//- /inside\nx\n");
    let key = files.outside("key");
    let named = json!({"key_file": key});
    let refused = |text: &str, mode: u32, says: &str| {
        let _ = fs::remove_file(&key);
        write_key(&key, text, mode);
        check_refused(&files, &named, "history_key_unusable", says);
    };
    check_refused(&files, &named, "history_key_unusable", "cannot be read");
    for mode in [0o644, 0o640, 0o604, 0o620, 0o601] {
        refused(KEY, mode, "is open to others");
    }
    refused("", 0o600, "holds no key");
    refused(&KEY[1..], 0o600, "64 hexadecimal digits in line 1");
    refused(&format!("{KEY}\n{KEY}0\n"), 0o600, "in line 2");
    refused(&KEY.replace('f', "g"), 0o600, "openssl rand -hex 32");
    refused(&"0".repeat(5000), 0o600, "no key file");
    fs::remove_file(&key).unwrap();
    fs::create_dir(&key).unwrap();
    check_refused(&files, &named, "history_key_unusable", "not a regular file");
    check_refused(&files, &json!({"key_file": "key"}), "history_key_unusable", "absolute path");
    // Inside the workspace, also by a link from outside.
    write_key(&files.path("inside"), KEY, 0o600);
    symlink(files.path("inside"), files.outside("link")).unwrap();
    for path in [files.path("inside"), files.outside("link")] {
        check_refused(&files, &json!({"key_file": path}), "history_key_unusable", "inside the workspace");
    }
    check_refused(
        &files,
        &json!({"sensitive": "encrypt"}),
        "history_key_missing",
        "fs_tools.history.key_file",
    );
}

#[test]
fn no_tool_reaches_the_key() {
    let files = Fixture::open("", |root| {
        let key = root.parent().unwrap().join("key");
        write_key(&key, KEY, 0o600);
        let mut options = options(&root, &json!({"key_file": key}));
        options.config.restrict_to_workspace = false;
        options
    });
    let key = files.outside("key");
    for (tool, args) in [
        ("read_file", json!({"path": key})),
        ("append_file", json!({"path": key, "content": "x"})),
        ("write_file", json!({"path": key, "content": "x", "overwrite": true})),
    ] {
        let reply = files.call(tool, args);
        assert!(reply.is_error && !reply.for_model.contains(KEY), "{}", reply.for_model);
    }
    assert_eq!(fs::read_to_string(key).unwrap(), KEY);
}

#[test]
fn a_key_in_the_document_is_refused_and_the_environment_names_a_file() {
    let document = json!({"fs_tools": {"history": {"key": KEY}}}).to_string();
    let error = Config::load(&document, &|_| None).unwrap_err().to_string();
    assert!(error.contains("fs_tools.history.key") && error.contains("key_file"), "{error}");
    assert!(!error.contains(&KEY[..8]), "{error}");
    let named = r#"{"fs_tools": {"history": {"key_file": "/a", "sensitive": "omit"}}}"#;
    let variable = |name: &str| (name == "FS_TOOLS_HISTORY_KEY_FILE").then(|| "/b".to_owned());
    let loaded = Config::load(named, &variable).unwrap();
    assert_eq!(loaded.config.history_key_file.as_deref(), Some(Path::new("/b")));
    assert_eq!(loaded.config.keep_sensitive, fs_tools::KeepSensitive::Omit);
    let wrong = Config::load(r#"{"fs_tools": {"history": {"sensitive": "hide"}}}"#, &|_| None);
    assert!(wrong.unwrap_err().to_string().contains("one of `auto`, `omit`, `encrypt`, `keep`"));
}
