//! Why a call was refused or failed: a stable code, one sentence, and the next step.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value, json};

use crate::config::Switches;

/// What kind of failure a code belongs to; front ends turn it into an exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// The arguments or the configuration are wrong (exit status 2).
    Usage,
    /// The policy refuses (exit status 3).
    Denied,
    /// The named file or directory does not exist (exit status 4).
    NotFound,
    /// Anything else went wrong (exit status 5).
    Failure,
    /// The file exists, changed, or the place of an edit is ambiguous (exit status 6).
    Conflict,
    /// A confirmation is needed and nobody could be asked (exit status 7).
    Confirmation,
    /// A limit or a time-out was reached (exit status 8).
    Limit,
    /// A defect of this program (exit status 70).
    Internal,
    /// The caller cancelled (exit status 130).
    Cancelled,
}

impl Class {
    /// Returns the exit status of the command line.
    pub fn exit_status(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::Denied => 3,
            Self::NotFound => 4,
            Self::Failure => 5,
            Self::Conflict => 6,
            Self::Confirmation => 7,
            Self::Limit => 8,
            Self::Internal => 70,
            Self::Cancelled => 130,
        }
    }
}

/// A refusal or failure of one call.
///
/// It never contains file content, apart from the masked lines with which a failed match is explained, and it names
/// only the path that the caller gave.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct ToolError(Box<Parts>);

/// What an error is made of; boxed, so that a result stays small on the way where nothing went wrong.
#[derive(Debug, Clone, PartialEq)]
struct Parts {
    code: Cow<'static, str>,
    class: Class,
    message: String,
    path: Option<String>,
    hint: Option<String>,
    structured: Option<Value>,
}

impl ToolError {
    /// Makes an error from its stable code and one sentence without a full stop.
    pub fn new(class: Class, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        let (code, message) = (code.into(), message.into());
        Self(Box::new(Parts { code, class, message, path: None, hint: None, structured: None }))
    }

    /// Adds the path as the caller gave it.
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.0.path = Some(path.into());
        self
    }

    /// Adds the next step. Its parts are joined by `; `, and a part about a tool begins with the tool's name, so that it
    /// is left out where that tool is switched off.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Leaves out of the next step what names a tool that is off.
    pub(crate) fn advised(mut self, switches: &Switches) -> Self {
        if let Some(hint) = &mut self.0.hint
            && let Cow::Owned(kept) = switches.advice(hint)
        {
            *hint = if kept.is_empty() { "ask the user how to go on".to_owned() } else { kept };
        }
        self
    }

    /// Adds the object that programs read; it becomes the last line of the text, too.
    pub fn with_structured(mut self, value: Value) -> Self {
        self.0.structured = Some(value);
        self
    }

    /// Names the tools of the batch family in the next step, where it names those of the classic one.
    pub(crate) fn for_batch(mut self) -> Self {
        if let Some(hint) = &mut self.0.hint {
            for (classic, batch) in [
                ("list_dir with path \".\"", "find_files with dir \".\""),
                ("list_dir with path", "find_files with dir"),
                ("list_dir", "find_files"),
                ("search_files", "find_files"),
                ("read_file ", "read_files "),
                ("write_file", "edit_file"),
                ("append_file", "edit_file"),
            ] {
                if hint.contains(classic) {
                    *hint = hint.replace(classic, batch);
                }
            }
        }
        self
    }

    /// Returns the stable code, a snake_case word.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// Returns the kind of failure.
    pub fn class(&self) -> Class {
        self.0.class
    }

    /// Returns the sentence.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the path that the caller gave, if the error is about one.
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// Returns the next step.
    pub fn next_step(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Returns the object for programs, if this error carries one.
    pub fn structured(&self) -> Option<&Value> {
        self.0.structured.as_ref()
    }

    /// Returns `{"code","message","path","hint"}`, the contract of the command line's `--json`.
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        map.insert("code".into(), json!(self.0.code));
        map.insert("message".into(), json!(self.0.message));
        map.insert("path".into(), json!(self.0.path));
        map.insert("hint".into(), json!(self.0.hint));
        Value::Object(map)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error ({}): {}", self.0.code, self.0.message)?;
        if let Some(path) = &self.0.path
            && !path.is_empty()
            && !self.0.message.contains(&format!(": {path} "))
        {
            write!(f, "\npath: {path}")?;
        }
        if let Some(hint) = &self.0.hint {
            write!(f, "\nnext step: {hint}")?;
        }
        if let Some(structured) = &self.0.structured {
            write!(f, "\nstructured: {structured}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ToolError {}
