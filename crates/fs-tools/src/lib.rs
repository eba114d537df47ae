//! The file tools of an AI agent, wired to the real disk.
#![doc = include_str!("../README.md")]

mod args;
mod config;
mod documents;
mod error;
mod find;
mod gate;
mod history_keys;
mod index;
mod ledger;
mod limits;
mod line_mask;
mod local_time;
mod opener;
mod pages;
mod recorder;
mod render;
mod resource;
mod schema;
mod tool;
mod tools;
mod toolset;
mod transcribe;
mod tree;
mod undo;
mod workspace;

pub use crate::config::{
    BatchSwitches, Config, ConfigError, Durability, KeepSensitive, Loaded, PathResolution, ReadFileConfig,
    ReadMode, RunLater, SearchConfig, Setting, Source, Switches, TranscribeConfig, TranscribeVia,
};
pub use crate::documents::{
    DocumentError, DocumentPart, DocumentPicture, DocumentReader, DocumentRequest, DocumentUnit, InProcess,
};
pub use crate::error::{Class, ToolError};
pub use crate::find::{Find, Found, FoundLine, Masking, show_path};
pub use crate::gate::Scope;
pub use crate::history_keys::KeyFileError;
pub use crate::index::{Freshness, IndexState};
pub use crate::local_time::{LocalTime, Utc};
pub use crate::opener::{Opened, Opener, SystemOpener};
pub use crate::resource::{Content, Resource};
pub use crate::tool::{
    Annotations, Answer, Call, Confirm, Image, NobodyToAsk, Origin, Progress, Question, Reply, Tool, ToolSpec,
};
pub use crate::tools::{batch, classic};
pub use crate::toolset::{ToolSet, tools_markdown};
#[cfg(feature = "transcribe-command")]
pub use crate::transcribe::CommandTranscriber;
#[cfg(feature = "transcribe-http")]
pub use crate::transcribe::HttpTranscriber;
pub use crate::transcribe::{NoTranscriber, Sound, TranscribeLimits, Transcriber, sound_kind, transcriber};
pub use crate::undo::{Forecast, Undo, Undone};
pub use crate::workspace::{OpenError, Options, Platform, Reach, Toolset, Workspace};

/// The cores that can be used alone, for front ends that show more than the tools do.
pub use {file_history, redact, search_engine, syntax_scan, v4a_patch};
