//! Parses, locates, applies and writes V4A patches.
#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod align;
mod apply;
mod compare;
mod describe;
mod diff;
mod error;
mod explain;
mod file_map;
mod fold;
mod grammar;
mod hints;
mod intern;
mod line_diff;
mod lines;
mod locate;
mod loose;
mod machine;
mod multi;
mod near;
mod occupied;
mod options;
mod parse;
mod patch;
mod plan;
mod render;
mod reword;
mod search;
mod stream;
mod target;
mod target_error;
mod target_plan;
mod text;

pub use apply::{Applied, apply, plan};
pub use compare::{Difference, Indent};
pub use describe::MAX_DESCRIPTION_BYTES;
pub use diff::{DiffError, DiffOptions, Unrepresentable, diff};
pub use error::{Column, Error, HunkError, HunkErrorKind, LocateError, ParseError, ParseErrorKind};
pub use explain::{Candidate, Cause, Diagnosis, LineMismatch, SuggestedLine, Suggestion, file_line};
pub use file_map::{FileMap, MemFiles};
pub use locate::locate;
pub use machine::Event;
pub use multi::{FileChange, MultiApplied, apply_multi};
pub use options::{Existing, Headers, Limits, Options, Profile, Wrapping};
pub use parse::parse;
pub use patch::{Header, Hunk, Line, LineKind, Patch, Section, SectionKind, normalize_path};
pub use plan::{HunkReport, Plan, Report};
pub use search::Tier;
pub use stream::{PatchStream, StreamState};
pub use target::{Matched, Splice, Target, TargetPlan};
pub use target_error::TargetError;
pub use target_plan::{MAX_PLACES, MAX_REPLACEMENT_BYTES, MAX_TARGETS, plan_targets};
pub use text::{TextCause, TextDiagnosis, explain_edit, explain_text, find_unique};
