//! JSON schemas of arguments and results, in the portable form that every client understands.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// Derives the schema of `T` without anything that some client rejects or warns of.
///
/// No `$schema`, `title` or `format`, no array of types (an optional property is one that is not required), nothing
/// nested by reference, required properties first, then in the order of the struct.
pub(crate) fn portable<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    order_required_first(&mut schema);
    schema
}

fn simplify(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for key in ["$schema", "title", "format", "default"] {
                // A property may have one of these names; then its value is a schema, an object.
                if map.get(key).is_some_and(|inner| !inner.is_object()) {
                    map.remove(key);
                }
            }
            if let Some(Value::Array(types)) = map.get("type") {
                let single = types.iter().find(|kind| *kind != "null").cloned().unwrap_or(Value::Null);
                map.insert("type".into(), single);
            }
            if let Some(Value::Array(branches)) = map.get("anyOf")
                && let [one, Value::Object(null)] = branches.as_slice()
                && null.get("type").is_some_and(|kind| kind == "null")
                && let Value::Object(one) = one.clone()
            {
                map.remove("anyOf");
                for (key, value) in one {
                    map.entry(key).or_insert(value);
                }
            }
            // Documented variants come as one branch each; a plain enumeration says the same in fewer bytes.
            if let Some(Value::Array(branches)) = map.get("oneOf") {
                let names: Option<Vec<Value>> =
                    branches.iter().map(|branch| branch.get("const").cloned()).collect();
                if let Some(names) = names {
                    map.remove("oneOf");
                    map.insert("type".into(), "string".into());
                    map.insert("enum".into(), Value::Array(names));
                }
            }
            if let Some(Value::Array(values)) = map.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            // Descriptions are one line: what the source wraps is no line break for a reader.
            if let Some(Value::String(text)) = map.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            map.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

fn order_required_first(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else { return };
    map.remove("description");
    let required: Vec<String> = map
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        let mut ordered = Map::new();
        for name in &required {
            if let Some(property) = properties.get(name) {
                ordered.insert(name.clone(), property.clone());
            }
        }
        for (name, property) in properties.iter() {
            if !ordered.contains_key(name) {
                ordered.insert(name.clone(), property.clone());
            }
        }
        *properties = ordered;
    }
}
