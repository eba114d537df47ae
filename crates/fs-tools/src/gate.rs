//! The only way from a request to an open handle.
//!
//! A request is parsed once, turned into a canonical name by a hint, judged on that name, opened as exactly that name
//! with links forbidden, and judged again on the facts of the handle. Who holds an [`OpenFile`], an [`OpenDir`] or a
//! [`NewFile`] holds the policy's grant for it; nothing else in this crate can open anything.

mod aliases;
mod artifacts;
mod errors;
mod file;
mod ignore;
mod removal;
mod restore;
mod suggest;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use rooted_fs::{Dir, Follow, Place, RelName, Root};
use sandbox_policy::{
    Answer as Permit, Confirmed, Decision, Facts, FsMagic, Grant, Object, Op, Pending, RequestPath, Ruleset,
};

pub(crate) use errors::{disk_error, history_off};
pub(crate) use file::{NewFile, OpenFile, ReadBack, WriteError, Written};
pub use restore::Scope;
pub(crate) use restore::{Asking, OnDisk, history_error};

use crate::error::{Class, ToolError};
use crate::index::Changes;
use crate::limits;
use crate::recorder::Recorder;
use crate::tool::{Answer, Call, Question};

/// A directory that was granted.
pub(crate) struct OpenDir {
    pub(crate) dir: Dir,
    pub(crate) path: PathBuf,
    pub(crate) asked: String,
    _grant: Grant,
}

/// What a write leads to.
pub(crate) enum Target<'g> {
    /// Nothing is there yet.
    New(NewFile<'g>),
    /// A regular file.
    Existing(OpenFile<'g>),
}

/// What a path leads to, for a tool that takes files and directories.
pub(crate) enum Looked<'g> {
    /// A regular file.
    File(OpenFile<'g>),
    /// A directory.
    Dir(OpenDir),
    /// Something that is neither, such as a FIFO: it is never opened.
    Special,
}

/// The gate of one workspace.
pub(crate) struct Gate {
    root: Root,
    /// The whole file system, for paths that the policy grants outside the workspace.
    whole: OnceLock<Result<Root, rooted_fs::Error>>,
    rules: Ruleset,
    /// Where relative paths start.
    base: PathBuf,
    options: rooted_fs::WriteOptions,
    append_to_hard_links: rooted_fs::HardLinks,
    /// What a person confirmed in this run, file by file.
    confirmed: Mutex<Vec<Confirmed>>,
    /// Files that are hidden under another name.
    aliases: Mutex<aliases::Aliases>,
    /// Where changes are recorded; `None` when history is off.
    histories: Option<Histories>,
    /// What was changed in the workspace, for an index of it.
    changes: Changes,
}

/// The histories of the two roots: the workspace, and the whole file system for what is granted outside.
pub(crate) struct Histories {
    pub(crate) inside: Recorder,
    pub(crate) outside: Recorder,
    /// What is kept of sensitive files.
    pub(crate) sensitive: file_history::Keep,
}

/// Who writes: the tool, and the call that it serves.
#[derive(Clone, Copy)]
pub(crate) struct By<'a> {
    pub(crate) tool: &'static str,
    pub(crate) call: &'a Call<'a>,
}

/// Where a request leads: a canonical name below one of the two roots.
struct Located<'g> {
    root: &'g Root,
    /// The path as it was asked for, unescaped; absolute when it does not start at the workspace.
    spelled: PathBuf,
    name: RelName,
    path: PathBuf,
    exists: bool,
    via_symlink: bool,
    wants_dir: bool,
}

impl Gate {
    pub(crate) fn new(
        root: Root,
        rules: Ruleset,
        base: PathBuf,
        options: rooted_fs::WriteOptions,
        append_to_hard_links: rooted_fs::HardLinks,
        histories: Option<Histories>,
    ) -> Self {
        Self {
            root,
            whole: OnceLock::new(),
            rules,
            base,
            options,
            append_to_hard_links,
            confirmed: Mutex::default(),
            aliases: Mutex::default(),
            histories,
            changes: Changes::default(),
        }
    }

    /// What the tools changed in the workspace.
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Notes that a name below `root` is about to have another content, or has it.
    fn note_change(&self, root: &Root, name: &RelName) {
        if std::ptr::eq(root, &self.root) {
            self.changes.note(name.as_path());
        }
    }

    pub(crate) fn root(&self) -> &Root {
        &self.root
    }

    pub(crate) fn histories(&self) -> Option<&Histories> {
        self.histories.as_ref()
    }

    pub(crate) fn rules(&self) -> &Ruleset {
        &self.rules
    }

