//! The configuration document and the environment.

use fs_tools::{Config, Durability, Options, PathResolution, ReadMode, RunLater, Source, ToolSet, Workspace};

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

/// Every key that there is, with a value that is not the default.
const EVERY_KEY: &str = r#"{
        "agents": {"defaults": {"workspace": "/w", "restrict_to_workspace": false, "allow_read_outside_workspace": true,
            "model": "somebody else's"}},
        "channels": {"anything": 1},
        "tools": {"allow_read_paths": ["/a"], "allow_write_paths": ["/b"], "max_inline_result_chars": 7,
            "filter_sensitive_data": false, "filter_min_length": 3, "web": {"x": 1},
            "read_file": {"enabled": false, "mode": " Lines ", "max_read_file_size": 1, "max_lines": 2, "max_line_length": 3},
            "write_file": {"enabled": false}, "edit_file": {"enabled": false}, "append_file": {"enabled": false},
            "list_dir": {"enabled": false}, "search_files": {"enabled": false, "match_masked": true}, "file_history": {"enabled": true},
            "find_files": {"enabled": false}, "read_files": {"enabled": false}, "open_file": {"enabled": false}},
        "fs_tools": {"durability": "none", "output_dir": "~/out", "strict_mtime": true, "open_wait_ms": 500, "secrets": ["s3cret"],
            "history": {"enabled": false, "sensitive": "encrypt", "key_file": "/k", "max_mib": 5, "min_free_mib": 6},
            "search": {"index": false, "freshness": "strict", "index_max_bytes": 5, "index_large": true, "index_min_files": 6},
            "transcribe": {"url": "https://host/v1", "api_key_env": "KEY", "model": "m", "language": "de", "max_bytes": 7, "max_answer_bytes": 8, "timeout_s": 9},
            "policy": {"open": [".env.test"], "protect": ["vault/"], "append_to_hard_links": true,
                "path_resolution": "walk", "run_later": {"git_dir": "allow"}}}
    }"#;

#[test]
fn every_key_is_read() {
    let config = load(EVERY_KEY);
    let expected = Config {
        workspace: Some("/w".into()),
        restrict_to_workspace: false,
        allow_read_outside_workspace: true,
        allow_read_paths: vec!["/a".into()],
        allow_write_paths: vec!["/b".into()],
        max_inline_result_chars: 7,
        max_inline_is_set: true,
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
        batch: fs_tools::BatchSwitches {
            find_files: false,
            read_files: false,
            file_history: true,
            open_file: false,
        },
        output_dir: Some("~/out".into()),
        open_wait_millis: 500,
        strict_mtime: true,
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
        keep_sensitive: fs_tools::KeepSensitive::Encrypt,
        history_key_file: Some("/k".into()),
        history_max_mib: Some(5),
        history_min_free_mib: Some(6),
        transcribe: fs_tools::TranscribeConfig {
            via: Some(fs_tools::TranscribeVia::Url("https://host/v1".into())),
            api_key_env: Some("KEY".into()),
            model: "m".into(),
            language: Some("de".into()),
            max_bytes: 7,
            max_answer_bytes: 8,
            timeout_s: 9,
        },
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
        "the configuration key `tools.read_file.max_lines` at line 1, column 26 must be a whole number, not a string",
    );
    check_error(
        r#"{"fs_tools": {"search": {"freshness": "some"}}}"#,
        "the configuration key `fs_tools.search.freshness` at line 1, column 26 must be one of `strict`, `watch`, `off`, not a string",
    );
    check_error(
        r#"{"fs_tools": {"durability": "some"}}"#,
        "the configuration key `fs_tools.durability` at line 1, column 15 must be one of `full`, `data`, `none`, not a string",
    );
    check_warning(
        r#"{"tools": {"read_file": {"max_line": 5}}}"#,
        "the configuration key `tools.read_file.max_line` at line 1, column 26 is not known and has no effect; did you mean \
         `tools.read_file.max_line_length`?",
    );
    check_warning(
        r#"{"fs_tools": {"durabilty": "full"}}"#,
        "the configuration key `fs_tools.durabilty` at line 1, column 15 is not known and has no effect; did you mean `fs_tools.durability`?",
    );
    check_warning(
        r#"{"tools": {"read_file": {"mode": "words"}}}"#,
        "the configuration key `tools.read_file.mode` at line 1, column 26 is `words`, which is neither `bytes` nor `lines`: \
         using `bytes`",
    );
    check_warning(
        r#"{"tools": {"read_file": {"mode": "line"}}}"#,
        "the configuration key `tools.read_file.mode` at line 1, column 26 is `line`, which is neither `bytes` nor `lines`: \
         using `bytes`; did you mean `lines`?",
    );
    check_error(
        "{\n",
        "the configuration is not valid JSON at line 2, column 1: EOF while parsing an object",
    );
}

