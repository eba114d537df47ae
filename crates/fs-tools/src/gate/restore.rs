//! The files that the history may put back or take away: judged by the rules, reached by handle.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use file_history::{Block, Content, Current, Error, Exchange, FileState, Keep};
use rooted_fs::{RelName, Root, Staging};
use sandbox_policy::{Decision, Facts, Object, Op};

use super::{Gate, Looked, Lost, disk_error, errors, join, object_of};
use crate::error::{Class, ToolError};
use crate::limits;
use crate::recorder::Recorder;
use crate::render::show_name;
use crate::tool::Call;

/// Which of the two histories is meant: their versions are counted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// Files of the workspace.
    #[default]
    Workspace,
    /// Files elsewhere that the configuration grants.
    Outside,
}

/// What to do where the rules want a person's word.
#[derive(Clone, Copy)]
pub(crate) enum Asking<'c> {
    /// Go on and note it: nothing is touched.
    Note,
    /// Ask.
    Ask(&'c Call<'c>),
    /// Only what was answered before is allowed.
    Settled,
}

/// Where a request leads in the histories.
pub(crate) struct Recorded<'g> {
    pub(crate) recorder: &'g Recorder,
    pub(crate) scope: Scope,
    /// Path below the root, in bytes.
    pub(crate) path: Vec<u8>,
    /// The path for answers.
    pub(crate) shown: String,
}

/// What stands at a path whose history is looked at.
pub(crate) enum OnDisk {
    Nothing,
    File(Content),
    Directory,
    Special,
}

/// The files below one root, as the history reaches them.
pub(crate) struct Disk<'g, 'c> {
    gate: &'g Gate,
    root: &'g Root,
    staging: Staging<'g>,
    asking: Asking<'c>,
    /// Paths that a person has allowed for this operation.
    pub(crate) allowed: HashSet<Vec<u8>>,
    /// Paths that need a person's word.
    pub(crate) to_confirm: Vec<Vec<u8>>,
    /// Refusals, for the report.
    pub(crate) refusals: Vec<(Vec<u8>, ToolError)>,
}

impl Gate {
    /// The history of a scope.
    pub(crate) fn history_of(&self, scope: Scope) -> Option<&Recorder> {
        let histories = self.histories()?;
        Some(match scope {
            Scope::Workspace => &histories.inside,
            Scope::Outside => &histories.outside,
        })
    }

    fn root_of(&self, scope: Scope) -> Result<&Root, ToolError> {
        match scope {
            Scope::Workspace => Ok(&self.root),
            Scope::Outside => self.whole().map_err(|error| disk_error(&error, "/")),
        }
    }

    /// Opens the files of a scope for the history.
    pub(crate) fn disk<'g, 'c>(
        &'g self,
        scope: Scope,
        asking: Asking<'c>,
    ) -> Result<Disk<'g, 'c>, ToolError> {
        let root = self.root_of(scope)?;
        Ok(Disk {
            gate: self,
            root,
            staging: root.staging(self.options.durability),
            asking,
            allowed: HashSet::new(),
            to_confirm: Vec::new(),
            refusals: Vec::new(),
        })
    }

    /// Finds the history of a path, whether or not something is there now.
    ///
    /// # Errors
    ///
    /// Refusals of the policy, and `history_off`.
    pub(crate) fn recorded(&self, op: Op, asked: &str, call: &Call<'_>) -> Result<Recorded<'_>, ToolError> {
        let off = || errors::history_off(asked);
        self.retry(asked, || {
            let at = self.locate(op, asked)?;
            let _names = self.judge(op, asked, &at, None, call)?;
            let inside = std::ptr::eq(at.root, &self.root);
            let scope = if inside { Scope::Workspace } else { Scope::Outside };
            let shown = if inside { at.name.as_path() } else { &at.path };
            Ok(Recorded {
                recorder: self.history_of(scope).ok_or_else(|| Lost::For(off()))?,
                scope,
                path: at.name.as_bytes().to_vec(),
                shown: show_name(shown).into_owned(),
            })
        })
    }

    /// Reads what is at a path now, for a comparison with its history.
    ///
    /// # Errors
    ///
    /// Refusals of the policy, failures of the disk.
    pub(crate) fn on_disk(&self, asked: &str, call: &Call<'_>) -> Result<OnDisk, ToolError> {
        let looked = self.retry(asked, || {
            if !self.locate(Op::HistoryRead, asked)?.exists {
                return Ok(None);
            }
            self.try_look(Op::HistoryRead, asked, call).map(Some)
        })?;
        Ok(match looked {
            None => OnDisk::Nothing,
            Some(Looked::Dir(_)) => OnDisk::Directory,
            Some(Looked::Special) => OnDisk::Special,
            Some(Looked::File(file)) => {
                OnDisk::File(Content { bytes: file.read_all()?, mode: Some(file.mode()) })
            }
        })
    }

    /// Whether the rules let the rows of a recorded path be listed.
    pub(crate) fn shows_recorded(&self, scope: Scope, path: &[u8]) -> bool {
        let Ok(root) = self.root_of(scope) else { return false };
        let path = root.path().join(OsStr::from_bytes(path));
        let decision = sandbox_policy::decide(&self.rules, Op::HistoryRead, &Facts::names(&path));
        matches!(decision, Decision::Allow(_) | Decision::Confirm(_))
    }

    /// Whether a recorded path is sensitive by its name; when in doubt it is.
    pub(crate) fn is_sensitive_record(&self, scope: Scope, path: &[u8]) -> bool {
        match self.root_of(scope) {
            Ok(root) => self.is_sensitive(&root.path().join(OsStr::from_bytes(path))),
            Err(_) => true,
        }
    }

    /// What the history may keep of a recorded path.
    pub(crate) fn keep_recorded(&self, scope: Scope, path: &[u8]) -> Keep {
        match self.root_of(scope) {
            Ok(root) => self.keep(&root.path().join(OsStr::from_bytes(path))).0,
            Err(_) => Keep::Withhold,
        }
    }
}

impl Disk<'_, '_> {
    /// Asks about every path that needs a person's word, with no lock held.
    pub(crate) fn ask(&mut self, paths: &[Vec<u8>]) -> Result<(), Error> {
        paths.iter().try_for_each(|path| file_history::Workspace::look(self, path).map(drop))
    }

