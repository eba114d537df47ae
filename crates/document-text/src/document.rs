//! An open document: its kind, how many units it has, and parts of it by number.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use memchr::memmem;

use crate::classify::{Kind, classify};
use crate::encoding::{Encoding, decode, read};
use crate::error::Error;
use crate::format::{Class, Format, extension};
use crate::limits::Limits;
use crate::office::{self, Deck};
use crate::pdf::Pages;
use crate::picture;
use crate::rows::Rows;
use crate::text::{LineEnd, Lines};
use crate::unit::Note;

/// A document that can be read in parts.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use document_text::{Document, Limits, UnitKind};
///
/// let table = Document::open(Path::new("t.csv"), b"id,name\n1,\"a\nb\"\n2,c\n", Limits::STANDARD)?;
/// assert_eq!((table.unit(), table.count()), (UnitKind::Row, 2));
/// assert_eq!(table.header(), Some(&["id".to_owned(), "name".to_owned()][..]));
/// assert_eq!(table.read(2..3)?.units[0].content.fields(), ["2", "c"]);
/// # Ok::<(), document_text::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Document<'d> {
    kind: Kind,
    malformed: bool,
    limits: Limits,
    body: Body<'d>,
}

#[derive(Clone, Debug)]
enum Body<'d> {
    Lines(Lines<'d>),
    Rows(Rows<'d>),
    Pages(Pages),
    Slides(Deck<'d>),
    Picture { format: Format, bytes: &'d [u8] },
}

/// Says what a document counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnitKind {
    /// A line of text.
    Line,
    /// A data row of a table; the header is not counted.
    Row,
    /// A page of a PDF. Its place in the file counts, not the number that may be printed on it.
    Page,
    /// A slide, in the order of the deck.
    Slide,
    /// A whole picture: there is one.
    Picture,
}

impl UnitKind {
    /// Returns the name of one: `line`, `row`, `page`, `slide`, `picture`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            UnitKind::Line => "line",
            UnitKind::Row => "row",
            UnitKind::Page => "page",
            UnitKind::Slide => "slide",
            UnitKind::Picture => "picture",
        }
    }
}

/// A picture, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture<'d> {
    /// Media type of `bytes`.
    pub mime: &'static str,
    /// The file as it is, or a smaller or upright copy as JPEG, or PNG when it has transparency.
    pub bytes: Cow<'d, [u8]>,
    /// Width of `bytes`, in pixels.
    pub width: u32,
    /// Height of `bytes`, in pixels.
    pub height: u32,
    /// Width and height that the file declares, before it was turned and made smaller.
    pub original: (u32, u32),
}

/// Some consecutive units of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Part<'d> {
    /// The units, in order.
    pub units: Vec<Unit<'d>>,
    /// Why the part ends where it does.
    pub stop: Stop,
    /// The number of the unit after the part, when the document has one.
    pub next: Option<u64>,
}

/// Says why a part ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stop {
    /// The document has no more units, whether or not more were asked for.
    End,
    /// The range that was asked for is complete.
    Range,
    /// The next unit would exceed [`Limits::max_part_bytes`].
    Budget,
}

/// One line, row, page, slide or picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit<'d> {
    /// Its number, from 1.
    pub number: u64,
    /// What it says.
    pub content: Content<'d>,
    /// The bytes of UTF-8 that were cut off its end to keep to [`Limits::max_unit_bytes`].
    pub cut_bytes: usize,
    /// What is to be said of it: that it has no text, for example, and why.
    pub note: Option<Note>,
}

