//! Reduces a font to entries of the right type: the interpreter takes what a font says for granted.

use std::collections::BTreeSet;

use encoding_rs::Encoding;
use memchr::memmem;
use pdf_extract::{Dictionary, Document, Object, Stream};

use super::load::{is_oversized, unpacked};
use super::widths;

/// What the table of characters of one font may unpack to; the largest real ones have some 200 KiB.
const MAX_TABLE: usize = 4 << 20;

/// The most codes that a table may map; the codes of a font have at most two bytes in practice.
const MAX_MAPPED: u64 = 1 << 20;

/// What a font program may unpack to; the largest real ones have some 20 MiB, and those are not looked into.
const MAX_PROGRAM: usize = 4 << 20;

/// How much of a font is used: less after something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// Everything that helps.
    Whole,
    /// Not the font programs.
    NoPrograms,
    /// Neither the programs nor the tables of characters.
    NoTables,
}

/// A font that was reduced.
#[derive(Clone, Debug)]
pub(super) struct Font {
    /// Its name in the rewritten content.
    pub(super) name: String,
    /// The encoding of its strings, when that is one from before Unicode.
    pub(super) codec: Option<&'static Encoding>,
    /// It does not say which characters it shows.
    pub(super) is_unknown: bool,
}

/// The reduced font, and its dictionary under that name.
pub(super) fn reduce(file: &Document, font: &Dictionary, name: String, care: Care) -> (Font, Dictionary) {
    let it = Source { file, font, care };
    let mut out = Dictionary::new();
    out.set("Type", named("Font"));
    let mut reduced = Font { name, codec: None, is_unknown: false };
    let table = it.table();
    if let Some(table) = &table {
        out.set("ToUnicode", table.clone());
    }
    match it.name(font, b"Subtype").as_deref() {
        Some("Type0") => it.composite(&mut out, &mut reduced),
        Some("Type3") => it.drawn(&mut out),
        Some("TrueType") => it.simple(&mut out, "TrueType", table.is_some()),
        _ => it.simple(&mut out, "Type1", table.is_some()),
    }
    (reduced, out)
}

struct Source<'f> {
    file: &'f Document,
    font: &'f Dictionary,
    care: Care,
}

