//! Decides who may touch which path, and why: pure rules over names and facts.
//!
#![doc = include_str!("../README.md")]

mod allow_list;
mod decide;
mod error;
mod escape;
mod facts;
mod fold;
mod grant;
mod index;
mod names;
mod op;
mod path;
mod pattern;
mod privacy;
mod reason;
mod rules;
mod ruleset;
mod settings;
mod sniff;
mod tables;
mod walk;
mod windows;

pub use crate::{
    allow_list::{AllowList, MAX_ALLOW_PATTERN_BYTES, MAX_ALLOW_PATTERNS, literal_root},
    decide::{Decision, decide},
    error::{Error, Lint, PathError},
    escape::{escape, unescape},
    facts::{Facts, FsMagic, Kind, Object},
    grant::{Answer, Basis, Confirmed, Grant, Pending, Place},
    op::Op,
    path::{MAX_NAME_BYTES, MAX_PATH_BYTES, RequestPath, lexical},
    privacy::{privacy_folder, walk_skips_privacy_folder},
    reason::{Cause, Reason},
    rules::{Class, RuleInfo},
    ruleset::{ARTIFACTS, Ruleset},
    settings::{Family, HardLinks, Level, PrivacyFolders, Settings},
    sniff::{SNIFF_BYTES, is_private_key},
    walk::DirRules,
    windows::{WindowsIssue, windows_issue},
};