/// What a unit says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content<'d> {
    /// A line without its terminator; the lines of a page or slide, each with a `\n` between.
    Text(Cow<'d, str>),
    /// The fields of a row, unquoted.
    Fields(Vec<String>),
    /// A picture. Its bytes are no text and do not count towards the limits of a part.
    Picture(Picture<'d>),
}

impl Content<'_> {
    /// Returns the text of a line, page or slide, and nothing for a row or a picture.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Content::Text(text) => text,
            Content::Fields(_) | Content::Picture(_) => "",
        }
    }

    /// Returns the fields of a row, and nothing for anything else.
    #[must_use]
    pub fn fields(&self) -> &[String] {
        match self {
            Content::Text(_) | Content::Picture(_) => &[],
            Content::Fields(fields) => fields,
        }
    }

    /// What a part pays for it: each line or field counts its end too, so that empty ones are not free.
    fn cost(&self) -> usize {
        self.bytes() + self.fields().len().max(1)
    }

    fn bytes(&self) -> usize {
        match self {
            Content::Text(text) => text.len(),
            Content::Fields(fields) => fields.iter().map(String::len).sum(),
            Content::Picture(_) => 0,
        }
    }
}

impl<'d> Document<'d> {
    /// Opens the document in `bytes`, the whole file.
    ///
    /// What the content is decides, whatever the name says, but for what looks alike: `.csv`, `.tsv` and `.tab` are tables,
    /// any other text has lines, and a ZIP archive named `.docx` is a document. A name that promises a document or a picture
    /// over a content that is none is an error. PDF has pages, PPTX slides, DOCX lines, and a picture is one unit.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] beyond [`Limits::max_bytes`]; [`Error::WrongExtension`] for a text or nothing at all under the name of a
    /// document; [`Error::NotAvailable`] for documents, pictures, sound and video, whose text this crate cannot extract;
    /// [`Error::Disabled`] where a feature could; [`Error::Binary`] for everything else that is no text. A document that is
    /// encrypted, damaged or beyond the limits has [`Error::Encrypted`], [`Error::Broken`], [`Error::MissingPart`], [`Error::Bomb`],
    /// [`Error::TooMany`] or [`Error::PictureTooLarge`].
    ///
    /// # Panics
    ///
    /// Never; but a parser of another crate that panics inside becomes [`Error::Broken`] only after the panic hook of the
    /// program has seen it, which prints to standard error unless the program set another one.
    ///
    /// # Cost
    ///
    /// Text: a few passes over `bytes`; UTF-8 is borrowed, any other encoding is decoded into at most three times the size
    /// of the file; eight bytes of memory per 64 rows or 128 lines. PDF: one pass over all objects, and none over what pages show.
    /// DOCX: the whole text. PPTX: the list of slides. A picture: its header. Whatever parses runs on a thread of its
    /// own, which ends before this returns.
    pub fn open(name: &Path, bytes: &'d [u8], limits: Limits) -> Result<Self, Error> {
        if bytes.len() > limits.max_bytes {
            return Err(Error::TooLarge { bytes: bytes.len(), max: limits.max_bytes });
        }
        let kind = classify(name, bytes);
        let promised = promised(name);
        let (kind, malformed, body) = match (kind, promised) {
            (Kind::Binary(format), _) if format != Format::Unknown => {
                (kind, false, Self::open_binary(name, format, bytes, &limits)?)
            }
            // Readers of the format accept some bytes in front of its header.
            (_, Some(Format::Pdf)) if has_late_header(bytes) => {
                (Kind::Binary(Format::Pdf), false, Body::Pages(Pages::open(bytes, &limits)?))
            }
            (Kind::Binary(_), Some(format)) => {
                return Err(Error::Broken { format, why: "its content does not begin as the format does" });
            }
            (Kind::Binary(format), None) => return Err(no_text(format, bytes.len())),
            (Kind::Empty, Some(format)) => return Err(Error::WrongExtension { format, found: "empty" }),
            (Kind::Text(_), Some(format)) => return Err(Error::WrongExtension { format, found: "text" }),
            (Kind::Empty, None) => {
                let decoded = decode(bytes, Encoding::Utf8);
                (Kind::Empty, decoded.malformed, lines_or_rows(name, decoded.text))
            }
            (Kind::Text(_), None) => {
                // The head may look simpler than the whole.
                let (encoding, decoded) = read(bytes);
                (Kind::Text(encoding), decoded.malformed, lines_or_rows(name, decoded.text))
            }
        };
        Ok(Document { kind, malformed, limits, body })
    }