impl Source<'_> {
    /// The table from codes to characters, as a reference.
    fn table(&self) -> Option<Object> {
        if self.care == Care::NoTables {
            return None;
        }
        let table = self.font.get(b"ToUnicode").ok()?;
        let stream = self.stream(table)?;
        if unpacked(stream, MAX_TABLE) >= MAX_TABLE {
            return None;
        }
        let content = stream.decompressed_content().ok()?;
        (mapped(&content) <= MAX_MAPPED).then(|| table.clone())
    }

    /// A stream that was not emptied, behind a reference.
    fn stream(&self, object: &Object) -> Option<&Stream> {
        let id = object.as_reference().ok()?;
        let stream = self.file.get_object(id).and_then(Object::as_stream).ok()?;
        (!is_oversized(stream)).then_some(stream)
    }

    fn name(&self, of: &Dictionary, key: &[u8]) -> Option<String> {
        let name = of.get_deref(key, self.file).and_then(Object::as_name).ok()?;
        Some(name.iter().filter(|it| it.is_ascii_graphic()).map(|&it| char::from(it)).collect())
    }

    fn dictionary<'a>(&'a self, of: &'a Dictionary, key: &[u8]) -> Option<&'a Dictionary> {
        of.get_deref(key, self.file).and_then(Object::as_dict).ok()
    }

    /// A font whose codes are single bytes.
    fn simple(&self, out: &mut Dictionary, subtype: &str, has_table: bool) {
        out.set("Subtype", named(subtype));
        let descriptor = self.dictionary(self.font, b"FontDescriptor");
        let encoding = self.encoding();
        let mut base = self.name(self.font, b"BaseFont").unwrap_or_default();
        match widths::simple(self.file, self.font, descriptor) {
            Some(widths) => {
                out.set("FirstChar", 0);
                out.set("LastChar", 255);
                out.set("Widths", widths);
            }
            // The widths of the fonts that every reader has are known by name only.
            None => base = widths::core_font(&base).to_owned(),
        }
        if let (Some(descriptor), Care::Whole) = (descriptor, self.care)
            && let Some(program) = self.program(descriptor, encoding.is_some(), has_table)
        {
            out.set("FontDescriptor", program);
        }
        out.set("BaseFont", named(&base));
        if let Some(encoding) = encoding {
            out.set("Encoding", encoding);
        }
    }

    /// A descriptor with the font program alone, where nothing else says what the codes mean.
    fn program(&self, descriptor: &Dictionary, has_encoding: bool, has_table: bool) -> Option<Dictionary> {
        let key: &[u8] = match () {
            () if !has_encoding && descriptor.has(b"FontFile") => b"FontFile",
            () if !has_table && descriptor.has(b"FontFile3") => b"FontFile3",
            () => return None,
        };
        let object = descriptor.get(key).ok()?;
        let stream = self.stream(object)?;
        let usable = unpacked(stream, MAX_PROGRAM) < MAX_PROGRAM
            && (key == b"FontFile" || self.name(&stream.dict, b"Subtype").is_some());
        usable.then(|| {
            let mut reduced = Dictionary::new();
            reduced.set(key, object.clone());
            reduced
        })
    }

    /// A font whose letters are drawn by content streams, in a space of its own.
    fn drawn(&self, out: &mut Dictionary) {
        out.set("Subtype", named("Type3"));
        out.set("FirstChar", 0);
        out.set("LastChar", 255);
        out.set("Widths", widths::drawn(self.file, self.font));
        out.set("Encoding", self.encoding().unwrap_or_else(|| Object::Dictionary(Dictionary::new())));
    }

    fn encoding(&self) -> Option<Object> {
        match self.font.get_deref(b"Encoding", self.file).ok()? {
            Object::Name(name) => is_known_encoding(name).then(|| Object::Name(name.clone())),
            Object::Dictionary(encoding) => {
                let mut reduced = Dictionary::new();
                if let Ok(Object::Name(base)) = encoding.get_deref(b"BaseEncoding", self.file)
                    && is_known_encoding(base)
                {
                    reduced.set("BaseEncoding", Object::Name(base.clone()));
                }
                if let Ok(list) = encoding.get_deref(b"Differences", self.file).and_then(Object::as_array) {
                    reduced.set("Differences", self.differences(list));
                }
                Some(Object::Dictionary(reduced))
            }
            _ => None,
        }
    }

    /// Runs of names after the code of the first one; codes beyond a byte are dropped.
    fn differences(&self, list: &[Object]) -> Vec<Object> {
        let mut reduced = Vec::new();
        let mut code = 0;
        for item in list {
            let item = match item {
                Object::Reference(id) => self.file.get_object(*id).unwrap_or(&Object::Null),
                item => item,
            };
            match item {
                Object::Integer(first) => {
                    code = *first;
                    if (0..256).contains(&code) {
                        reduced.push(Object::Integer(code));
                    }
                }
                Object::Name(name) if (0..256).contains(&code) => {
                    let is_plain = name.iter().all(u8::is_ascii_graphic);
                    reduced.push(if is_plain { Object::Name(name.clone()) } else { named(".notdef") });
                    code += 1;
                }
                _ => {}
            }
        }
        reduced
    }

    /// A font whose codes have several bytes.
    fn composite(&self, out: &mut Dictionary, reduced: &mut Font) {
        out.set("Subtype", named("Type0"));
        out.set("BaseFont", named("Composite"));
        let descendant = self.font.get_deref(b"DescendantFonts", self.file).ok();
        let descendant = descendant.and_then(|it| match it.as_array().ok()?.first()? {
            Object::Reference(id) => self.file.get_dictionary(*id).ok(),
            first => first.as_dict().ok(),
        });
        let mut inner = Dictionary::new();
        inner.set("FontDescriptor", Dictionary::new());
        if let Some(descendant) = descendant {
            let default = descendant.get_deref(b"DW", self.file).and_then(Object::as_float).unwrap_or(1000.0);
            inner.set("DW", default as i64);
            if let Ok(list) = descendant.get_deref(b"W", self.file).and_then(Object::as_array) {
                inner.set("W", widths::composite(self.file, list));
            }
        }
        out.set("DescendantFonts", vec![Object::Dictionary(inner)]);
        let has_table = out.has(b"ToUnicode");
        let encoding = match self.font.get(b"Encoding") {
            Ok(Object::Name(name)) if !name.starts_with(b"Identity-") => {
                match codec(name) {
                    Some(_) if has_table => {}
                    Some(codec) => reduced.codec = Some(codec),
                    None => reduced.is_unknown = !has_table,
                }
                named("Identity-H")
            }
            Ok(map @ Object::Reference(_)) if self.care != Care::NoTables => match self.stream(map) {
                Some(stream) if unpacked(stream, MAX_TABLE) < MAX_TABLE => map.clone(),
                _ => named("Identity-H"),
            },
            _ => named("Identity-H"),
        };
        out.set("Encoding", encoding);
        // A font with a codec gets a table of the characters that it shows, when those are known.
        if reduced.codec.is_none() && !has_table {
            reduced.is_unknown = true;
        }
    }
}

