//! A seam where tests make single steps of a write fail, or stop the writer as a crash would.
//!
//! In an ordinary build the seam is empty functions that vanish. With the feature `unstable-faults` the module is
//! public, so that whoever builds on this crate can test its own recovery.

#[cfg(not(any(test, feature = "unstable-faults")))]
mod disabled;
#[cfg(any(test, feature = "unstable-faults"))]
mod enabled;

#[cfg(not(any(test, feature = "unstable-faults")))]
pub(crate) use self::disabled::{at, first_part};
#[cfg(any(test, feature = "unstable-faults"))]
pub use self::enabled::{Fault, inject, inject_all};
#[cfg(any(test, feature = "unstable-faults"))]
pub(crate) use self::enabled::{at, first_part};

/// Names a step of a write.
#[cfg_attr(
    not(any(test, feature = "unstable-faults")),
    allow(unreachable_pub, reason = "public with the feature")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Before a missing directory is made.
    MakeDir,
    /// Before the new file is created under its temporary name, or without a name.
    CreateTemporary,
    /// Before the first byte is written.
    WriteFirst,
    /// After a part of the bytes is written.
    WriteRest,
    /// Before owner, access list, attributes and mode are copied.
    CopyMetadata,
    /// Before the new content is synced.
    SyncFile,
    /// Before the file is locked against other writers.
    Lock,
    /// Before the old file is compared with what was read.
    Compare,
    /// Before the new file gets its name, or a removed one loses it.
    Commit,
    /// Before the new file gets its name by a second link, where renaming without clobber is not offered.
    CommitByLink,
    /// After the new file has its name, before the old one is looked at.
    Displaced,
    /// Before the old file, now under the temporary name, is removed.
    RemoveDisplaced,
    /// Before the directory is synced.
    SyncDir,
    /// Before the first byte is appended.
    Append,
    /// Before the first byte is written in place.
    WriteInPlace,
    /// Before a step of tidying up after an error.
    TidyUp,
    /// Before what was written is read back.
    ReadBack,
}

#[cfg(any(test, feature = "unstable-faults"))]
impl Step {
    /// Every step, in the order of a replacement.
    pub const ALL: [Self; 17] = [
        Self::MakeDir,
        Self::CreateTemporary,
        Self::WriteFirst,
        Self::WriteRest,
        Self::CopyMetadata,
        Self::SyncFile,
        Self::Lock,
        Self::Compare,
        Self::Commit,
        Self::CommitByLink,
        Self::Displaced,
        Self::RemoveDisplaced,
        Self::SyncDir,
        Self::Append,
        Self::WriteInPlace,
        Self::TidyUp,
        Self::ReadBack,
    ];
}

#[cfg(test)]
mod tests;
