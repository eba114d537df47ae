//! Content and name search over a tree: ordered, paged, bounded.
#![doc = include_str!("../README.md")]

mod ahead;
mod cursor;
mod desk;
mod dialect;
mod error;
mod feed;
mod glob;
mod ignore_rules;
#[cfg(feature = "index")]
mod index;
mod limits;
mod lines;
mod listed;
mod mem_tree;
mod multiline;
mod name_pattern;
mod page;
mod pattern;
mod pool;
mod query;
mod records;
mod search;
mod sink;
mod spared;
mod summary;
mod trail;
mod tree;
mod utf16;
mod walk;
mod warm;
mod wild;
mod window;

pub use crate::{
    cursor::Cursor,
    error::Error,
    ignore_rules::{IgnoreFile, ParentRules, Verdict},
    limits::{Limits, Progress, Signal, Unattended},
    mem_tree::MemTree,
    name_pattern::{NamePattern, Reach, is_all_wildcard},
    pattern::{Case, Pattern, Patterns, Span},
    query::{Ignore, Order, Output, Page, Query, Start, Totals, Unit, What},
    search::search,
    sink::{Collected, FileRow, LineRow, NameRow, OwnedRow, Role, Row, Sink},
    summary::{Coverage, End, IndexUse, Skipped, Summary},
    trail::Mark,
    tree::{Entry, FileFacts, Kind, Listing, Tree},
    window::{Window, window},
};
#[cfg(feature = "index")]
pub use crate::{
    index::{
        Change, Check, DirId, Extent, Grams, Index, Maker, NoWatch, Plan, Signature, Stamp, StampedTree,
        Task, Watch,
    },
    warm::{Warm, search_warm},
};
