//! The test vectors of the classic tools, each findable by its id, through the interface that a model uses.
//!
//! `docs/conformance-classic.md` lists every id with the place where it is proven, and the ids whose outcome a design
//! decision changes; here such a vector asserts the decision.

mod append_list;
mod bytes;
mod content;
mod diff;
mod edit;
mod ignore;
mod lines;
mod names;
mod patch;
mod redaction;
mod results;
mod sandbox;
mod syntax;
mod validation;
mod write;

use fs_tools::{Options, Reply};
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// One vector: its id and the files that it works on.
pub(crate) struct Vector {
    id: &'static str,
    pub(crate) files: Fixture,
}

impl Vector {
    /// Makes the files of `tree` with the default configuration.
    pub(crate) fn new(id: &'static str, tree: &str) -> Self {
        Self { id, files: Fixture::new(tree) }
    }

    /// The same with a configuration document.
    pub(crate) fn with(id: &'static str, tree: &str, config: &Value) -> Self {
        Self { id, files: Fixture::with(tree, &config.to_string()) }
    }

    /// The same with options of one's own.
    pub(crate) fn open(
        id: &'static str,
        tree: &str,
        options: impl FnOnce(std::path::PathBuf) -> Options,
    ) -> Self {
        Self { id, files: Fixture::open(tree, options) }
    }

    /// A single file `f` with these bytes.
    pub(crate) fn file(id: &'static str, bytes: impl AsRef<[u8]>) -> Self {
        let vector = Self::new(id, "");
        vector.files.write("f", bytes);
        vector
    }

    pub(crate) fn call(&self, tool: &str, args: Value) -> Outcome<'_> {
        Outcome { vector: self, reply: self.files.call(tool, args) }
    }

    /// A call that has to succeed.
    #[track_caller]
    pub(crate) fn ok(&self, tool: &str, args: Value) -> Outcome<'_> {
        let outcome = self.call(tool, args);
        assert!(!outcome.reply.is_error, "{}: {}", self.id, outcome.reply.for_model);
        outcome
    }

    /// A call that has to be refused with this code and a next step.
    #[track_caller]
    pub(crate) fn refused(&self, tool: &str, args: Value, code: &str) -> Outcome<'_> {
        let outcome = self.call(tool, args);
        let Some(error) = &outcome.reply.error else {
            panic!("{}: succeeded with {}", self.id, outcome.reply.for_model)
        };
        assert_eq!(error.code(), code, "{}: {error}", self.id);
        assert!(error.next_step().is_some_and(|step| !step.is_empty()), "{}: {error}", self.id);
        outcome
    }

    /// What is on the disk.
    #[track_caller]
    pub(crate) fn holds(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let found = std::fs::read(self.files.path(name)).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&found),
            String::from_utf8_lossy(content.as_ref()),
            "{}: {name}",
            self.id
        );
        self
    }
}

/// The answer to the call of a vector, to be looked at.
pub(crate) struct Outcome<'v> {
    vector: &'v Vector,
    pub(crate) reply: Reply,
}

impl Outcome<'_> {
    /// The model's text, with the place of the workspace replaced.
    pub(crate) fn text(&self) -> String {
        self.vector.files.portable(&self.reply.for_model)
    }

    #[track_caller]
    pub(crate) fn has(&self, part: &str) -> &Self {
        let text = self.text();
        assert!(text.contains(part), "{}: no {part:?} in\n{text}", self.vector.id);
        self
    }

    #[track_caller]
    pub(crate) fn lacks(&self, part: &str) -> &Self {
        let text = self.text();
        assert!(!text.contains(part), "{}: {part:?} in\n{text}", self.vector.id);
        self
    }

    #[track_caller]
    pub(crate) fn ends(&self, part: &str) -> &Self {
        let text = self.text();
        assert!(text.ends_with(part), "{}: no {part:?} at the end of\n{text}", self.vector.id);
        self
    }

    #[track_caller]
    pub(crate) fn is(&self, whole: &str) -> &Self {
        assert_eq!(self.text(), whole, "{}", self.vector.id);
        self
    }

    /// Nobody but the model is told.
    #[track_caller]
    pub(crate) fn silent(&self) -> &Self {
        assert_eq!(self.reply.for_user, None, "{}", self.vector.id);
        self
    }

    /// A part of what the user is shown.
    #[track_caller]
    pub(crate) fn user_has(&self, part: &str) -> &Self {
        let shown = self.reply.for_user.as_deref().unwrap_or_default();
        assert!(shown.contains(part), "{}: no {part:?} in\n{shown}", self.vector.id);
        self
    }

    /// A field of the structured answer; `null` when it has to be absent.
    #[track_caller]
    pub(crate) fn field(&self, name: &str, value: Value) -> &Self {
        let structured = self.reply.structured.as_ref().unwrap_or_else(|| panic!("{}", self.text()));
        assert_eq!(structured.get(name).unwrap_or(&Value::Null), &value, "{}: {name}", self.vector.id);
        self
    }
}

/// The configuration that reads by lines.
pub(crate) fn by_lines() -> Value {
    json!({"tools": {"read_file": {"mode": "lines"}}})
}

/// A token of a documented format, put together here so that none stands in the repository.
pub(crate) fn token() -> String {
    format!("{}{}", "ghp_", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5")
}
