//! `fs-tools config init`: each snippet in the format of its client, and the server that it starts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use yaml_rust2::YamlLoader;

use crate::client::{Session, run, run_inside, text};

/// Every client, and how to find the words of the command line in what its configuration says.
const CLIENTS: [(&str, Read); 9] = [
    ("claude-code", |text| typed(&json_of(text)["mcpServers"]["fs"])),
    ("claude-desktop", |text| plain(&json_of(text)["mcpServers"]["fs"])),
    ("codex", codex),
    ("cursor", |text| plain(&json_of(text)["mcpServers"]["fs"])),
    ("vscode", |text| typed(&json_of(text)["servers"]["fs"])),
    ("gemini-cli", |text| plain(&json_of(text)["mcpServers"]["fs"])),
    ("goose", goose),
    ("zed", |text| plain(&json_of(text)["context_servers"]["fs"])),
    ("opencode", opencode),
];

type Read = fn(&str) -> Vec<String>;

fn json_of(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(value.as_object().unwrap().len(), 1, "one key that belongs to others as well: {text}");
    value
}

fn words(program: &Value, args: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    [program].into_iter().chain(args.as_array().unwrap()).map(word).collect()
}

fn plain(server: &Value) -> Vec<String> {
    assert_eq!(server.as_object().unwrap().len(), 2, "{server}");
    words(&server["command"], &server["args"])
}

fn typed(server: &Value) -> Vec<String> {
    assert_eq!((server.as_object().unwrap().len(), &server["type"]), (3, &json!("stdio")), "{server}");
    words(&server["command"], &server["args"])
}

fn opencode(text: &str) -> Vec<String> {
    let server = json_of(text)["mcp"]["fs"].clone();
    assert_eq!((&server["type"], &server["enabled"]), (&json!("local"), &json!(true)), "{server}");
    words(&server["command"][0], &server["command"].as_array().unwrap()[1..].into())
}

fn codex(text: &str) -> Vec<String> {
    let table: toml::Table = toml::from_str(text).unwrap();
    let server = table["mcp_servers"]["fs"].as_table().unwrap();
    assert_eq!(server.len(), 2, "{text}");
    let args = server["args"].as_array().unwrap();
    [&server["command"]].into_iter().chain(args).map(|word| word.as_str().unwrap().to_owned()).collect()
}

fn goose(text: &str) -> Vec<String> {
    let document = YamlLoader::load_from_str(text).unwrap().remove(0);
    let server = &document["extensions"]["fs"];
    assert_eq!((server["type"].as_str(), server["enabled"].as_bool()), (Some("stdio"), Some(true)), "{text}");
    assert_eq!((server["name"].as_str(), server["timeout"].as_i64()), (Some("fs"), Some(300)), "{text}");
    let args = server["args"].as_vec().unwrap();
    [&server["cmd"]].into_iter().chain(args).map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// A home directory, and a workspace in it with a name that every format has to quote.
fn place(name: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join(name);
    fs::create_dir(&root).unwrap();
    fs::write(root.join("seen.txt"), "x\n").unwrap();
    (dir, root)
}

const AWKWARD: &str = r#"it's a "dir" \n é # 'x': {y}, [z]"#;

/// The words that a client would start the server with.
#[track_caller]
fn launch(root: &Path, client: &str, read: Read) -> Vec<String> {
    let output = run(root, &["config", "init", "--client", client]);
    assert!(output.status.success(), "{client}: {output:?}");
    read(&String::from_utf8(output.stdout).unwrap())
}

#[test]
fn each_snippet_has_the_command_and_its_arguments_unharmed() {
    let (_dir, root) = place(AWKWARD);
    let expected = [env!("CARGO_BIN_EXE_fs-tools"), "--workspace", root.to_str().unwrap(), "mcp"];
    for (client, read) in CLIENTS {
        assert_eq!(launch(&root, client, read), expected, "{client}");
    }
}

#[test]
fn each_snippet_starts_a_server_that_lists_its_tools() {
    let (dir, root) = place(AWKWARD);
    for (client, read) in CLIENTS {
        let words = launch(&root, client, read);
        let mut command = Command::new(&words[0]);
        // A client starts it anywhere, and often without most of the environment.
        command.args(&words[1..]).env_clear().env("HOME", dir.path()).current_dir("/");
        let mut session = Session::spawn(&mut command).shake_hands();
        let answer = session.request("tools/list", json!({}));
        assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 6, "{client}: {answer}");
        let listed = session.call("list_dir", json!({"path": "."}));
        assert!(text(&listed).contains("seen.txt"), "{client}: {listed}");
        assert!(session.close().0, "{client}");
    }
}

