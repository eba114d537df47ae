//! The offer itself: schemas that every client understands, within a budget of bytes.

use fs_tools::{Config, Options, ToolSet, Workspace, tools_markdown};
use serde_json::Value;

use crate::fixture::Fixture;

/// Bytes of the part of the tool list that a model sees.
const MODEL_BYTES: usize = 6 * 1024;

#[test]
fn the_list_stays_within_its_budget() {
    for config in ["{}", r#"{"tools": {"read_file": {"mode": "lines"}}}"#] {
        let files = Fixture::with("", config);
        let bytes: usize = files
            .tools
            .specs()
            .map(|spec| spec.name.len() + spec.description.len() + spec.input_schema.to_string().len())
            .sum();
        assert!(bytes <= MODEL_BYTES, "{bytes} bytes");
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
    let files = Fixture::new("");
    for spec in files.tools.specs() {
        walk(&spec.input_schema);
        spec.output_schema.iter().for_each(walk);
        let properties = spec.input_schema["properties"].as_object().unwrap();
        let required = spec.input_schema["required"].as_array().unwrap();
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
