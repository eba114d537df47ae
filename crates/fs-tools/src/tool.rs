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

    /// Returns the whole reply as one object, the contract of `call --json`.
    pub fn to_json(&self) -> Value {
        json!({
            "for_model": self.for_model,
            "for_user": self.for_user,
            "structured": self.structured,
            "is_error": self.is_error,
            "error": self.error.as_ref().map(ToolError::to_json),
            "attachments": self.attachments,
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