    /// Takes away the temporary files that interrupted writes left beside these paths. Their content is recorded: every
    /// write is, before it begins.
    pub(crate) fn sweep_beside(&self, paths: &[Vec<u8>]) {
        let parents = paths.iter().filter_map(|path| parse(path).ok()?.parent());
        for dir in parents.collect::<BTreeSet<_>>() {
            // What cannot be swept now is no harm: listings and searches leave it out.
            let _ = self.root.sweep(&dir);
        }
    }

    /// Judges an operation; `false` when it is not allowed, with the refusal kept for the report.
    fn permits(&mut self, op: Op, name: &RelName, object: Option<Object<'_>>) -> bool {
        let path = join(self.root.path(), name);
        let facts = Facts { asked: &path, path: &path, via_symlink: false, object };
        let inside = std::ptr::eq(self.root, &self.gate.root);
        let asked = show_name(if inside { name.as_path() } else { &path }).into_owned();
        let key = name.as_bytes();
        let refusal = match sandbox_policy::decide(&self.gate.rules, op, &facts) {
            Decision::Allow(_) => return true,
            Decision::Confirm(_) if self.allowed.contains(key) => return true,
            Decision::Confirm(pending) => match self.asking {
                Asking::Note => {
                    if !self.to_confirm.iter().any(|known| known == key) {
                        self.to_confirm.push(key.to_vec());
                    }
                    return true;
                }
                Asking::Settled => errors::nobody_to_ask(pending.reason(), &asked),
                Asking::Ask(call) => {
                    // Only the name of a file that exists is known: the question comes once it is open.
                    let is_early = pending.object().is_none() && op != Op::Create;
                    match self.gate.confirm(op, &asked, pending, call) {
                        Ok(_) if is_early => return true,
                        Ok(_) => {
                            self.allowed.insert(key.to_vec());
                            return true;
                        }
                        Err(Lost::For(error)) => error,
                        Err(Lost::ByRace) => return false,
                    }
                }
            },
            Decision::Hide(reason) | Decision::Deny(reason) => errors::refused(&reason, &asked),
        };
        if self.refusals.iter().all(|(known, _)| known != key) {
            self.refusals.push((key.to_vec(), refusal));
        }
        false
    }
}

impl file_history::Workspace for Disk<'_, '_> {
    fn look(&mut self, path: &[u8]) -> Result<Current, Error> {
        let Ok(name) = RelName::parse(Path::new(OsStr::from_bytes(path))) else {
            return Ok(Current::Blocked(Block::Denied));
        };
        // A temporary file was made by ourselves, beside a path that has been judged.
        let ours = name.file_name().is_some_and(rooted_fs::is_temporary_name);
        if !ours && !self.permits(Op::Restore, &name, None) {
            return Ok(Current::Blocked(Block::Denied));
        }
        let kind = match self.root.stat(&name) {
            Ok(meta) => meta.kind,
            Err(rooted_fs::Error::NotFound) if ours || self.permits(Op::Create, &name, None) => {
                return Ok(Current::Absent);
            }
            Err(rooted_fs::Error::NotFound | rooted_fs::Error::PermissionDenied) => {
                return Ok(Current::Blocked(Block::Denied));
            }
            // A parent became a link, or a file.
            Err(rooted_fs::Error::Moved) => return Ok(Current::Blocked(Block::Outside)),
            Err(rooted_fs::Error::NotADirectory) => return Ok(Current::Blocked(Block::Special)),
            Err(error) => return Err(failed(&error)),
        };
        match kind {
            rooted_fs::Kind::File => {}
            rooted_fs::Kind::Dir => return Ok(Current::Blocked(Block::Directory)),
            rooted_fs::Kind::Symlink => return Ok(Current::Blocked(Block::Symlink)),
            _ => return Ok(Current::Blocked(Block::Special)),
        }
        let handle = match self.root.open_file(&name) {
            Err(rooted_fs::Error::PermissionDenied) => return Ok(Current::Blocked(Block::Denied)),
            result => result.map_err(|error| failed(&error))?,
        };
        if !ours {
            let mut head = [0; 64];
            let read = handle.read_at(&mut head, 0).map_err(|error| failed(&error))?;
            let mut object = object_of(handle.meta(), Some(&head[..read]));
            object.alias_of_sensitive = self.gate.is_alias_of_hidden(handle.meta());
            if !self.permits(Op::Restore, &name, Some(object)) {
                return Ok(Current::Blocked(Block::Denied));
            }
        }
        let bytes = handle.read_to_limit(limits::EDIT_BYTES).map_err(|error| failed(&error))?;
        Ok(Current::File(Content { bytes, mode: Some(handle.meta().mode) }))
    }

