//! The tools of one workspace, called by name; the one door for every front end.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use crate::args;
use crate::config::nearest;
use crate::error::{Class, ToolError};
use crate::render::echo;
use crate::tool::{Call, Reply, Tool, ToolSpec};
use crate::tools::classic;
use crate::workspace::Workspace;

/// Names of the family, also of those that are switched off.
const CLASSIC: [&str; 7] =
    ["read_file", "write_file", "edit_file", "append_file", "list_dir", "search_files", "file_history"];

/// The tools that are switched on, over one workspace.
pub struct ToolSet {
    workspace: Workspace,
    tools: Vec<Box<dyn Tool>>,
}

impl ToolSet {
    /// The classic family.
    pub fn classic(workspace: Workspace) -> Self {
        let tools = classic::tools(workspace.config());
        Self { workspace, tools }
    }

    /// A family of one's own, for hosts that add tools.
    pub fn of(workspace: Workspace, tools: Vec<Box<dyn Tool>>) -> Self {
        Self { workspace, tools }
    }

    /// The workspace of the tools.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The tools as they are offered, always in the same order.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.iter().map(|tool| tool.spec())
    }

    /// Makes one call. Every failure is an answer: an unknown or switched-off tool, wrong arguments, a refusal, and
    /// even a defect of a tool, which costs this call and nothing else.
    pub fn call(&self, name: &str, args: &Value, call: &Call<'_>) -> Reply {
        let Some(tool) = self.tools.iter().find(|tool| tool.spec().name == name) else {
            return self.unknown(name).into();
        };
        let run = || match args::check(tool.spec(), args) {
            Ok(args) => tool.call(&self.workspace, &args, call),
            Err(error) => error.into(),
        };
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
            ToolError::new(
                Class::Internal,
                "internal",
                format!("{name} failed because of a defect in this program"),
            )
            .hint("other calls work; please report what the call was")
            .into()
        })
    }

    fn unknown(&self, name: &str) -> ToolError {
        let available: Vec<&str> = self.specs().map(|spec| spec.name).collect();
        let list = available.join(", ");
        if CLASSIC.contains(&name) {
            return ToolError::new(
                Class::Usage,
                "tool_disabled",
                format!("the tool {name} is switched off here"),
            )
            .hint(format!("do not try again; available are {list}"));
        }
        let hint = match nearest(name, available.iter().copied()) {
            Some(near) => format!("did you mean {near}? available are {list}"),
            None => format!("do not try again; available are {list}"),
        };
        ToolError::new(Class::Usage, "unknown_tool", format!("there is no tool \"{}\"", echo(name)))
            .hint(hint)
    }
}

/// Writes the reference of tools as Markdown: description, arguments, annotations.
pub fn tools_markdown(specs: &[&ToolSpec]) -> String {
    let mut out = String::from(
        "# Tools\n\nGenerated from the definitions in `crates/fs-tools` by `cargo xtask gen`; do not edit.\n",
    );
    for spec in specs {
        let hints = spec.annotations;
        out.push_str(&format!("\n## {}\n\n{}\n\n", spec.name, spec.description));
        out.push_str("| argument | type | required | meaning |\n|---|---|---|---|\n");
        let required = spec.input_schema["required"].as_array().cloned().unwrap_or_default();
        if let Some(properties) = spec.input_schema["properties"].as_object() {
            for (name, schema) in properties {
                let kind = schema["type"].as_str().unwrap_or("any");
                let needed = if required.iter().any(|item| item == name) { "yes" } else { "no" };
                let mut text = schema["description"].as_str().unwrap_or_default().replace('|', "\\|");
                if let Some(allowed) = schema["enum"].as_array() {
                    let names: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
                    text.push_str(&format!(" (one of {})", names.join(", ")));
                }
                out.push_str(&format!("| `{name}` | {kind} | {needed} | {text} |\n"));
            }
        }
        out.push_str(&format!(
            "\nread-only: {}, destructive: {}, idempotent: {}, open world: {}\n",
            hints.read_only, hints.destructive, hints.idempotent, hints.open_world
        ));
    }
    out
}
