//! Why something is refused or has to be confirmed.

use std::{borrow::Cow, fmt, path::Path, sync::Arc};

use crate::{escape::escape, op::Op};

/// Names the cause of a refusal or of a question.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The path leaves the workspace, and nothing grants that. Whether something exists there is not told.
    OutsideWorkspace,
    /// The path that was to be decided on is not absolute and canonical: a mistake of the caller.
    NotCanonical,
    /// A name that no tool may touch.
    Protected,
    /// A directory of our own.
    OwnState,
    /// The object shows the state of the kernel as if it were a file.
    PseudoFileSystem,
    /// A name or content that is usually secret.
    Sensitive,
    /// A name that may be read but not written.
    WriteDenied,
    /// The results that were spilled to disk are never searched.
    Artifacts,
    /// The workspace itself cannot be written, replaced or removed.
    WorkspaceRoot,
    /// A file that some program runs or obeys later.
    RunLater,
    /// Opening it would run it.
    WouldExecute,
    /// A directory where a file is needed.
    IsADirectory,
    /// A file where a directory is needed.
    NotADirectory,
    /// A pipe, socket, device or link.
    NotARegularFile,
    /// The file has other names, which would change too.
    HardLink,
    /// A person said no.
    Declined,
}

impl Cause {
    /// Lists every cause.
    pub const ALL: [Cause; 16] = [
        Cause::OutsideWorkspace,
        Cause::NotCanonical,
        Cause::Protected,
        Cause::OwnState,
        Cause::PseudoFileSystem,
        Cause::Sensitive,
        Cause::WriteDenied,
        Cause::Artifacts,
        Cause::WorkspaceRoot,
        Cause::RunLater,
        Cause::WouldExecute,
        Cause::IsADirectory,
        Cause::NotADirectory,
        Cause::NotARegularFile,
        Cause::HardLink,
        Cause::Declined,
    ];

    /// Returns the stable word for branching.
    pub const fn code(self) -> &'static str {
        match self {
            Cause::OutsideWorkspace => "outside_workspace",
            Cause::NotCanonical => "not_canonical",
            Cause::Protected => "protected",
            Cause::OwnState => "own_state",
            Cause::PseudoFileSystem => "pseudo_file_system",
            Cause::Sensitive => "sensitive",
            Cause::WriteDenied => "write_denied",
            Cause::Artifacts => "artifacts",
            Cause::WorkspaceRoot => "workspace_root",
            Cause::RunLater => "run_later",
            Cause::WouldExecute => "would_execute",
            Cause::IsADirectory => "is_a_directory",
            Cause::NotADirectory => "not_a_directory",
            Cause::NotARegularFile => "not_a_regular_file",
            Cause::HardLink => "hard_link",
            Cause::Declined => "declined",
        }
    }
}

/// Explains a refusal or a question: a stable code, the rule behind it, and what to do next.
///
/// A reason never contains the path, so that the caller can show the spelling that was asked for and nothing else; and
/// it is the same whether something exists outside the workspace or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    pub(crate) cause: Cause,
    pub(crate) op: Op,
    pub(crate) rule: Option<Arc<str>>,
    pub(crate) askable: bool,
    pub(crate) workspace: Arc<Path>,
}

impl Reason {
    /// Returns the stable word for branching, such as `outside_workspace`.
    pub fn code(&self) -> &'static str {
        self.cause.code()
    }

    /// Returns the cause, for matching.
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// Returns the operation that was asked for.
    pub fn op(&self) -> Op {
        self.op
    }

    /// Returns the id of the rule behind the reason, when there is one: the id of a table row, or an entry of the
    /// operator as written.
    pub fn rule(&self) -> Option<&str> {
        self.rule.as_deref()
    }

    /// Tells whether a person's yes would have settled it.
    pub fn is_askable(&self) -> bool {
        self.askable
    }

    /// Says what the user, the model or the operator can do next.
    ///
    /// Names of settings are those of the fs-tools configuration, which are also those of [`crate::Settings`].
    pub fn hint(&self) -> Cow<'static, str> {
        let rule = self.rule().unwrap_or("");
        match self.cause {
            Cause::OutsideWorkspace => self.outside_hint().into(),
            Cause::NotCanonical => "resolve links and `..` before asking".into(),
            Cause::Protected => "no setting opens it; ask the user to do this step".into(),
            Cause::OwnState => "these are files of the tools themselves; use their commands instead".into(),
            Cause::PseudoFileSystem => "use a command that queries the system instead".into(),
            Cause::Sensitive if self.askable => format!("{ASK}, or leave the file to the user").into(),
            Cause::Sensitive => {
                format!("an operator opens it by adding `{rule}` or the path to `fs_tools.policy.open`").into()
            }
            Cause::WriteDenied => "write to another path".into(),
            Cause::Artifacts => "read the artifact by its path instead".into(),
            Cause::WorkspaceRoot => "name a file inside the workspace".into(),
            Cause::RunLater if self.askable => {
                format!("{ASK}; an operator changes the level with `fs_tools.policy.run_later` = {{\"{rule}\": \"allow\"}}")
                    .into()
            }
            Cause::RunLater => {
                format!("an operator changes the level with `fs_tools.policy.run_later` = {{\"{rule}\": \"confirm\"}}").into()
            }
            Cause::WouldExecute => ASK.into(),
            Cause::IsADirectory => "name a file inside the directory, or list it".into(),
            Cause::NotADirectory => "read it as a file".into(),
            Cause::NotARegularFile => "only regular files and directories can be used".into(),
            Cause::HardLink => {
                "edit_file replaces only this name; an operator allows it with `fs_tools.policy.append_to_hard_links`".into()
            }
            Cause::Declined => "do not ask again for the same file; go on without it".into(),
        }
    }

    fn outside_hint(&self) -> String {
        let list = if self.op.is_write() { "tools.allow_write_paths" } else { "tools.allow_read_paths" };
        let workspace = escape(&self.workspace);
        format!("use a path below {workspace}; an operator allows other places with `{list}`")
    }
}

/// The step that is left when nobody could be asked.
const ASK: &str = "needs a person's yes: a client that can ask, or `--confirm PATH` on the command line";

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.cause {
            Cause::OutsideWorkspace => "access denied: the path is outside the workspace",
            Cause::NotCanonical => "the path to decide on is not absolute and canonical",
            Cause::Protected => "access denied: protected, it can hold credentials or secrets of the system",
            Cause::OwnState => "access denied: it belongs to the tools themselves",
            Cause::PseudoFileSystem => {
                "access denied: it shows the state of the system and is not a stored file"
            }
            Cause::Sensitive if self.askable => "sensitive: it usually holds secrets",
            Cause::Sensitive => "access denied: sensitive, it usually holds secrets",
            Cause::WriteDenied => "access denied: it may be read but not written",
            Cause::Artifacts => "stored results are not searched",
            Cause::WorkspaceRoot => "it is the workspace itself",
            Cause::RunLater if self.askable => "another program runs or obeys this file later",
            Cause::RunLater => "access denied: another program runs or obeys this file later",
            Cause::WouldExecute => "opening it would run it",
            Cause::IsADirectory => "is a directory",
            Cause::NotADirectory => "not a directory",
            Cause::NotARegularFile => "not a regular file",
            Cause::HardLink => "the file has other names, which would change too",
            Cause::Declined => "declined by the user",
        };
        f.write_str(text)?;
        match &self.rule {
            Some(rule) => write!(f, " (rule `{rule}`)"),
            None => Ok(()),
        }
    }
}
