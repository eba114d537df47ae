//! Properties of `fs-tools`.

use std::sync::OnceLock;

use fs_tools::file_history::OnConflict;
use fs_tools::{Call, Config, Options, Origin, Scope, ToolSet, Undo, Workspace};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The fuzz targets of this crate, by the name of their file.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[("fs_tools_history", history)];

/// Longest answer in bytes: a bounded list or as many bounded diffs as paths may be asked for.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A workspace with a few recorded changes, which no property changes.
struct Scene {
    _dir: TempDir,
    tools: ToolSet,
}

// The redactor, the rules and the store are made for sharing between threads, and so is the scene.
fn scene() -> &'static Scene {
    static SCENE: OnceLock<Scene> = OnceLock::new();
    SCENE.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("ws");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(root.join("src/a"), "one\n").unwrap();
        std::fs::write(dir.path().join("outside"), "a secret of somebody else\n").unwrap();
        let document = r#"{"tools": {"file_history": {"enabled": true}}}"#;
        let mut options = Options::new(&root, Config::load(document, &|_| None).unwrap().config);
        options.state_dir = Some(dir.path().join("state"));
        let tools = ToolSet::classic(Workspace::open(options).unwrap());
        let call = Call { origin: Origin { task: "t1", goal: "goal", run: "run" }, ..Call::plain() };
        for (tool, args) in [
            ("edit_file", json!({"path": "src/a", "old_text": "one", "new_text": "two"})),
            ("append_file", json!({"path": "src/a", "content": "three\n"})),
            ("write_file", json!({"path": "gone", "content": "x"})),
        ] {
            assert!(!tools.call(tool, &args, &call).is_error);
        }
        std::fs::remove_file(root.join("gone")).unwrap();
        Scene { _dir: dir, tools }
    })
}

/// Asks the tool `file_history`, and for the forecast of a restore and an undo, with any arguments.
///
/// # Panics
///
/// Panics when a call hits a defect, a failure has no next step, the same call twice has two answers, an answer is longer
/// than it may be, or content from outside the workspace is in it.
pub fn history(data: &[u8]) {
    let Scene { tools, .. } = scene();
    let text = String::from_utf8_lossy(data);
    let args = serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.into_owned()));
    for task in ["", "t1"] {
        let call = Call { origin: Origin { task, goal: "", run: "" }, ..Call::plain() };
        let reply = tools.call("file_history", &args, &call);
        assert_eq!(reply, tools.call("file_history", &args, &call), "the same call has the same answer");
        assert!(reply.for_model.len() <= MAX_ANSWER_BYTES);
        assert!(!reply.for_model.contains("a secret of somebody else"));
        if let Some(error) = &reply.error {
            assert_ne!(error.code(), "internal", "{error}");
            assert!(error.next_step().is_some_and(|step| !step.is_empty()), "no next step: {error}");
        }
        forecasts(tools, &args, &call);
    }
}

/// What restoring a version and undoing a task would do, with arguments out of the same object.
fn forecasts(tools: &ToolSet, args: &Value, call: &Call<'_>) {
    let version = args.get("version").and_then(Value::as_u64).unwrap_or(u64::MAX);
    let task = args.get("task").and_then(Value::as_str).unwrap_or("current");
    let paths: Vec<&str> = args
        .get("paths")
        .and_then(Value::as_array)
        .map_or_else(Vec::new, |paths| paths.iter().filter_map(Value::as_str).collect());
    for on_conflict in [OnConflict::Refuse, OnConflict::Skip, OnConflict::Force] {
        for undo in [
            Undo::Version(version),
            Undo::Task { task, paths: &paths, on_conflict },
            Undo::Resume { set: version, on_conflict },
            Undo::Rollback { set: version, on_conflict },
        ] {
            for scope in [Scope::Workspace, Scope::Outside] {
                if let Err(error) = tools.workspace().forecast(&undo, scope, call) {
                    assert_ne!(error.code(), "internal", "{error}");
                    assert!(error.next_step().is_some(), "no next step: {error}");
                }
            }
        }
    }
    let _ = tools.workspace().change_text(version, Scope::Workspace);
}
