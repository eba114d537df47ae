//! The tools of one workspace, called by name; the one door for every front end.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use crate::args;
use crate::config::nearest;
use crate::error::{Class, ToolError};
use crate::render::echo;
use crate::tool::{Call, Reply, Tool, ToolSpec};
use crate::tools::{batch, classic};
use crate::workspace::{Toolset, Workspace, tool_disabled};

/// Names of the batch family, also of those that are switched off.
const BATCH: [&str; 5] = ["find_files", "read_files", "edit_file", "file_history", "open_file"];

/// The tools that are switched on, over one workspace.
pub struct ToolSet {
    workspace: Workspace,
    tools: Vec<Box<dyn Tool>>,
}

impl ToolSet {
    /// The family that the workspace was opened for.
    pub fn new(workspace: Workspace) -> Self {
        let warning = workspace.warn_before_writing();
        let tools = match workspace.toolset() {
            Toolset::Classic => classic::tools(workspace.config(), &warning),
            Toolset::Batch => batch::tools(workspace.config(), &warning),
        };
        Self { workspace, tools }
    }

    /// [`ToolSet::new`] for a workspace of the classic family, which is the default.
    pub fn classic(workspace: Workspace) -> Self {
        Self::new(workspace)
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
        let run = || match args::check(tool.spec(), args, &self.workspace.spoken_of()) {
            Ok(args) => self.advised(tool.call(&self.workspace, &args, call)),
            Err(error) => error.into(),
        };
        let reply = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
            ToolError::new(
                Class::Internal,
                "internal",
                format!("{name} failed because of a defect in this program"),
            )
            .hint("other calls work; please report what the call was")
            .into()
        });
        match (self.workspace.toolset(), &reply.error) {
            (Toolset::Batch, Some(error)) if reply.for_model == error.to_string() => {
                Reply::failure(error.clone().for_batch())
            }
            _ => reply,
        }
    }

    /// A failure without advice to use what is switched off. A text that says more than the error stays.
    fn advised(&self, reply: Reply) -> Reply {
        match reply.error {
            Some(error) if reply.for_model == error.to_string() => {
                let told = Reply::failure(error.advised(&self.workspace.spoken_of()));
                Reply { for_model: told.for_model, error: told.error, ..reply }
            }
            _ => reply,
        }
    }

    fn unknown(&self, name: &str) -> ToolError {
        let available: Vec<&str> = self.specs().map(|spec| spec.name).collect();
        let is_off = match self.workspace.toolset() {
            Toolset::Classic => {
                self.workspace.config().enabled.by_name().iter().any(|(known, _)| *known == name)
            }
            Toolset::Batch => BATCH.contains(&name),
        };
        if is_off {
            return tool_disabled(name, &available);
        }
        let list = available.join(", ");
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
        rows("", &spec.input_schema, &mut out);
        out.push_str(&format!(
            "\nread-only: {}, destructive: {}, idempotent: {}, open world: {}\n",
            hints.read_only, hints.destructive, hints.idempotent, hints.open_world
        ));
    }
    out
}

/// One row a property, those of the entries of a list behind it.
fn rows(place: &str, schema: &Value, out: &mut String) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let kind = property["type"].as_str().unwrap_or("any");
        let needed = if required.iter().any(|item| item == name) { "yes" } else { "no" };
        let mut text = property["description"].as_str().unwrap_or_default().replace('|', "\\|");
        if let Some(allowed) = property["enum"].as_array() {
            let names: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
            text.push_str(&format!(" (one of {})", names.join(", ")));
        }
        out.push_str(&format!("| `{place}{name}` | {kind} | {needed} | {text} |\n"));
        rows(&format!("{place}{name}[]."), &property["items"], out);
    }
}

#[cfg(test)]
mod tests;
