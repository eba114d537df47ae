//! Taking changes back, and looking at the history, through the rules of the workspace.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use fs_tools::file_history::{Class, Filter, OnConflict, Op, Status};
use fs_tools::{
    Answer, Call, Config, Confirm, Options, Origin, Question, Scope, ToolError, Undo, Undone, show_path,
};
use rooted_fs::faults::{Fault, Step, inject, inject_all};
use serde_json::{Value, json};

use crate::fixture::Fixture;

fn fixture(tree: &str) -> Fixture {
    with_config(tree, "{}")
}

/// The tool `file_history` is switched on, besides what `config` says.
fn with_config(tree: &str, config: &str) -> Fixture {
    let environment = |name: &str| (name == "FS_TOOLS_FILE_HISTORY_ENABLED").then(|| "true".to_owned());
    let config = Config::load(config, &environment).unwrap().config;
    Fixture::open(tree, |root| {
        let mut options = Options::new(&root, config);
        options.state_dir = Some(root.parent().unwrap().join("state"));
        options
    })
}

fn of_task(task: &str) -> Call<'_> {
    Call { origin: Origin { task, goal: "", run: "r" }, ..Call::plain() }
}

/// A call of a task that has to succeed.
#[track_caller]
fn run(files: &Fixture, task: &str, tool: &str, args: Value) -> String {
    let reply = files.tools.call(tool, &args, &of_task(task));
    assert!(!reply.is_error, "{}", reply.for_model);
    reply.for_model
}

#[track_caller]
fn put(files: &Fixture, task: &str, path: &str, content: &str) {
    run(files, task, "write_file", json!({"path": path, "content": content, "overwrite": true}));
}

fn undo(files: &Fixture, task: &str, on_conflict: OnConflict) -> Result<Undone, ToolError> {
    let what = Undo::Task { task, paths: &[], on_conflict };
    files.tools.workspace().undo(&what, Scope::Workspace, "test", &of_task("undoer"))
}

fn restore(files: &Fixture, version: u64) -> Result<Undone, ToolError> {
    files.tools.workspace().undo(&Undo::Version(version), Scope::Workspace, "test", &of_task("undoer"))
}

#[track_caller]
fn check_done(undone: Result<Undone, ToolError>) {
    let undone = undone.unwrap();
    assert_eq!(undone.report.status, Status::Done, "{}", undone.text());
    assert!(undone.error().is_none());
}

