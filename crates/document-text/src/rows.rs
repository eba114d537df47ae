//! Rows of a CSV or TSV text: a quoted field may hold the delimiter and line ends.

use std::borrow::Cow;
use std::io::{Chain, Read};

use csv::{ByteRecord, Reader, ReaderBuilder};

/// Every so many rows the start of one is remembered.
const STRIDE: u64 = 64;

#[derive(Clone, Debug)]
pub(crate) struct Rows<'t> {
    text: Cow<'t, str>,
    delimiter: u8,
    header: Vec<String>,
    count: u64,
    /// Starts of the data rows 0, STRIDE, 2 * STRIDE, ...
    marks: Vec<usize>,
}

impl<'t> Rows<'t> {
    pub(crate) fn new(text: Cow<'t, str>, delimiter: u8) -> Self {
        let mut reader = reader(&text, delimiter);
        let mut record = ByteRecord::new();
        let header = if next(&mut reader, &mut record) { fields(&record) } else { Vec::new() };
        let mut marks = Vec::new();
        let mut count = 0;
        loop {
            let start = position(&reader);
            if !next(&mut reader, &mut record) {
                break;
            }
            if count % STRIDE == 0 {
                marks.push(start);
            }
            count += 1;
        }
        Rows { text, delimiter, header, count, marks }
    }

    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The data rows from `first` (counted from 0) to the end of the text.
    pub(crate) fn from(&self, first: u64) -> impl Iterator<Item = Vec<String>> {
        let mark = usize::try_from(first / STRIDE).unwrap_or(usize::MAX);
        let start = if first < self.count { self.marks.get(mark).copied() } else { None };
        let mut reader = reader(start.map_or("", |it| &self.text[it..]), self.delimiter);
        let mut record = ByteRecord::new();
        for _ in 0..first % STRIDE {
            next(&mut reader, &mut record);
        }
        std::iter::from_fn(move || next(&mut reader, &mut record).then(|| fields(&record)))
    }
}

/// An empty line, which is no row, goes first: the parser drops a byte order mark from the front of its input, and one in
/// front of a row in the middle of the text is content.
const LEAD: &[u8] = b"\n";

type Source<'t> = Chain<&'static [u8], &'t [u8]>;

fn reader(text: &str, delimiter: u8) -> Reader<Source<'_>> {
    ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(LEAD.chain(text.as_bytes()))
}

/// A slice cannot fail to be read and rows may differ in length, so no error is left: one would end the rows.
fn next(reader: &mut Reader<Source<'_>>, record: &mut ByteRecord) -> bool {
    reader.read_byte_record(record).unwrap_or(false)
}

/// The text fits in memory, and so does a place in it.
fn position(reader: &Reader<Source<'_>>) -> usize {
    usize::try_from(reader.position().byte()).unwrap_or(usize::MAX).saturating_sub(LEAD.len())
}

/// Fields are cut at ASCII bytes of valid UTF-8, so nothing is lost here.
fn fields(record: &ByteRecord) -> Vec<String> {
    record.iter().map(|it| String::from_utf8_lossy(it).into_owned()).collect()
}
