//! The offer itself: schemas that every client understands, within a budget of bytes.

use expect_test::expect;
use fs_tools::{Config, Options, ToolSet, Workspace, tools_markdown};
use serde_json::Value;

use crate::fixture::Fixture;

/// Bytes of the part of the tool list that a model sees.
const MODEL_BYTES: usize = 6 * 1024;

#[test]
fn the_list_stays_within_its_budget() {
    for config in ["{}", r#"{"tools": {"read_file": {"mode": "lines"}}}"#] {
        let files = Fixture::with("", config);
        let bytes: usize = sizes(&files).iter().map(|(_, bytes)| bytes).sum();
        assert!(bytes <= MODEL_BYTES, "{bytes} bytes");
    }
}

/// Bytes of each tool that a model sees.
fn sizes(files: &Fixture) -> Vec<(&'static str, usize)> {
    let bytes = |spec: &fs_tools::ToolSpec| {
        spec.name.len() + spec.description.len() + spec.input_schema.to_string().len()
    };
    files.tools.specs().map(|spec| (spec.name, bytes(spec))).collect()
}

/// A change of these numbers is a decision: every byte is in front of the model in every turn.
#[test]
fn the_size_of_each_tool_is_recorded() {
    let show = |files: &Fixture| {
        let lines: Vec<String> = sizes(files).iter().map(|(name, bytes)| format!("{name} {bytes}")).collect();
        lines.join("\n")
    };
    expect![[r#"
        read_file 543
        write_file 654
        edit_file 707
        append_file 446
        list_dir 497
        search_files 1534"#]]
    .assert_eq(&show(&Fixture::new("")));
    let batch = Fixture::batch("");
    expect![[r#"
        find_files 1670
        read_files 1055
        edit_file 1528
        file_history 1098
        open_file 303"#]]
    .assert_eq(&show(&batch));
    for files in [batch, Fixture::batch_recorded("")] {
        assert!(sizes(&files).iter().map(|(_, bytes)| bytes).sum::<usize>() <= MODEL_BYTES);
    }
}

#[test]
fn schemas_are_portable() {
    fn walk(value: &Value) {
        match value {
            Value::Object(map) => {
                for (key, inner) in map {
                    assert!(
                        !["$schema", "format", "$ref", "$defs", "anyOf", "oneOf"].contains(&key.as_str()),
                        "{key}"
                    );
                    assert!(key != "type" || inner.is_string(), "{inner}");
                    walk(inner);
                }
            }
            Value::Array(items) => items.iter().for_each(walk),
            _ => {}
        }
    }
    for (files, batch) in [(Fixture::new(""), false), (Fixture::batch(""), true)] {
        for spec in files.tools.specs() {
            check(spec, batch);
        }
    }
    fn check(spec: &fs_tools::ToolSpec, batch: bool) {
        walk(&spec.input_schema);
        spec.output_schema.iter().for_each(walk);
        let properties = spec.input_schema["properties"].as_object().unwrap();
        let none = Vec::new();
        let required = spec.input_schema["required"].as_array().unwrap_or(&none);
        assert!(batch || !required.is_empty(), "{}", spec.name);
        let first: Vec<&String> = properties.keys().take(required.len()).collect();
        assert!(required.iter().zip(&first).all(|(name, key)| name == key.as_str()), "{}", spec.name);
        for (name, property) in properties {
            let text = property["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty() && text.len() < 120, "{} {name}: {text}", spec.name);
        }
        let prose = spec.description.split("Example: ").next().unwrap_or_default();
        assert!(!prose.contains("  "), "{prose}");
    }
}

#[test]
fn the_order_is_fixed_and_the_reference_names_every_tool() {
    let files = Fixture::new("");
    let names: Vec<&str> = files.tools.specs().map(|spec| spec.name).collect();
    assert_eq!(names, ["read_file", "write_file", "edit_file", "append_file", "list_dir", "search_files"]);
    let specs: Vec<_> = files.tools.specs().collect();
    let reference = tools_markdown(&specs);
    assert!(names.iter().all(|name| reference.contains(&format!("\n## {name}\n"))));
}

#[test]
fn a_workspace_says_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(Options::new(dir.path(), Config::default())).unwrap();
    assert!(workspace.summary().ends_with("access stays inside"));
    assert!(ToolSet::classic(workspace).workspace().warnings().is_empty());
}
