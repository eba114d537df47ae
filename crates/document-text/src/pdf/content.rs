//! Rewrites pages to the operators that show text.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;

use pdf_extract::content::{Content, Operation};
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};

use super::font::{self, Care, Font};
use super::load::{is_oversized, unpacked};
use crate::error::Error;
use crate::format::Format;
use crate::unit::Note;

/// What the content of one page, with all forms in their places, may unpack to.
const MAX_PAGE: usize = 8 << 20;

/// Forms in forms; producers use two or three levels.
const MAX_FORMS: usize = 16;

/// Saved states within each other; the interpreter keeps a copy of each.
const MAX_SAVED: usize = 256;

/// Larger numbers are no places on a page.
const MAX_NUMBER: f32 = 1e7;

/// Some pages as one stream: after each page stands one `S`, which shows no text.
pub(super) struct Prepared {
    pub(super) content: Vec<u8>,
    pub(super) fonts: Dictionary,
    /// What is to be said of each page.
    pub(super) pages: Vec<Facts>,
}

/// What rewriting found on a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The page cannot be shown at all.
    pub(super) error: Option<Error>,
    /// There is a picture.
    pub(super) has_pictures: bool,
    /// There is text in a font that does not say which characters it shows.
    pub(super) has_unknown_text: bool,
}

impl Facts {
    /// What to say of a page with this text.
    pub(super) fn note(self, text: &str) -> Option<Note> {
        if let Some(error) = self.error {
            return Some(Note::Unreadable(error));
        }
        match text.trim().is_empty() {
            _ if self.has_unknown_text => Some(Note::UnknownFont),
            false => None,
            true if self.has_pictures => Some(Note::PicturesOnly),
            true => Some(Note::Blank),
        }
    }
}

/// Rewrites pages of one file.
pub(super) struct Flat<'f> {
    file: &'f Document,
    care: Care,
    out: Vec<u8>,
    /// By address of the dictionary, which stays where it is while the file is borrowed.
    known: HashMap<usize, Font>,
    fonts: Dictionary,
    /// What fonts with an encoding from before Unicode show, by their names.
    shown: HashMap<String, BTreeSet<u16>>,
    page: Page,
}

/// The state of the page that is being rewritten.
#[derive(Default)]
struct Page {
    facts: Facts,
    /// Bytes of content that may still be unpacked.
    left: usize,
    font: Option<Font>,
    saved: Vec<Option<Font>>,
}

impl<'f> Flat<'f> {
    pub(super) fn new(file: &'f Document, care: Care) -> Self {
        Flat {
            file,
            care,
            out: Vec::new(),
            known: HashMap::new(),
            fonts: Dictionary::new(),
            shown: HashMap::new(),
            page: Page::default(),
        }
    }

    pub(super) fn pages(mut self, ids: &[ObjectId]) -> Prepared {
        let pages = ids.iter().map(|&id| self.page(id)).collect();
        for (name, codes) in &self.shown {
            if let Ok(font) = self.fonts.get_mut(name.as_bytes()).and_then(Object::as_dict_mut) {
                font.set("ToUnicode", font::identity(codes));
            }
        }
        Prepared { content: self.out, fonts: self.fonts, pages }
    }

    fn page(&mut self, id: ObjectId) -> Facts {
        let start = self.out.len();
        self.page = Page { left: MAX_PAGE, ..Page::default() };
        self.out.extend_from_slice(b"q\n");
        let shown = self.contents(id).and_then(|content| {
            let file = self.file;
            let none = Dictionary::new();
            let page = file.get_dictionary(id).ok();
            let resources = page.and_then(|it| dictionary(file, it, b"Resources")).unwrap_or(&none);
            self.flatten(&content, resources, 0)
        });
        let mut facts = std::mem::take(&mut self.page.facts);
        if let Err(error) = shown {
            self.out.truncate(start);
            self.out.extend_from_slice(b"q\n");
            facts.error = Some(error);
        }
        self.out.extend_from_slice(b"Q\nS\n");
        facts
    }

