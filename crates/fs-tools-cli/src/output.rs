//! What goes to standard output and standard error, and the exit status.

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use fs_tools::{Class, ConfigError, OpenError, Reply, ToolError, ToolSpec};
use serde_json::json;

/// Wrong usage that the argument parser cannot see; exit status 2.
#[derive(Debug)]
pub(crate) struct UsageError {
    code: &'static str,
    message: String,
    hint: String,
}

impl UsageError {
    /// What is wrong, and what to do about it.
    pub(crate) fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.message, self.hint)
    }
}

impl std::error::Error for UsageError {}

/// Prints to standard output; a closed pipe is success, since the reader has seen enough.
pub(crate) fn print(text: &str) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Prints a line to standard error; a closed one is nobody's loss.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints the reply of a call and returns its exit status.
///
/// Without `--json`, an answer goes to standard output and a failure to standard error. With it, the whole reply goes
/// to standard output, and a failure also as one line `{"error": …}` to standard error.
pub(crate) fn reply(reply: &Reply, json: bool) -> anyhow::Result<ExitCode> {
    if json {
        print(&format!("{}\n", reply.to_json()))?;
    } else if !reply.is_error {
        let newline = if reply.for_model.ends_with('\n') { "" } else { "\n" };
        print(&format!("{}{newline}", reply.for_model))?;
        for image in &reply.images {
            note(&format!(
                "fs-tools: a picture ({}, {} bytes) is not shown here; --json prints it in base64",
                image.mime,
                image.bytes.len()
            ));
        }
    }
    match &reply.error {
        Some(error) => {
            note(&if json {
                json!({ "error": error.to_json() }).to_string()
            } else {
                reply.for_model.clone()
            });
            Ok(ExitCode::from(error.class().exit_status()))
        }
        None => Ok(ExitCode::from(u8::from(reply.is_negative))),
    }
}

/// Reports a failure outside any call.
pub(crate) fn fatal(error: &anyhow::Error, json: bool) -> ExitCode {
    if json {
        return failure(&as_tool_error(error), json);
    }
    note(&format!("fs-tools: {error:#}"));
    ExitCode::from(as_tool_error(error).class().exit_status())
}

/// Reports a defect of this program.
pub(crate) fn defect(json: bool) -> ExitCode {
    let error =
        ToolError::new(Class::Internal, "internal", "the command failed because of a defect in this program");
    failure(&error.hint("please report what the command was"), json)
}

/// Prints a failure as one line of JSON, or as text with the next step. Returns the exit status.
pub(crate) fn failure(error: &ToolError, json: bool) -> ExitCode {
    note(&if json { json!({ "error": error.to_json() }).to_string() } else { error.to_string() });
    ExitCode::from(error.class().exit_status())
}

/// An error that is no answer of a tool, in the form of one.
pub(crate) fn as_tool_error(error: &anyhow::Error) -> ToolError {
    if let Some(usage) = error.downcast_ref::<UsageError>() {
        return ToolError::new(Class::Usage, usage.code, &*usage.message).hint(&*usage.hint);
    }
    if let Some(config) = error.downcast_ref::<ConfigError>() {
        return ToolError::new(Class::Usage, config.code(), format!("{error:#}"))
            .hint("correct the configuration, or name another one with --config FILE");
    }
    if let Some(open) = error.downcast_ref::<OpenError>() {
        let hint = match open {
            OpenError::Root { .. } => "name an existing directory with --workspace DIR",
            _ => "correct the configuration, or name another one with --config FILE",
        };
        return ToolError::new(Class::Usage, open.code(), format!("{error:#}")).hint(hint);
    }
    ToolError::new(Class::Failure, "failed", format!("{error:#}"))
        .hint("`fs-tools doctor` says what this machine allows")
}

/// The tools for a person: name, what it does, arguments.
pub(crate) fn tools_text(specs: &[&ToolSpec]) -> String {
    let mut out = String::new();
    for spec in specs {
        out.push_str(&format!("{}\n", spec.name));
        for line in spec.description.lines() {
            out.push_str(&format!("  {line}\n"));
        }
        let required = spec.input_schema["required"].as_array().cloned().unwrap_or_default();
        if let Some(properties) = spec.input_schema["properties"].as_object() {
            for (name, schema) in properties {
                let kind = schema["type"].as_str().unwrap_or("any");
                let needed = if required.iter().any(|item| item == name) { ", required" } else { "" };
                let text = schema["description"].as_str().unwrap_or_default();
                out.push_str(&format!("    {name} ({kind}{needed}): {text}\n"));
            }
        }
        out.push('\n');
    }
    out
}
