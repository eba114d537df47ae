//! The effective configuration, key by key, with where each value comes from.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Config, Durability, KeepSensitive, Loaded, PathResolution, ReadMode, RunLater, TranscribeVia};
use crate::index::Freshness;

/// Where a value of the effective configuration comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// Nothing says otherwise.
    Default,
    /// The document.
    File {
        /// Line of the key, from 1.
        line: usize,
        /// Column of the key, from 1.
        column: usize,
    },
    /// A variable of the environment.
    Environment {
        /// Its name.
        name: String,
    },
}

/// A key of the configuration with its effective value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Setting {
    /// The full key, joined by dots.
    pub key: &'static str,
    /// The value as the document would have it; secret values are replaced by the mask.
    pub value: Value,
    /// Where it comes from.
    pub source: Source,
}

impl Loaded {
    /// Every key with its effective value and where that comes from, in the order of the documentation.
    pub fn settings(&self) -> Vec<Setting> {
        let source = |key: &str| self.sources.get(key).cloned().unwrap_or(Source::Default);
        values(&self.config)
            .into_iter()
            .map(|(key, value)| Setting { key, value, source: source(key) })
            .collect()
    }
}

fn values(config: &Config) -> Vec<(&'static str, Value)> {
    let text = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned());
    let on = config.enabled;
    let read = config.read_file;
    let masks: Vec<&str> = config.secrets.iter().map(|_| redact::MARKER).collect();
    let levels: serde_json::Map<String, Value> = config
        .run_later
        .iter()
        .map(|(entry, level)| {
            let level = match level {
                RunLater::Allow => "allow",
                RunLater::Confirm => "confirm",
                RunLater::Deny => "deny",
            };
            (entry.clone(), level.into())
        })
        .collect();
    let durability = match config.durability {
        Durability::Full => "full",
        Durability::Data => "data",
        Durability::None => "none",
    };
    let keep = match config.keep_sensitive {
        KeepSensitive::Auto => "auto",
        KeepSensitive::Omit => "omit",
        KeepSensitive::Encrypt => "encrypt",
        KeepSensitive::Keep => "keep",
    };
    let key_file = text(&config.history_key_file);
    let resolution = match config.path_resolution {
        PathResolution::Auto => "auto",
        PathResolution::Kernel => "kernel",
        PathResolution::Walk => "walk",
    };
    let mode = match read.mode {
        ReadMode::Bytes => "bytes",
        ReadMode::Lines => "lines",
    };
    let freshness = match config.search.freshness {
        Freshness::Strict => "strict",
        Freshness::Watch => "watch",
        Freshness::Off => "off",
    };
    let transcribe = &config.transcribe;
    let (url, command) = match &transcribe.via {
        None => (None, Vec::new()),
        Some(TranscribeVia::Url(url)) => (Some(url), Vec::new()),
        Some(TranscribeVia::Command(words)) => (None, words.clone()),
    };
    let (workspace, output_dir) = (text(&config.workspace), text(&config.output_dir));
    let mut settings = vec![
        ("agents.defaults.workspace", json!(workspace)),
        ("agents.defaults.restrict_to_workspace", config.restrict_to_workspace.into()),
        ("agents.defaults.allow_read_outside_workspace", config.allow_read_outside_workspace.into()),
        ("tools.allow_read_paths", json!(config.allow_read_paths)),
        ("tools.allow_write_paths", json!(config.allow_write_paths)),
        ("tools.max_inline_result_chars", config.max_inline_result_chars.into()),
        ("tools.filter_sensitive_data", config.filter_sensitive_data.into()),
        ("tools.read_file.enabled", on.read_file.into()),
        ("tools.read_file.mode", mode.into()),
        ("tools.read_file.max_read_file_size", read.max_bytes.into()),
        ("tools.read_file.max_lines", read.max_lines.into()),
        ("tools.read_file.max_line_length", read.max_line_chars.into()),
        ("tools.write_file.enabled", on.write_file.into()),
        ("tools.edit_file.enabled", on.edit_file.into()),
        ("tools.append_file.enabled", on.append_file.into()),
        ("tools.list_dir.enabled", on.list_dir.into()),
        ("tools.search_files.enabled", on.search_files.into()),
        ("tools.search_files.match_masked", config.match_masked.into()),
        ("tools.file_history.enabled", on.file_history.into()),
        ("tools.find_files.enabled", config.batch.find_files.into()),
        ("tools.read_files.enabled", config.batch.read_files.into()),
        ("tools.open_file.enabled", config.batch.open_file.into()),
        ("fs_tools.secrets", json!(masks)),
        ("fs_tools.durability", durability.into()),
        ("fs_tools.strict_mtime", config.strict_mtime.into()),
        ("fs_tools.output_dir", json!(output_dir)),
        ("fs_tools.open_wait_ms", config.open_wait_millis.into()),
        ("fs_tools.history.enabled", config.history.into()),
        ("fs_tools.history.sensitive", keep.into()),
        ("fs_tools.history.key_file", json!(key_file)),
        ("fs_tools.history.max_mib", json!(config.history_max_mib)),
        ("fs_tools.history.min_free_mib", json!(config.history_min_free_mib)),
        ("fs_tools.search.index", config.search.index.into()),
        ("fs_tools.search.freshness", freshness.into()),
        ("fs_tools.search.index_max_bytes", config.search.index_max_bytes.into()),
        ("fs_tools.search.index_large", config.search.index_large.into()),
        ("fs_tools.search.index_min_files", config.search.index_min_files.into()),
        ("fs_tools.transcribe.url", json!(url)),
        ("fs_tools.transcribe.command", json!(command)),
        ("fs_tools.transcribe.api_key_env", json!(transcribe.api_key_env)),
        ("fs_tools.transcribe.model", json!(transcribe.model)),
        ("fs_tools.transcribe.language", json!(transcribe.language)),
        ("fs_tools.transcribe.max_bytes", transcribe.max_bytes.into()),
        ("fs_tools.transcribe.max_answer_bytes", transcribe.max_answer_bytes.into()),
        ("fs_tools.transcribe.timeout_s", transcribe.timeout_s.into()),
        ("fs_tools.policy.open", json!(config.open_sensitive)),
        ("fs_tools.policy.protect", json!(config.protect)),
        ("fs_tools.policy.append_to_hard_links", config.append_to_hard_links.into()),
        ("fs_tools.policy.path_resolution", resolution.into()),
        ("fs_tools.policy.run_later", Value::Object(levels)),
    ];
    // Of the two ways to an engine, the one that is set excludes the other.
    settings.retain(|(key, _)| match &transcribe.via {
        None => true,
        Some(TranscribeVia::Url(_)) => *key != "fs_tools.transcribe.command",
        Some(TranscribeVia::Command(_)) => *key != "fs_tools.transcribe.url",
    });
    settings
}
