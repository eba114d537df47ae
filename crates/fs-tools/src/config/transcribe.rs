//! The section `fs_tools.transcribe`: which engine turns speech into text.

use super::document::{ConfigError, Section};
use crate::limits;

/// Settings of speech to text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscribeConfig {
    /// `fs_tools.transcribe.url` or `fs_tools.transcribe.command`; nothing by default.
    pub via: Option<TranscribeVia>,
    /// `fs_tools.transcribe.api_key_env`: the environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// `fs_tools.transcribe.model`.
    pub model: String,
    /// `fs_tools.transcribe.language`: a two-letter code; the engine finds out by default.
    pub language: Option<String>,
    /// `fs_tools.transcribe.max_bytes`: the largest file that is sent.
    pub max_bytes: usize,
    /// `fs_tools.transcribe.max_answer_bytes`: the longest answer.
    pub max_answer_bytes: usize,
    /// `fs_tools.transcribe.timeout_s`: the longest time that one file may take, in seconds.
    pub timeout_s: usize,
}

/// The way to an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TranscribeVia {
    /// An OpenAI-compatible endpoint: its base, such as `https://api.openai.com/v1`.
    Url(String),
    /// A program and its arguments, with `{input}` for the file.
    Command(Vec<String>),
}

impl Default for TranscribeConfig {
    fn default() -> Self {
        Self {
            via: None,
            api_key_env: None,
            model: "whisper-1".into(),
            language: None,
            max_bytes: limits::SOUND_BYTES,
            max_answer_bytes: limits::TRANSCRIPT_BYTES,
            timeout_s: limits::TRANSCRIBE_SECONDS,
        }
    }
}

impl TranscribeConfig {
    pub(super) fn read(&mut self, own: &Section<'_>, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
        let Some(section) = own.section("transcribe")? else { return Ok(()) };
        let url = section.string("url")?.filter(|it| !it.is_empty());
        let mut command = Vec::new();
        section.set_strings("command", &mut command)?;
        self.via = match (url, command.is_empty()) {
            (Some(_), false) => return Err(section.wrong("command", "left out where `url` is set")),
            (Some(url), true) if !url.starts_with("http://") && !url.starts_with("https://") => {
                return Err(section.wrong("url", "a URL that starts with http:// or https://"));
            }
            (Some(url), true) => Some(TranscribeVia::Url(url.to_owned())),
            (None, false) if !command.iter().skip(1).any(|it| it.contains("{input}")) => {
                return Err(section.wrong("command", "a program and arguments, one of them with {input}"));
            }
            (None, false) => Some(TranscribeVia::Command(command)),
            (None, true) => None,
        };
        self.api_key_env = section.string("api_key_env")?.filter(|it| !it.is_empty()).map(str::to_owned);
        self.language = section.string("language")?.filter(|it| !it.is_empty()).map(str::to_owned);
        if let Some(model) = section.string("model")?.filter(|it| !it.is_empty()) {
            model.clone_into(&mut self.model);
        }
        section.set_count("max_bytes", &mut self.max_bytes)?;
        section.set_count("max_answer_bytes", &mut self.max_answer_bytes)?;
        section.set_count("timeout_s", &mut self.timeout_s)?;
        section.warn_unknown(warnings);
        Ok(())
    }
}
