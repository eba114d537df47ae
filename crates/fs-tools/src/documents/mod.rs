//! How documents become text: a port, and the implementation that works inside this process.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use document_text::{Content, Document, Error, Format, Kind, Limits, Note, Stop};
use serde::{Deserialize, Serialize};

use crate::error::Class;

/// Turns a part of a document into text.
///
/// The library works in this process, within the limits of `document-text`. A front end that serves documents from strangers
/// installs one that works elsewhere, so that a crash, a bomb or a hang costs one error.
pub trait DocumentReader: fmt::Debug + Send + Sync {
    /// Reads what the request asks for.
    ///
    /// # Errors
    ///
    /// [`DocumentError`], whose message stands on its own.
    fn read(&self, request: &DocumentRequest<'_>) -> Result<DocumentPart, DocumentError>;
}

/// Which part of which document.
#[derive(Debug, Clone, Copy)]
pub struct DocumentRequest<'a> {
    /// The name of the file. Only its extension counts.
    pub name: &'a Path,
    /// The whole file.
    pub bytes: &'a [u8],
    /// The first unit, from 1.
    pub first: u64,
    /// How many units at most.
    pub count: u64,
    /// How much text at most, in bytes of UTF-8; the first unit is cut to fit.
    pub max_bytes: usize,
}

/// A part of a document, independent of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPart {
    /// What the file is, for people: `PDF document`, `text`, `empty`.
    pub kind: String,
    /// What is counted: `line`, `row`, `page`, `slide`, `picture`.
    pub unit: String,
    /// How many there are.
    pub count: u64,
    /// The encoding of a text that is not in UTF-8.
    pub encoding: Option<String>,
    /// The first row of a table.
    pub header: Option<Vec<String>>,
    /// The units, in order.
    pub units: Vec<DocumentUnit>,
    /// The next unit, when there is one.
    pub next: Option<u64>,
    /// Whether the part ends early because of [`DocumentRequest::max_bytes`].
    pub is_cut: bool,
}

/// One line, row, page, slide or picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentUnit {
    /// Its number, from 1.
    pub number: u64,
    /// Its text; empty for a row or a picture.
    pub text: String,
    /// The fields of a row.
    pub fields: Vec<String>,
    /// The picture.
    pub picture: Option<DocumentPicture>,
    /// Bytes that were cut off its end.
    pub cut_bytes: usize,
    /// What is to be said of it: that it has no text, for example.
    pub note: Option<String>,
}

/// A picture, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPicture {
    /// Media type.
    pub mime: String,
    /// Width, in pixels.
    pub width: u32,
    /// Height, in pixels.
    pub height: u32,
    /// Width and height in the file.
    pub original: (u32, u32),
    /// The encoded picture. Not part of the serialised form: it would treble there.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// A document that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct DocumentError {
    /// The stable code.
    pub code: Cow<'static, str>,
    /// A lower-case sentence without a full stop, which says the next step where there is one.
    pub message: String,
}

impl DocumentError {
    /// An error with a code and what to say.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code: Cow::Borrowed(code), message: message.into() }
    }
}

impl DocumentError {
    /// The kind of failure.
    pub fn class(&self) -> Class {
        match self.code.as_ref() {
            "document_time_out"
            | "document_bomb"
            | "document_too_complex"
            | "document_too_large"
            | "picture_too_large" => Class::Limit,
            _ => Class::Failure,
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match (self.class(), self.code.as_ref()) {
            (Class::Limit, _) => "read another part of it, or make a smaller copy",
            (_, "document_encrypted") => "decrypt a copy and read that",
            (_, "wrong_extension") => "give the file the extension of what it is",
            _ => "see with another program whether the file is whole",
        }
    }
}

impl From<Error> for DocumentError {
    fn from(error: Error) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

/// Reads documents in this process, within [`Limits::STANDARD`].
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcess;

impl DocumentReader for InProcess {
    fn read(&self, request: &DocumentRequest<'_>) -> Result<DocumentPart, DocumentError> {
        let limits = Limits {
            max_unit_bytes: request.max_bytes.min(Limits::STANDARD.max_unit_bytes),
            max_part_bytes: request.max_bytes,
            ..Limits::STANDARD
        };
        let document = Document::open(request.name, request.bytes, limits)?;
        let first = request.first.max(1);
        let part = document.read(first..first.saturating_add(request.count))?;
        let encoding = match document.kind() {
            Kind::Text(encoding) if !encoding.is_utf8() => Some(encoding.name().to_owned()),
            _ => None,
        };
        Ok(DocumentPart {
            kind: kind(document.kind()).to_owned(),
            unit: document.unit().name().to_owned(),
            count: document.count(),
            encoding,
            header: document.header().map(<[String]>::to_vec),
            next: part.next,
            is_cut: part.stop == Stop::Budget,
            units: part.units.into_iter().map(unit).collect(),
        })
    }
}

fn unit(unit: document_text::Unit<'_>) -> DocumentUnit {
    let note = unit.note.as_ref().map(Note::to_string);
    let mut out = DocumentUnit {
        number: unit.number,
        text: String::new(),
        fields: Vec::new(),
        picture: None,
        cut_bytes: unit.cut_bytes,
        note,
    };
    match unit.content {
        Content::Text(text) => out.text = text.into_owned(),
        Content::Fields(fields) => out.fields = fields,
        Content::Picture(it) => {
            out.picture = Some(DocumentPicture {
                mime: it.mime.to_owned(),
                width: it.width,
                height: it.height,
                original: it.original,
                bytes: it.bytes.into_owned(),
            });
        }
        _ => {}
    }
    out
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Empty => "empty",
        Kind::Text(_) => "text",
        Kind::Binary(format) => Format::name(format),
        _ => "unknown",
    }
}