    /// The streams of a page, one after the other.
    fn contents(&mut self, id: ObjectId) -> Result<Vec<u8>, Error> {
        let mut content = Vec::new();
        for id in self.file.get_page_contents(id) {
            if let Ok(stream) = self.file.get_object(id).and_then(Object::as_stream) {
                content.extend_from_slice(&self.unpack(stream)?);
                content.push(b'\n');
            }
        }
        Ok(content)
    }

    fn unpack(&mut self, stream: &Stream) -> Result<Vec<u8>, Error> {
        let size = unpacked(stream, self.page.left);
        self.page.left = match self.page.left.checked_sub(size + 1) {
            Some(left) if !is_oversized(stream) => left,
            _ => return Err(Error::Bomb { format: Format::Pdf, what: "a page", max: MAX_PAGE }),
        };
        Ok(stream.decompressed_content().unwrap_or_default())
    }

    fn flatten(&mut self, content: &[u8], resources: &Dictionary, depth: usize) -> Result<(), Error> {
        let Ok(content) = Content::decode(content) else { return Ok(()) };
        let saved = self.page.saved.len();
        for operation in &content.operations {
            self.operation(operation, resources, saved, depth)?;
        }
        while self.page.saved.len() > saved {
            self.restore();
        }
        Ok(())
    }

    fn operation(
        &mut self,
        operation: &Operation,
        resources: &Dictionary,
        saved: usize,
        depth: usize,
    ) -> Result<(), Error> {
        let operands = &operation.operands[..];
        match operation.operator.as_str() {
            operator @ ("BT" | "ET" | "T*") => self.emit(&[], operator),
            operator @ ("Td" | "TD") => self.numbers::<2>(operands, operator),
            operator @ ("Tm" | "cm") => self.numbers::<6>(operands, operator),
            operator @ ("Tc" | "Tw" | "Tz" | "TL" | "Ts") => self.numbers::<1>(operands, operator),
            "q" if self.page.saved.len() < MAX_SAVED => {
                self.page.saved.push(self.page.font.clone());
                self.emit(&[], "q");
            }
            "Q" if self.page.saved.len() > saved => self.restore(),
            "Tf" => self.choose(operands, resources),
            "Tj" => self.show(operands.first()),
            "'" => {
                self.emit(&[], "T*");
                self.show(operands.first());
            }
            "\"" => {
                self.numbers::<1>(operands.get(..1).unwrap_or_default(), "Tw");
                self.numbers::<1>(operands.get(1..2).unwrap_or_default(), "Tc");
                self.emit(&[], "T*");
                self.show(operands.get(2));
            }
            "TJ" => self.show(operands.first()),
            "Do" => return self.form(operands, resources, depth),
            "BI" => self.page.facts.has_pictures = true,
            _ => {}
        }
        Ok(())
    }

    fn restore(&mut self) {
        if let Some(font) = self.page.saved.pop() {
            self.page.font = font;
            self.emit(&[], "Q");
        }
    }

