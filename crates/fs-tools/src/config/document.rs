//! Typed access to the sections of a JSON document, with the key in every complaint.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::nearest;

/// A configuration document that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The text is not JSON.
    #[error("the configuration is not valid JSON at line {line}, column {column}: {problem}")]
    NotJson {
        /// Line of the problem, from 1.
        line: usize,
        /// Column of the problem, from 1.
        column: usize,
        /// What the parser says.
        problem: String,
    },
    /// A key has a value of the wrong type or range.
    #[error("the configuration key `{key}` must be {expected}, not {found}")]
    WrongType {
        /// Full key, joined by dots.
        key: String,
        /// What is expected.
        expected: String,
        /// What stands there: a type, or a number.
        found: String,
    },
}

impl ConfigError {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotJson { .. } => "config_not_json",
            Self::WrongType { .. } => "config_wrong_type",
        }
    }

    pub(super) fn not_json(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let problem = text.split(" at line ").next().unwrap_or(&text).to_owned();
        Self::NotJson { line: error.line(), column: error.column(), problem }
    }
}

/// One object of the document, and which of its keys were asked for.
pub(super) struct Section<'a> {
    key: String,
    map: &'a Map<String, Value>,
    known: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Section<'a> {
    pub(super) fn root(value: &'a Value) -> Result<Self, ConfigError> {
        Self::over(String::new(), value)
    }

    fn over(key: String, value: &'a Value) -> Result<Self, ConfigError> {
        match value {
            Value::Object(map) => Ok(Self { key, map, known: RefCell::default() }),
            other => Err(ConfigError::WrongType {
                key: if key.is_empty() { "(document)".into() } else { key },
                expected: "an object".into(),
                found: describe(other),
            }),
        }
    }

    fn full_key(&self, key: &str) -> String {
        if self.key.is_empty() { key.to_owned() } else { format!("{}.{key}", self.key) }
    }

    fn get(&self, key: &'static str) -> Option<&'a Value> {
        self.known.borrow_mut().insert(key);
        self.peek(key)
    }

    fn peek(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.map.keys().map(String::as_str)
    }

    pub(super) fn wrong(&self, key: &str, expected: &str) -> ConfigError {
        let found = self.map.get(key).map_or_else(|| "nothing".into(), describe);
        ConfigError::WrongType { key: self.full_key(key), expected: expected.into(), found }
    }

    pub(super) fn section(&self, key: &'static str) -> Result<Option<Section<'a>>, ConfigError> {
        self.get(key).map(|value| Section::over(self.full_key(key), value)).transpose()
    }

    /// Reads a string; a key that is not known at compile time is allowed, for tables.
    pub(super) fn string(&self, key: &str) -> Result<Option<&'a str>, ConfigError> {
        if let Some(known) = STRING_KEYS.iter().find(|known| **known == key) {
            self.known.borrow_mut().insert(known);
        }
        match self.peek(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(key, "a string")),
        }
    }

    pub(super) fn set_bool(&self, key: &'static str, target: &mut bool) -> Result<(), ConfigError> {
        match self.get(key) {
            None => {}
            Some(Value::Bool(on)) => *target = *on,
            Some(_) => return Err(self.wrong(key, "`true` or `false`")),
        }
        Ok(())
    }

    /// Reads a count; zero and negative numbers mean the default, as the original reads them.
    pub(super) fn set_count(&self, key: &'static str, target: &mut usize) -> Result<(), ConfigError> {
        let Some(value) = self.get(key) else { return Ok(()) };
        if value.as_i64().is_some_and(|number| number <= 0) {
            return Ok(());
        }
        match value.as_u64().and_then(|number| usize::try_from(number).ok()) {
            Some(number) => *target = number,
            None => return Err(self.wrong(key, "a whole number")),
        }
        Ok(())
    }

    pub(super) fn set_strings(&self, key: &'static str, target: &mut Vec<String>) -> Result<(), ConfigError> {
        let Some(value) = self.get(key) else { return Ok(()) };
        let Value::Array(items) = value else { return Err(self.wrong(key, "an array of strings")) };
        let strings: Option<Vec<String>> =
            items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        *target = strings.ok_or_else(|| self.wrong(key, "an array of strings"))?;
        Ok(())
    }

    pub(super) fn warn_unknown(&self, warnings: &mut Vec<String>) {
        let known = self.known.borrow();
        for key in self.map.keys().filter(|key| !known.contains(key.as_str())) {
            let mut warning =
                format!("the configuration key `{}` is not known and has no effect", self.full_key(key));
            if let Some(near) = nearest(key, known.iter().copied()) {
                warning.push_str(&format!("; did you mean `{}`?", self.full_key(near)));
            }
            warnings.push(warning);
        }
    }
}

/// String keys outside tables, so that they count as known once they were asked for.
const STRING_KEYS: [&str; 5] = ["workspace", "mode", "durability", "path_resolution", "freshness"];

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "a boolean".into(),
        Value::Number(number) => number.to_string(),
        Value::String(_) => "a string".into(),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
    }
}
