//! The commands for people and scripts: each gives one core or the search of the workspace to the shell.

pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod document;
pub(crate) mod history;
pub(crate) mod patch;
mod patch_errors;
mod patch_write;
pub(crate) mod redact;
pub(crate) mod search;
mod search_output;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::path::Path;
use std::process::ExitCode;

use fs_tools::redact::Redactor;
use fs_tools::{Class, ToolError, show_path};
use serde_json::{Map, Value, json};

use crate::cli::{Cli, Color};
use crate::confirm;
use crate::output::{self, note};

/// The word for standard input in the place of a file.
pub(crate) const STDIN: &str = "-";

/// Reports a failure as `call` does: one line of JSON, or text with the next step. Returns the exit status.
fn fail(error: &ToolError, json: bool) -> ExitCode {
    output::failure(error, json)
}

/// Refuses arguments that make no sense together.
fn refuse(cli: &Cli, message: &str, next_step: &str) -> ExitCode {
    fail(&ToolError::new(Class::Usage, "invalid_arguments", message).hint(next_step), cli.json)
}

/// Whether standard output gets colour.
fn has_color(cli: &Cli) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let wanted = match cli.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb && !confirm::is_agent_behind()
        }
    };
    wanted && !cli.json
}

/// Reports a failure with further fields of the JSON object.
fn fail_with(error: &ToolError, more: Map<String, Value>, json: bool) -> ExitCode {
    if !json {
        return output::failure(error, json);
    }
    let mut object = error.to_json();
    if let Value::Object(map) = &mut object {
        map.extend(more);
    }
    note(&json!({ "error": object }).to_string());
    ExitCode::from(error.class().exit_status())
}

/// Opens a file or standard input.
fn open(path: &Path) -> Result<Box<dyn Read>, ToolError> {
    if path == Path::new(STDIN) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(|error| file_error(path, &error))?;
    Ok(Box::new(file))
}

/// Reads a file or standard input, up to `max_bytes`.
fn read_all(path: &Path, max_bytes: usize) -> Result<Vec<u8>, ToolError> {
    let mut bytes = Vec::new();
    open(path)?
        .take(max_bytes as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| file_error(path, &error))?;
    if bytes.len() > max_bytes {
        return Err(ToolError::new(Class::Limit, "too_large", format!("more than {max_bytes} bytes"))
            .at(show_path(path))
            .hint("use a smaller file"));
    }
    Ok(bytes)
}

/// Reads until there is something, or the end.
fn read_some(path: &Path, input: &mut dyn Read, chunk: &mut [u8]) -> Result<usize, ToolError> {
    loop {
        match input.read(chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result.map_err(|error| file_error(path, &error)),
        }
    }
}

/// Says why a file cannot be read.
fn file_error(path: &Path, error: &io::Error) -> ToolError {
    let (class, code, hint) = match error.kind() {
        io::ErrorKind::NotFound => (Class::NotFound, "not_found", "check the name"),
        io::ErrorKind::IsADirectory => (Class::Failure, "is_a_directory", "name a file"),
        _ => (Class::Failure, "unreadable", "check that it can be read"),
    };
    ToolError::new(class, code, format!("the file cannot be read: {error}")).at(show_path(path)).hint(hint)
}

/// Masks one line for a message.
fn masked_line(redactor: &Redactor, line: &[u8]) -> String {
    let masked: Cow<'_, [u8]> = redactor.redact_bytes(line);
    String::from_utf8_lossy(&masked).into_owned()
}

/// Adds bytes to a JSON object: as text under `key` when they are UTF-8, else under `key` + `_base64`.
fn insert_bytes(object: &mut Map<String, Value>, key: &str, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => object.insert(key.to_owned(), text.into()),
        Err(_) => object.insert(format!("{key}_base64"), base64(bytes).into()),
    };
}

/// Writes bytes as base64 (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word =
            group.iter().enumerate().fold(0u32, |word, (at, byte)| word | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            let digit = ALPHABET[(word >> (18 - 6 * at)) as usize & 63];
            out.push(if at <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_the_standard() {
        // The vectors of RFC 4648, section 10.
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (text, expected) in vectors {
            assert_eq!(base64(text.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }
}
