//! The file tools of an AI agent, wired to the real disk.
#![doc = include_str!("../README.md")]

mod args;
mod config;
mod error;
mod find;
mod gate;
mod limits;
mod line_mask;
mod local_time;
mod pages;
mod recorder;
mod render;
mod resource;
mod schema;
mod tool;
mod tools;
mod toolset;
mod tree;
mod undo;
mod workspace;

pub use crate::config::{
    Config, ConfigError, Durability, Loaded, PathResolution, ReadFileConfig, ReadMode, RunLater, Switches,
};
pub use crate::error::{Class, ToolError};
pub use crate::find::{Find, Found, FoundLine, Masking, show_path};
pub use crate::gate::Scope;
pub use crate::local_time::{LocalTime, Utc};
pub use crate::resource::{Content, Resource};
pub use crate::tool::{
    Annotations, Answer, Call, Confirm, Image, NobodyToAsk, Origin, Progress, Question, Reply, Tool, ToolSpec,
};
pub use crate::tools::classic;
pub use crate::toolset::{ToolSet, tools_markdown};
pub use crate::undo::{Forecast, Undo, Undone};
pub use crate::workspace::{OpenError, Options, Reach, Workspace};

/// The cores that can be used alone, for front ends that show more than the tools do.
pub use {file_history, redact, search_engine, syntax_scan, v4a_patch};