    fn open_binary(name: &Path, format: Format, bytes: &'d [u8], limits: &Limits) -> Result<Body<'d>, Error> {
        Ok(match format {
            Format::Pdf => Body::Pages(Pages::open(bytes, limits)?),
            Format::Pptx => Body::Slides(Deck::open(bytes, limits)?),
            Format::Docx => Body::Lines(Lines::new(Cow::Owned(office::docx(bytes, limits)?))),
            Format::Png | Format::Jpeg | Format::Gif | Format::Webp => {
                picture::size(format, bytes, limits)?;
                Body::Picture { format, bytes }
            }
            // An encrypted document is wrapped in a file of the old kind.
            Format::Ole if memmem::find(bytes, ENCRYPTED_PACKAGE).is_some() => {
                return Err(Error::Encrypted { format: promised(name).unwrap_or(format) });
            }
            _ => return Err(no_text(format, bytes.len())),
        })
    }

    /// Returns what the file is: [`Kind::Empty`], [`Kind::Text`] with the encoding of the whole file, or [`Kind::Binary`]
    /// with the format of a document or picture.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Tells whether some bytes had no meaning in the encoding and are U+FFFD in the text.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        self.malformed
    }

    /// Returns what the document counts.
    #[must_use]
    pub fn unit(&self) -> UnitKind {
        match self.body {
            Body::Lines(_) => UnitKind::Line,
            Body::Rows(_) => UnitKind::Row,
            Body::Pages(_) => UnitKind::Page,
            Body::Slides(_) => UnitKind::Slide,
            Body::Picture { .. } => UnitKind::Picture,
        }
    }

    /// Returns how many units there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        match &self.body {
            Body::Lines(lines) => lines.count(),
            Body::Rows(rows) => rows.count(),
            Body::Pages(pages) => pages.count(),
            Body::Slides(deck) => deck.count(),
            Body::Picture { .. } => 1,
        }
    }

    /// Returns the first row of a table, as long as it is, which names the columns; `None` for what is no table.
    #[must_use]
    pub fn header(&self) -> Option<&[String]> {
        match &self.body {
            Body::Rows(rows) => Some(rows.header()),
            _ => None,
        }
    }

    /// Returns which byte ends a line; `None` for what has no lines.
    #[must_use]
    pub fn line_end(&self) -> Option<LineEnd> {
        match &self.body {
            Body::Lines(lines) => Some(lines.end()),
            _ => None,
        }
    }

    /// Returns the units of `range`, which counts from 1 and is half-open, as far as they exist and fit.
    ///
    /// A range beyond the end gives no units and is no error. The first unit is always there, cut if it must be, so
    /// reading on at [`Part::next`] reaches the end with any limits.
    ///
    /// # Errors
    ///
    /// [`Error::BadRange`] when the range starts at 0 or ends before it starts. When no unit of the range could be read, what the first
    /// one says; when some could, the others have [`Note::Unreadable`].
    ///
    /// # Cost
    ///
    /// Proportional to the part, plus fewer than 128 lines or 64 rows before it, or as many as 31 pages after it.
    pub fn read(&self, range: Range<u64>) -> Result<Part<'_>, Error> {
        if range.start == 0 || range.end < range.start {
            return Err(Error::BadRange { start: range.start, end: range.end });
        }
        let first = range.start - 1;
        // Pages and slides are extracted only as far as they are asked for.
        let end = (range.end - 1).max(first);
        let text = |text: String, note| (Content::Text(Cow::Owned(tidy(text))), note);
        let part = match &self.body {
            Body::Lines(lines) => {
                self.collect(&range, lines.from(first).map(|it| (Content::Text(Cow::Borrowed(it)), None)))
            }
            Body::Rows(rows) => self.collect(&range, rows.from(first).map(|it| (Content::Fields(it), None))),
            Body::Pages(pages) => {
                self.collect(&range, pages.from(first..end).map(|it| text(it.text, it.note)))
            }
            Body::Slides(deck) => {
                self.collect(&range, deck.from(first..end).map(|it| text(it.text, it.note)))
            }
            Body::Picture { format, bytes } => {
                let asked = (first == 0 && end > 0).then_some(());
                let picture = asked.map(|()| picture::read(*format, bytes, &self.limits)).transpose()?;
                self.collect(&range, picture.into_iter().map(|it| (Content::Picture(it), None)))
            }
        };
        let failed = part.units.iter().map(|it| match &it.note {
            Some(Note::Unreadable(error)) => Err(error),
            _ => Ok(()),
        });
        match failed.clone().next() {
            Some(Err(error)) if failed.clone().all(|it| it.is_err()) => Err(error.clone()),
            _ => Ok(part),
        }
    }

    fn collect<'p>(
        &self,
        range: &Range<u64>,
        contents: impl Iterator<Item = (Content<'p>, Option<Note>)>,
    ) -> Part<'p> {
        let max_unit_bytes = self.limits.max_unit_bytes.min(self.limits.max_part_bytes);
        let mut units = Vec::new();
        let mut left = self.limits.max_part_bytes;
        let mut number = range.start;
        let mut stop = Stop::Range;
        if number < range.end {
            for (mut content, note) in contents {
                let cut_bytes = cut(&mut content, max_unit_bytes);
                let cost = content.cost();
                if cost > left && !units.is_empty() {
                    stop = Stop::Budget;
                    break;
                }
                left = left.saturating_sub(cost);
                units.push(Unit { number, content, cut_bytes, note });
                number += 1;
                if number >= range.end {
                    break;
                }
            }
        }
        let next = (number <= self.count()).then_some(number);
        Part { units, stop: if next.is_none() { Stop::End } else { stop }, next }
    }
}

