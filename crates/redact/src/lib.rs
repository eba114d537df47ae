//! Finds and masks credentials in text, in one linear pass.
#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod line;
mod offset_map;
mod redactor;
mod report;
mod span;
mod stream;

mod engine;
mod runs;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
mod simd;

mod alphabet;
mod encoded;
mod error;
mod formats;
mod keyed;
mod known;
mod names;
mod opaque;
mod pem;
mod randomness;
mod structural;
mod tables;
mod view;

pub use crate::{
    error::Error,
    formats::{Recognised, recognised},
    known::{KNOWN_MAX, KNOWN_MIN},
    line::LineRedactor,
    offset_map::OffsetMap,
    pem::KeyState,
    redactor::{Builder, MARKER, Redactor, contains_marker},
    report::Report,
    runs::Pass,
    span::{Class, Classes, Span},
    stream::{Sink, StreamRedactor},
};
