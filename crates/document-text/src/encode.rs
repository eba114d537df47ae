//! Text back into the encoding of a file, for an edit that leaves the rest of it alone.

use std::borrow::Cow;

use encoding_rs::EncoderResult;

use crate::encoding::{Encoding, decode};

/// Encodes `text` as `encoding` has it, without a byte order mark. `None` when a character cannot be written in it.
///
/// # Cost
///
/// One pass; borrows for UTF-8.
///
/// # Examples
///
/// ```
/// use document_text::{detect, encode};
///
/// let latin = detect(b"na\xEFve caf\xE9");
/// assert_eq!(encode("é", latin).as_deref(), Some(&b"\xE9"[..]));
/// assert_eq!(encode("日", latin), None);
/// ```
#[must_use]
pub fn encode(text: &str, encoding: Encoding) -> Option<Cow<'_, [u8]>> {
    Some(match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => Cow::Borrowed(text.as_bytes()),
        Encoding::Utf16Le | Encoding::Utf16LeBom => {
            Cow::Owned(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
        }
        Encoding::Utf16Be | Encoding::Utf16BeBom => {
            Cow::Owned(text.encode_utf16().flat_map(u16::to_be_bytes).collect())
        }
        Encoding::Utf32LeBom => Cow::Owned(text.chars().flat_map(|it| u32::from(it).to_le_bytes()).collect()),
        Encoding::Utf32BeBom => Cow::Owned(text.chars().flat_map(|it| u32::from(it).to_be_bytes()).collect()),
        Encoding::Legacy(legacy) => Cow::Owned(legacy_bytes(text, legacy.by())?),
    })
}

fn legacy_bytes(text: &str, by: &'static encoding_rs::Encoding) -> Option<Vec<u8>> {
    let mut encoder = by.new_encoder();
    if encoder.encoding() != by {
        // The standard decodes this one and writes UTF-8 instead.
        return None;
    }
    let room = encoder.max_buffer_length_from_utf8_without_replacement(text.len())?;
    let mut out = Vec::with_capacity(room);
    match encoder.encode_from_utf8_to_vec_without_replacement(text, &mut out, true).0 {
        EncoderResult::InputEmpty => Some(out),
        EncoderResult::OutputFull | EncoderResult::Unmappable(_) => None,
    }
}

/// A file as text of which a part can be changed: every other byte stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editable<'f> {
    bytes: &'f [u8],
    encoding: Encoding,
    /// The text after the byte order mark.
    text: Cow<'f, str>,
}

impl<'f> Editable<'f> {
    /// Opens a file for a change; `None` when its text does not lead back to the same bytes, so that a place in the text
    /// has no certain place in the file.
    ///
    /// # Cost
    ///
    /// The text is decoded and encoded again once; memory as for [`decode`].
    #[must_use]
    pub fn open(bytes: &'f [u8], encoding: Encoding) -> Option<Self> {
        let decoded = decode(bytes, encoding);
        let body = bytes.strip_prefix(encoding.bom()).unwrap_or(bytes);
        let leads_back = !decoded.malformed && encode(&decoded.text, encoding)? == body;
        leads_back.then_some(Self { bytes, encoding, text: decoded.text })
    }

    /// The text, without the byte order mark.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the file with ranges of its text replaced; `None` when a replacement has a character that the encoding
    /// cannot write.
    ///
    /// `splices` are ascending and disjoint ranges in bytes of [`text`](Self::text), at character boundaries.
    ///
    /// # Cost
    ///
    /// One pass over the text before the last range, and one copy of the file.
    #[must_use]
    pub fn splice<'s>(
        &self,
        splices: impl IntoIterator<Item = (std::ops::Range<usize>, &'s str)>,
    ) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(self.bytes.len());
        let (mut text_at, mut byte_at, mut copied) = (0, self.encoding.bom().len().min(self.bytes.len()), 0);
        for (range, replacement) in splices {
            byte_at += encode(self.text.get(text_at..range.start)?, self.encoding)?.len();
            let old = encode(self.text.get(range.clone())?, self.encoding)?.len();
            out.extend_from_slice(self.bytes.get(copied..byte_at)?);
            out.extend_from_slice(&encode(replacement, self.encoding)?);
            byte_at += old;
            (text_at, copied) = (range.end, byte_at);
        }
        out.extend_from_slice(self.bytes.get(copied..)?);
        Some(out)
    }
}
