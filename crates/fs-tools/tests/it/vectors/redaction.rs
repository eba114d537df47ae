//! RX: credentials of known formats, and configured values.
//!
//! Values are put together from parts, so that none stands in the repository.

use serde_json::{Value, json};

use super::{Vector, token};

/// `len` characters that look like the random part of a token.
fn random(len: usize) -> String {
    let alphabet: Vec<char> = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ".chars().collect();
    (0..len).map(|n| alphabet[(n * 7 + n / 26) % 26]).collect()
}

/// What a read shows of a text.
fn shown(id: &'static str, config: &Value, text: &str) -> String {
    let vector = Vector::with(id, "", config);
    vector.files.write("f", text);
    let page = vector.ok("read_file", json!({"path": "f"})).text();
    page.split_once("\n\n").map_or(page.clone(), |(_, body)| body.to_owned())
}

#[track_caller]
fn check(id: &'static str, text: &str, expected: &str) {
    assert_eq!(shown(id, &json!({}), text), expected, "{id}");
}

#[track_caller]
fn hidden(id: &'static str, secret: &str) {
    check(id, &format!("use {secret} here\n"), "use [FILTERED] here\n");
}

#[track_caller]
fn visible(id: &'static str, text: &str) {
    check(id, text, text);
}

#[test]
fn formats() {
    hidden("RX1", &format!("sk-{}-{}", "proj", random(36)));
    hidden("RX2", &format!("sk-{}-api03-{}", "ant", random(32)));
    check(
        "RX3",
        &format!("{{\"api_key\": \"{}\", \"model\": \"gpt-4\"}}\n", random(25)),
        "{\"api_key\": \"[FILTERED]\", \"model\": \"gpt-4\"}\n",
    );
    let (a, b, c) = (random(20), random(24), random(28));
    check(
        "RX4",
        &format!("{{\"token\": \"{a}\", \"client_secret\": \"{b}\", \"password\": \"{c}\"}}\n"),
        "{\"token\": \"[FILTERED]\", \"client_secret\": \"[FILTERED]\", \"password\": \"[FILTERED]\"}\n",
    );
    hidden("RX5", &format!("{}-{}-{}", "xoxb", "123456789012", random(24)));
    hidden("RX6", &format!("{}{}", "AKIA", "Q3EGRI7KLMN5PWX2"));
    hidden("RX7", &format!("{}{}", "ghp_", random(37)));
    visible("RX8", "{\"name\": \"a service\", \"port\": 8080, \"hosts\": [\"a.example\", \"b.example\"]}\n");
    hidden("RX10", &token());
    visible("RX12", "the key to the house is under the mat; the model is gpt-4\n");
    check("RX12", &format!("key {}\n", token()), "key [FILTERED]\n");
    for name in ["OPENAI_API_KEY", "ARK_API_KEY", "CHANNEL_SECRET", "BOT_TOKEN", "DATABASE_PASSWORD"] {
        check("RX13", &format!("{name}={}\n", random(24)), &format!("{name}=[FILTERED]\n"));
    }
    visible(
        "RX13",
        "HOME=/home/someone\nPATH=/usr/bin:/bin\nGOPATH=/home/someone/go\nMODEL_NAME=gpt-4-turbo\n",
    );
    visible(
        "RX14",
        "3f786850e387550fdab836ed7e6dc881de23001b\n\
         9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n\
         123e4567-e89b-12d3-a456-426614174000\n\
         getUserAccountSettingsFromDatabaseConnectionPool\n\
         the_quick_brown_fox_jumps_over_the_lazy_dog\n\
         The quick brown fox jumps over the lazy dog.\n",
    );
}

#[test]
fn views() {
    let vector = Vector::file("RX9", "");
    vector.ok("read_file", json!({"path": "f"})).lacks("[FILTERED]");
    // The text of an error quotes the file: masked as well.
    let vector = Vector::file("RX11", format!("key =  {}\n", token()));
    let old = format!("key = {}", token());
    let args = json!({"path": "f", "old_text": old, "new_text": "x"});
    vector.refused("edit_file", args, "text_not_found").lacks(&token()[10..20]);
    vector.ok("search_files", json!({"pattern": "key"})).has("[FILTERED]").lacks(&token()[10..20]);
}

#[test]
fn configured_values() {
    let config = json!({"models": [{"api_key": "a value of ours"}]});
    let text = "say a value of ours and abc123\n";
    assert_eq!(shown("RX15", &config, text), "say [FILTERED] and abc123\n");
    // The length of the value counts, not that of the text around it.
    let config = json!({"fs_tools": {"secrets": ["s3cret", "abc"]}});
    assert_eq!(shown("RX16", &config, "s3cret\n"), "[FILTERED]\n");
    assert_eq!(shown("RX16", &config, "abc\n"), "abc\n");
    let off =
        json!({"tools": {"filter_sensitive_data": false}, "fs_tools": {"secrets": ["a value of ours"]}});
    assert_eq!(shown("RX17", &off, text), text);
    let three = json!({"fs_tools": {"secrets": ["first value", "second value", "third value"]}});
    assert_eq!(
        shown("RX18", &three, "first value, second value, third value\n"),
        "[FILTERED], [FILTERED], [FILTERED]\n"
    );
    let config = json!({
        "models": [{"api_key": "value of a model"}],
        "channels": {
            "telegram": {"token": "value of telegram"},
            "discord": {"token": "value of discord"},
            "slack": {"bot_token": "value of slack bot", "app_token": "value of slack app"},
            "matrix": {"access_token": "value of matrix"},
            "irc": {"password": "value of irc", "nickserv_password": "value of nickserv"},
        },
        "tools": {
            "web": {"brave": {"api_keys": ["value of brave"]}, "tavily": {"api_key": "value of tavily"}},
            "skills": {"github": {"token": "value of github"}},
        },
    });
    let values = [
        "a model",
        "telegram",
        "discord",
        "slack bot",
        "slack app",
        "matrix",
        "irc",
        "nickserv",
        "brave",
        "tavily",
        "github",
    ];
    for value in values {
        assert_eq!(
            shown("RX19", &config, &format!("before value of {value} after\n")),
            "before [FILTERED] after\n",
            "{value}"
        );
    }
    assert_eq!(shown("RX20", &json!({}), text), text);
    assert!(fs_tools::Config::default().filter_sensitive_data, "RX21");
    let nested = json!({"fs_tools": {"secrets": ["shared-prefix", "shared-prefix-and-more"]}});
    assert_eq!(shown("RX23", &nested, "x shared-prefix-and-more y\n"), "x [FILTERED] y\n");
}