fn entries(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_task_is_undone_as_a_whole_with_modes_and_directories() {
    let files = fixture("//- /a\none\n//- /d/b\nkept\n");
    fs::set_permissions(files.path("a"), fs::Permissions::from_mode(0o755)).unwrap();
    put(&files, "t1", "a", "two\n");
    put(&files, "t1", "new/deep/c", "c\n");
    run(&files, "t1", "append_file", json!({"path": "d/b", "content": "more\n"}));
    let mode = || fs::metadata(files.path("a")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o755);
    let undone = undo(&files, "t1", OnConflict::Refuse).unwrap();
    assert_eq!(undone.report.status, Status::Done, "{}", undone.text());
    assert_eq!((files.read("a"), files.read("d/b"), mode()), ("one\n".into(), "kept\n".into(), 0o755));
    assert!(!files.path("new").exists());
    assert_eq!(entries(&files.path("d")), ["b"]);
    // An undo is a change like any other.
    check_done(undo(&files, "undoer", OnConflict::Refuse));
    assert_eq!((files.read("a"), files.read("new/deep/c")), ("two\n".into(), "c\n".into()));
}

#[test]
fn a_conflict_refuses_everything_until_it_is_told_what_to_do() {
    let files = fixture("//- /a\no\n//- /b\np\n");
    put(&files, "t1", "a", "1");
    put(&files, "t1", "b", "1");
    put(&files, "t2", "a", "2");
    let what = Undo::Task { task: "t1", paths: &[], on_conflict: OnConflict::Refuse };
    let forecast = files.tools.workspace().forecast(&what, Scope::Workspace, &Call::plain()).unwrap();
    assert!(forecast.plan.is_refused());
    assert!(matches!(&forecast.plan.files()[0].class, Class::LaterTask { task, .. } if task == "t2"));
    let refused = undo(&files, "t1", OnConflict::Refuse).unwrap();
    assert_eq!(refused.error().unwrap().code(), "undo_refused");
    assert_eq!((files.read("a"), files.read("b")), ("2".into(), "1".into()));
    let skipped = undo(&files, "t1", OnConflict::Skip).unwrap();
    assert_eq!(skipped.error().unwrap().code(), "undo_partial");
    assert_eq!((files.read("a"), files.read("b")), ("2".into(), "p\n".into()));
    check_done(undo(&files, "t1", OnConflict::Force));
    assert_eq!(files.read("a"), "o\n");
    assert_eq!(undo(&files, "never", OnConflict::Refuse).unwrap_err().code(), "unknown_task");
    assert_eq!(restore(&files, 999).unwrap_err().code(), "unknown_version");
}

#[test]
fn a_removed_file_comes_back() {
    let files = fixture("//- /d/a\ncontent\n//- /.env\nK=1\n");
    let workspace = files.tools.workspace();
    let version = workspace.remove("d/a", "edit_file", &of_task("t1")).unwrap();
    assert!(!files.path("d/a").exists());
    assert_eq!(workspace.remove("d/a", "edit_file", &of_task("t1")).unwrap_err().code(), "not_found");
    assert!(workspace.remove(".env", "edit_file", &of_task("t1")).is_err());
    assert!(files.path(".env").exists());
    check_done(restore(&files, version));
    assert_eq!(files.read("d/a"), "content\n");
    let row = workspace.history(|history| history.newest(b"d/a")).unwrap().unwrap().unwrap();
    assert_eq!(row.op, Op::Restore);
}

#[test]
fn a_removal_without_a_history_is_refused() {
    let files = Fixture::new("//- /a\nx\n");
    let refused = files.tools.workspace().remove("a", "edit_file", &Call::plain());
    assert_eq!(refused.unwrap_err().code(), "history_off");
    assert_eq!(files.read("a"), "x\n");
}

#[test]
fn what_took_the_place_of_a_file_stays() {
    let files = fixture("//- /a\no\n//- /d/b\np\n");
    put(&files, "t1", "a", "1");
    put(&files, "t1", "d/b", "1");
    fs::write(files.outside("secret"), "canary").unwrap();
    fs::remove_file(files.path("a")).unwrap();
    symlink(files.outside("secret"), files.path("a")).unwrap();
    fs::rename(files.path("d"), files.outside("moved")).unwrap();
    symlink(files.outside("moved"), files.path("d")).unwrap();
    for version in [1, 3] {
        assert_eq!(restore(&files, version).unwrap_err().code(), "blocked");
    }
    let report = undo(&files, "t1", OnConflict::Force).unwrap();
    assert_eq!(report.report.status, Status::Refused, "{}", report.text());
    assert_eq!(fs::read_to_string(files.outside("secret")).unwrap(), "canary");
    assert_eq!(fs::read_to_string(files.outside("moved/b")).unwrap(), "1");
    fs::remove_file(files.path("a")).unwrap();
    fs::create_dir(files.path("a")).unwrap();
    assert_eq!(restore(&files, 1).unwrap_err().code(), "target_is_directory");
}

struct Says(Answer);

impl Confirm for Says {
    fn ask(&self, _question: &Question) -> Answer {
        self.0
    }
}

#[test]
fn the_rules_hold_for_an_undo_as_for_a_write() {
    let files = fixture("//- /.git/config\nold\n//- /a\no\n");
    let allowed = Says(Answer::Yes);
    let call = Call { confirm: &allowed, ..of_task("t1") };
    let args = json!({"path": ".git/config", "content": "new\n", "overwrite": true});
    assert!(!files.tools.call("write_file", &args, &call).is_error);
    put(&files, "t1", "a", "1");
    // Another run: nothing is remembered.
    let again = with_state_of(&files);
    let what = Undo::Task { task: "t1", paths: &[], on_conflict: OnConflict::Refuse };
    let workspace = again.workspace();
    let forecast = workspace.forecast(&what, Scope::Workspace, &Call::plain()).unwrap();
    assert_eq!(forecast.to_confirm, [b".git/config".to_vec()]);
    assert!(!forecast.plan.is_refused());
    let nobody = workspace.undo(&what, Scope::Workspace, "test", &of_task("t2")).unwrap();
    assert_eq!(nobody.error().unwrap().code(), "confirmation_needed");
    let no = Says(Answer::No);
    let refused = workspace.undo(&what, Scope::Workspace, "test", &Call { confirm: &no, ..of_task("t2") });
    assert!(refused.unwrap().error().is_some());
    assert_eq!((files.read(".git/config"), files.read("a")), ("new\n".into(), "1".into()));
    let yes = workspace.undo(&what, Scope::Workspace, "test", &Call { confirm: &allowed, ..of_task("t2") });
    check_done(yes);
    assert_eq!((files.read(".git/config"), files.read("a")), ("old\n".into(), "o\n".into()));
}

#[test]
fn what_became_protected_is_neither_listed_nor_restored() {
    let files = fixture("//- /vault/a\no\n//- /b\no\n");
    put(&files, "t1", "vault/a", "1");
    let config =
        r#"{"fs_tools": {"policy": {"protect": ["vault/"]}}, "tools": {"file_history": {"enabled": true}}}"#;
    let config = Config::load(config, &|_| None).unwrap().config;
    let mut options = Options::new(files.path(""), config);
    options.state_dir = Some(files.outside("state"));
    let later = fs_tools::ToolSet::classic(fs_tools::Workspace::open(options).unwrap());
    let listed = later.call("file_history", &json!({}), &Call::plain());
    assert_eq!(listed.for_model, "[no recorded changes]\n");
    assert!(later.call("file_history", &json!({"path": "vault/a"}), &Call::plain()).is_error);
    let restored = later.workspace().undo(&Undo::Version(1), Scope::Workspace, "test", &Call::plain());
    assert!(restored.is_err());
    assert_eq!(files.read("vault/a"), "1");
}

fn with_state_of(files: &Fixture) -> fs_tools::ToolSet {
    let mut options = Options::new(files.path(""), Config::default());
    options.state_dir = Some(files.outside("state"));
    fs_tools::ToolSet::classic(fs_tools::Workspace::open(options).unwrap())
}

/// V47 and V48: one file has one history, whatever it is called.
#[test]
fn every_spelling_of_a_path_has_the_same_versions() {
    let files = fixture("//- /d/x\n\n//- /a\no\n");
    symlink("a", files.path("s")).unwrap();
    put(&files, "t1", "s", "1\n");
    assert!(files.path("s").is_symlink());
    let expected = files.ok("file_history", json!({"path": "a"}));
    assert!(expected.contains("version 2 | ") && expected.contains("| write | a | 2 bytes"), "{expected}");
    for path in ["./a", "d/../a", "s", files.path("a").to_str().unwrap()] {
        assert_eq!(files.ok("file_history", json!({"path": path})), expected, "{path}");
    }
}

/// V50, and the other ways to ask wrongly.
#[test]
fn wrong_questions_say_how_to_ask() {
    let files = fixture("//- /a\no\n");
    assert_eq!(files.code("file_history", json!({"task_id": "current"})), "no_current_task");
    assert_eq!(files.code("file_history", json!({"from": "yesterday"})), "bad_time");
    assert_eq!(files.code("file_history", json!({"from": "2026-02-02", "to": "2026-02-01"})), "empty_range");
    assert_eq!(files.code("file_history", json!({"mode": "read"})), "invalid_arguments");
    assert_eq!(
        files.code("file_history", json!({"mode": "read", "path": "a", "limit": 3})),
        "invalid_arguments"
    );
    assert_eq!(files.code("file_history", json!({"path": "../x"})), "outside_workspace");
    put(&files, "t1", "a", "1");
    let mine = files.tools.call("file_history", &json!({"task_id": "current"}), &of_task("t1"));
    assert!(mine.for_model.contains("task t1"), "{}", mine.for_model);
    let other = files.tools.call("file_history", &json!({"task_id": "current"}), &of_task("t2"));
    assert_eq!(other.for_model, "[no recorded changes]\n");
    let default = Fixture::new("");
    assert_eq!(default.code("file_history", json!({})), "tool_disabled");
}

#[test]
fn the_list_is_short_unless_more_is_asked_for() {
    let files = fixture("//- /a\no\n");
    for n in 0..5 {
        put(&files, "t1", "a", &format!("{n}"));
    }
    let three = files.ok("file_history", json!({}));
    assert!(
        three.starts_with("[3 version(s), newest first, local time; there are more]\nversion 6 | "),
        "{three}"
    );
    let all = files.ok("file_history", json!({"limit": 24}));
    assert!(all.starts_with("[6 version(s), newest first, local time]\n"), "{all}");
    assert!(all.contains("baseline | a | 2 bytes | before the first change"), "{all}");
}

#[test]
fn a_read_tells_what_the_last_change_did_and_what_came_after() {
    let files = fixture("//- /a\none\ntwo\n");
    put(&files, "t1", "a", "one\n2\n");
    let read = |path: &str| files.ok("file_history", json!({"mode": "read", "paths": [path]}));
    let same = read("a");
    assert!(same.contains("== a: version 2, write by write_file") && same.contains("task t1"), "{same}");
    assert!(same.contains("[the disk is identical to version 2") && same.contains("-two\n+2\n"), "{same}");
    files.write("a", "one\n3\n");
    let changed = read("a");
    assert!(changed.contains("[changed outside the tools since version 2:]"), "{changed}");
    assert!(changed.contains("-2\n+3\n"), "{changed}");
    fs::remove_file(files.path("a")).unwrap();
    let gone = read("a");
    assert!(gone.contains("[nothing is at that path now; version 2 holds:]\none\n2\n"), "{gone}");
    put(&files, "t2", "a", "back\n");
    let rows = files
        .tools
        .workspace()
        .history(|history| history.list(&Filter { paths: &[b"a"], limit: 24, ..Filter::default() }));
    let ops: Vec<Op> = rows.unwrap().unwrap().rows.iter().map(|row| row.op).collect();
    assert_eq!(ops, [Op::Create, Op::External, Op::Write, Op::Baseline]);
    assert_eq!(read("never"), "== never\n[no recorded changes]\n");
}

#[test]
fn credentials_are_masked_also_in_changed_lines() {
    let files = fixture("//- /a\nx\n");
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
    put(&files, "t1", "a", &format!("token = \"{token}\"\n"));
    let text = files.ok("file_history", json!({"paths": ["a"]}));
    assert!(!text.contains(&token) && text.contains("FILTERED"), "{text}");
    put(&files, "t1", "a", &format!("token = \"{}\"\n", token.replace("aB3", "zZ9")));
    let text = files.ok("file_history", json!({"paths": ["a"]}));
    assert!(text.contains("[only masked values differ]"), "{text}");
}

/// V63: of binary content only sizes are shown.
#[test]
fn binary_content_is_shown_by_size() {
    let files = fixture("");
    files.write("a", b"\0\x01");
    put(&files, "t1", "a", "text\n");
    let text = files.ok("file_history", json!({"paths": ["a"]}));
    assert!(text.contains("[binary, 2 bytes -> 5 bytes]"), "{text}");
}

/// V65: one path that is refused leaves the others readable, in order.
#[test]
fn a_bad_path_among_good_ones_is_a_block_of_its_own() {
    let files = fixture("//- /a\no\n//- /b\no\n");
    put(&files, "t1", "a", "1");
    put(&files, "t1", "b", "1");
    let text = files.ok("file_history", json!({"paths": ["a", "/etc/passwd", "b"]}));
    let places: Vec<usize> = ["== a: version", "== /etc/passwd\nerror (outside_workspace)", "== b: version"]
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("{part} is missing: {text}")))
        .collect();
    assert!(places.is_sorted());
}

