//! The words of the history: versions, states, outcomes, intents.

use std::fmt;

use crate::error::Gap;

/// Longest path in bytes.
pub const MAX_PATH_BYTES: usize = 4096; // PATH_MAX of Linux
/// Longest task, run and tool name in bytes.
pub const MAX_NAME_BYTES: usize = 512;
/// Longest goal in bytes; a longer one is cut at a character boundary.
pub const MAX_GOAL_BYTES: usize = 4096;

/// Names one recorded change, and the version that it made. Ids order versions; times never do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ChangeId(pub u64);

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Names a group of changes that were published together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetId(pub u64);

impl fmt::Display for SetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Milliseconds since 1970-01-01 00:00:00 UTC, as told by the caller's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMillis(pub i64);

/// Says what was done to a file.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// A file came to be where there was none.
    Create,
    /// The whole content was replaced.
    Write,
    /// Part of the content was replaced.
    Edit,
    /// Content was added at the end.
    Append,
    /// The file was taken away.
    Remove,
    /// A recorded version was put back.
    Restore,
    /// What was there when the path was first touched. Not done by a tool.
    Baseline,
    /// What was found when the content was not what the history knew. Not done by a tool.
    External,
}

impl Op {
    /// Every operation in the order of the numbers that a store keeps.
    pub const ALL: &[Self] = &[
        Self::Create,
        Self::Write,
        Self::Edit,
        Self::Append,
        Self::Remove,
        Self::Restore,
        Self::Baseline,
        Self::External,
    ];

    /// Returns the stable word for this operation.
    pub fn code(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Append => "append",
            Self::Remove => "remove",
            Self::Restore => "restore",
            Self::Baseline => "baseline",
            Self::External => "external",
        }
    }

    /// Tells whether a tool did this, as opposed to the history having found it.
    pub fn is_by_tool(self) -> bool {
        !matches!(self, Self::Baseline | Self::External)
    }
}

/// Says how a change ended.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The intent is recorded; the file may or may not have changed yet.
    Open,
    /// The file has the new content.
    Landed,
    /// The file kept its old content. Such a change is hidden unless asked for.
    Failed,
    /// After an interruption the file had neither the old nor the new content.
    Unknown,
    /// After an interruption part of an append was found.
    Partial,
}

impl Outcome {
    /// Every outcome in the order of the numbers that a store keeps.
    pub const ALL: &[Self] = &[Self::Open, Self::Landed, Self::Failed, Self::Unknown, Self::Partial];

    /// Returns the stable word for this outcome.
    pub fn code(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Landed => "done",
            Self::Failed => "aborted",
            Self::Unknown => "unknown",
            Self::Partial => "partial",
        }
    }
}

/// Says what to keep of the content of a change.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Keep {
    /// Keep both sides; refuse the change when one exceeds the limit.
    Content,
    /// Keep what fits the limit, and record only the size of what does not. Such a side cannot be restored.
    Fitting,
    /// Keep both sides sealed with the key of the host, see `KeySource`; refuse the change when one exceeds the limit, or
    /// when there is no key. The file is sensitive.
    Seal,
    /// Keep neither content nor hash, only the sizes: the file is sensitive. Such a change cannot be undone.
    Withhold,
}

/// The content of a file and its permission bits, borrowed from the caller.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FileState<'a> {
    /// All bytes of the file.
    pub bytes: &'a [u8],
    /// Permission bits, where the caller knows them. They are put back with the content.
    pub mode: Option<u32>,
}

impl<'a> FileState<'a> {
    /// Makes a state of unknown permission bits.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, mode: None }
    }
}

impl fmt::Debug for FileState<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileState").field("len", &self.bytes.len()).field("mode", &self.mode).finish()
    }
}