    /// Opens a regular file that exists.
    ///
    /// # Errors
    ///
    /// Every refusal of the policy and every failure of the disk, with the next step. A race that is lost
    /// [`limits::RACE_RETRIES`] times is `busy`.
    pub(crate) fn open_file(&self, op: Op, asked: &str, call: &Call<'_>) -> Result<OpenFile<'_>, ToolError> {
        match self.retry(asked, || self.try_open(op, asked, call))? {
            Looked::File(file) => Ok(file),
            Looked::Dir(_) => Err(disk_error(&rooted_fs::Error::IsADirectory, asked)),
            Looked::Special => {
                Err(disk_error(&rooted_fs::Error::NotARegularFile { kind: rooted_fs::Kind::Unknown }, asked))
            }
        }
    }

    /// Opens a directory that exists.
    pub(crate) fn open_dir(&self, op: Op, asked: &str, call: &Call<'_>) -> Result<OpenDir, ToolError> {
        match self.retry(asked, || self.try_look(op, asked, call))? {
            Looked::Dir(dir) => Ok(dir),
            _ => Err(disk_error(&rooted_fs::Error::NotADirectory, asked)),
        }
    }

    /// Opens a regular file or a directory; anything else is left alone and reported as such.
    pub(crate) fn look(&self, op: Op, asked: &str, call: &Call<'_>) -> Result<Looked<'_>, ToolError> {
        self.retry(asked, || self.try_look(op, asked, call))
    }

    /// Finds what a write leads to: an existing file is judged for `op`, a name that is free for creation.
    pub(crate) fn target(&self, op: Op, asked: &str, call: &Call<'_>) -> Result<Target<'_>, ToolError> {
        self.retry(asked, || {
            let at = self.locate(op, asked)?;
            if at.exists {
                return Ok(match self.open_located(op, asked, at, call)? {
                    Looked::File(file) => Target::Existing(file),
                    _ => return Err(Lost::For(disk_error(&rooted_fs::Error::IsADirectory, asked))),
                });
            }
            if at.wants_dir {
                return Err(Lost::For(
                    ToolError::new(Class::Usage, "is_a_directory", "the path ends like a directory")
                        .at(asked)
                        .hint("name a file: leave out the slash at the end"),
                ));
            }
            let grant = self.judge(Op::Create, asked, &at, None, call)?;
            Ok(Target::New(NewFile::new(self, at.root, at.name, at.path, asked, grant)))
        })
    }

    /// Tells whether a link in the workspace leads to something in it that the policy hides, or shows only to whom a person
    /// allows it.
    pub(crate) fn leads_to_hidden(&self, link: &Path) -> bool {
        let Ok(hint) = self.root.hint(link, Follow::Leaf) else { return false };
        let Place::Inside(name) = hint.place else { return false };
        let path = join(self.root.path(), &name);
        let facts = Facts { asked: link, path: &path, via_symlink: true, object: None };
        !matches!(sandbox_policy::decide(&self.rules, Op::List, &facts), Decision::Allow(_))
    }

    fn try_open(&self, op: Op, asked: &str, call: &Call<'_>) -> Result<Looked<'_>, Lost> {
        let at = self.locate(op, asked)?;
        if !at.exists {
            return Err(Lost::For(self.missing(op, asked, &at)));
        }
        self.open_located(op, asked, at, call)
    }

    fn try_look(&self, op: Op, asked: &str, call: &Call<'_>) -> Result<Looked<'_>, Lost> {
        let at = self.locate(op, asked)?;
        if !at.exists {
            return Err(Lost::For(self.missing(op, asked, &at)));
        }
        let meta = at.root.stat(&at.name).map_err(|error| Lost::of(&error, asked))?;
        match meta.kind {
            rooted_fs::Kind::File => self.open_located(op, asked, at, call),
            rooted_fs::Kind::Dir => self.open_located_dir(op, asked, at, call),
            _ => {
                let _grant = self.judge(op, asked, &at, None, call)?;
                Ok(Looked::Special)
            }
        }
    }

    fn open_located<'g>(
        &'g self,
        op: Op,
        asked: &str,
        at: Located<'g>,
        call: &Call<'_>,
    ) -> Result<Looked<'g>, Lost> {
        let _names = self.judge(op, asked, &at, None, call)?;
        if at.wants_dir {
            // `file/` asks for a directory.
            if !op.is_look() && at.root.stat(&at.name).is_ok_and(|meta| meta.kind == rooted_fs::Kind::File) {
                return Err(Lost::For(errors::slash_behind_a_file(asked)));
            }
            return self.open_located_dir(op, asked, at, call);
        }
        let handle = match at.root.open_file(&at.name) {
            Err(rooted_fs::Error::IsADirectory) => return self.open_located_dir(op, asked, at, call),
            result => result.map_err(|error| Lost::of(&error, asked))?,
        };
        let mut head = [0; 64];
        let read = handle.read_at(&mut head, 0).map_err(|error| Lost::of(&error, asked))?;
        let mut object = object_of(handle.meta(), Some(&head[..read]));
        object.alias_of_sensitive = self.is_alias_of_hidden(handle.meta());
        let grant = self.judge(op, asked, &at, Some(object), call)?;
        Ok(Looked::File(OpenFile::new(self, at.root, at.name, at.path, asked, handle, grant)))
    }

    fn open_located_dir<'g>(
        &'g self,
        op: Op,
        asked: &str,
        at: Located<'g>,
        call: &Call<'_>,
    ) -> Result<Looked<'g>, Lost> {
        if !op.is_look() && op != Op::Open {
            return Err(Lost::For(disk_error(&rooted_fs::Error::IsADirectory, asked)));
        }
        let _names = self.judge(op, asked, &at, None, call)?;
        let dir = at.root.open_dir(&at.name).map_err(|error| Lost::of(&error, asked))?;
        let object = object_of(dir.meta(), None);
        let grant = self.judge(op, asked, &at, Some(object), call)?;
        Ok(Looked::Dir(OpenDir { dir, path: at.path, asked: asked.to_owned(), _grant: grant }))
    }

    /// Turns a request into a canonical name, without a word about what exists outside.
    fn locate(&self, op: Op, asked: &str) -> Result<Located<'_>, Lost> {
        let request =
            RequestPath::parse(asked).map_err(|error| Lost::For(errors::path_error(&error, asked)))?;
        let spelled: Cow<'_, Path> = if request.as_path().is_absolute() || self.base == self.root.path() {
            Cow::Borrowed(request.as_path())
        } else {
            Cow::Owned(self.base.join(request.as_path()))
        };
        if !self.root.spelled_inside(&spelled) && !self.rules.may_leave(op, &spelled) {
            return Err(Lost::For(errors::refused(&self.rules.outside(op), asked)));
        }
        let hint = self.root.hint(&spelled, Follow::Leaf).map_err(|error| Lost::of(&error, asked))?;
        let (root, name, path) = match hint.place {
            Place::Inside(name) => {
                let path = join(self.root.path(), &name);
                (&self.root, name, path)
            }
            Place::Outside(path) => {
                if !self.rules.may_leave(op, &path) {
                    return Err(Lost::For(errors::refused(&self.rules.outside(op), asked)));
                }
                let whole = self.whole().map_err(|error| Lost::For(disk_error(&error, asked)))?;
                let relative = path.strip_prefix("/").unwrap_or(&path);
                let name = RelName::parse(relative).map_err(|error| Lost::For(disk_error(&error, asked)))?;
                (whole, name, path)
            }
        };
        if let Some(problem) = hint.problem {
            return Err(Lost::of(&problem, asked));
        }
        Ok(Located {
            root,
            spelled: spelled.into_owned(),
            name,
            path,
            exists: hint.exists,
            via_symlink: hint.via_symlink,
            wants_dir: hint.wants_dir || request.wants_directory(),
        })
    }

    fn whole(&self) -> Result<&Root, rooted_fs::Error> {
        let choice = match self.root.tier() {
            rooted_fs::Tier::Nofollow => rooted_fs::TierChoice::Nofollow,
            _ => rooted_fs::TierChoice::Auto,
        };
        self.whole.get_or_init(|| Root::open(Path::new("/"), choice)).as_ref().map_err(Clone::clone)
    }

    /// Asks the policy, and a person where the policy wants one.
    fn judge(
        &self,
        op: Op,
        asked: &str,
        at: &Located<'_>,
        object: Option<Object<'_>>,
        call: &Call<'_>,
    ) -> Result<Grant, Lost> {
        let facts = Facts { asked: &at.spelled, path: &at.path, via_symlink: at.via_symlink, object };
        match sandbox_policy::decide(&self.rules, op, &facts) {
            Decision::Allow(grant) => Ok(grant),
            Decision::Confirm(pending) => self.confirm(op, asked, pending, call),
            Decision::Hide(reason) | Decision::Deny(reason) => {
                Err(Lost::For(errors::refused(&reason, asked)))
            }
        }
    }

    /// Settles a question: by an earlier answer about the same file, or by a person.
    ///
    /// While only the name of an existing file is known nobody is asked: the question is about the file, and comes
    /// once it is open.
    fn confirm(&self, op: Op, asked: &str, pending: Pending, call: &Call<'_>) -> Result<Grant, Lost> {
        let pending = {
            let memory = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
            match pending.recall(memory.iter()) {
                Ok(grant) => return Ok(grant),
                Err(pending) => pending,
            }
        };
        let reason = pending.reason().clone();
        let answer = if pending.object().is_none() && op != Op::Create {
            Permit::Yes
        } else {
            let question = Question {
                path: asked.to_owned(),
                code: reason.code().to_owned(),
                text: format!(
                    "Allow to {op} {}? {reason}.{}",
                    crate::render::echo(asked),
                    self.warn_before(op, pending.path())
                ),
                file: pending.object(),
            };
            match call.confirm.ask(&question) {
                Answer::Yes => Permit::Yes,
                Answer::No => Permit::No,
                Answer::Nobody => return Err(Lost::For(errors::nobody_to_ask(&reason, asked))),
            }
        };
        let grant = pending.answer(answer).map_err(|reason| Lost::For(errors::refused(&reason, asked)))?;
        self.remember(Confirmed::of(&grant));
        Ok(grant)
    }

    fn remember(&self, confirmed: Option<Confirmed>) {
        if let Some(confirmed) = confirmed {
            let mut memory = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
            if !memory.contains(&confirmed) {
                memory.push(confirmed);
            }
        }
    }

    /// Moves a confirmation on to the file that took the place of the confirmed one. The old inode is free now, and
    /// another file may get it: nothing holds for that one.
    fn follow(&self, confirmed: &Confirmed, dev: u64, ino: u64) {
        self.confirmed.lock().unwrap_or_else(PoisonError::into_inner).retain(|known| known != confirmed);
        self.remember(Some(confirmed.clone().replaced_by(dev, ino)));
    }

    /// Repeats an attempt that lost a race against somebody who moves things around.
    fn retry<T>(&self, asked: &str, mut attempt: impl FnMut() -> Result<T, Lost>) -> Result<T, ToolError> {
        for _ in 0..limits::RACE_RETRIES {
            match attempt() {
                Ok(value) => return Ok(value),
                Err(Lost::For(error)) => return Err(error),
                Err(Lost::ByRace) => {}
            }
        }
        Err(ToolError::new(Class::Failure, "busy", "the path keeps changing while it is opened")
            .at(asked)
            .hint("somebody is moving files in this place: try again when that is over"))
    }

    fn missing(&self, op: Op, asked: &str, at: &Located<'_>) -> ToolError {
        // The policy speaks first: what is protected is refused alike, whether it exists or not.
        let facts = Facts { asked: &at.spelled, path: &at.path, via_symlink: at.via_symlink, object: None };
        if let Decision::Hide(reason) | Decision::Deny(reason) =
            sandbox_policy::decide(&self.rules, op, &facts)
        {
            return errors::refused(&reason, asked);
        }
        suggest::not_found(self, asked, at.root, &at.name, &at.path)
    }
}

