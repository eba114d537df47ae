//! Documents of Office Open XML: a ZIP archive of XML parts.
//!
//! # Source
//!
//! ECMA-376, parts 1 and 2.

mod docx;
mod package;
mod pptx;
mod styles;
mod xml;

pub(crate) use docx::text as docx;
pub(crate) use pptx::Deck;
