//! Arguments of a call: checked against the tool's schema, with errors that save a turn.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::config::{Switches, nearest};
use crate::error::{Class, ToolError};
use crate::limits;
use crate::render::echo;
use crate::tool::ToolSpec;

/// Checks `args` against the schema of `spec` and returns them in canonical form.
///
/// Models send integers as `50.0` or `"50"`, and `null` for what they leave out: both are understood. Everything
/// else that does not fit is refused with the property, what is expected and what was found: an unknown property
/// names the nearest known one, and nothing is ignored in silence.
///
/// # Errors
///
/// `invalid_arguments` for a value that is no object, an unknown or missing property, a wrong type, a number out of
/// range, a value outside an enumeration, or a text above the argument limit.
pub(crate) fn check(spec: &ToolSpec, args: &Value, on: &Switches) -> Result<Value, ToolError> {
    let empty = Map::new();
    let given = match args {
        Value::Object(map) => map,
        Value::Null => &empty,
        Value::String(text) => {
            // Some clients send the whole object as a string of JSON.
            return match serde_json::from_str::<Value>(text) {
                Ok(inner @ Value::Object(_)) => check(spec, &inner, on),
                _ => Err(not_an_object(spec, "a string")),
            };
        }
        other => return Err(not_an_object(spec, kind_of(other))),
    };
    check_object(spec, "", &spec.input_schema, given, on).map(Value::Object)
}

/// Checks the properties of one object; `place` is empty for the arguments themselves, or as `files[0].`.
fn check_object(
    spec: &ToolSpec,
    place: &str,
    schema: &Value,
    given: &Map<String, Value>,
    on: &Switches,
) -> Result<Map<String, Value>, ToolError> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let mut checked = Map::new();
    for (name, value) in given {
        let Some(property) = properties.get(name) else {
            return Err(unknown_property(spec, place, properties, name, on));
        };
        if value.is_null() {
            continue;
        }
        checked.insert(name.clone(), check_value(spec, &format!("{place}{name}"), property, value, on)?);
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !checked.contains_key(name) {
            let kind = properties.get(name).and_then(|schema| schema.get("type")).and_then(Value::as_str);
            return Err(invalid(
                format!("{place}{name} is required"),
                format!(
                    "call {} again with `{place}{name}` ({})",
                    spec.name,
                    kind.unwrap_or("see the schema")
                ),
            ));
        }
    }
    Ok(checked)
}

/// What models call the path of a file or a directory when they do not call it `path`.
const PATH_NAMES: [&str; 11] = [
    "file",
    "filename",
    "file_name",
    "filepath",
    "file_path",
    "target_file",
    "absolute_path",
    "dir",
    "directory",
    "dir_path",
    "folder",
];

/// Turns checked arguments into the struct that the schema was derived from.
pub(crate) fn typed<T: DeserializeOwned>(args: &Value) -> Result<T, ToolError> {
    T::deserialize(args).map_err(|error| invalid(error.to_string(), "correct the named property".into()))
}

fn check_value(
    spec: &ToolSpec,
    name: &str,
    schema: &Value,
    value: &Value,
    on: &Switches,
) -> Result<Value, ToolError> {
    let wrong = |expected: &str| {
        invalid(
            format!("`{name}` must be {expected}, not {}", found(value)),
            format!("call {} again with `{name}` as {expected}", spec.name),
        )
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => {
            let Value::String(text) = value else { return Err(wrong("a string")) };
            if text.len() > limits::ARGUMENT_BYTES {
                return Err(ToolError::new(
                    Class::Limit,
                    "argument_too_large",
                    format!("`{name}` has {} bytes; the limit is {}", text.len(), limits::ARGUMENT_BYTES),
                )
                .hint("write the file in several parts"));
            }
            if let Some(Value::Array(allowed)) = schema.get("enum")
                && !allowed.contains(value)
            {
                let plain = Value::String(text.trim().to_lowercase());
                if allowed.contains(&plain) {
                    return Ok(plain);
                }
                let names: Vec<String> =
                    allowed.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect();
                return Err(wrong(&format!("one of {}", names.join(", "))));
            }
            Ok(value.clone())
        }
        Some("integer") => {
            let Some(number) = integral(value) else { return Err(wrong("an integer")) };
            if let Some(minimum) = schema.get("minimum").and_then(Value::as_i64)
                && number < minimum
            {
                return Err(too_small(spec.name, name, minimum, number));
            }
            Ok(Value::from(number))
        }
        Some("boolean") => match value {
            Value::Bool(_) => Ok(value.clone()),
            _ => Err(wrong("a boolean, `true` or `false`")),
        },
        Some("array") => check_array(spec, name, schema, value, on),
        Some("object") => match value {
            Value::Object(map) => {
                Ok(Value::Object(check_object(spec, &format!("{name}."), schema, map, on)?))
            }
            // `["a.txt"]` for `[{"path": "a.txt"}]`: there is only one thing that it can mean.
            Value::String(_) => match only_required(schema) {
                Some(only) => {
                    let map = Map::from_iter([(only.to_owned(), value.clone())]);
                    Ok(Value::Object(check_object(spec, &format!("{name}."), schema, &map, on)?))
                }
                None => Err(wrong("an object")),
            },
            _ => Err(wrong("an object")),
        },
        _ => Ok(value.clone()),
    }
}

