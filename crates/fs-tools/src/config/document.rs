//! Typed access to the sections of a JSON document, with the key in every complaint.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::nearest::{misspelled, nearest};
use super::places::{Place, places};

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
    #[error("the configuration key `{key}`{} must be {expected}, not {found}", at(*.place))]
    WrongType {
        /// Full key, joined by dots.
        key: String,
        /// Line and column of the key, from 1; `None` for the document itself.
        place: Option<(usize, usize)>,
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

    /// Returns line and column of the problem, from 1, as far as it has a place.
    pub fn place(&self) -> Option<(usize, usize)> {
        match self {
            Self::NotJson { line, column, .. } => Some((*line, *column)),
            Self::WrongType { place, .. } => *place,
        }
    }

    /// Returns the full key that the problem is about, joined by dots.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::NotJson { .. } => None,
            Self::WrongType { key, .. } => Some(key),
        }
    }

    pub(super) fn not_json(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let problem = text.split(" at line ").next().unwrap_or(&text).to_owned();
        // At the end of the text the parser counts columns from 0.
        Self::NotJson { line: error.line().max(1), column: error.column().max(1), problem }
    }
}

fn at(place: Option<Place>) -> String {
    place.map_or_else(String::new, |(line, column)| format!(" at line {line}, column {column}"))
}

/// Where the keys of a document stand, and which of them had an effect.
pub(super) struct Keys {
    places: BTreeMap<Vec<String>, Place>,
    used: RefCell<BTreeMap<String, Place>>,
}

impl Keys {
    pub(super) fn of(text: &str) -> Self {
        Self { places: places(text), used: RefCell::default() }
    }

    /// The full keys that had an effect.
    pub(super) fn used(self) -> BTreeMap<String, Place> {
        self.used.into_inner()
    }
}

/// One object of the document, and which of its keys were asked for.
pub(super) struct Section<'a> {
    /// From the root to here.
    path: Vec<String>,
    map: &'a Map<String, Value>,
    keys: &'a Keys,
    known: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Section<'a> {
    pub(super) fn root(value: &'a Value, keys: &'a Keys) -> Result<Self, ConfigError> {
        Self::over(Vec::new(), value, keys)
    }

    fn over(path: Vec<String>, value: &'a Value, keys: &'a Keys) -> Result<Self, ConfigError> {
        match value {
            Value::Object(map) => Ok(Self { path, map, keys, known: RefCell::default() }),
            other => Err(ConfigError::WrongType {
                place: keys.places.get(&path).copied(),
                key: if path.is_empty() { "(document)".into() } else { path.join(".") },
                expected: "an object".into(),
                found: describe(other),
            }),
        }
    }

    fn below(&self, key: &str) -> Vec<String> {
        let mut path = self.path.clone();
        path.push(key.to_owned());
        path
    }

    fn full_key(&self, key: &str) -> String {
        self.below(key).join(".")
    }

    fn place(&self, key: &str) -> Option<Place> {
        self.keys.places.get(&self.below(key)).copied()
    }

    /// Notes that a key is known and, when it is given, that it has an effect.
    fn get(&self, key: &'static str) -> Option<&'a Value> {
        self.known.borrow_mut().insert(key);
        let value = self.peek(key);
        if value.is_some() {
            self.note_use(key);
        }
        value
    }

    fn note_use(&self, key: &str) {
        if let Some(place) = self.place(key) {
            self.keys.used.borrow_mut().insert(self.full_key(key), place);
        }
    }

    fn peek(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.map.keys().map(String::as_str)
    }

    pub(super) fn wrong(&self, key: &str, expected: &str) -> ConfigError {
        let found = self.map.get(key).map_or_else(|| "nothing".into(), describe);
        ConfigError::WrongType {
            key: self.full_key(key),
            place: self.place(key),
            expected: expected.into(),
            found,
        }
    }

    /// Names a key together with its place.
    pub(super) fn named(&self, key: &str) -> String {
        format!("`{}`{}", self.full_key(key), at(self.place(key)))
    }

    pub(super) fn section(&self, key: &'static str) -> Result<Option<Section<'a>>, ConfigError> {
        self.get(key).map(|value| Section::over(self.below(key), value, self.keys)).transpose()
    }

    /// Reads a string; a key that is not known at compile time is allowed, for tables.
    pub(super) fn string(&self, key: &str) -> Result<Option<&'a str>, ConfigError> {
        if let Some(known) = STRING_KEYS.iter().find(|known| **known == key) {
            self.known.borrow_mut().insert(known);
        }
        match self.peek(key) {
            None => Ok(None),
            Some(Value::String(text)) => {
                self.note_use(key);
                Ok(Some(text))
            }
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
            self.keys.used.borrow_mut().remove(&self.full_key(key));
            return Ok(());
        }
        match value.as_u64().and_then(|number| usize::try_from(number).ok()) {
            Some(number) => *target = number,
            None => return Err(self.wrong(key, "a whole number")),
        }
        Ok(())
    }

    /// The same for a count that has no fixed default.
    pub(super) fn set_optional_count(
        &self,
        key: &'static str,
        target: &mut Option<usize>,
    ) -> Result<(), ConfigError> {
        let mut count = 0;
        self.set_count(key, &mut count)?;
        if count > 0 {
            *target = Some(count);
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

    /// Warns of every key that was not asked for: the section is ours.
    pub(super) fn warn_unknown(&self, warnings: &mut Vec<String>) {
        let known = self.known.borrow();
        for key in self.map.keys().filter(|key| !known.contains(key.as_str()) && !is_comment(key)) {
            warnings.push(self.unknown(key, nearest(key, known.iter().copied())));
        }
    }

    /// Warns of keys that are all but one of ours: the section is shared, and other keys are somebody else's.
    pub(super) fn warn_similar(&self, warnings: &mut Vec<String>) {
        let known = self.known.borrow();
        for key in self.map.keys().filter(|key| !known.contains(key.as_str()) && !is_comment(key)) {
            if let Some(near) = misspelled(key, known.iter().copied()) {
                warnings.push(self.unknown(key, Some(near)));
            }
        }
    }

    fn unknown(&self, key: &str, near: Option<&str>) -> String {
        let mut warning = format!(
            "the configuration key `{}`{} is not known and has no effect",
            crate::render::echo(&self.full_key(key)),
            at(self.place(key))
        );
        if let Some(near) = near {
            warning.push_str(&format!("; did you mean `{}`?", self.full_key(near)));
        }
        warning
    }
}

/// Whether a key is a remark for people: JSON has no other place for one.
pub(super) fn is_comment(key: &str) -> bool {
    key.starts_with("//")
}

/// String keys outside tables, so that they count as known once they were asked for.
const STRING_KEYS: [&str; 12] = [
    "workspace",
    "mode",
    "durability",
    "path_resolution",
    "output_dir",
    "sensitive",
    "key_file",
    "url",
    "model",
    "language",
    "api_key_env",
    "freshness",
];

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
