//! VA: arguments against schemas, and calls of tools that are not there.

use serde_json::{Value, json};

use super::Vector;

#[test]
fn values() {
    let vector = Vector::file("VA1", "x");
    vector.refused("read_file", json!({}), "invalid_arguments").has("path is required");
    vector.refused("read_file", Value::Null, "invalid_arguments").has("path is required");
    let vector = Vector::file("VA2", "x");
    vector.refused("read_file", json!({"path": 5}), "invalid_arguments").has("must be a string");
    vector
        .refused("read_file", json!({"path": "f", "offset": "many"}), "invalid_arguments")
        .has("must be an integer");
    let vector = Vector::file("VA3", "x".repeat(100));
    vector.ok("read_file", json!({"path": "f", "offset": 42.0})).has("bytes 42-99]");
    vector
        .refused("read_file", json!({"path": "f", "offset": 42.5}), "invalid_arguments")
        .has("must be an integer, not the number 42.5");
    let vector = Vector::new("VA5", "");
    vector.ok("write_file", json!({"path": "f", "content": "x", "overwrite": true}));
    vector
        .refused("write_file", json!({"path": "f", "content": "x", "overwrite": "true"}), "invalid_arguments")
        .has("must be a boolean");
    let vector = Vector::file("VA6", "x");
    vector.ok("search_files", json!({"pattern": "x", "target": "content"})).has("f:1: x");
    vector
        .refused("search_files", json!({"pattern": "x", "target": "lines"}), "invalid_arguments")
        .has("one of `content`, `files`");
    let vector = Vector::file("VA7", "x");
    vector
        .refused("read_file", json!({"path": "f", "extra": 1}), "invalid_arguments")
        .has("unexpected property \"extra\"");
}

#[test]
fn tools_that_are_not_there() {
    let vector = Vector::file("VA10", "x");
    vector
        .refused("no_such_tool", json!({}), "unknown_tool")
        .has("there is no tool \"no_such_tool\"")
        .has("available are read_file");
    vector.ok("read_file", json!({"path": "f"})).has("x");
}
