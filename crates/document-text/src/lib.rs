//! Pages of text out of files: encodings, PDF, DOCX, PPTX, CSV rows, pictures, binary kinds.
#![doc = include_str!("../README.md")]

mod classify;
mod document;
mod encode;
mod encoding;
mod error;
mod format;
#[cfg(any(feature = "pdf", feature = "office", feature = "image"))]
mod guard;
mod hex;
mod limits;
mod off;
#[cfg(feature = "office")]
mod office;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "image")]
mod picture;
mod rows;
mod text;
mod unit;

pub use classify::{Kind, READ_SNIFF_BYTES, SEARCH_SNIFF_BYTES, classify, has_nul};
pub use document::{Content, Document, Part, Picture, Stop, Unit, UnitKind};
pub use encode::{Editable, encode};
pub use encoding::{Decoded, Encoding, Legacy, decode, detect};
pub use error::Error;
pub use format::{Class, Format};
pub use hex::{hex_dump, hex_dump_capacity};
pub use limits::Limits;
#[cfg(not(feature = "image"))]
use off::image as picture;
#[cfg(not(feature = "office"))]
use off::office;
#[cfg(not(feature = "pdf"))]
use off::pdf;
pub use text::LineEnd;
pub use unit::Note;