    fn temp_name(&mut self, path: &[u8]) -> Result<Vec<u8>, Error> {
        let name = self.staging.temporary_for(&parse(path)?).map_err(|error| failed(&error))?;
        Ok(name.as_bytes().to_vec())
    }

    fn stage(&mut self, path: &[u8], temp: &[u8], file: FileState<'_>) -> Result<u32, Error> {
        let made = self.staging.stage(&parse(path)?, &parse(temp)?, file.bytes, file.mode);
        Ok(u32::try_from(made.map_err(|error| failed(&error))?).unwrap_or(u32::MAX))
    }

    fn sync(&mut self) -> Result<(), Error> {
        self.staging.sync().map_err(|error| failed(&error))
    }

    fn exchange(&mut self, path: &[u8], temp: &[u8], how: Exchange) -> Result<(), Error> {
        let (name, temporary) = (parse(path)?, parse(temp)?);
        let how = match how {
            Exchange::Both => rooted_fs::Exchange::Both,
            Exchange::Place => rooted_fs::Exchange::Place,
            Exchange::Take if !self.permits(Op::Remove, &name, None) => {
                return Err(Error::Blocked(Block::Denied));
            }
            Exchange::Take => rooted_fs::Exchange::Take,
        };
        self.gate.note_change(self.root, &name);
        self.staging.exchange(&name, &temporary, how).map_err(|error| failed(&error))
    }

    fn discard(&mut self, temp: &[u8], dirs: u32) -> Result<(), Error> {
        let name = parse(temp)?;
        if !name.file_name().is_some_and(rooted_fs::is_temporary_name) {
            return Err(Error::Blocked(Block::Denied));
        }
        self.staging.discard(&name, dirs as usize).map_err(|error| failed(&error))
    }
}

fn parse(path: &[u8]) -> Result<RelName, Error> {
    RelName::parse(Path::new(OsStr::from_bytes(path))).map_err(|error| failed(&error))
}

fn failed(error: &rooted_fs::Error) -> Error {
    match error {
        rooted_fs::Error::Changed | rooted_fs::Error::Moved | rooted_fs::Error::Exists => Error::Stale,
        rooted_fs::Error::PermissionDenied => Error::Blocked(Block::Denied),
        other => Error::Workspace(other.to_string()),
    }
}

/// A failure of the history in words.
pub(crate) fn history_error(error: &Error, asked: &str) -> ToolError {
    let (class, hint): (Class, &str) = match error {
        Error::Busy { .. } => (Class::Failure, "another process is writing: try again in a moment"),
        Error::UnknownVersion(_) => (Class::NotFound, "list the history for the versions there are"),
        Error::UnknownTask => (Class::NotFound, "list the history for the tasks there are"),
        Error::NotInterrupted(_) => (Class::NotFound, "nothing is left to resume or to roll back"),
        Error::KeyMismatch(_) => (
            Class::Failure,
            "the operator can add the key that it was sealed with to the file of fs_tools.history.key_file",
        ),
        Error::Pruned(_) | Error::NotRestorable { .. } | Error::Damaged(_) => {
            (Class::Failure, "choose another version: the list says which can be restored")
        }
        Error::Blocked(Block::Denied) => (Class::Denied, "the rules or the permissions forbid it"),
        Error::Blocked(_) => {
            (Class::Conflict, "move away what is there, or restore to another place by hand")
        }
        Error::Stale => (Class::Conflict, "somebody changed the file meanwhile: look at it and try again"),
        Error::EmptyRange { .. } | Error::BadTime | Error::TooLong { .. } | Error::BadPath { .. } => {
            (Class::Usage, "correct the argument")
        }
        Error::TooLargeToKeep { .. } => (Class::Limit, "change it by other means: it could not be undone"),
        _ => (Class::Failure, "try again; `fs-tools history verify` checks the history"),
    };
    let told = ToolError::new(class, error.code(), error.to_string()).hint(hint);
    if asked.is_empty() { told } else { told.at(crate::render::echo(asked)) }
}
