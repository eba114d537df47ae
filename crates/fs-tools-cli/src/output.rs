//! What goes to standard output and standard error, and the exit status.

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use fs_tools::{Reply, ToolSpec};
use serde_json::json;

/// Wrong usage that the argument parser cannot see; exit status 2.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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

/// Reports a failure outside any call: as text, or as one line `{"error": …}`. Returns the exit status.
pub(crate) fn fatal(error: &anyhow::Error, json: bool) -> ExitCode {
    let (code, status) = if let Some(config) = error.downcast_ref::<fs_tools::ConfigError>() {
        (config.code(), 2)
    } else if let Some(open) = error.downcast_ref::<fs_tools::OpenError>() {
        (open.code(), 2)
    } else if error.is::<UsageError>() {
        ("usage", 2)
    } else {
        ("failed", 5)
    };
    note(&if json {
        json!({"error": {"code": code, "message": format!("{error:#}"), "path": null, "hint": null}})
            .to_string()
    } else {
        format!("fs-tools: {error:#}")
    });
    ExitCode::from(status)
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
