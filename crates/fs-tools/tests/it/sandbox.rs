//! The gate: what is refused, in which words, on both mechanisms of path resolution.

use std::fs;
use std::os::unix::fs::symlink;

use fs_tools::{Answer, Call, Config, Confirm, Options, PathResolution, Question, ToolSet, Workspace};
use serde_json::json;

use crate::fixture::Fixture;

fn fixtures(tree: &str) -> [Fixture; 2] {
    [PathResolution::Auto, PathResolution::Walk].map(|path_resolution| {
        Fixture::open(tree, |root| Options::new(root, Config { path_resolution, ..Config::default() }))
    })
}

#[test]
fn nothing_outside_is_reached_or_told_of() {
    for files in fixtures("//- /in/f\ninside\n") {
        fs::write(files.outside("secret"), "canary").unwrap();
        fs::create_dir(files.outside("ws-evil")).unwrap();
        fs::write(files.outside("ws-evil/secret"), "canary").unwrap();
        symlink("../secret", files.path("leaf")).unwrap();
        symlink(files.outside("secret"), files.path("absolute")).unwrap();
        symlink("..", files.path("up")).unwrap();
        symlink("../missing", files.path("dangling")).unwrap();
        symlink("/proc/self/environ", files.path("environ")).unwrap();
        let outside = files.outside("secret").to_str().unwrap().to_owned();
        let missing = files.outside("nothing").to_str().unwrap().to_owned();
        let evil = files.outside("ws-evil/secret").to_str().unwrap().to_owned();
        let paths = [
            "../secret",
            "../nothing",
            "leaf",
            "absolute",
            "up/secret",
            "in/../../secret",
            "up/nothing",
            "environ",
            "/proc/self/root/etc/passwd",
            "/etc/passwd",
            "/dev/stdin",
            &outside,
            &missing,
            &evil,
            "dangling",
        ];
        for path in paths {
            for (tool, args) in [
                ("read_file", json!({"path": path})),
                ("list_dir", json!({"path": path})),
                ("search_files", json!({"pattern": "canary", "path": path})),
                ("write_file", json!({"path": path, "content": "x", "overwrite": true})),
                ("append_file", json!({"path": path, "content": "x"})),
                ("edit_file", json!({"path": path, "old_text": "canary", "new_text": "x"})),
            ] {
                let reply = files.call(tool, args);
                let text = &reply.for_model;
                assert!(
                    reply.is_error && text.starts_with("error (outside_workspace)"),
                    "{tool} {path}: {text}"
                );
                assert!(!text.contains("canary"), "{tool} {path}: {text}");
            }
        }
        assert_eq!(fs::read_to_string(files.outside("secret")).unwrap(), "canary");
        assert!(!files.outside("missing").exists());
        // The same words, whether something is there or not.
        let read = |path: &str| files.text("read_file", json!({"path": path})).replace(path, "P");
        assert_eq!(read(&outside), read(&missing));
        assert_eq!(read("up/secret"), read("up/nothing"));
    }
}

#[test]
fn links_that_stay_inside_work() {
    for files in fixtures("//- /a/f\ninside\n") {
        symlink("a", files.path("relative")).unwrap();
        symlink(files.path("a/f"), files.path("absolute")).unwrap();
        assert!(files.ok("read_file", json!({"path": "relative/f"})).contains("inside"));
        assert!(files.ok("read_file", json!({"path": "absolute"})).contains("inside"));
        assert!(files.ok("read_file", json!({"path": "relative/../a/f"})).contains("inside"));
        assert!(files.ok("list_dir", json!({"path": "relative"})).contains("FILE: f"));
    }
}

#[test]
fn names_are_literal() {
    let files = Fixture::new("");
    for name in ["~x", "$HOME", "a b ", "..x", "%2e%2e", "*", "file:x"] {
        files.ok("write_file", json!({"path": name, "content": name}));
        assert_eq!(files.read(name), name);
    }
}

#[test]
fn protected_files_are_refused_through_every_name() {
    for files in fixtures(
        "//- /.env\nSECRET\n//- /sub/.ENV\nSECRET\n//- /k/id_ed25519\nSECRET\n//- /.aws/credentials\nSECRET\n",
    ) {
        symlink(".env", files.path("alias")).unwrap();
        symlink(".", files.path("d")).unwrap();
        for path in [".env", "sub/.ENV", "alias", "d/.env", "k/id_ed25519", ".aws/credentials"] {
            let text = files.text("read_file", json!({"path": path}));
            assert!(text.starts_with("error (") && !text.contains("SECRET"), "{path}: {text}");
        }
        let text = files.text("search_files", json!({"pattern": "SECRET"}));
        assert_eq!(text, "No matches found (0 files scanned).");
    }
    let files = Fixture::new("//- /.env.example\nKEY=\n");
    files.ok("read_file", json!({"path": ".env.example"}));
}

#[test]
fn a_hard_link_to_a_sensitive_file_is_one() {
    for files in fixtures("//- /.env\nSECRET\n//- /.ssh/id\nSECRET\n//- /plain\nSECRET plain\n") {
        fs::hard_link(files.path(".env"), files.path("notes.txt")).unwrap();
        fs::hard_link(files.path(".ssh/id"), files.path("other.txt")).unwrap();
        fs::hard_link(files.path("plain"), files.path("plain2")).unwrap();
        for path in ["notes.txt", "other.txt"] {
            let text = files.text("read_file", json!({"path": path}));
            assert!(text.starts_with("error (sensitive)") && !text.contains("SECRET"), "{path}: {text}");
        }
        let text = files.text("search_files", json!({"pattern": "SECRET", "output_mode": "files_only"}));
        assert!(text.starts_with("plain\nplain2\n\n"), "{text}");
        // A link that is made later is noticed at once.
        fs::hard_link(files.path(".env"), files.path("late.txt")).unwrap();
        assert_eq!(files.code("read_file", json!({"path": "late.txt"})), "sensitive");
    }
}

