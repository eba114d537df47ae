//! A tool with a defect costs its own call and nothing else.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::{Value, json};

use super::ToolSet;
use crate::config::Config;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::workspace::{Options, Workspace};

struct Broken(ToolSpec);

impl Tool for Broken {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn call(&self, _: &Workspace, _: &Value, _: &Call<'_>) -> Reply {
        panic!("a defect")
    }
}

/// The vector VA10.
#[test]
fn a_tool_that_panics_is_an_answer_and_the_others_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut tools = ToolSet::classic(Workspace::open(Options::new(dir.path(), Config::default())).unwrap());
    let annotations =
        Annotations { read_only: true, destructive: false, idempotent: true, open_world: false };
    tools.tools.push(Box::new(Broken(ToolSpec {
        name: "broken",
        title: "Broken",
        description: String::new(),
        input_schema: json!({"type": "object", "properties": {}}),
        output_schema: None,
        annotations,
        mistaken: &[],
    })));
    let reply = tools.call("broken", &json!({}), &Call::plain());
    assert_eq!(reply.error.unwrap().code(), "internal");
    assert!(reply.is_error && reply.for_model.contains("other calls work"));
    assert!(!tools.call("list_dir", &json!({"path": "."}), &Call::plain()).is_error);
}
