//! Speech to text by an HTTP endpoint that speaks the dialect of OpenAI.

use std::io;
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use super::{Sound, TranscribeLimits, Transcriber, check_size, failed, timed_out, unusable};
use crate::error::{Class, ToolError};

/// Sends each file to `<url>/audio/transcriptions` as a form and reads `text` out of the answer.
///
/// # Source
///
/// The public reference of the OpenAI API, "Create transcription"; local engines copy it.
#[derive(Clone)]
pub struct HttpTranscriber {
    agent: Agent,
    endpoint: String,
    key: Option<String>,
    model: String,
    language: Option<String>,
    limits: TranscribeLimits,
}

impl HttpTranscriber {
    /// An engine at `url`, with or without the last part of the path, without a key, for the model `whisper-1`.
    pub fn new(url: &str, limits: TranscribeLimits) -> Self {
        const PATH: &str = "/audio/transcriptions";
        let base = url.trim_end_matches('/');
        let endpoint = if base.ends_with(PATH) { base.to_owned() } else { format!("{base}{PATH}") };
        let agent = Agent::config_builder()
            // An error has a body worth reading; a redirect could carry the key elsewhere.
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(limits.timeout))
            .timeout_connect(Some(limits.timeout.min(Duration::from_secs(10))))
            .user_agent(concat!("fs-tools/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let model = "whisper-1".to_owned();
        Self { agent, endpoint, key: None, model, language: None, limits }
    }

    /// Sends this key as a bearer token.
    pub fn key(mut self, key: Option<String>) -> Self {
        self.key = key;
        self
    }

    /// Asks for this model.
    pub fn model(mut self, model: &str) -> Self {
        self.model = model.to_owned();
        self
    }

    /// Says which language is spoken, as a two-letter code.
    pub fn language(mut self, language: Option<&str>) -> Self {
        self.language = language.map(str::to_owned);
        self
    }

    /// The form, with a boundary that does not occur in the file.
    fn form(&self, sound: &Sound<'_>) -> (String, Vec<u8>) {
        let mut boundary = format!("fs-tools-{}", blake3::hash(sound.bytes).to_hex());
        while memchr::memmem::find(sound.bytes, boundary.as_bytes()).is_some() {
            boundary = format!("fs-tools-{}", blake3::hash(boundary.as_bytes()).to_hex());
        }
        let mut body = Vec::with_capacity(sound.bytes.len() + 1024);
        let mut field = |name: &str, value: &str| {
            let part =
                format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend_from_slice(part.as_bytes());
        };
        field("model", &self.model);
        field("response_format", "json");
        if let Some(language) = &self.language {
            field("language", language);
        }
        // A quote or a line end in a name would end the header.
        let name: String = sound
            .name
            .chars()
            .map(|it| if it.is_control() || matches!(it, '"' | '\\') { '_' } else { it })
            .collect();
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {}\r\n\r\n",
            sound.mime
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(sound.bytes);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        (boundary, body)
    }

    fn explain(&self, error: &ureq::Error) -> ToolError {
        match error {
            ureq::Error::Timeout(_) => timed_out(self.limits),
            ureq::Error::BodyExceedsLimit(_) => self.too_long(),
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => timed_out(self.limits),
            ureq::Error::HostNotFound => failed("its host is not known; check fs_tools.transcribe.url"),
            ureq::Error::ConnectionFailed => {
                failed("no connection; check fs_tools.transcribe.url and that it runs")
            }
            ureq::Error::BadUri(_) => failed("fs_tools.transcribe.url is not a URL"),
            ureq::Error::Io(error) => failed(error.kind()),
            _ => failed(
                "the connection broke, or is not possible in this build; check fs_tools.transcribe.url",
            ),
        }
    }

    fn too_long(&self) -> ToolError {
        unusable(format!("it is longer than {} bytes", self.limits.max_answer_bytes))
    }
}

/// The key stays out of logs.
impl std::fmt::Debug for HttpTranscriber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpTranscriber")
            .field("endpoint", &self.endpoint)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl Transcriber for HttpTranscriber {
    fn transcribe(&self, sound: &Sound<'_>) -> Result<String, ToolError> {
        check_size(sound, self.limits)?;
        let (boundary, body) = self.form(sound);
        let mut request = self
            .agent
            .post(&self.endpoint)
            .header("Content-Type", format!("multipart/form-data; boundary={boundary}"))
            .header("Accept", "application/json");
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let mut answer = request.send(&body[..]).map_err(|it| self.explain(&it))?;
        let status = answer.status().as_u16();
        let text = answer
            .body_mut()
            .with_config()
            .limit(self.limits.max_answer_bytes as u64)
            .lossy_utf8(true)
            .read_to_string()
            .map_err(|it| self.explain(&it));
        match status {
            200..=299 => words(&text?),
            401 | 403 => Err(ToolError::new(
                Class::Failure,
                "transcription_refused",
                format!(
                    "the speech-to-text engine refused the key (HTTP {status}); check the variable that fs_tools.transcribe.api_key_env names"
                ),
            )),
            413 => Err(failed("the file is too large for it (HTTP 413); cut it")),
            429 => Err(failed("it is busy or the quota is used up (HTTP 429); try again later")),
            // What the engine says may help, but is bounded and never the sound.
            _ => Err(failed(match text.ok().as_deref().and_then(reason) {
                Some(reason) => format!("HTTP {status}: {reason}"),
                None => format!("HTTP {status}"),
            })),
        }
    }
}

fn words(answer: &str) -> Result<String, ToolError> {
    let value: Value = serde_json::from_str(answer).map_err(|_| unusable("it is not JSON"))?;
    match value["text"].as_str() {
        Some(text) => Ok(text.trim().to_owned()),
        None => Err(unusable("it has no member `text`")),
    }
}

/// The message of an error in the usual form, on one line and bounded.
fn reason(answer: &str) -> Option<String> {
    const MAX_CHARS: usize = 200;
    let value: Value = serde_json::from_str(answer).ok()?;
    let message = value["error"]["message"].as_str().or_else(|| value["error"].as_str())?;
    let line: String =
        message.chars().map(|it| if it.is_control() { ' ' } else { it }).take(MAX_CHARS).collect();
    (!line.trim().is_empty()).then_some(line)
}
