//! `fs-tools doctor`: what it finds, and that it says what to do.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::client::{fs_tools, run};

struct Place {
    _dir: tempfile::TempDir,
    home: PathBuf,
    root: PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    let root = home.join("ws");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("f"), "old\n").unwrap();
    Place { _dir: dir, home, root }
}

fn change(root: &Path) {
    let args = r#"{"path": "f", "content": "new\n", "overwrite": true}"#;
    assert!(run(root, &["call", "write_file", args]).status.success());
}

#[track_caller]
fn checks(output: &Output) -> Vec<(String, String, String, String)> {
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |check: &Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
    let checks = report["checks"].as_array().unwrap().iter();
    checks
        .map(|row| (text(row, "name"), text(row, "status"), text(row, "summary"), text(row, "fix")))
        .collect()
}

/// The status, summary and next step of one check.
#[track_caller]
fn check(output: &Output, name: &str) -> (String, String, String) {
    let found = checks(output).into_iter().find(|row| row.0 == name);
    let (_, status, summary, fix) = found.unwrap_or_else(|| panic!("no check {name}: {output:?}"));
    (status, summary, fix)
}

#[test]
fn a_sound_installation_has_every_check() {
    let place = place();
    change(&place.root);
    let output = run(&place.root, &["--json", "doctor", "--deep"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let names: Vec<String> = checks(&output).into_iter().map(|row| row.0).collect();
    assert_eq!(
        names,
        [
            "version",
            "system",
            "threads",
            "open_files",
            "file_size",
            "inotify",
            "configuration",
            "workspace",
            "file_system",
            "path_resolution",
            "kernel_lock",
            "tools",
            "search_index",
            "state_directory",
            "sensitive_files",
            "history",
            "history_outside",
            "server"
        ]
    );
    assert_eq!(check(&output, "version").1, env!("CARGO_PKG_VERSION"));
    let (status, summary, _) = check(&output, "history");
    assert!(
        status == "ok" && summary.starts_with("2 changes, ") && summary.ends_with("all of them read back"),
        "{summary}"
    );
    let (status, summary, _) = check(&output, "server");
    assert!(status == "ok" && summary.contains("6 tools in "), "{summary}");
    for (name, status, summary, fix) in checks(&output) {
        assert_eq!(status == "ok", fix.is_empty(), "{name}: {status}: {summary}: {fix}");
    }
    let human = String::from_utf8(run(&place.root, &["doctor"]).stdout).unwrap();
    assert_eq!(human.lines().filter(|line| !line.starts_with(' ')).count(), names.len(), "{human}");
}

#[test]
fn what_others_could_do_is_found() {
    let place = place();
    change(&place.root);
    let state = place.home.join(".local/state/fs-tools");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).unwrap();
    let config = place.home.join("c.json");
    fs::write(&config, "{}").unwrap();
    fs::set_permissions(&config, fs::Permissions::from_mode(0o666)).unwrap();
    let output = run(&place.root, &["--json", "doctor", "--config", config.to_str().unwrap()]);
    let (status, summary, fix) = check(&output, "state_directory");
    assert!(status == "warn" && summary.contains("mode 755"), "{summary}");
    assert_eq!(fix, format!("chmod 700 {}", state.display()));
    let (status, _, fix) = check(&output, "configuration");
    assert_eq!((&status[..], fix), ("warn", format!("chmod go-w {}", config.display())));
    assert_eq!(output.status.code(), Some(0), "a warning is no failure");
}

#[test]
fn a_workspace_that_cannot_be_used_fails_and_the_rest_is_still_checked() {
    let place = place();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fs-tools"));
    command.env_clear().env("HOME", &place.root).current_dir(&place.root).args(["doctor", "--json"]);
    let output = command.output().unwrap();
    let (status, _, fix) = check(&output, "workspace");
    assert!(status == "fail" && fix.contains("--workspace DIR"), "{fix}");
    assert_eq!((output.status.code(), check(&output, "version").0), (Some(1), "ok".into()));
}

#[test]
fn a_history_that_is_off_or_damaged_is_found() {
    let place = place();
    let mut without_home = fs_tools(&place.root);
    let output = without_home.env_remove("HOME").args(["--json", "doctor"]).output().unwrap();
    assert_eq!(check(&output, "state_directory").0, "warn");
    change(&place.root);
    let histories = place.home.join(".local/state/fs-tools/history/v1");
    let mut formats = 0;
    for dir in fs::read_dir(&histories).unwrap() {
        let format = dir.unwrap().path().join("FORMAT");
        if format.exists() {
            fs::write(&format, "file-history 999\n").unwrap();
            formats += 1;
        }
    }
    assert!(formats > 0);
    let output = run(&place.root, &["--json", "doctor"]);
    let (status, summary, fix) = check(&output, "history");
    assert!(
        status == "fail" && summary.starts_with("it cannot be used") && !fix.is_empty(),
        "{summary} {fix}"
    );
    assert_eq!(output.status.code(), Some(1));
}