/// V66: of a sensitive file nothing but the sizes is kept, and that is said.
#[test]
fn sensitive_content_is_nowhere_in_the_store() {
    let files =
        with_config("//- /.env\nNAME=first-of-all\n", r#"{"fs_tools": {"policy": {"open": [".env"]}}}"#);
    let written = run(
        &files,
        "t1",
        "write_file",
        json!({"path": ".env", "content": "NAME=second-of-all\n", "overwrite": true}),
    );
    assert!(written.contains("cannot be undone"), "{written}");
    let listed = files.ok("file_history", json!({"path": ".env", "limit": 24}));
    assert_eq!(listed.matches("not restorable: sensitive").count(), 2, "{listed}");
    for version in [1, 2] {
        assert_eq!(restore(&files, version).unwrap_err().code(), "not_restorable");
    }
    let hashes = ["NAME=first-of-all\n", "NAME=second-of-all\n"].map(|text| blake3::hash(text.as_bytes()));
    let mut looked_at = 0;
    let mut dirs = vec![files.outside("state")];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
                continue;
            }
            looked_at += 1;
            let bytes = fs::read(&path).unwrap();
            let holds = |what: &[u8]| bytes.windows(what.len()).any(|window| window == what);
            assert!(!holds(b"first-of-all") && !holds(b"second-of-all"), "{}", path.display());
            assert!(!hashes.iter().any(|hash| holds(hash.as_bytes())), "{}", path.display());
        }
    }
    assert!(looked_at > 2);
}

