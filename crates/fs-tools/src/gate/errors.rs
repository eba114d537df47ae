//! Refusals and failures in words: what happened, which rule, what to do next.

use rooted_fs::{Error, Kind};
use sandbox_policy::{Cause, PathError, Reason};

use crate::error::{Class, ToolError};

/// A path that is no path.
pub(super) fn path_error(error: &PathError, asked: &str) -> ToolError {
    let hint = match error {
        PathError::Empty => "name a file or directory; the workspace itself is \".\"",
        _ => "use an ordinary path",
    };
    let message = match error {
        PathError::Empty => "path must not be empty".to_owned(),
        other => other.to_string(),
    };
    ToolError::new(Class::Usage, error.code(), message).at(crate::render::echo(asked)).hint(hint)
}

/// A refusal by the policy. Outside the workspace the text is one and the same, whether something is there or not.
pub(super) fn refused(reason: &Reason, asked: &str) -> ToolError {
    let message = match reason.cause() {
        Cause::OutsideWorkspace => format!("{reason} (escapes workspace)"),
        _ => reason.to_string(),
    };
    let class = match reason.cause() {
        Cause::IsADirectory | Cause::NotADirectory | Cause::NotARegularFile => Class::Usage,
        _ => Class::Denied,
    };
    ToolError::new(class, reason.code(), message).at(crate::render::echo(asked)).hint(reason.hint())
}

/// A confirmation that nobody can give.
pub(super) fn nobody_to_ask(reason: &Reason, asked: &str) -> ToolError {
    ToolError::new(
        Class::Confirmation,
        "confirmation_needed",
        format!("access denied: a person has to confirm this and nobody can be asked here: {reason}"),
    )
    .at(crate::render::echo(asked))
    .hint(reason.hint())
}

/// A file that was asked for as a directory.
pub(super) fn slash_behind_a_file(asked: &str) -> ToolError {
    ToolError::new(
        Class::Usage,
        "not_a_directory",
        "not a directory: the path ends with a slash and leads to a file",
    )
    .at(crate::render::echo(asked))
    .hint("leave out the slash at the end")
}

/// A failure of the disk.
pub(crate) fn disk_error(error: &Error, asked: &str) -> ToolError {
    let (class, message, hint): (Class, String, &str) = match error {
        Error::NotFound | Error::ParentOfMissing => (
            Class::NotFound,
            format!("not found: {error}"),
            "list_dir shows what is there; check the spelling",
        ),
        Error::IsADirectory => {
            (Class::Usage, "path is a directory".into(), "list_dir shows its entries; name a file in it")
        }
        Error::NotADirectory => (
            Class::Usage,
            "not a directory: a part of the path is a file".into(),
            "list_dir shows which parts of the path are directories; leave out what follows the file",
        ),
        Error::NotARegularFile { kind: Kind::Unknown } => {
            (Class::Usage, "not a regular file".into(), "only regular files can be read and written")
        }
        Error::NotARegularFile { kind } => (
            Class::Usage,
            format!("not a regular file: it is a {kind}"),
            "only regular files can be read and written",
        ),
        Error::DanglingSymlink => (
            Class::NotFound,
            "not found: a symbolic link on the path leads to nothing".into(),
            "name the file that the link should lead to",
        ),
        Error::SymlinkLoop => (
            Class::Usage,
            "the symbolic links on the path form a loop or are too many".into(),
            "name the file by a path without these links",
        ),
        Error::PermissionDenied => (
            Class::Denied,
            "access denied by the operating system".into(),
            "the permissions of the file or of its directory forbid this; choose another place or ask the user",
        ),
        Error::ReadOnlyFile { .. } => (
            Class::Denied,
            error.to_string(),
            "the file is marked read-only: ask the user, or write another file",
        ),
        Error::NameTooLong { .. } | Error::InvalidName { .. } | Error::EmptyPath => {
            (Class::Usage, error.to_string(), "use a shorter or another name")
        }
        Error::Exists => (Class::Conflict, "the path exists already".into(), "choose another name"),
        Error::Changed | Error::Moved => (
            Class::Conflict,
            "another writer changed the file meanwhile; nothing was written".into(),
            "read the file again, then repeat the call if it is still wanted",
        ),
        Error::Busy => (Class::Failure, error.to_string(), "try again in a moment"),
        Error::HardLinked { names } => (
            Class::Denied,
            format!("the file has {names} names (hard links); appending would change all of them"),
            "edit_file leaves the other names alone; an operator allows appending with \
             fs_tools.policy.append_to_hard_links",
        ),
        Error::NoSpace | Error::Quota => {
            (Class::Failure, format!("{error}; nothing was changed"), "free some space, then repeat the call")
        }
        Error::ReadOnlyFileSystem => (Class::Denied, error.to_string(), "this place cannot be written"),
        Error::TooLarge { .. } => {
            (Class::Limit, format!("the file is {error}"), "work on it in parts, or with another program")
        }
        Error::InPlaceNeeded { .. } => (
            Class::Failure,
            format!("the file {error}; nothing was changed"),
            "write to another place: this file cannot be replaced atomically",
        ),
        Error::ShortWrite { .. } => {
            (Class::Failure, error.to_string(), "read the end of the file to see what was written")
        }
        Error::Damaged { .. } => (Class::Failure, error.to_string(), "read the file and restore its content"),
        other => (Class::Failure, other.to_string(), "the disk reported this; try again or ask the user"),
    };
    ToolError::new(class, error.code(), message).at(crate::render::echo(asked)).hint(hint)
}

/// A change that could not be recorded, and was not made.
pub(super) fn not_recorded(error: &file_history::Error, asked: &str) -> ToolError {
    let (class, code) = match error {
        file_history::Error::Busy { .. } => (Class::Failure, "busy"),
        file_history::Error::TooLargeToKeep { .. } => (Class::Limit, "too_large_to_keep"),
        _ => (Class::Failure, "history_unavailable"),
    };
    let hint = match error {
        file_history::Error::LowSpace { .. } => {
            "free space on the disk of the state directory; the operator can lower fs_tools.history.min_free_mib"
        }
        _ => {
            "try again; if this stays, the operator can free space in the state directory, or switch the history off \
             with fs_tools.history.enabled"
        }
    };
    ToolError::new(class, code, format!("the change cannot be recorded, so it was not made: {error}"))
        .at(crate::render::echo(asked))
        .hint(hint)
}

/// There is no history to look at.
pub(crate) fn history_off(asked: &str) -> ToolError {
    let told = ToolError::new(Class::Failure, "history_off", "the history is switched off here")
        .hint("the operator can switch it on with fs_tools.history.enabled and a state directory");
    if asked.is_empty() { told } else { told.at(crate::render::echo(asked)) }
}
