//! Opens the file: measures what would unpack to too much, and finds the pages.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashSet};
use std::io::{self, Read, Write};

use flate2::read::{DeflateDecoder, ZlibDecoder};
use memchr::memmem;
use pdf_extract::encryption::DecryptionError;
use pdf_extract::{Dictionary, Document, LoadOptions, Object, ObjectId, Stream};

use crate::error::Error;
use crate::format::Format;

/// What one stream of content may unpack to. The parsed form takes some forty times as much in the worst case.
pub(super) const MAX_STREAM: usize = 8 << 20;

/// What all streams of objects, and all tables of references, may unpack to: 400 MiB when parsed, in the worst case.
const MAX_OBJECTS: usize = 32 << 20;

/// Objects with a higher number are left out, so that there is room for ours. The format allows 8,388,607.
const MAX_ID: u32 = 1 << 30;

/// Page trees are shallow; a deeper one is a cycle.
const MAX_TREE_DEPTH: usize = 64;

/// The most nodes of the page tree: one kid many times over would have no end.
const MAX_NODES: usize = 200_000;

/// Deflate and LZW give at most so many bytes for one.
const MAX_RATIO: usize = 1400;

thread_local! {
    /// What is left of [`MAX_OBJECTS`] for the file that this thread loads: the parser takes a plain function to filter by.
    static LEFT: Cell<usize> = const { Cell::new(0) };
    /// Whether anything was dropped because it unpacks to too much.
    static DROPPED: Cell<bool> = const { Cell::new(false) };
    /// The numbers of the objects that may stand in the file itself.
    static HEADED: RefCell<HashSet<u32>> = RefCell::default();
}

/// The parsed file, and its pages in order, each with its resources in its own dictionary.
pub(super) fn load(bytes: &[u8]) -> Result<(Document, Vec<ObjectId>), Error> {
    LEFT.set(MAX_OBJECTS);
    DROPPED.set(false);
    HEADED.set(headed(bytes));
    measure_references(bytes)?;
    let options = LoadOptions { filter: Some(keep), ..LoadOptions::default() };
    let mut file = Document::load_mem_with_options(bytes, options).map_err(|it| explain(&it))?;
    if file.is_encrypted() {
        // The empty password was tried while loading.
        return Err(Error::Encrypted { format: Format::Pdf });
    }
    if file.was_encrypted() {
        // Loading such a file asks no filter.
        file.objects.retain(|id, it| {
            // None of them is in a stream any more.
            id.0 <= MAX_ID && (it.as_stream().is_err() || keep(*id, it).is_some())
        });
    }
    let ids = pages(&mut file);
    if ids.is_empty() {
        if DROPPED.get() {
            return Err(bomb("a stream of objects"));
        }
        return Err(Error::MissingPart { format: Format::Pdf, part: "pages" });
    }
    Ok((file, ids))
}

fn explain(error: &pdf_extract::Error) -> Error {
    use pdf_extract::Error as E;
    let why = match error {
        E::Decryption(DecryptionError::IncorrectPassword) | E::InvalidPassword => {
            return Error::Encrypted { format: Format::Pdf };
        }
        E::Decryption(_) | E::UnsupportedSecurityHandler(_) => "its kind of encryption is not supported",
        E::Xref(_) | E::MissingXrefEntry => "its table of objects is damaged or cut off",
        E::Parse(_) => "it is damaged or cut off",
        _ => "it does not keep to the format",
    };
    Error::Broken { format: Format::Pdf, why }
}

fn bomb(what: &'static str) -> Error {
    Error::Bomb { format: Format::Pdf, what, max: MAX_OBJECTS }
}

/// Tables of references are unpacked before anything can be asked, so they are looked for in the bytes of the file.
fn measure_references(bytes: &[u8]) -> Result<(), Error> {
    let mut left = MAX_OBJECTS;
    for at in memmem::find_iter(bytes, b"/XRef") {
        // The dictionary ends soon after; a chance hit elsewhere costs nothing but the look.
        let near = &bytes[at..bytes.len().min(at + 4096)];
        let Some(start) = memmem::find(near, b"stream") else { continue };
        let data = bytes[at + start + b"stream".len()..].trim_ascii_start();
        let size = inflated(data, left);
        left = left.checked_sub(size).ok_or_else(|| bomb("its table of objects"))?;
        if left == 0 {
            return Err(bomb("its table of objects"));
        }
    }
    Ok(())
}

/// Decides about one object before anything unpacks it: content of pictures is dropped, and so is what is too much.
fn keep(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    if id.0 > MAX_ID {
        return None;
    }
    if let Object::Stream(stream) = object {
        let is = |key: &[u8], value: &[u8]| {
            stream.dict.get(key).and_then(Object::as_name).is_ok_and(|it| it == value)
        };
        if stream.dict.has_type(b"ObjStm") {
            let size = unpacked(stream, LEFT.get());
            match LEFT.get().checked_sub(size) {
                Some(left) if left > 0 => LEFT.set(left),
                _ => {
                    DROPPED.set(true);
                    return None;
                }
            }
        } else if is(b"Subtype", b"Image") || is(b"Subtype", b"XML") || is(b"Type", b"EmbeddedFile") {
            empty(stream);
        } else if stream.content.len().saturating_mul(MAX_RATIO) > MAX_STREAM
            && unpacked(stream, MAX_STREAM) >= MAX_STREAM
        {
            stream.dict.set(OVERSIZED, true);
            empty(stream);
        }
    }
    // The parser goes on with `object` itself where that stands in the file, and with the answer where it stands in a stream
    // of objects, which holds no streams. Copying all of them would take a fifth of the time.
    let answer = match object {
        Object::Stream(_) => Object::Null,
        object if HEADED.with_borrow(|it| it.contains(&id.0)) => object.clone(),
        object => std::mem::replace(object, Object::Null),
    };
    Some((id, answer))
}