/// Why an attempt did not lead anywhere.
enum Lost {
    /// Somebody moved something; the same attempt may succeed.
    ByRace,
    /// For this reason.
    For(ToolError),
}

impl Lost {
    fn of(error: &rooted_fs::Error, asked: &str) -> Self {
        match error {
            rooted_fs::Error::Moved | rooted_fs::Error::NotFound => Self::ByRace,
            error => Self::For(disk_error(error, asked)),
        }
    }
}

/// What the policy needs to know about an open handle.
fn object_of<'a>(meta: &rooted_fs::Meta, head: Option<&'a [u8]>) -> Object<'a> {
    Object {
        kind: policy_kind(meta.kind),
        dev: meta.dev,
        ino: meta.ino,
        nlink: meta.nlink,
        size: meta.size,
        mode: meta.mode,
        fs: fs_magic(meta.fs_magic),
        head,
        alias_of_sensitive: false,
    }
}

/// The policy's word for what the disk says an object is.
pub(crate) fn policy_kind(kind: rooted_fs::Kind) -> sandbox_policy::Kind {
    match kind {
        rooted_fs::Kind::File => sandbox_policy::Kind::File,
        rooted_fs::Kind::Dir => sandbox_policy::Kind::Directory,
        rooted_fs::Kind::Symlink => sandbox_policy::Kind::Symlink,
        rooted_fs::Kind::Fifo => sandbox_policy::Kind::Fifo,
        rooted_fs::Kind::Socket => sandbox_policy::Kind::Socket,
        rooted_fs::Kind::CharDevice => sandbox_policy::Kind::CharDevice,
        rooted_fs::Kind::BlockDevice => sandbox_policy::Kind::BlockDevice,
        _ => sandbox_policy::Kind::Unknown,
    }
}

/// Names the pseudo file systems by their magic numbers (`linux/magic.h`).
fn fs_magic(magic: u64) -> FsMagic {
    match magic {
        0x9fa0 => FsMagic::Proc,
        0x6265_6572 => FsMagic::Sys,
        0x6462_6720 | 0x7472_6163 => FsMagic::Debug,
        _ => FsMagic::Ordinary,
    }
}

/// The absolute form of a name below a root.
fn join(root: &Path, name: &RelName) -> PathBuf {
    if name.as_path().as_os_str().is_empty() { root.to_owned() } else { root.join(name.as_path()) }
}
