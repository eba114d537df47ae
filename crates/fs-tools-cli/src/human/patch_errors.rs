//! Why a patch was refused: text for a person, and fields for a program.

use fs_tools::v4a_patch::{Error, HunkError};
use fs_tools::{Class, ToolError};
use serde_json::{Map, Value, json};

/// Explains an error with the lines of the file behind it, each through `show`, which masks. `file` is empty when the
/// lines are those of several files.
pub(super) fn explain(
    error: &Error,
    path: &str,
    file: &[u8],
    patch: &[u8],
    show: &dyn Fn(&[u8]) -> String,
) -> ToolError {
    let class = match error {
        Error::Locate(_) | Error::FileExists { .. } => Class::Conflict,
        Error::FileMissing { .. } => Class::NotFound,
        Error::FileUnreadable { .. } => Class::Failure,
        Error::LimitExceeded { .. } => Class::Limit,
        _ if error.code() == "limit_exceeded" => Class::Limit,
        _ => Class::Usage,
    };
    let message = if error.failures().is_empty() || file.is_empty() {
        error.to_string()
    } else {
        let parts: Vec<String> =
            error.failures().iter().map(|failure| failure.describe(file, patch, show)).collect();
        parts.join("\n")
    };
    let told = ToolError::new(class, error.code(), message).at(path);
    match error {
        // The message of a failed hunk ends with this already.
        Error::Locate(_) => told.hint("correct the context and removed lines from the file as it is now"),
        Error::Parse(parse) if parse.hint.is_some() => told.hint("correct that line of the patch"),
        _ => match error.hint() {
            Some(hint) => told.hint(hint),
            None => told.hint("correct the patch"),
        },
    }
}

/// The facts of an error, for programs.
pub(super) fn fields(error: &Error) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("patch_line".into(), json!(error.patch_line()));
    map.insert("patch_column".into(), json!(error.patch_column().map(|column| column.chars)));
    map.insert("hunk".into(), json!(error.hunk()));
    map.insert("candidates".into(), json!(error.candidates()));
    if let Error::Parse(parse) = error {
        map.insert("expected".into(), json!(parse.expected));
    }
    if !error.failures().is_empty() {
        map.insert("failures".into(), error.failures().iter().map(failure).collect());
    }
    map
}

fn failure(failure: &HunkError) -> Value {
    let diagnosis = &failure.diagnosis;
    json!({
        "code": failure.code(), "path": failure.path, "hunk": failure.hunk, "patch_line": failure.patch_line,
        "patch_last_line": failure.patch_last_line, "candidates": failure.candidates(),
        "cause": diagnosis.cause.code(), "file_lines": diagnosis.file_lines(),
        "advice": diagnosis.is_known().then(|| diagnosis.to_string()),
    })
}
