//! Where a search goes on, as an opaque text.

use std::fmt;

use crate::{Error, Query, What, query::Start};

/// A place between two rows of one query, as text that can be kept and given back.
///
/// It names the next row by file and not by number, so it stays right when files before it come or go, and a search
/// that starts from it has its full budget again.
///
/// # Examples
/// ```
/// use search_engine::{Collected, Cursor, Limits, MemTree, NamePattern, Page, Query};
///
/// let tree = MemTree::parse("//- /a\n//- /b\n//- /c\n");
/// let query = Query::names(NamePattern::all());
/// let first = Collected::run(&tree, &query, &Page::first(2), &Limits::AGENT)?;
/// let cursor: Cursor = first.summary.cursor.map(|c| c.to_string()).unwrap_or_default().parse()?;
/// let second = Collected::run(&tree, &query, &Page::after(cursor, 2), &Limits::AGENT)?;
/// assert_eq!(second.rows.len(), 1);
/// # Ok::<(), search_engine::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor(pub(crate) Place);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) query: u64,
    /// The file that holds the next row.
    pub(crate) path: Vec<u8>,
    /// Rows of that file that were given; [`AFTER`](Self::AFTER) when it is done with.
    pub(crate) row: u64,
    /// Its facts when it was read; 0 when they were not known.
    pub(crate) size: u64,
    pub(crate) modified_ns: i64,
}

impl Place {
    pub(crate) const AFTER: u64 = u64::MAX;
}

const VERSION: u8 = 1;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// FNV-1a, 64 bits: a fingerprint, not a defence.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    pub(crate) fn add(mut self, bytes: &[u8]) -> Self {
        for &byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
        self
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

/// Fingerprint of everything that decides which rows a query has and in which order.
pub(crate) fn fingerprint(query: &Query) -> u64 {
    let hash = Hash::new().add(query.names.source().as_bytes()).add(format!("{:?}", query.order).as_bytes());
    let hash = match &query.what {
        What::Names => hash.add(b"names"),
        What::Content { pattern, output } => hash
            .add(pattern.source().as_bytes())
            .add(format!("{:?} {:?} {output:?}", pattern.case(), pattern.span()).as_bytes()),
    };
    let hash = match &query.start {
        Start::Root => hash.add(b"root"),
        Start::RootOnly => hash.add(b"root only"),
        Start::File(name) => hash.add(b"file").add(name.as_encoded_bytes()),
    };
    hash.add(if matches!(query.ignore, crate::Ignore::Off) { b"all" } else { b"visible" }).value()
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.0;
        let mut bytes = vec![VERSION];
        bytes.extend(place.query.to_le_bytes());
        bytes.extend(place.row.to_le_bytes());
        bytes.extend(place.size.to_le_bytes());
        bytes.extend(place.modified_ns.to_le_bytes());
        bytes.extend(&place.path);
        let check = Hash::new().add(&bytes).value() as u32;
        bytes.extend(check.to_le_bytes());
        for group in bytes.chunks(3) {
            let word = group.iter().chain(&[0; 3]).take(3).fold(0u32, |word, &b| word << 8 | u32::from(b));
            for i in 0..=group.len() {
                let digit = ALPHABET[(word >> (18 - 6 * i) & 63) as usize];
                fmt::Write::write_char(f, char::from(digit))?;
            }
        }
        Ok(())
    }
}

impl std::str::FromStr for Cursor {
    type Err = Error;

    /// Reads a cursor back.
    ///
    /// # Errors
    /// [`Error::BadCursor`] for any other text.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut bytes = Vec::with_capacity(text.len());
        for group in text.as_bytes().chunks(4) {
            let mut word = 0;
            for i in 0..4 {
                let digit = match group.get(i) {
                    Some(c) => ALPHABET.iter().position(|a| a == c).ok_or(Error::BadCursor)? as u32,
                    None => 0,
                };
                word = word << 6 | digit;
            }
            let len = group.len().checked_sub(1).filter(|&len| len > 0).ok_or(Error::BadCursor)?;
            bytes.extend_from_slice(&word.to_be_bytes()[1..1 + len]);
        }
        let (body, check) = bytes.split_last_chunk::<4>().ok_or(Error::BadCursor)?;
        if Hash::new().add(body).value() as u32 != u32::from_le_bytes(*check) {
            return Err(Error::BadCursor);
        }
        let (&version, mut rest) = body.split_first().ok_or(Error::BadCursor)?;
        let mut number = || -> Result<u64, Error> {
            let (first, tail) = rest.split_first_chunk::<8>().ok_or(Error::BadCursor)?;
            rest = tail;
            Ok(u64::from_le_bytes(*first))
        };
        let (query, row, size, modified) = (number()?, number()?, number()?, number()?);
        if version != VERSION {
            return Err(Error::BadCursor);
        }
        let cursor =
            Self(Place { query, path: rest.to_vec(), row, size, modified_ns: modified.cast_signed() });
        // One cursor has one spelling.
        if cursor.to_string() == text { Ok(cursor) } else { Err(Error::BadCursor) }
    }
}
