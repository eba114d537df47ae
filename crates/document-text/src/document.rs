//! An open document: its kind, how many units it has, and parts of it by number.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use crate::classify::{Kind, classify};
use crate::encoding::{Encoding, decode, read};
use crate::error::Error;
use crate::format::{Class, Format, extension};
use crate::limits::Limits;
use crate::rows::Rows;
use crate::text::{LineEnd, Lines};

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
}

/// Says what a document counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnitKind {
    /// A line of text.
    Line,
    /// A data row of a table; the header is not counted.
    Row,
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

/// One line or row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit<'d> {
    /// Its number, from 1.
    pub number: u64,
    /// What it says.
    pub content: Content<'d>,
    /// The bytes of UTF-8 that were cut off its end to keep to [`Limits::max_unit_bytes`].
    pub cut_bytes: usize,
}

/// What a unit says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content<'d> {
    /// A line, without its terminator.
    Text(Cow<'d, str>),
    /// The fields of a row, unquoted.
    Fields(Vec<String>),
}

impl Content<'_> {
    /// Returns the text of a line, and nothing for a row.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Content::Text(text) => text,
            Content::Fields(_) => "",
        }
    }

    /// Returns the fields of a row, and nothing for a line.
    #[must_use]
    pub fn fields(&self) -> &[String] {
        match self {
            Content::Text(_) => &[],
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
        }
    }
}

impl<'d> Document<'d> {
    /// Opens the document in `bytes`, the whole file. `name` chooses between rows and lines: `.csv`, `.tsv` and `.tab` are
    /// tables, any other text has lines.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] beyond [`Limits::max_bytes`]; [`Error::NotAvailable`] for documents, pictures, sound and video, whose
    /// text this version cannot extract; [`Error::Binary`] for everything else that is no text.
    ///
    /// # Cost
    ///
    /// A few passes over `bytes`. Text in UTF-8 is borrowed; any other encoding is decoded into at most three times the
    /// size of the file. Eight bytes of memory per 64 rows or 128 lines.
    pub fn open(name: &Path, bytes: &'d [u8], limits: Limits) -> Result<Self, Error> {
        if bytes.len() > limits.max_bytes {
            return Err(Error::TooLarge { bytes: bytes.len(), max: limits.max_bytes });
        }
        let (kind, decoded) = match classify(name, bytes) {
            Kind::Empty => (Kind::Empty, decode(bytes, Encoding::Utf8)),
            Kind::Text(_) => {
                // The head may look simpler than the whole.
                let (encoding, decoded) = read(bytes);
                (Kind::Text(encoding), decoded)
            }
            Kind::Binary(format) => return Err(no_text(format, bytes.len())),
        };
        let body = match delimiter(name) {
            Some(delimiter) => Body::Rows(Rows::new(decoded.text, delimiter)),
            None => Body::Lines(Lines::new(decoded.text)),
        };
        Ok(Document { kind, malformed: decoded.malformed, limits, body })
    }

    /// Returns what the file is: [`Kind::Empty`], or [`Kind::Text`] with the encoding of the whole file.
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
        }
    }

    /// Returns how many units there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        match &self.body {
            Body::Lines(lines) => lines.count(),
            Body::Rows(rows) => rows.count(),
        }
    }

    /// Returns the first row of a table, as long as it is, which names the columns; `None` for a text.
    #[must_use]
    pub fn header(&self) -> Option<&[String]> {
        match &self.body {
            Body::Lines(_) => None,
            Body::Rows(rows) => Some(rows.header()),
        }
    }

    /// Returns which byte ends a line; `None` for a table.
    #[must_use]
    pub fn line_end(&self) -> Option<LineEnd> {
        match &self.body {
            Body::Lines(lines) => Some(lines.end()),
            Body::Rows(_) => None,
        }
    }

    /// Returns the units of `range`, which counts from 1 and is half-open, as far as they exist and fit.
    ///
    /// A range beyond the end gives no units and is no error. The first unit is always there, cut if it must be, so
    /// reading on at [`Part::next`] reaches the end with any limits.
    ///
    /// # Errors
    ///
    /// [`Error::BadRange`] when the range starts at 0 or ends before it starts.
    ///
    /// # Cost
    ///
    /// Proportional to the part, plus fewer than 128 lines or 64 rows before it.
    pub fn read(&self, range: Range<u64>) -> Result<Part<'_>, Error> {
        if range.start == 0 || range.end < range.start {
            return Err(Error::BadRange { start: range.start, end: range.end });
        }
        let first = range.start - 1;
        Ok(match &self.body {
            Body::Lines(lines) => {
                self.collect(&range, lines.from(first).map(|it| Content::Text(Cow::Borrowed(it))))
            }
            Body::Rows(rows) => self.collect(&range, rows.from(first).map(Content::Fields)),
        })
    }

    fn collect<'p>(&self, range: &Range<u64>, contents: impl Iterator<Item = Content<'p>>) -> Part<'p> {
        let max_unit_bytes = self.limits.max_unit_bytes.min(self.limits.max_part_bytes);
        let mut units = Vec::new();
        let mut left = self.limits.max_part_bytes;
        let mut number = range.start;
        let mut stop = Stop::Range;
        for mut content in contents {
            if number >= range.end {
                break;
            }
            let cut_bytes = cut(&mut content, max_unit_bytes);
            let cost = content.cost();
            if cost > left && !units.is_empty() {
                stop = Stop::Budget;
                break;
            }
            left = left.saturating_sub(cost);
            units.push(Unit { number, content, cut_bytes });
            number += 1;
        }
        let next = (number <= self.count()).then_some(number);
        Part { units, stop: if next.is_none() { Stop::End } else { stop }, next }
    }
}

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
    }
    before - content.bytes()
}