#[test]
fn the_command_of_a_client_passes_the_same_words_through_a_shell() {
    let (_dir, root) = place(AWKWARD);
    let mut with_command = Vec::new();
    for (client, read) in CLIENTS {
        let output = run(&root, &["--json", "config", "init", "--client", client]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(read(report["snippet"].as_str().unwrap()), launch(&root, client, read), "{client}");
        assert_eq!(words(&report["command"], &report["args"]), launch(&root, client, read), "{client}");
        let Some(add) = report["add_command"].as_str() else { continue };
        with_command.push(client);
        let program = add.split(' ').next().unwrap();
        let script = format!("{program}() {{ printf '%s\\0' \"$@\"; }}\n{add}\n");
        let output = Command::new("sh").arg("-c").arg(script).stdin(Stdio::null()).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        let passed: Vec<&str> = shown.split_terminator('\0').collect();
        assert_eq!(&passed[..4], ["mcp", "add", "fs", "--"], "{client}");
        assert_eq!(passed[4..], launch(&root, client, read), "{client}");
    }
    assert_eq!(with_command, ["claude-code", "codex"]);
}

#[test]
fn what_the_command_line_says_becomes_part_of_the_command() {
    let (dir, root) = place("ws");
    fs::write(dir.path().join("c.json"), "{}").unwrap();
    fs::create_dir(root.join("below")).unwrap();
    let flags = ["--workspace", "below", "--config", "../c.json", "--toolset", "batch"];
    let args = [&flags[..], &["config", "init", "--client", "zed"]].concat();
    let output = run_inside(&root, &args);
    let words = plain(&json_of(std::str::from_utf8(&output.stdout).unwrap())["context_servers"]["fs"]);
    let config = root.join("../c.json");
    let below = root.join("below");
    let expected = [
        "--workspace",
        below.to_str().unwrap(),
        "--config",
        config.to_str().unwrap(),
        "--toolset",
        "batch",
        "mcp",
    ];
    assert_eq!(words[1..], expected, "{output:?}");
}

#[test]
fn a_path_that_a_client_would_read_as_something_else_is_refused() {
    let mut refused = BTreeMap::new();
    for name in ["a ${b}", "a $b", "a {env:b}", "a\nb", "a\u{7f}b"] {
        let (_dir, root) = place(name);
        for (client, _) in CLIENTS {
            let output = run(&root, &["--json", "config", "init", "--client", client]);
            if output.status.success() {
                continue;
            }
            let error: Value = serde_json::from_slice(&output.stderr).unwrap();
            assert_eq!((output.status.code(), &error["error"]["code"]), (Some(2), &json!("unusable_path")));
            refused.entry(name).or_insert_with(Vec::new).push(client);
        }
    }
    assert_eq!(refused["a ${b}"], ["claude-code", "cursor", "vscode", "gemini-cli"]);
    assert_eq!(refused["a $b"], ["gemini-cli"]);
    assert_eq!(refused["a {env:b}"], ["opencode"]);
    assert_eq!((refused["a\nb"].len(), refused["a\u{7f}b"].len()), (CLIENTS.len(), CLIENTS.len()));
}

#[test]
fn a_whole_home_directory_is_not_set_up_unasked() {
    let (dir, root) = place("ws");
    let init = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fs-tools"));
        let command = command.env_clear().env("HOME", dir.path()).current_dir(dir.path());
        command.args(args).args(["config", "init", "--client", "zed"]).output().unwrap()
    };
    let output = init(&[]);
    assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--workspace DIR"));
    assert!(init(&["--workspace", root.to_str().unwrap()]).status.success());
}

#[test]
fn the_help_names_every_client() {
    let (_dir, root) = place("ws");
    let help = String::from_utf8(run(&root, &["config", "init", "--help"]).stdout).unwrap();
    let output = run_inside(&root, &["config", "init", "--markdown"]);
    let document = String::from_utf8(output.stdout).unwrap();
    for (client, _) in CLIENTS {
        assert!(help.contains(client) && document.contains(&format!("--client {client}`")), "{client}");
    }
    assert_eq!(document.matches("### ").count(), CLIENTS.len());
}

#[test]
fn a_configuration_to_start_from_is_read_back_without_a_warning() {
    let (dir, root) = place("ws");
    let start = run_inside(&root, &["config", "init"]);
    assert!(String::from_utf8_lossy(&start.stderr).contains(".config/fs-tools/config.json"), "{start:?}");
    let config = dir.path().join("c.json");
    fs::write(&config, &start.stdout).unwrap();
    let output =
        run(&root, &["--config", config.to_str().unwrap(), "call", "read_file", r#"{"path": "seen.txt"}"#]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
