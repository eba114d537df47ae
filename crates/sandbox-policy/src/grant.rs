//! Permission as a value: only a decision makes one.

use std::path::{Path, PathBuf};

use crate::{
    op::Op,
    reason::{Cause, Reason},
};

/// Permits one operation on one path.
///
/// Its fields are private and nothing outside this crate can make one, so a function that takes a grant cannot be
/// called without a decision:
///
/// ```compile_fail,E0451
/// use sandbox_policy::{Grant, Op};
/// fn forge(grant: Grant) -> Grant {
///     Grant { op: Op::Overwrite, ..grant }
/// }
/// ```
///
/// ```compile_fail,E0599
/// let forged = sandbox_policy::Grant::default();
/// ```
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a grant is a permission that is about to be used"]
pub struct Grant {
    op: Op,
    path: PathBuf,
    /// How many components of the path are the workspace; `None` outside.
    inside: Option<usize>,
    object: Option<(u64, u64)>,
    notice: Option<Reason>,
    confirmed: bool,
    via_symlink: bool,
}

/// Tells what a grant rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The names alone: enough to look at the object, or to create one where nothing is yet.
    Names,
    /// The facts of an object that was looked at.
    Facts,
}

/// Tells where a granted path lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// In the workspace, with the path relative to it; empty for the workspace itself.
    Workspace(&'a Path),
    /// Elsewhere, with the absolute path.
    Outside(&'a Path),
}

impl Grant {
    pub(crate) fn new(target: Target, notice: Option<Reason>) -> Grant {
        let Target { op, path, inside, object, via_symlink } = target;
        Grant { op, path, inside, object, notice, confirmed: false, via_symlink }
    }

    /// Returns the permitted operation.
    pub fn op(&self) -> Op {
        self.op
    }

    /// Returns the canonical absolute path that may be opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns where the path lies.
    pub fn place(&self) -> Place<'_> {
        match self.inside {
            Some(depth) => Place::Workspace(below(&self.path, depth)),
            None => Place::Outside(&self.path),
        }
    }

    /// Returns the device and inode that the grant is bound to; `None` for a grant on names.
    pub fn object(&self) -> Option<(u64, u64)> {
        self.object
    }

    /// Tells what the grant rests on.
    pub fn basis(&self) -> Basis {
        if self.object.is_some() { Basis::Facts } else { Basis::Names }
    }

    /// Returns what a person should be told about this file although it is allowed.
    pub fn notice(&self) -> Option<&Reason> {
        self.notice.as_ref()
    }

    /// Tells whether a link was followed from the name that was asked for, so that an answer can say which file it is.
    pub fn via_symlink(&self) -> bool {
        self.via_symlink
    }

    /// Tells whether a person agreed to it.
    pub fn is_confirmed(&self) -> bool {
        self.confirmed
    }
}

/// Returns what is left of a path after its first `depth` names.
fn below(path: &Path, depth: usize) -> &Path {
    let mut components = path.components();
    for _ in 0..depth {
        components.next();
    }
    components.as_path()
}

/// What a decision is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) op: Op,
    pub(crate) path: PathBuf,
    pub(crate) inside: Option<usize>,
    pub(crate) object: Option<(u64, u64)>,
    pub(crate) via_symlink: bool,
}

/// Waits for a person's answer.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a question that nobody answers is a refusal"]
pub struct Pending {
    target: Target,
    reason: Reason,
}

/// Holds what a person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Go on with this one file.
    Yes,
    /// Leave it.
    No,
}

impl Pending {
    pub(crate) fn new(target: Target, reason: Reason) -> Pending {
        Pending { target, reason }
    }

    /// Returns why somebody has to be asked.
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    /// Returns the operation that was asked for.
    pub fn op(&self) -> Op {
        self.target.op
    }

    /// Returns the canonical absolute path in question.
    pub fn path(&self) -> &Path {
        &self.target.path
    }

    /// Returns the device and inode in question; `None` when the decision was on names.
    pub fn object(&self) -> Option<(u64, u64)> {
        self.target.object
    }

    /// Turns the answer into a grant for this operation on this path and object.
    ///
    /// # Errors
    ///
    /// The reason `declined` when the answer is no.
    pub fn answer(self, answer: Answer) -> Result<Grant, Reason> {
        match answer {
            Answer::Yes => Ok(self.grant()),
            Answer::No => Err(Reason { cause: Cause::Declined, rule: None, askable: false, ..self.reason }),
        }
    }

    /// Gives the question up because nobody can be asked, and returns the reason to refuse with.
    pub fn refuse(self) -> Reason {
        self.reason
    }

    /// Tells whether an earlier yes covers this question; see [`Confirmed`].
    pub fn matches(&self, earlier: &Confirmed) -> bool {
        earlier.access == Access::of(self.target.op)
            && earlier.path == self.target.path
            && earlier.object.is_some()
            && earlier.object == self.target.object
    }

    /// Answers the question from the memory of the run.
    ///
    /// # Errors
    ///
    /// Gives the question back when nothing in `memory` covers it.
    pub fn recall<'m>(self, memory: impl IntoIterator<Item = &'m Confirmed>) -> Result<Grant, Pending> {
        if memory.into_iter().any(|earlier| self.matches(earlier)) { Ok(self.grant()) } else { Err(self) }
    }

    fn grant(self) -> Grant {
        let mut grant = Grant::new(self.target, None);
        grant.confirmed = true;
        grant.notice = Some(self.reason);
        grant
    }
}

/// Remembers that a person agreed to one file, so that the same file need not be asked for twice in a run.
///
/// It covers the same path with the same device and inode, for the same kind of access: a yes to reading does not
/// cover writing, nor opening. The caller keeps these values for one run and hands them to [`Pending::recall`]; a grant
/// on names leaves no memory, since nothing binds it to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed {
    access: Access,
    path: PathBuf,
    object: Option<(u64, u64)>,
}

impl Confirmed {
    /// Makes the memory of a grant; `None` when nobody was asked for it or nothing binds it to a file.
    pub fn of(grant: &Grant) -> Option<Confirmed> {
        (grant.confirmed && grant.object.is_some()).then(|| Confirmed {
            access: Access::of(grant.op),
            path: grant.path.clone(),
            object: grant.object,
        })
    }

    /// Follows the file through a replacement that the caller itself made under the grant, which gives it a new inode.
    #[must_use]
    pub fn replaced_by(self, dev: u64, ino: u64) -> Confirmed {
        Confirmed { object: Some((dev, ino)), ..self }
    }

    /// Returns the path that was agreed to.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Look,
    Write,
    Open,
}

impl Access {
    fn of(op: Op) -> Access {
        match op {
            Op::Open => Access::Open,
            op if op.is_write() => Access::Write,
            _ => Access::Look,
        }
    }
}
