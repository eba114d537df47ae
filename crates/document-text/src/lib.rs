//! Pages of text out of files: encodings, binary kinds, CSV rows.
#![doc = include_str!("../README.md")]

mod classify;
mod document;
mod encode;
mod encoding;
mod error;
mod format;
mod hex;
mod limits;
mod rows;
mod text;

pub use classify::{Kind, READ_SNIFF_BYTES, SEARCH_SNIFF_BYTES, classify, has_nul};
pub use document::{Content, Document, Part, Stop, Unit, UnitKind};
pub use encode::{Editable, encode};
pub use encoding::{Decoded, Encoding, Legacy, decode, detect};
pub use error::Error;
pub use format::{Class, Format};
pub use hex::{hex_dump, hex_dump_capacity};
pub use limits::Limits;
pub use text::LineEnd;
