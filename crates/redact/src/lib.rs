//! Finds and masks credentials in text, in one linear pass.
#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod redactor;
mod span;
mod report;
mod line;
mod stream;
mod offset_map;

mod engine;
mod runs;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
mod simd;

mod formats;
mod tables;
mod structural;
mod pem;
mod keyed;
mod names;
mod opaque;
mod randomness;
mod view;
mod encoded;
mod known;
mod alphabet;
mod error;

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