/// Without the blanks and empty lines around the text of a page: they are the margins of the paper.
fn tidy(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    let lead = text.len() - text.trim_start_matches(['\n', '\r']).len();
    text.drain(..lead);
    text
}

fn lines_or_rows<'d>(name: &Path, text: Cow<'d, str>) -> Body<'d> {
    match delimiter(name) {
        Some(delimiter) => Body::Rows(Rows::new(text, delimiter)),
        None => Body::Lines(Lines::new(text)),
    }
}

/// The format that the extension promises, among those that can be read.
fn promised(name: &Path) -> Option<Format> {
    Some(match extension(name)?.as_str() {
        "pdf" => Format::Pdf,
        "docx" | "docm" => Format::Docx,
        "pptx" | "pptm" => Format::Pptx,
        "png" => Format::Png,
        "jpg" | "jpeg" => Format::Jpeg,
        "gif" => Format::Gif,
        "webp" => Format::Webp,
        _ => return None,
    })
}

/// Other readers look for the header in the first 1,024 bytes.
fn has_late_header(bytes: &[u8]) -> bool {
    memmem::find(&bytes[..bytes.len().min(1024)], b"%PDF-").is_some()
}

/// The name of the stream that holds an encrypted document, in UTF-16.
///
/// # Source
///
/// MS-OFFCRYPTO, section 1.3.3.
const ENCRYPTED_PACKAGE: &[u8] = b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0";

fn no_text(format: Format, bytes: usize) -> Error {
    match format.class() {
        Class::Document | Class::Image | Class::Audio | Class::Video => Error::NotAvailable { format, bytes },
        _ => Error::Binary { format, bytes },
    }
}

fn delimiter(name: &Path) -> Option<u8> {
    match extension(name)?.as_str() {
        "csv" => Some(b','),
        "tsv" | "tab" => Some(b'\t'),
        _ => None,
    }
}

/// Cuts what exceeds `max_bytes` at a character, and returns its length.
fn cut(content: &mut Content<'_>, max_bytes: usize) -> usize {
    let before = content.bytes();
    match content {
        Content::Text(Cow::Borrowed(text)) => *text = &text[..text.floor_char_boundary(max_bytes)],
        Content::Text(Cow::Owned(text)) => text.truncate(text.floor_char_boundary(max_bytes)),
        Content::Fields(fields) => {
            let mut left = max_bytes;
            for field in fields.iter_mut() {
                field.truncate(field.floor_char_boundary(left));
                left -= field.len();
            }
        }
        Content::Picture(_) => {}
    }
    before - content.bytes()
}
