//! Versions of changed files: record, restore one, undo a task.
#![doc = include_str!("../README.md")]

mod blobs;
pub mod codec;
mod disk;
mod error;
mod faults;
mod history;
mod memory;
mod plan;
mod prune;
mod record;
mod recover;
mod restore;
mod retain;
mod seal;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod store;
mod version;
mod when;
mod workspace;

pub use disk::MemWorkspace;
pub use error::{Block, Error, Gap};
pub use faults::{Fault, Faults};
pub use history::{
    DEFAULT_ROWS, Failed, Filter, History, Look, MAX_ROWS, MAX_TOOL_ROWS, Options, Page, Side, tool_limit,
};
pub use memory::MemStore;
pub use plan::{Class, OnConflict, Plan, Planned};
pub use recover::Recovered;
pub use restore::{Doer, FileReport, FileResult, Report, Status};
pub use retain::{MAX_QUOTA_BYTES, MIN_FREE_BYTES, Policy, Pruned, Purge, Room, Verified};
pub use seal::{KEY_BYTES, Key, KeyId, KeySource, MemKeys, NONCE_BYTES};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use store::{SetKind, SetStatus, Size, Store};
pub use version::{
    ChangeId, Content, Context, FileState, Intent, Keep, MAX_GOAL_BYTES, MAX_NAME_BYTES, MAX_PATH_BYTES, Op,
    Outcome, SetId, State, UnixMillis, Version,
};
pub use when::{FixedZone, Zone, time_range};
pub use workspace::{Current, Exchange, Workspace};
