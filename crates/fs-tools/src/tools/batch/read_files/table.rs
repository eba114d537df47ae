//! Rows of a table, each as a JSON array behind its number, the header first.

use std::path::Path;

use document_text::{Document, Limits, Stop};
use redact::LineRedactor;
use serde_json::json;

use super::text::more;
use super::{ReadEntry, no_around};
use crate::error::{Class, ToolError};
use crate::gate::OpenFile;
use crate::render::echo;
use crate::workspace::Workspace;

/// Whether a file is a table by its name.
pub(super) fn is_table(name: &Path) -> bool {
    let extension = name.extension().map(|extension| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| extension == "csv" || extension == "tsv" || extension == "tab")
}

/// Reads rows; the first row of data is row 1.
pub(super) fn read(
    workspace: &Workspace,
    file: &OpenFile<'_>,
    content: &[u8],
    entry: &ReadEntry,
) -> Result<String, ToolError> {
    no_around(entry, "a table")?;
    let failed = |error: document_text::Error| {
        ToolError::new(Class::Failure, error.code(), error.to_string()).at(echo(&entry.path))
    };
    let table = Document::open(file.base_name(), content, Limits::STANDARD).map_err(failed)?;
    let (first, count) = (entry.offset(), table.count());
    let mut redactor = LineRedactor::new(workspace.redactor());
    let mut text = String::new();
    let mut row = |label: &str, fields: &[String]| {
        let line = json!(fields).to_string();
        let masked = redactor.line(line.as_bytes());
        text.push_str(label);
        text.push('\t');
        text.push_str(&String::from_utf8_lossy(&masked));
        text.push('\n');
    };
    if let Some(header) = table.header() {
        row("header", header);
    }
    if count == 0 {
        text.push_str("[no rows]");
        return Ok(text);
    }
    if first > count {
        text.push_str(&format!("[offset {first} exceeds {count} rows of {}]", echo(&entry.path)));
        return Ok(text);
    }
    let part = table.read(first..first.saturating_add(entry.limit())).map_err(failed)?;
    let mut last = first - 1;
    let mut cut = 0;
    for unit in &part.units {
        row(&unit.number.to_string(), unit.content.fields());
        last = unit.number;
        cut += unit.cut_bytes;
    }
    let mut notes = vec![more(first, last, count, "rows")];
    if cut > 0 {
        notes.push(format!("[{cut} bytes of overlong rows are not shown]"));
    }
    if part.stop == Stop::Budget && part.units.is_empty() {
        notes.push("[the row is larger than a result may be]".to_owned());
    }
    notes.retain(|note| !note.is_empty());
    text.push_str(&notes.join("\n"));
    text.truncate(text.trim_end_matches('\n').len());
    Ok(text)
}
