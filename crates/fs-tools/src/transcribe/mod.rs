//! Speech to text: a port, and two ways to an engine that somebody else runs.

#[cfg(feature = "transcribe-command")]
mod command;
#[cfg(feature = "transcribe-http")]
mod http;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use document_text::{Class as FormatClass, Kind};

#[cfg(feature = "transcribe-command")]
pub use command::CommandTranscriber;
#[cfg(feature = "transcribe-http")]
pub use http::HttpTranscriber;

use crate::config::{TranscribeConfig, TranscribeVia};
use crate::error::{Class, ToolError};

/// What is said when nothing is configured.
const HINT: &str = "set fs_tools.transcribe.url to an OpenAI-compatible endpoint, or fs_tools.transcribe.command to a program and its \
                    arguments with {input} for the file";

/// Turns the sound of a file into text.
pub trait Transcriber: fmt::Debug + Send + Sync {
    /// Returns what is said in `sound`, word for word, without blanks around it.
    ///
    /// # Errors
    ///
    /// [`ToolError`] with the code `transcription_failed`, `transcription_refused`, `transcription_time_out`, `transcription_unusable` or
    /// `sound_too_large`; never with any of the sound or of the key.
    fn transcribe(&self, sound: &Sound<'_>) -> Result<String, ToolError>;
}

/// A file with sound.
#[derive(Debug, Clone, Copy)]
pub struct Sound<'a> {
    /// The name of the file, without its directory: engines look at the extension.
    pub name: &'a str,
    /// Its media type.
    pub mime: &'a str,
    /// The whole file.
    pub bytes: &'a [u8],
}

/// The media type of a file with sound, by its content; `None` for any other file.
pub fn sound_kind(name: &Path, bytes: &[u8]) -> Option<&'static str> {
    match document_text::classify(name, bytes) {
        Kind::Binary(format) if matches!(format.class(), FormatClass::Audio | FormatClass::Video) => {
            Some(format.mime())
        }
        _ => None,
    }
}

/// Bounds of one transcription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscribeLimits {
    /// The largest file that is sent, in bytes.
    pub max_bytes: usize,
    /// The longest answer, in bytes.
    pub max_answer_bytes: usize,
    /// The longest time that one file may take.
    pub timeout: Duration,
}

/// Stands where nothing is configured: each answer is an error that names the settings.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTranscriber;

impl Transcriber for NoTranscriber {
    fn transcribe(&self, _: &Sound<'_>) -> Result<String, ToolError> {
        Err(not_configured(format!("sound cannot be read: no speech-to-text engine is configured; {HINT}")))
    }
}

/// Stands where the build lacks what the configuration asks for.
#[cfg(not(all(feature = "transcribe-http", feature = "transcribe-command")))]
#[derive(Debug, Clone, Copy)]
struct NotBuilt(&'static str);

#[cfg(not(all(feature = "transcribe-http", feature = "transcribe-command")))]
impl Transcriber for NotBuilt {
    fn transcribe(&self, _: &Sound<'_>) -> Result<String, ToolError> {
        let feature = self.0;
        Err(not_configured(format!(
            "sound cannot be read: this build lacks the feature `{feature}` of fs-tools"
        )))
    }
}

/// The engine that the configuration names. `environment` is asked for the key, once.
pub fn transcriber(
    config: &TranscribeConfig,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Arc<dyn Transcriber> {
    let limits = TranscribeLimits {
        max_bytes: config.max_bytes,
        max_answer_bytes: config.max_answer_bytes,
        timeout: Duration::from_secs(config.timeout_s as u64),
    };
    match &config.via {
        None => Arc::new(NoTranscriber),
        Some(TranscribeVia::Url(url)) => by_url(url, config, limits, environment),
        Some(TranscribeVia::Command(words)) => by_command(words, limits),
    }
}

#[cfg(feature = "transcribe-http")]
fn by_url(
    url: &str,
    config: &TranscribeConfig,
    limits: TranscribeLimits,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Arc<dyn Transcriber> {
    let key = config.api_key_env.as_deref().and_then(environment);
    let engine = HttpTranscriber::new(url, limits).key(key).model(&config.model);
    Arc::new(engine.language(config.language.as_deref()))
}

#[cfg(not(feature = "transcribe-http"))]
fn by_url(
    _: &str,
    _: &TranscribeConfig,
    _: TranscribeLimits,
    _: &dyn Fn(&str) -> Option<String>,
) -> Arc<dyn Transcriber> {
    Arc::new(NotBuilt("transcribe-http"))
}

#[cfg(feature = "transcribe-command")]
fn by_command(words: &[String], limits: TranscribeLimits) -> Arc<dyn Transcriber> {
    Arc::new(CommandTranscriber::new(words, limits))
}

#[cfg(not(feature = "transcribe-command"))]
fn by_command(_: &[String], _: TranscribeLimits) -> Arc<dyn Transcriber> {
    Arc::new(NotBuilt("transcribe-command"))
}

fn not_configured(message: String) -> ToolError {
    ToolError::new(Class::Usage, "transcription_not_configured", message)
}

/// A file beyond the limit is refused before anything is sent or written.
#[cfg(any(feature = "transcribe-http", feature = "transcribe-command"))]
fn check_size(sound: &Sound<'_>, limits: TranscribeLimits) -> Result<(), ToolError> {
    if sound.bytes.len() <= limits.max_bytes {
        return Ok(());
    }
    Err(ToolError::new(
        Class::Limit,
        "sound_too_large",
        format!(
            "the file has {} bytes, {} are sent to the speech-to-text engine; cut it, or raise fs_tools.transcribe.max_bytes",
            sound.bytes.len(),
            limits.max_bytes
        ),
    ))
}

#[cfg(any(feature = "transcribe-http", feature = "transcribe-command"))]
fn timed_out(limits: TranscribeLimits) -> ToolError {
    ToolError::new(
        Class::Limit,
        "transcription_time_out",
        format!(
            "the speech-to-text engine did not answer within {} s; cut the file, or raise fs_tools.transcribe.timeout_s",
            limits.timeout.as_secs()
        ),
    )
}

#[cfg(any(feature = "transcribe-http", feature = "transcribe-command"))]
fn failed(why: impl fmt::Display) -> ToolError {
    ToolError::new(Class::Failure, "transcription_failed", format!("the speech-to-text engine failed: {why}"))
}

#[cfg(any(feature = "transcribe-http", feature = "transcribe-command"))]
fn unusable(why: impl fmt::Display) -> ToolError {
    let message = format!("the answer of the speech-to-text engine cannot be used: {why}");
    ToolError::new(Class::Failure, "transcription_unusable", message)
}