/// How many codes the ranges of a table map, as the interpreter will write them out one by one.
fn mapped(table: &[u8]) -> u64 {
    let mut total: u64 = 0;
    for at in memmem::find_iter(table, b"beginbfrange") {
        let block = &table[at..];
        let block = &block[..memmem::find(block, b"endbfrange").unwrap_or(block.len())];
        // First code, last code, and the characters: one string, or a list of them.
        let mut range = Vec::with_capacity(3);
        let mut in_list = false;
        for item in block.split(|&it| it == b'<').skip(1) {
            if !in_list {
                let digits = item.split(|&it| it == b'>').next().unwrap_or_default();
                let digits = std::str::from_utf8(digits).unwrap_or_default().trim();
                range.push(u64::from_str_radix(digits, 16).unwrap_or(u64::MAX));
            }
            match item.iter().rev().find(|it| matches!(it, b'[' | b']')) {
                Some(b'[') => in_list = true,
                Some(_) => {
                    in_list = false;
                    range.push(0);
                }
                None => {}
            }
            if let [low, high, _] = range[..] {
                total = total.saturating_add(high.saturating_sub(low));
                range.clear();
            }
        }
    }
    total
}

/// A table that maps these codes of UTF-16 to themselves: one of all codes would take longer to read than most pages.
pub(super) fn identity(codes: &BTreeSet<u16>) -> Stream {
    let mut table = b"begincmap\n1 begincodespacerange <0000> <ffff> endcodespacerange\n".to_vec();
    table.extend_from_slice(format!("{} beginbfchar\n", codes.len()).as_bytes());
    for code in codes {
        table.extend_from_slice(format!("<{code:04x}> <{code:04x}>\n").as_bytes());
    }
    table.extend_from_slice(b"endbfchar endcmap\n");
    Stream::new(Dictionary::new(), table)
}

fn named(name: &str) -> Object {
    Object::Name(name.as_bytes().to_vec())
}

/// The encodings that the interpreter has tables of; it takes what is like the standard one when it is told nothing.
fn is_known_encoding(name: &[u8]) -> bool {
    matches!(name, b"MacRomanEncoding" | b"MacExpertEncoding" | b"WinAnsiEncoding")
}

/// The encoding of strings behind a predefined table of codes.
///
/// # Source
///
/// ISO 32000-1, section 9.7.5.2, table 118.
fn codec(name: &[u8]) -> Option<&'static Encoding> {
    let name = std::str::from_utf8(name).ok()?;
    Some(match () {
        () if name.contains("UCS2") || name.contains("UTF16") => encoding_rs::UTF_16BE,
        () if name.starts_with("GB") => encoding_rs::GBK,
        () if name.starts_with("B5") || name.starts_with("ETen") || name.starts_with("ETHK") => {
            encoding_rs::BIG5
        }
        () if name.contains("RKSJ") => encoding_rs::SHIFT_JIS,
        () if name.starts_with("EUC") => encoding_rs::EUC_JP,
        () if name.starts_with("KSC") => encoding_rs::EUC_KR,
        () => return None,
    })
}