/// A number below its least value.
pub(crate) fn too_small(tool: &str, name: &str, minimum: i64, number: i64) -> ToolError {
    invalid(
        format!("{name} must be >= {minimum}, not {number}"),
        format!("call {tool} again with `{name}` of at least {minimum}"),
    )
}

/// Checks a list. Some clients send a list as a string of JSON, and models send one entry without the brackets.
fn check_array(
    spec: &ToolSpec,
    name: &str,
    schema: &Value,
    value: &Value,
    on: &Switches,
) -> Result<Value, ToolError> {
    let wrong = |found: &str| {
        invalid(
            format!("`{name}` must be an array, not {found}"),
            format!("call {} again with `{name}` as an array", spec.name),
        )
    };
    let parsed;
    let items = match value {
        Value::Array(items) => items.as_slice(),
        Value::Object(_) => std::slice::from_ref(value),
        Value::Number(_) if item_type(schema) == Some("integer") => std::slice::from_ref(value),
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(Value::Array(items)) => {
                parsed = items;
                parsed.as_slice()
            }
            Err(error) if text.trim_start().starts_with('[') => {
                return Err(wrong(&format!("a string that is not valid JSON ({error})")));
            }
            _ if item_type(schema) == Some("string") => std::slice::from_ref(value),
            _ => return Err(wrong(&found(value))),
        },
        other => return Err(wrong(&found(other))),
    };
    if items.is_empty() && schema.get("minItems").and_then(Value::as_u64).is_some_and(|least| least > 0) {
        return Err(invalid(
            format!("`{name}` is empty"),
            format!("call {} again with at least one entry in `{name}`", spec.name),
        ));
    }
    if items.len() > limits::ARGUMENT_ITEMS {
        return Err(ToolError::new(
            Class::Limit,
            "too_many_entries",
            format!("`{name}` has {} entries; the limit is {}", items.len(), limits::ARGUMENT_ITEMS),
        )
        .hint("split the call into several"));
    }
    let none = Value::Null;
    let item = schema.get("items").unwrap_or(&none);
    let checked: Result<Vec<Value>, ToolError> = items
        .iter()
        .enumerate()
        .map(|(index, value)| check_value(spec, &format!("{name}[{index}]"), item, value, on))
        .collect();
    checked.map(Value::Array)
}

fn item_type(schema: &Value) -> Option<&str> {
    schema.get("items")?.get("type")?.as_str()
}

/// The one required property of an object, when it is a string.
fn only_required(schema: &Value) -> Option<&str> {
    let [only] = schema.get("required")?.as_array()?.as_slice() else { return None };
    let only = only.as_str()?;
    let kind = schema.get("properties")?.get(only)?.get("type")?.as_str()?;
    (kind == "string").then_some(only)
}

/// Reads an integer, also from a float without fraction and from a decimal string.
fn integral(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64()?;
            // Every float of this range is exact as an integer.
            const EXACT: f64 = 9_007_199_254_740_992.0;
            (float.fract() == 0.0 && float.abs() <= EXACT).then_some(float as i64)
        }),
        Value::String(text) => {
            let text = text.trim();
            text.strip_suffix(".0").unwrap_or(text).parse().ok()
        }
        _ => None,
    }
}

fn unknown_property(
    spec: &ToolSpec,
    place: &str,
    properties: &Map<String, Value>,
    name: &str,
    on: &Switches,
) -> ToolError {
    let shown = format!("{place}{}", echo(name));
    let mistaken = spec.mistaken.iter().find(|(mistaken, _)| *mistaken == name);
    if let Some(advice) = mistaken.map(|(_, advice)| on.advice(advice)).filter(|advice| !advice.is_empty()) {
        return invalid(format!("unexpected property \"{shown}\""), advice.into_owned());
    }
    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
    let near = if known.contains(&"path") && PATH_NAMES.contains(&name.to_ascii_lowercase().as_str()) {
        Some("path")
    } else {
        nearest(name, known.iter().copied())
    };
    let hint = match near {
        Some(near) => format!("use `{near}` instead of `{shown}`"),
        None if place.is_empty() => format!("{} takes {}", spec.name, known.join(", ")),
        None => format!("{} takes {}", place.trim_end_matches('.'), known.join(", ")),
    };
    invalid(format!("unexpected property \"{shown}\""), hint)
}

fn not_an_object(spec: &ToolSpec, found: &str) -> ToolError {
    invalid(
        format!("the arguments must be a JSON object, not {found}"),
        match spec.input_schema.get("properties").and_then(|properties| properties.get("path")) {
            Some(_) => format!("call {} with an object, for example {{\"path\": \"README.md\"}}", spec.name),
            None => format!("call {} with an object, as its description shows", spec.name),
        },
    )
}

fn invalid(message: String, hint: String) -> ToolError {
    ToolError::new(Class::Usage, "invalid_arguments", message).hint(hint)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn found(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string \"{}\"", echo(text)),
        other => kind_of(other).to_owned(),
    }
}
