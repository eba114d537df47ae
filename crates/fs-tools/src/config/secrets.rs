//! Secret values that the configuration document itself holds: keys of models, channels and services.

use serde_json::Value;

use super::document::is_comment;

/// Words that mark a key as secret when they end it, after it was split at `_`, `-` and case changes.
const SECRET_WORDS: [&str; 9] =
    ["token", "secret", "password", "passwd", "apikey", "api_key", "access_key", "private_key", "credential"];

/// Shortest value that is worth masking; shorter ones would mask ordinary text.
const MIN_BYTES: usize = 8;

/// Depth of nesting that is looked through; JSON deeper than this does not parse in the first place.
const MAX_DEPTH: usize = 128;

/// Returns the string values of all keys that name a secret, at any depth.
pub(super) fn collect(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(document, false, MAX_DEPTH, &mut found);
    found
}

fn walk(value: &Value, secret: bool, depth: usize, found: &mut Vec<String>) {
    if depth == 0 {
        return;
    }
    match value {
        Value::String(text) if secret && text.len() >= MIN_BYTES => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| walk(item, secret, depth - 1, found)),
        Value::Object(map) => {
            for (key, item) in map.iter().filter(|(key, _)| !is_comment(key)) {
                walk(item, is_secret_key(key), depth - 1, found);
            }
        }
        _ => {}
    }
}

fn is_secret_key(key: &str) -> bool {
    let folded = key.to_ascii_lowercase().replace('-', "_");
    SECRET_WORDS.iter().any(|word| {
        let plural = folded.strip_suffix('s').unwrap_or(&folded);
        folded.ends_with(word) || plural.ends_with(word)
    })
}

#[cfg(test)]
mod tests {
    use super::collect;

    #[test]
    fn values_of_secret_keys_are_collected_at_any_depth() {
        let document = serde_json::json!({
            "models": [{"name": "gpt-something-long", "api_key": "value-of-model-key"}],
            "channels": {"chat": {"bot_token": "value-of-bot-token", "note": "not a secret at all"}},
            "keys": {"apiKeys": ["value-one-of-two", "value-two-of-two"]},
            "short": {"password": "1234567"},
        });
        let mut found = collect(&document);
        found.sort();
        assert_eq!(
            found,
            ["value-of-bot-token", "value-of-model-key", "value-one-of-two", "value-two-of-two"]
        );
    }
}