/// V74 and V75: a disk that is full or failing leaves the file as it was, and no temporary file.
#[test]
fn a_failing_disk_leaves_the_file_and_a_failed_row() {
    const ENOSPC: i32 = 28;
    const EIO: i32 = 5;
    for (step, errno) in [(Step::WriteFirst, ENOSPC), (Step::WriteRest, ENOSPC), (Step::SyncFile, EIO)] {
        let files = fixture("//- /a\nold\n");
        let args = json!({"path": "a", "old_text": "old", "new_text": "new"});
        let (reply, met) = inject(step, Fault::Fails(errno), || files.call("edit_file", args.clone()));
        assert!(met && reply.is_error, "{step:?}: {}", reply.for_model);
        assert_eq!((files.read("a"), entries(&files.path(""))), ("old\n".into(), vec!["a".to_owned()]));
        assert!(!files.ok("file_history", json!({"path": "a"})).contains("edit"));
        put(&files, "t1", "a", "new\n");
        let (undone, met) = inject(step, Fault::Fails(errno), || undo(&files, "t1", OnConflict::Refuse));
        assert!(met, "{step:?}");
        assert_eq!(undone.unwrap().report.status, Status::Failed);
        assert_eq!((files.read("a"), entries(&files.path(""))), ("new\n".into(), vec!["a".to_owned()]));
        check_done(undo(&files, "t1", OnConflict::Refuse));
        assert_eq!(files.read("a"), "old\n");
    }
}

