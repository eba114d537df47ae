//! The one interface between the tools and every front end.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::error::{Class, ToolError};
use crate::workspace::Workspace;

/// What a client may assume about a tool before it calls it; derived from the effective configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotations {
    /// The tool changes nothing.
    pub read_only: bool,
    /// The tool may replace or remove what is there.
    pub destructive: bool,
    /// The same call twice has the effect of one.
    pub idempotent: bool,
    /// The tool reaches beyond the files of this machine.
    pub open_world: bool,
}

/// A tool as it is offered: name, texts and schemas.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Name in calls.
    pub name: &'static str,
    /// Short name for people.
    pub title: &'static str,
    /// What a model reads: what it does, when to use it, limits, an example.
    pub description: String,
    /// JSON schema of the arguments: an object, required properties first.
    pub input_schema: Value,
    /// JSON schema of the structured result, for tools whose answer is one small object.
    pub output_schema: Option<Value>,
    /// What a client may assume.
    pub annotations: Annotations,
    /// Property names that models send by mistake, each with the right way to say it.
    pub mistaken: &'static [(&'static str, &'static str)],
}

impl ToolSpec {
    /// Returns the tool as MCP lists it: the part that a model sees, and the annotations.
    pub fn to_json(&self) -> Value {
        let a = self.annotations;
        let mut value = json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": {
                "readOnlyHint": a.read_only, "destructiveHint": a.destructive,
                "idempotentHint": a.idempotent, "openWorldHint": a.open_world,
            },
        });
        if let Some(schema) = &self.output_schema {
            value["outputSchema"] = schema.clone();
        }
        value
    }
}

/// A question that only a person may answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Path as the caller gave it.
    pub path: String,
    /// Why a confirmation is needed, with its stable code.
    pub code: String,
    /// The question as a sentence.
    pub text: String,
    /// Device and inode of the file in question; `None` for a file that does not exist yet. An answer that is given
    /// later holds for this file only.
    pub file: Option<(u64, u64)>,
}

/// Answer to a [`Question`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// Go on, for this file and this run.
    Yes,
    /// Do not.
    No,
    /// There is nobody to ask.
    Nobody,
}

/// The host's way to ask a person.
pub trait Confirm: Sync {
    /// Asks and waits for the answer.
    fn ask(&self, question: &Question) -> Answer;
}

/// A host that cannot ask: every question is answered with [`Answer::Nobody`].
#[derive(Debug, Clone, Copy, Default)]
pub struct NobodyToAsk;

impl Confirm for NobodyToAsk {
    fn ask(&self, _question: &Question) -> Answer {
        Answer::Nobody
    }
}

/// Receives how far a long call has come.
pub trait Progress: Sync {
    /// Reports `done` of `total` units (bytes or files), with a short label.
    fn report(&self, done: u64, total: Option<u64>, label: &str);
}

/// On whose behalf a call is made; recorded with every change. Empty fields are unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Origin<'a> {
    /// The unit of undo.
    pub task: &'a str,
    /// What the task is after, in the words of whoever gave it.
    pub goal: &'a str,
    /// The server process or the run of the command line.
    pub run: &'a str,
}

/// What surrounds one call: cancellation, progress, confirmation, on whose behalf.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// Set by the front end when the caller gave up; long loops look at it often.
    pub cancel: Option<&'a AtomicBool>,
    /// Where progress goes.
    pub progress: Option<&'a dyn Progress>,
    /// Who answers questions.
    pub confirm: &'a dyn Confirm,
    /// On whose behalf.
    pub origin: Origin<'a>,
}

impl Call<'static> {
    /// A call that is never cancelled, reports to nobody, and can ask nobody.
    pub fn plain() -> Self {
        Self {
            cancel: None,
            progress: None,
            confirm: &NobodyToAsk,
            origin: Origin { task: "", goal: "", run: "" },
        }
    }
}

impl Call<'_> {
    /// Whether the caller has given up.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Fails with `cancelled` when the caller has given up.
    pub(crate) fn check(&self) -> Result<(), ToolError> {
        if self.is_cancelled() {
            return Err(ToolError::new(
                Class::Cancelled,
                "cancelled",
                "the call was cancelled; nothing was changed",
            ));
        }
        Ok(())
    }
}

/// A picture in an answer, for models that can look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Media type, such as `image/png`.
    pub mime: String,
    /// The encoded picture, as it is in the file.
    pub bytes: Vec<u8>,
}

impl Image {
    /// Returns the bytes in base64 (RFC 4648, section 4), as JSON carries them.
    pub fn to_base64(&self) -> String {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::with_capacity(self.bytes.len().div_ceil(3) * 4);
        for group in self.bytes.chunks(3) {
            let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for digit in 0..4 {
                let index = (bits >> (18 - 6 * digit)) as usize & 63;
                out.push(if digit > group.len() { '=' } else { char::from(ALPHABET[index]) });
            }
        }
        out
    }
}

/// The answer to one call, for its three readers.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Reply {
    /// What the model reads: masked, bounded, complete on its own.
    pub for_model: String,
    /// What a person is shown, when that differs from silence.
    pub for_user: Option<String>,
    /// The same small answer as an object, for tools that have an output schema.
    pub structured: Option<Value>,
    /// Whether the call failed or was refused.
    pub is_error: bool,
    /// The failure, when there is one.
    pub error: Option<ToolError>,
    /// Whether the answer is a negative one that is no failure: a search without a match.
    pub is_negative: bool,
    /// Files that hold what did not fit, relative to the workspace.
    pub attachments: Vec<String>,
    /// Pictures, in the order in which the text names them. The text is complete without them.
    pub images: Vec<Image>,
}

impl Reply {
    /// A successful answer that only the model reads.
    pub fn text(for_model: impl Into<String>) -> Self {
        Self {
            for_model: for_model.into(),
            for_user: None,
            structured: None,
            is_error: false,
            error: None,
            is_negative: false,
            attachments: Vec::new(),
            images: Vec::new(),
        }
    }

    /// A small status answer: the same object as text and as structure.
    pub fn object(value: Value) -> Self {
        Self { structured: Some(value.clone()), ..Self::text(value.to_string()) }
    }

    /// A refusal or failure.
    pub fn failure(error: ToolError) -> Self {
        Self {
            structured: error.structured().cloned(),
            is_error: true,
            for_model: error.to_string(),
            error: Some(error),
            ..Self::text("")
        }
    }

    /// Returns the whole reply as one object, the contract of `call --json`. Pictures are in base64.
    pub fn to_json(&self) -> Value {
        let images: Vec<Value> =
            self.images.iter().map(|image| json!({"mime": image.mime, "data": image.to_base64()})).collect();
        json!({
            "for_model": self.for_model,
            "for_user": self.for_user,
            "structured": self.structured,
            "is_error": self.is_error,
            "error": self.error.as_ref().map(ToolError::to_json),
            "attachments": self.attachments,
            "images": images,
        })
    }
}

impl From<ToolError> for Reply {
    fn from(error: ToolError) -> Self {
        Self::failure(error)
    }
}

/// One tool, ready to be called by any front end.
pub trait Tool: Send + Sync {
    /// Returns how the tool is offered.
    fn spec(&self) -> &ToolSpec;

    /// Runs one call. `args` has been checked against the schema and is an object.
    ///
    /// Wrong use is an answer: the reply says so. Nothing panics on any input.
    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply;
}

#[cfg(test)]
mod tests {
    use super::Image;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, expected) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (b"\xfb\xff\xbf", "+/+/"),
        ] {
            assert_eq!(Image { mime: String::new(), bytes: bytes.to_vec() }.to_base64(), expected);
        }
    }
}
