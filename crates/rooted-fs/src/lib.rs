//! Files below a directory handle: nailed opening, walking, atomic replace, append, verify.
#![doc = include_str!("../README.md")]

#[cfg(not(target_os = "linux"))]
compile_error!(
    "rooted-fs has no tier for this system yet: it needs `openat` with NOFOLLOW semantics per component and \
     an atomic rename without clobber, both tested; a path-based imitation would not keep its promises"
);

mod append;
mod create;
mod directories;
mod durability;
mod error;
#[cfg(any(test, feature = "unstable-faults"))]
pub mod faults;
#[cfg(not(any(test, feature = "unstable-faults")))]
mod faults;
mod hint;
mod in_place;
mod lock;
mod meta;
mod metadata;
mod name;
mod open;
mod options;
mod parent;
mod remove;
mod replace;
mod root;
mod stage;
mod swap;
mod temporary;
mod tier;
mod verify;
mod walk;
mod watch;

pub use crate::append::HardLinks;
pub use crate::error::{Error, WhyInPlace};
pub use crate::hint::{Follow, Hint, Place};
pub use crate::meta::{Identity, Kind, Meta};
pub use crate::name::RelName;
pub use crate::open::Handle;
pub use crate::options::{Access, Durability, InPlace, Kept, Parents, ReadOnlyFiles, WriteOptions, Written};
pub use crate::root::Root;
pub use crate::stage::{Exchange, Staging};
pub use crate::temporary::is_temporary_name;
pub use crate::tier::{Tier, TierChoice};
pub use crate::verify::VerifyError;
pub use crate::walk::{Dir, DirEntry};
pub use crate::watch::{Seen, WatchId, Watcher};