    /// Puts a form in the place where it is used.
    fn form(&mut self, operands: &[Object], resources: &Dictionary, depth: usize) -> Result<(), Error> {
        let file = self.file;
        let name = operands.first().and_then(|it| it.as_name().ok());
        let object = name.and_then(|it| dictionary(file, resources, b"XObject")?.get_deref(it, file).ok());
        let Some(Object::Stream(stream)) = object else { return Ok(()) };
        match stream.dict.get(b"Subtype").and_then(Object::as_name) {
            Ok(b"Image") => self.page.facts.has_pictures = true,
            Ok(b"Form") if depth < MAX_FORMS => {
                let content = self.unpack(stream)?;
                let own = dictionary(file, &stream.dict, b"Resources").unwrap_or(resources);
                self.page.saved.push(self.page.font.clone());
                self.emit(&[], "q");
                if let Ok(matrix) = stream.dict.get_deref(b"Matrix", file).and_then(Object::as_array) {
                    self.numbers::<6>(matrix, "cm");
                }
                self.flatten(&content, own, depth + 1)?;
                self.restore();
            }
            Ok(b"Form") => {
                return Err(Error::TooMany {
                    format: Format::Pdf,
                    what: "forms in each other",
                    max: MAX_FORMS,
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn choose(&mut self, operands: &[Object], resources: &Dictionary) {
        let file = self.file;
        let [Object::Name(name), size] = operands else { return };
        let dict = dictionary(file, resources, b"Font").and_then(|it| dictionary(file, it, name));
        let Some(dict) = dict else {
            self.page.font = None;
            return;
        };
        let address = std::ptr::from_ref(dict) as usize;
        let font = match self.known.get(&address) {
            Some(font) => font.clone(),
            None => {
                let name = format!("F{}", self.known.len());
                let (font, dict) = font::reduce(file, dict, name, self.care);
                self.fonts.set(font.name.as_bytes(), dict);
                self.known.insert(address, font.clone());
                font
            }
        };
        let size = number(size).unwrap_or(1.0);
        // Writing to memory does not fail.
        let _ = writeln!(self.out, "/{} {size} Tf", font.name);
        self.page.font = Some(font);
    }

    fn show(&mut self, text: Option<&Object>) {
        let Some(font) = self.page.font.clone() else { return };
        self.page.facts.has_unknown_text |= font.is_unknown;
        match text {
            Some(Object::String(bytes, _)) => {
                self.string(bytes, &font);
                self.out.extend_from_slice(b" Tj\n");
            }
            Some(Object::Array(items)) => {
                self.out.push(b'[');
                for item in items {
                    match item {
                        Object::String(bytes, _) => self.string(bytes, &font),
                        other => {
                            if let Some(number) = number(other) {
                                let _ = write!(self.out, "{number} ");
                            }
                        }
                    }
                }
                self.out.extend_from_slice(b"] TJ\n");
            }
            _ => {}
        }
    }

    /// Hexadecimal, so that nothing has to be escaped; in UTF-16 where the font has an encoding from before Unicode.
    fn string(&mut self, bytes: &[u8], font: &Font) {
        self.out.push(b'<');
        match font.codec {
            None => bytes.iter().for_each(|&it| self.hex(it)),
            Some(codec) => {
                let (text, _) = codec.decode_without_bom_handling(bytes);
                let units: Vec<u16> = text.encode_utf16().collect();
                self.shown.entry(font.name.clone()).or_default().extend(&units);
                units.into_iter().flat_map(u16::to_be_bytes).for_each(|it| self.hex(it));
            }
        }
        self.out.push(b'>');
    }

    fn hex(&mut self, byte: u8) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.out.push(DIGITS[usize::from(byte >> 4)]);
        self.out.push(DIGITS[usize::from(byte & 15)]);
    }

    fn numbers<const N: usize>(&mut self, operands: &[Object], operator: &str) {
        let numbers: Option<Vec<f32>> = operands.iter().map(number).collect();
        if let Some(numbers) = numbers
            && numbers.len() == N
        {
            self.emit(&numbers, operator);
        }
    }

    fn emit(&mut self, numbers: &[f32], operator: &str) {
        for number in numbers {
            let _ = write!(self.out, "{number} ");
        }
        self.out.extend_from_slice(operator.as_bytes());
        self.out.push(b'\n');
    }
}

/// A dictionary in a dictionary, or that of a stream there.
fn dictionary<'f>(file: &'f Document, of: &'f Dictionary, key: &[u8]) -> Option<&'f Dictionary> {
    match of.get_deref(key, file).ok()? {
        Object::Dictionary(it) => Some(it),
        Object::Stream(it) => Some(&it.dict),
        _ => None,
    }
}

fn number(object: &Object) -> Option<f32> {
    let number = object.as_float().ok()?;
    number.is_finite().then(|| number.clamp(-MAX_NUMBER, MAX_NUMBER))
}
