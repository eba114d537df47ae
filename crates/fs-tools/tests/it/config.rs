//! The configuration document and the environment.

use fs_tools::{Config, Durability, Options, PathResolution, ReadMode, RunLater, ToolSet, Workspace};

#[track_caller]
fn load(text: &str) -> Config {
    let loaded = Config::load(text, &|_| None).unwrap();
    assert_eq!(loaded.warnings, [] as [String; 0]);
    loaded.config
}

#[track_caller]
fn check_error(text: &str, expected: &str) {
    assert_eq!(Config::load(text, &|_| None).unwrap_err().to_string(), expected);
}

#[track_caller]
fn check_warning(text: &str, expected: &str) {
    assert_eq!(Config::load(text, &|_| None).unwrap().warnings, [expected]);
}

#[test]
fn nothing_is_the_documented_default() {
    assert_eq!(load(""), Config::default());
    assert_eq!(load("{}"), Config::default());
    let config = Config::default();
    assert!(config.restrict_to_workspace && !config.allow_read_outside_workspace);
    assert_eq!((config.read_file.mode, config.read_file.max_bytes), (ReadMode::Bytes, 65_536));
    assert_eq!((config.read_file.max_lines, config.read_file.max_line_chars), (2_000, 2_000));
    assert_eq!(config.max_inline_result_chars, 16_384);
}

#[test]
fn every_key_is_read() {
    let config = load(
        r#"{
        "agents": {"defaults": {"workspace": "/w", "restrict_to_workspace": false, "allow_read_outside_workspace": true,
            "model": "somebody else's"}},
        "channels": {"anything": 1},
        "tools": {"allow_read_paths": ["/a"], "allow_write_paths": ["/b"], "max_inline_result_chars": 7,
            "filter_sensitive_data": false, "filter_min_length": 3, "web": {"x": 1},
            "read_file": {"enabled": false, "mode": " Lines ", "max_read_file_size": 1, "max_lines": 2, "max_line_length": 3},
            "write_file": {"enabled": false}, "edit_file": {"enabled": false}, "append_file": {"enabled": false},
            "list_dir": {"enabled": false}, "search_files": {"enabled": false, "match_masked": true}, "file_history": {"enabled": true}},
        "fs_tools": {"durability": "none", "secrets": ["s3cret"], "history": {"enabled": false},
            "search": {"index": false, "freshness": "strict", "index_max_bytes": 5, "index_large": true, "index_min_files": 6},
            "policy": {"open": [".env.test"], "protect": ["vault/"], "append_to_hard_links": true,
                "path_resolution": "walk", "run_later": {"git_dir": "allow"}}}
    }"#,
    );
    let expected = Config {
        workspace: Some("/w".into()),
        restrict_to_workspace: false,
        allow_read_outside_workspace: true,
        allow_read_paths: vec!["/a".into()],
        allow_write_paths: vec!["/b".into()],
        max_inline_result_chars: 7,
        secrets: vec!["s3cret".into()],
        filter_sensitive_data: false,
        enabled: fs_tools::Switches {
            read_file: false,
            write_file: false,
            edit_file: false,
            append_file: false,
            list_dir: false,
            search_files: false,
            file_history: true,
        },
        read_file: fs_tools::ReadFileConfig {
            mode: ReadMode::Lines,
            max_bytes: 1,
            max_lines: 2,
            max_line_chars: 3,
        },
        match_masked: true,
        open_sensitive: vec![".env.test".into()],
        protect: vec!["vault/".into()],
        run_later: vec![("git_dir".into(), RunLater::Allow)],
        append_to_hard_links: true,
        path_resolution: PathResolution::Walk,
        durability: Durability::None,
        history: false,
        search: fs_tools::SearchConfig {
            index: false,
            freshness: fs_tools::Freshness::Strict,
            index_max_bytes: 5,
            index_large: true,
            index_min_files: 6,
        },
    };
    assert_eq!(config, expected);
}

#[test]
fn mistakes_are_named_with_their_place() {
    check_error(
        "{\"a\":\n  nope}",
        "the configuration is not valid JSON at line 2, column 4: expected ident",
    );
    check_error("[]", "the configuration key `(document)` must be an object, not an array");
    check_error(
        r#"{"tools": {"read_file": {"max_lines": "many"}}}"#,
        "the configuration key `tools.read_file.max_lines` must be a whole number, not a string",
    );
    check_error(
        r#"{"fs_tools": {"search": {"freshness": "some"}}}"#,
        "the configuration key `fs_tools.search.freshness` must be one of `strict`, `watch`, `off`, not a string",
    );
    check_error(
        r#"{"fs_tools": {"durability": "some"}}"#,
        "the configuration key `fs_tools.durability` must be one of `full`, `data`, `none`, not a string",
    );
    check_warning(
        r#"{"tools": {"read_file": {"max_line": 5}}}"#,
        "the configuration key `tools.read_file.max_line` is not known and has no effect; did you mean \
         `tools.read_file.max_line_length`?",
    );
    check_warning(
        r#"{"fs_tools": {"durabilty": "full"}}"#,
        "the configuration key `fs_tools.durabilty` is not known and has no effect; did you mean `fs_tools.durability`?",
    );
    check_warning(
        r#"{"tools": {"read_file": {"mode": "words"}}}"#,
        "tools.read_file.mode is `words`, which is neither `bytes` nor `lines`: using `bytes`",
    );
}

#[test]
fn the_environment_beats_the_file_and_our_prefix_beats_the_other() {
    let environment = |pairs: &'static [(&str, &str)]| {
        move |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    };
    let enabled = |text: &str, pairs| Config::load(text, &environment(pairs)).unwrap().config.enabled;
    assert!(!enabled("", &[("PICOCLAW_TOOLS_SEARCH_FILES_ENABLED", "false")]).search_files);
    let off = r#"{"tools": {"edit_file": {"enabled": false}}}"#;
    assert!(enabled(off, &[("PICOCLAW_TOOLS_EDIT_FILE_ENABLED", "1")]).edit_file);
    let both = &[("PICOCLAW_TOOLS_LIST_DIR_ENABLED", "true"), ("FS_TOOLS_LIST_DIR_ENABLED", "false")];
    assert!(!enabled("", both).list_dir);
    let read = &[("PICOCLAW_TOOLS_READ_FILE_ENABLED", "false"), ("FS_TOOLS_READ_FILE_ENABLED", "false")];
    assert!(enabled("", read).read_file);
    let odd = Config::load("", &environment(&[("FS_TOOLS_WRITE_FILE_ENABLED", "perhaps")])).unwrap();
    assert!(odd.config.enabled.write_file);
    assert!(odd.warnings[0].contains("FS_TOOLS_WRITE_FILE_ENABLED is `perhaps`"));
}

#[test]
fn a_tool_that_is_off_is_gone_and_says_so_when_called() {
    let dir = tempfile::tempdir().unwrap();
    let config = load(r#"{"tools": {"search_files": {"enabled": false}}}"#);
    let tools = ToolSet::classic(Workspace::open(Options::new(dir.path(), config)).unwrap());
    assert!(tools.specs().all(|spec| spec.name != "search_files"));
    let reply = tools.call("search_files", &serde_json::json!({"pattern": "x"}), &fs_tools::Call::plain());
    assert_eq!(reply.error.unwrap().code(), "tool_disabled");
}