/// V86: a repository inside the workspace is never touched.
#[test]
fn no_byte_of_a_nested_repository_changes() {
    let files = fixture("//- /sub/.git/HEAD\nref: x\n//- /sub/.git/objects/ab\nblob\n//- /sub/f\no\n");
    let state = || {
        let stamp = |path: &str| fs::metadata(files.path(path)).unwrap().modified().unwrap();
        (
            entries(&files.path("sub/.git")),
            files.read("sub/.git/HEAD"),
            stamp("sub/.git/HEAD"),
            stamp("sub/.git"),
            stamp("sub/.git/objects"),
        )
    };
    let before = state();
    put(&files, "t1", "sub/f", "1");
    check_done(undo(&files, "t1", OnConflict::Refuse));
    assert_eq!(files.read("sub/f"), "o\n");
    assert_eq!(state(), before);
}

/// V89: any name that a file system takes has a history.
#[test]
fn strange_names_are_recorded_listed_and_restored() {
    for name in [&b"line\nbreak"[..], b"not utf-8 \xff", b"[brackets] *"] {
        let files = fixture("");
        let path = files.path("").join(OsStr::from_bytes(name));
        fs::write(&path, "old\n").unwrap();
        let asked = show_path(Path::new(OsStr::from_bytes(name))).into_owned();
        put(&files, "t1", &asked, "new\n");
        let listed = files.ok("file_history", json!({"path": asked}));
        assert!(listed.contains(&format!("| {asked} |")), "{listed}");
        assert_eq!(listed.lines().count(), 3, "{listed}");
        check_done(undo(&files, "t1", OnConflict::Refuse));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old\n");
        let row = files.tools.workspace().history(|history| history.newest(name)).unwrap().unwrap().unwrap();
        assert_eq!((row.path.as_slice(), row.op), (name, Op::Restore));
    }
}

