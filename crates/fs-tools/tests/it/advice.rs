//! A tool that is switched off is not spoken of.

use serde_json::{Value, json};

use crate::fixture::Fixture;

const TOOLS: [&str; 6] = ["read_file", "write_file", "edit_file", "append_file", "list_dir", "search_files"];

/// Everything on but `off`.
fn without(off: &[&str]) -> String {
    let tools: serde_json::Map<String, Value> =
        off.iter().map(|name| ((*name).to_owned(), json!({"enabled": false}))).collect();
    json!({"tools": tools}).to_string()
}

/// Calls of each tool that are refused or that end in advice.
fn calls() -> Vec<(&'static str, Value)> {
    let long = "a line that is long enough to make a diff too long for a model\n".repeat(300);
    let mut calls = vec![
        ("list_dir", json!({"path": ".", "recursive": true})),
        ("list_dir", json!({"path": "f"})),
        ("list_dir", json!({"path": "d/f/x"})),
        ("search_files", json!({"pattern": "x", "path": "gone"})),
        ("search_files", json!({"pattern": "("})),
        ("search_files", json!({"pattern": "x", "glob": "*.rs"})),
        ("search_files", json!({"pattern": "x", "after": "nonsense"})),
        ("read_file", json!({"path": "spill"})),
        ("write_file", json!({"path": "f", "content": "new"})),
        ("write_file", json!({"path": "f", "content": "new", "append": true})),
        ("write_file", json!({"path": "f", "content": "[FILTERED]", "overwrite": true})),
        ("append_file", json!({"path": "f", "content": "[FILTERED]"})),
        ("append_file", json!({"path": "linked", "content": "x"})),
        ("append_file", json!({"path": "f"})),
        ("edit_file", json!({"path": "f", "old_text": "zzz", "new_text": "x"})),
        ("edit_file", json!({"path": "f", "old_text": "", "new_text": "x"})),
        ("edit_file", json!({"path": "f", "old_text": "o", "new_text": "x"})),
        ("edit_file", json!({"path": "f", "content": "x"})),
        ("edit_file", json!({"path": "f", "patch": "@@\n-zzz\n+x\n"})),
        ("edit_file", json!({"path": "f", "patch": "nonsense"})),
        ("edit_file", json!({"path": "f", "old_text": "old", "new_text": long})),
        ("edit_file", json!({"path": "big", "old_text": "first", "new_text": "1st"})),
    ];
    for path in ["gone", "d", "d/f/x", "d/gone", "", "../x", ".env", "a\u{0}b"] {
        for tool in TOOLS {
            let mut args = json!({"path": path});
            match tool {
                "write_file" => args["content"] = "x".into(),
                "append_file" => args["content"] = "x".into(),
                "edit_file" => args["patch"] = "@@\n-a\n+b\n".into(),
                "search_files" => args["pattern"] = "x".into(),
                _ => {}
            }
            calls.push((tool, args));
        }
    }
    calls
}

#[test]
fn no_answer_names_a_tool_that_is_off() {
    for off in TOOLS
        .map(|name| vec![name])
        .into_iter()
        .chain([vec!["edit_file", "append_file"], vec!["list_dir", "read_file", "search_files"]])
    {
        for (tool, args) in calls() {
            if off.contains(&tool) {
                continue;
            }
            let files = Fixture::with(
                "//- /f\nold\no\no\n//- /d/f\nx\n//- /.env\nKEY=1\n//- /linked\nx\n",
                &without(&off),
            );
            files.write("big", format!("first\n{}", "line\n".repeat(3_000)));
            files.write("spill", "padding\n".repeat(5_000));
            std::fs::hard_link(files.path("linked"), files.outside("other")).unwrap();
            let reply = files.call(tool, args.clone());
            for name in &off {
                assert!(
                    !reply.for_model.contains(name),
                    "{off:?} are off: {tool} {args}:\n{}",
                    reply.for_model
                );
                let shown = reply.for_user.as_deref().unwrap_or_default();
                assert!(!shown.contains(name), "{off:?} are off: {tool} {args}:\n{shown}");
            }
            if let Some(error) = &reply.error {
                assert!(
                    error.next_step().is_some_and(|step| !step.is_empty()),
                    "{off:?}: {tool} {args}: {error}"
                );
            }
        }
    }
}

#[test]
fn no_offer_names_a_tool_that_is_off() {
    for off in TOOLS {
        let files = Fixture::with("", &without(&[off]));
        for spec in files.tools.specs() {
            let offer = spec.to_json().to_string();
            assert!(!offer.contains(off), "{off} is off: {offer}");
        }
        let hint = files.call(off, json!({})).error.unwrap();
        assert_eq!(hint.code(), "tool_disabled");
        let list = hint.next_step().unwrap().strip_prefix("do not try again; available are ").unwrap();
        assert!(TOOLS.iter().filter(|name| **name != off).all(|name| list.contains(name)), "{list}");
        assert!(!list.contains(off), "{list}");
    }
    let none = Fixture::with("", &without(&TOOLS));
    assert_eq!(none.tools.specs().count(), 0);
    let hint = none.call("read_file", json!({})).error.unwrap();
    assert_eq!(hint.next_step(), Some("do not try again; no tool is switched on here"));
}