#[test]
fn slips_in_shared_sections_are_warned_of_and_other_peoples_keys_are_not() {
    check_warning(
        "{\n  \"fs-tools\": {}\n}",
        "the configuration key `fs-tools` at line 2, column 3 is not known and has no effect; did you mean `fs_tools`?",
    );
    check_warning(
        r#"{"tools": {"allow_read_path": ["/a"]}}"#,
        "the configuration key `tools.allow_read_path` at line 1, column 12 is not known and has no effect; did you \
         mean `tools.allow_read_paths`?",
    );
    check_warning(
        r#"{"agents": {"defaults": {"restrict_to_workspce": false}}}"#,
        "the configuration key `agents.defaults.restrict_to_workspce` at line 1, column 26 is not known and has no \
         effect; did you mean `agents.defaults.restrict_to_workspace`?",
    );
    let _ = load(
        r#"{"version": 2, "agents": {"defaults": {"model": "x", "max_tokens": 1}, "list": []}, "gateway": {},
            "tools": {"web": {}, "exec": {}, "cron": {}, "mcp": {}, "skills": {}, "send_file": {}, "load_image": {},
            "media_cleanup": {}, "filter_min_length": 8, "spawn": {}}}"#,
    );
}

#[test]
fn every_value_says_where_it_comes_from() {
    let text = "{\"tools\": {\n  \"max_inline_result_chars\": 500,\n  \"read_file\": {\"max_lines\": 0},\n  \
                \"list_dir\": {\"enabled\": true}},\n \"fs_tools\": {\"secrets\": [\"a value of ours\"]}}";
    let environment = |name: &str| (name == "FS_TOOLS_LIST_DIR_ENABLED").then(|| "false".to_owned());
    let settings = Config::load(text, &environment).unwrap().settings();
    let of = |key: &str| {
        let setting = settings.iter().find(|setting| setting.key == key).unwrap();
        (setting.value.to_string(), setting.source.clone())
    };
    assert_eq!(of("tools.max_inline_result_chars"), ("500".into(), Source::File { line: 2, column: 3 }));
    // Not positive: the default holds.
    assert_eq!(of("tools.read_file.max_lines"), ("2000".into(), Source::Default));
    let by_variable = Source::Environment { name: "FS_TOOLS_LIST_DIR_ENABLED".into() };
    assert_eq!(of("tools.list_dir.enabled"), ("false".into(), by_variable));
    assert_eq!(of("tools.edit_file.enabled"), ("true".into(), Source::Default));
    assert_eq!(of("fs_tools.secrets"), ("[\"[FILTERED]\"]".into(), Source::File { line: 5, column: 15 }));
    assert!(settings.iter().all(|setting| !setting.value.to_string().contains("ours")));
}

#[test]
fn every_key_that_is_read_is_shown() {
    /// The keys of all values, joined by dots; a section that is a value of its own has no keys.
    fn keys(place: &str, value: &serde_json::Value, out: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(map) if !place.ends_with(".run_later") => {
                for (key, value) in map {
                    keys(format!("{place}.{key}").trim_start_matches('.'), value, out);
                }
            }
            _ => out.push(place.to_owned()),
        }
    }
    let mut given = Vec::new();
    keys("", &serde_json::from_str(EVERY_KEY).unwrap(), &mut given);
    // Somebody else's.
    let foreign = ["agents.defaults.model", "channels.anything", "tools.filter_min_length", "tools.web.x"];
    given.retain(|key| !foreign.contains(&key.as_str()));
    given.sort();
    let loaded = Config::load(EVERY_KEY, &|_| None).unwrap();
    let settings = loaded.settings();
    let mut shown: Vec<&str> = settings.iter().map(|setting| setting.key).collect();
    shown.sort_unstable();
    assert_eq!(shown, given);
    for setting in settings {
        assert!(matches!(setting.source, Source::File { .. }), "{setting:?}");
    }
}

#[test]
fn the_effective_settings_are_a_document_again() {
    let text = r#"{"agents": {"defaults": {"workspace": "/w", "allow_read_outside_workspace": true}},
        "tools": {"allow_read_paths": ["/a"], "read_file": {"mode": "lines", "max_lines": 7}, "edit_file": {"enabled": false}},
        "fs_tools": {"durability": "data", "policy": {"open": [".env.test"], "run_later": {"git_dir": "deny"}}}}"#;
    let first = Config::load(text, &|_| None).unwrap();
    let mut document = serde_json::json!({});
    for setting in first.settings() {
        let mut place = &mut document;
        for part in setting.key.split('.') {
            place = &mut place[part];
        }
        *place = setting.value;
    }
    let again = Config::load(&document.to_string(), &|_| None).unwrap();
    assert_eq!(again.warnings, [] as [String; 0]);
    let values = |loaded: &fs_tools::Loaded| {
        loaded.settings().into_iter().map(|setting| (setting.key, setting.value)).collect::<Vec<_>>()
    };
    assert_eq!(values(&again), values(&first));
}

#[test]
fn a_key_with_two_slashes_is_a_remark() {
    let remarks = r#"{"//": "x", "tools": {"read_file": {"// mode": "y"}}, "fs_tools": {"// secrets": "a secret is", "policy": {"//": 1}}}"#;
    assert_eq!(load(remarks), Config::default());
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
