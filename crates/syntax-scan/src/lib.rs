//! Quick delimiter, quote and comment check of a file, without an allocation.
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod scanner;

mod language;

mod outcome;

mod json;

mod c_family;

mod directive;

mod go;

mod python;

mod toml;

mod stack;

mod blocks;

pub use crate::{
    language::Language,
    outcome::{Outcome, Position, Problem, ProblemKind, SkipReason},
    scanner::{Scanner, scan},
    stack::MAX_DEPTH,
};