/// The numbers in front of each `obj` in the file, and more that only look so: an object whose number is not among them
/// cannot stand in the file itself.
fn headed(bytes: &[u8]) -> HashSet<u32> {
    let digits = |bytes: &[u8]| bytes.iter().rev().take_while(|it| it.is_ascii_digit()).count();
    memmem::find_iter(bytes, b"obj")
        .filter_map(|at| {
            // The number, the generation, and any blanks around them.
            let before = bytes[..at].trim_ascii_end();
            let before = before[..before.len() - digits(before)].trim_ascii_end();
            let number = &before[before.len() - digits(before)..];
            std::str::from_utf8(number).ok()?.parse().ok()
        })
        .collect()
}

/// Marks a stream that was emptied because it unpacks to too much. No key of the format is called so.
const OVERSIZED: &str = "FsToolsOversized";

/// Whether the stream was emptied by [`keep`].
pub(super) fn is_oversized(stream: &Stream) -> bool {
    stream.dict.has(OVERSIZED.as_bytes())
}

/// One blank: the parser looks for the content of an empty stream once more.
fn empty(stream: &mut Stream) {
    stream.dict.remove(b"Filter");
    stream.dict.remove(b"DecodeParms");
    stream.set_content(b" ".to_vec());
}

/// How much the stream unpacks to, as far as `max`.
pub(super) fn unpacked(stream: &Stream, max: usize) -> usize {
    let filters = stream.filters().unwrap_or_default();
    let growing =
        filters.iter().filter(|it| matches!(**it, b"FlateDecode" | b"LZWDecode" | b"Fl" | b"LZW")).count();
    let ascii = filters.len() > growing;
    match (growing, filters.first()) {
        (0, _) => stream.content.len().min(max),
        (1, Some(&b"FlateDecode")) => inflated(&stream.content, max),
        // No simple way to measure: bounded by the worst case.
        (1, _) if ascii || filters.len() == 1 => stream.content.len().saturating_mul(MAX_RATIO / 8).min(max),
        _ => max,
    }
}

/// How much the zlib stream at the beginning of `data` inflates to, as far as `max`.
fn inflated(data: &[u8], max: usize) -> usize {
    let size = count(ZlibDecoder::new(data), max);
    // The parser goes on like this where the header is wrong.
    if size == 0 && data.len() > 2 { count(DeflateDecoder::new(&data[2..]), max) } else { size }
}

fn count(from: impl Read, max: usize) -> usize {
    struct Sink(usize);
    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut sink = Sink(0);
    // A damaged end does not matter: what came before it was counted.
    let _ = io::copy(&mut from.take(max as u64), &mut sink);
    sink.0
}

/// Walks the page tree. What a page inherits becomes its own, so that nothing has to climb again.
fn pages(file: &mut Document) -> Vec<ObjectId> {
    let root = file.catalog().and_then(|it| it.get(b"Pages")).and_then(Object::as_reference);
    let mut found = Vec::new();
    if let Ok(root) = root {
        let mut walk = Walk { file, open: BTreeSet::new(), left: MAX_NODES, found: &mut found };
        walk.node(root, None);
    }
    for (id, inherited) in &found {
        if let Ok(page) = file.get_object_mut(*id).and_then(Object::as_dict_mut) {
            page.remove(b"Parent");
            if let (Some(resources), false) = (inherited, page.has(b"Resources")) {
                page.set("Resources", resources.clone());
            }
        }
    }
    found.into_iter().map(|it| it.0).collect()
}

struct Walk<'f> {
    file: &'f Document,
    open: BTreeSet<ObjectId>,
    left: usize,
    found: &'f mut Vec<(ObjectId, Option<Object>)>,
}

impl Walk<'_> {
    fn node(&mut self, id: ObjectId, inherited: Option<&Object>) {
        let Ok(node) = self.file.get_dictionary(id) else { return };
        if self.left == 0 || self.open.len() >= MAX_TREE_DEPTH {
            return;
        }
        self.left -= 1;
        let inherited = node.get(b"Resources").ok().or(inherited);
        match kids(self.file, node) {
            Some(kids) => {
                if self.open.insert(id) {
                    for kid in kids.iter().filter_map(|it| it.as_reference().ok()) {
                        self.node(kid, inherited);
                    }
                    self.open.remove(&id);
                }
            }
            None => self.found.push((id, inherited.cloned())),
        }
    }
}

/// The kids of a node; `None` for a page.
fn kids<'f>(file: &'f Document, node: &'f Dictionary) -> Option<&'f [Object]> {
    if node.has_type(b"Page") {
        return None;
    }
    let kids = node.get_deref(b"Kids", file).and_then(Object::as_array).ok();
    match kids {
        None if node.has_type(b"Pages") => Some(&[]),
        kids => kids.map(Vec::as_slice),
    }
}