#[test]
fn files_outside_that_are_granted_have_a_history_of_their_own() {
    let files = Fixture::open("//- /a\no\n", |root| {
        let granted = root.parent().unwrap().canonicalize().unwrap().join("granted");
        fs::create_dir(&granted).unwrap();
        fs::write(granted.join("g"), "o\n").unwrap();
        let mut config = Config::default();
        config.enabled.file_history = true;
        config.allow_read_paths = vec![format!("^{}", granted.display())];
        config.allow_write_paths = config.allow_read_paths.clone();
        let mut options = Options::new(&root, config);
        options.state_dir = Some(root.parent().unwrap().join("state"));
        options
    });
    let granted = files.outside("granted/g");
    let asked = granted.to_str().unwrap();
    put(&files, "t1", asked, "1");
    assert_eq!(files.ok("file_history", json!({})), "[no recorded changes]\n");
    let listed = files.ok("file_history", json!({"path": asked}));
    assert!(listed.contains(&format!("| write | {asked} |")), "{listed}");
    let what = Undo::Task { task: "t1", paths: &[], on_conflict: OnConflict::Refuse };
    check_done(files.tools.workspace().undo(&what, Scope::Outside, "test", &of_task("t2")));
    assert_eq!(fs::read_to_string(&granted).unwrap(), "o\n");
}

#[test]
fn recovery_settles_what_a_crash_left_and_says_nothing_where_nothing_is() {
    let files = fixture("//- /a\nold\n");
    assert!(files.tools.workspace().recover_history().unwrap().is_empty());
    put(&files, "t1", "a", "new\n");
    let other = with_state_of(&files);
    let found = other.workspace().recover_history().unwrap();
    assert!(found.iter().all(|found| found.interrupted.is_empty() && found.strays.is_empty()));
    assert_eq!(files.read("a"), "new\n");
}

/// A file system without a sound exchange of names, as FUSE and NFS are: `EOPNOTSUPP` for as many files as there are.
const NO_EXCHANGE: [(Step, Fault); 6] = [(Step::Commit, Fault::Fails(95)); 6];

#[test]
fn a_task_is_undone_where_names_cannot_be_exchanged() {
    let files = fixture("//- /a\none\n//- /b\ntwo\n//- /c\nthree\n");
    for path in ["a", "b", "c"] {
        put(&files, "t1", path, "new\n");
    }
    let (undone, _) = inject_all(&NO_EXCHANGE, || undo(&files, "t1", OnConflict::Refuse));
    check_done(undone);
    assert_eq!([files.read("a"), files.read("b"), files.read("c")], ["one\n", "two\n", "three\n"]);
    assert_eq!(entries(&files.path("")), ["a", "b", "c"]);
}

#[test]
fn where_names_cannot_be_exchanged_a_change_in_the_last_moment_takes_everything_back() {
    thread_local!(static PLACE: std::cell::RefCell<std::path::PathBuf> = std::cell::RefCell::default());
    // With second links and without: the old files come back as themselves, or as their copies.
    for links in [None, Some((Step::CommitByLink, Fault::Fails(95)))] {
        let files = fixture("//- /a\none\n//- /b\ntwo\n//- /c\nthree\n");
        for path in ["a", "b", "c"] {
            put(&files, "t1", path, "new\n");
        }
        PLACE.set(files.path("c"));
        let meddle = || fs::write(PLACE.with_borrow(Clone::clone), "by somebody else\n").unwrap();
        // The third comparison is that of `c`; the first two are met by calls that do nothing.
        let idle = (Step::Compare, Fault::Calls(|| ()));
        let plan: Vec<_> = NO_EXCHANGE
            .into_iter()
            .chain(std::iter::repeat_n(links, 6).flatten())
            .chain([idle, idle, (Step::Compare, Fault::Calls(meddle))])
            .collect();
        let (undone, _) = inject_all(&plan, || undo(&files, "t1", OnConflict::Refuse));
        let undone = undone.unwrap();
        assert_eq!(undone.report.status, Status::Failed, "{}", undone.text());
        assert_eq!([files.read("a"), files.read("b")], ["new\n", "new\n"]);
        assert_eq!(files.read("c"), "by somebody else\n");
        assert_eq!(entries(&files.path("")), ["a", "b", "c"]);
    }
}
