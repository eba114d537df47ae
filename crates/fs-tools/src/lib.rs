//! The file tools of an AI agent, wired to the real disk.
#![doc = include_str!("../README.md")]

mod args;
mod config;
mod error;
mod gate;
mod limits;
mod render;
mod schema;
mod tool;
mod tools;
mod toolset;
mod tree;
mod workspace;

pub use crate::config::{
    Config, ConfigError, Durability, Loaded, PathResolution, ReadFileConfig, ReadMode, RunLater, Switches,
};
pub use crate::error::{Class, ToolError};
pub use crate::tool::{
    Annotations, Answer, Call, Confirm, NobodyToAsk, Progress, Question, Reply, Tool, ToolSpec,
};
pub use crate::tools::classic;
pub use crate::toolset::{ToolSet, tools_markdown};
pub use crate::workspace::{OpenError, Options, Reach, Workspace};
