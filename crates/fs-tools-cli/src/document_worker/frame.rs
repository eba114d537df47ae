//! What goes over the pipes: a length, that many bytes of JSON, and then the raw bytes that JSON would swell.

use std::io::{self, Write};

use fs_tools::{DocumentError, DocumentPart, DocumentRequest};
use serde::{Deserialize, Serialize};

/// The largest request: the largest document, and its head.
pub(super) const MAX_REQUEST: u64 = (64 << 20) + (1 << 20);

/// The head of a request; the document follows.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) first: u64,
    pub(super) count: u64,
    pub(super) max_bytes: usize,
}

/// The head of an answer; the bytes of the pictures follow, in order.
#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    Part { part: DocumentPart, picture_bytes: Vec<usize> },
    Error(DocumentError),
}

pub(super) fn write_request(to: &mut impl Write, request: &DocumentRequest<'_>) -> io::Result<()> {
    let head = Head {
        // The extension decides, and it is ASCII where it is known.
        name: request.name.to_string_lossy().into_owned(),
        first: request.first,
        count: request.count,
        max_bytes: request.max_bytes,
    };
    to.write_all(&framed(&head)?)?;
    to.write_all(request.bytes)?;
    to.flush()
}

pub(super) fn read_request(bytes: &[u8]) -> Option<(Head, &[u8])> {
    unframed(bytes)
}

pub(super) fn answer(outcome: &Result<DocumentPart, DocumentError>) -> io::Result<Vec<u8>> {
    let part = match outcome {
        Err(error) => return framed(&Answer::Error(error.clone())),
        Ok(part) => part,
    };
    let pictures = || part.units.iter().filter_map(|it| it.picture.as_ref()).map(|it| &it.bytes);
    let picture_bytes = pictures().map(Vec::len).collect();
    let mut out = framed(&Answer::Part { part: part.clone(), picture_bytes })?;
    pictures().for_each(|it| out.extend_from_slice(it));
    Ok(out)
}

/// `None` when these are not the bytes of an answer.
pub(super) fn read_answer(bytes: &[u8]) -> Option<Result<DocumentPart, DocumentError>> {
    let (answer, mut rest) = unframed(bytes)?;
    let (mut part, picture_bytes): (DocumentPart, Vec<usize>) = match answer {
        Answer::Error(error) => return Some(Err(error)),
        Answer::Part { part, picture_bytes } => (part, picture_bytes),
    };
    let mut sizes = picture_bytes.into_iter();
    for picture in part.units.iter_mut().filter_map(|it| it.picture.as_mut()) {
        let (bytes, after) = rest.split_at_checked(sizes.next()?)?;
        picture.bytes = bytes.to_vec();
        rest = after;
    }
    Some(Ok(part))
}

fn framed(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(value)?;
    let length = u32::try_from(json.len()).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    Ok([&length.to_le_bytes(), &json[..]].concat())
}

fn unframed<T: for<'d> Deserialize<'d>>(bytes: &[u8]) -> Option<(T, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (json, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    Some((serde_json::from_slice(json).ok()?, rest))
}