#[test]
fn an_operator_opens_single_entries_and_outside_places() {
    let dir = tempfile::tempdir().unwrap();
    let shared = dir.path().canonicalize().unwrap();
    fs::write(shared.join("f"), "shared\n").unwrap();
    let place = shared.to_str().unwrap();
    let config = json!({
        "tools": {"allow_read_paths": [place]},
        "fs_tools": {"policy": {"open": [".env.test"]}},
    });
    let files = Fixture::with("//- /.env.test\nA=1\n//- /.env\nB=2\n", &config.to_string());
    assert!(files.ok("read_file", json!({"path": ".env.test"})).contains("A=1"));
    assert_eq!(files.code("read_file", json!({"path": ".env"})), "sensitive");
    let inside = format!("{place}/f");
    assert!(files.ok("read_file", json!({"path": inside})).contains("shared"));
    assert!(files.ok("search_files", json!({"pattern": "shared", "path": place})).contains("f:1: shared"));
    assert_eq!(files.code("write_file", json!({"path": inside, "content": "x"})), "outside_workspace");
}

#[test]
fn outside_reads_leave_writes_inside() {
    let config = r#"{"agents": {"defaults": {"allow_read_outside_workspace": true}}}"#;
    let files = Fixture::with("", config);
    fs::write(files.outside("f"), "outside\n").unwrap();
    let path = files.outside("f").to_str().unwrap().to_owned();
    assert!(files.ok("read_file", json!({"path": path})).contains("outside"));
    assert_eq!(files.code("append_file", json!({"path": path, "content": "x"})), "outside_workspace");
    for path in ["/proc/self/environ", "/dev/zero", "/etc/shadow"] {
        assert!(files.call("read_file", json!({"path": path})).is_error, "{path}");
    }
}

#[test]
fn without_restriction_relative_paths_start_at_the_working_directory() {
    let files = Fixture::open("", |root| {
        let config = Config { restrict_to_workspace: false, ..Config::default() };
        let mut options = Options::new(&root, config);
        options.working_dir = root.parent().unwrap().to_owned();
        options
    });
    let text = files.ok("write_file", json!({"path": "beside.txt", "content": "x"}));
    assert!(text.contains("beside.txt") && files.outside("beside.txt").exists(), "{text}");
    assert_eq!(files.code("write_file", json!({"path": ".ssh/config", "content": "x"})), "protected");
}

struct Says(Answer);

impl Confirm for Says {
    fn ask(&self, question: &Question) -> Answer {
        assert_eq!((question.path.as_str(), question.code.as_str()), (".git/config", "run_later"));
        self.0
    }
}

#[test]
fn a_confirmation_holds_for_one_file_and_one_run() {
    let files = Fixture::new("//- /.git/config\n[core]\n//- /.git/hooks/pre-push\nx\n");
    let edit = |old: &str, new: &str, says: Answer| {
        let confirm = Says(says);
        let call = Call { confirm: &confirm, ..Call::plain() };
        files.tools.call(
            "edit_file",
            &json!({"path": ".git/config", "old_text": old, "new_text": new}),
            &call,
        )
    };
    assert_eq!(edit("core", "a", Answer::Nobody).error.unwrap().code(), "confirmation_needed");
    assert_eq!(edit("core", "a", Answer::No).error.unwrap().code(), "declined");
    assert!(!edit("core", "a", Answer::Yes).is_error);
    // The file has another inode now, and is still the confirmed one.
    assert!(!edit("a", "b", Answer::Nobody).is_error);
    assert_eq!(files.read(".git/config"), "[b]\n");
    let other = json!({"path": ".git/hooks/pre-push", "old_text": "x", "new_text": "y"});
    assert_eq!(files.code("edit_file", other), "confirmation_needed");
}

#[test]
fn a_workspace_that_cannot_be_used_is_an_error() {
    let missing = Workspace::open(Options::new("/nonexistent/place", Config::default()));
    assert_eq!(missing.err().map(|error| error.code()), Some("workspace_unavailable"));
    let dir = tempfile::tempdir().unwrap();
    let config = Config { allow_read_paths: vec!["(".into()], ..Config::default() };
    let bad = Workspace::open(Options::new(dir.path(), config));
    assert_eq!(bad.err().map(|error| error.code()), Some("bad_pattern"));
}

#[test]
fn names_that_are_not_utf_8_are_shown_escaped_and_usable_as_shown() {
    use std::os::unix::ffi::OsStrExt as _;
    let files = Fixture::new("");
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9\nx.txt");
    fs::write(files.path("").join(name), "needle\n").unwrap();
    let listed = files.ok("list_dir", json!({"path": "."}));
    let shown = listed.trim_end().strip_prefix("FILE: ").unwrap().split(" (").next().unwrap().to_owned();
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert!(files.ok("read_file", json!({"path": shown})).contains("needle"));
    assert!(
        files.ok("search_files", json!({"pattern": "needle"})).starts_with(&format!("{shown}:1: needle"))
    );
}

#[test]
fn tool_sets_are_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<ToolSet>();
}