/// A change that is about to be made: what is on disk now, and what will be.
#[derive(Debug, Clone, Copy)]
pub struct Intent<'a> {
    /// Path relative to the root, in bytes, with `/` between components. One spelling per file is the caller's duty.
    pub path: &'a [u8],
    /// What is being done. `Write` and `Edit` where nothing was become `Create`, `Create` over a file `Write`.
    pub op: Op,
    /// What is on disk now; `None` where there is no file.
    pub before: Option<FileState<'a>>,
    /// What will be on disk; `None` where the file goes away.
    pub after: Option<FileState<'a>>,
    /// What to keep of both sides.
    pub keep: Keep,
    /// The tool that does it, for the reader of the list.
    pub tool: &'a str,
    /// The path of the temporary file that recovery may take away, where the caller knows it beforehand.
    pub temp: Option<&'a [u8]>,
    /// How many parent directories this change creates, counted from the innermost.
    pub new_dirs: u32,
}

impl<'a> Intent<'a> {
    /// Makes an intent that keeps all content, with no temporary file and no new directories.
    pub fn new(
        path: &'a [u8],
        op: Op,
        before: Option<FileState<'a>>,
        after: Option<FileState<'a>>,
        tool: &'a str,
    ) -> Self {
        Self { path, op, before, after, keep: Keep::Content, tool, temp: None, new_dirs: 0 }
    }
}

/// Whom a change is done for. Empty fields are unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Context<'a> {
    /// The unit of undo.
    pub task: &'a str,
    /// What the task is after, in the words of whoever gave it.
    pub goal: &'a str,
    /// The server process or command-line run.
    pub run: &'a str,
}

impl<'a> Context<'a> {
    /// Makes a context of a task alone.
    pub fn task(task: &'a str) -> Self {
        Self { task, ..Self::default() }
    }
}

/// One side of a change as the history knows it.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// No file.
    Absent,
    /// A file whose content is kept.
    File {
        /// Length in bytes.
        len: u64,
        /// Permission bits, where known.
        mode: Option<u32>,
    },
    /// A file of which only the size is known.
    Omitted {
        /// Length in bytes.
        len: u64,
        /// Why the content is not kept.
        why: Gap,
    },
}

impl State {
    /// Returns the length in bytes, 0 where there is no file.
    pub fn len(&self) -> u64 {
        match *self {
            Self::Absent => 0,
            Self::File { len, .. } | Self::Omitted { len, .. } => len,
        }
    }

    /// Tells whether there is no byte of content; a missing file counts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One row of the history: a change, and the state that it left.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The id of the change, and of the version it made.
    pub id: ChangeId,
    /// Path relative to the root, in bytes.
    pub path: Vec<u8>,
    /// What was done.
    pub op: Op,
    /// The tool that did it; empty for what the history found by itself.
    pub tool: String,
    /// The task it was done for; empty where unknown.
    pub task: String,
    /// What the task was after; empty where unknown.
    pub goal: String,
    /// The run it was done in; empty where unknown.
    pub run: String,
    /// When, by the caller's clock.
    pub at: UnixMillis,
    /// What was there before.
    pub before: State,
    /// What was there after.
    pub after: State,
    /// The version that was put back, for a restore.
    pub from: Option<ChangeId>,
    /// The group it was published with.
    pub set: Option<SetId>,
    /// How it ended.
    pub outcome: Outcome,
}

impl Version {
    /// Returns what restoring this version puts on disk: the state after the change, or for a removal the one before.
    pub fn restorable(&self) -> State {
        if self.op == Op::Remove && self.after == State::Absent { self.before } else { self.after }
    }

    /// Returns why this version cannot be restored, or `None` if it can as far as the row tells.
    pub fn gap(&self) -> Option<Gap> {
        match self.restorable() {
            State::Omitted { why, .. } => Some(why),
            State::Absent | State::File { .. } => None,
        }
    }
}

/// The content of a recorded state.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    /// All bytes of the file.
    pub bytes: Vec<u8>,
    /// Permission bits, where known.
    pub mode: Option<u32>,
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Content").field("len", &self.bytes.len()).field("mode", &self.mode).finish()
    }
}
