//! Properties of documents that other crates parse.

use std::io::{Cursor, Write};
use std::panic;
use std::path::Path;
use std::sync::Once;
use std::thread;

use document_text::{Document, Error, Limits, Note, Part, UnitKind};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Small enough that an input of a few kilobytes can reach each of them.
const TIGHT: Limits = Limits {
    max_unit_bytes: 64 << 10,
    max_part_bytes: 64 << 10,
    max_unpacked_bytes: 8 << 20,
    max_entries: 64,
    max_depth: 32,
    max_picture_bytes: 64 << 10,
    max_picture_pixels: 1 << 18,
    max_picture_edge: 64,
    ..Limits::STANDARD
};

/// Every code that opening or reading may end in.
const CODES: &[&str] = &[
    "document_too_large",
    "not_available",
    "binary_file",
    "wrong_extension",
    "document_encrypted",
    "document_broken",
    "document_part_missing",
    "document_bomb",
    "document_too_complex",
    "picture_too_large",
];

/// A PDF, or the content of a page in one, is read or refused, and each page reads the same alone as among the others.
pub fn pdf_is_read_or_refused(data: &[u8]) {
    if data.starts_with(b"%PDF") {
        return check("a.pdf", data);
    }
    check("a.pdf", &page(data));
}

/// A DOCX, or a body in one, is read or refused.
pub fn docx_is_read_or_refused(data: &[u8]) {
    if data.starts_with(b"PK") {
        return check("a.docx", data);
    }
    let styles = "<w:styles><w:style w:styleId=\"H\"><w:name w:val=\"heading 2\"/></w:style></w:styles>";
    let relations = "<Relationships><Relationship Id=\"a\" Type=\"t/styles\" Target=\"styles.xml\"/>\
                     <Relationship Id=\"b\" Type=\"t/footnotes\" Target=\"document.xml\"/></Relationships>";
    let body = [b"<w:document><w:body>", data, b"</w:body></w:document>"].concat();
    check(
        "a.docx",
        &archive(&[
            ("word/document.xml", &body),
            ("word/styles.xml", styles.as_bytes()),
            ("word/_rels/document.xml.rels", relations.as_bytes()),
        ]),
    );
}

/// A PPTX, or a slide in one, is read or refused.
pub fn pptx_is_read_or_refused(data: &[u8]) {
    if data.starts_with(b"PK") {
        return check("a.pptx", data);
    }
    let relations = "<Relationships><Relationship Id=\"a\" Type=\"t/slide\" Target=\"slides/1.xml\"/>\
                     <Relationship Id=\"b\" Type=\"t/slide\" Target=\"slides/2.xml\"/></Relationships>";
    let notes =
        "<Relationships><Relationship Id=\"n\" Type=\"t/notesSlide\" Target=\"1.xml\"/></Relationships>";
    let slide = [b"<p:sld>", data, b"</p:sld>"].concat();
    check(
        "a.pptx",
        &archive(&[
            ("ppt/presentation.xml", b"<p><p:sldId id=\"1\" r:id=\"b\"/><p:sldId id=\"2\" r:id=\"a\"/></p>"),
            ("ppt/_rels/presentation.xml.rels", relations.as_bytes()),
            ("ppt/slides/1.xml", &slide),
            ("ppt/slides/_rels/1.xml.rels", notes.as_bytes()),
            ("ppt/slides/2.xml", b"<p:sld><a:p><a:r><a:t>second</a:t></a:r></a:p></p:sld>"),
        ]),
    );
}

/// A picture is shown within the limits or refused.
pub fn picture_is_shown_or_refused(data: &[u8]) {
    check("a.png", data);
}

fn check(name: &str, bytes: &[u8]) {
    quiet_parsers();
    let document = match Document::open(Path::new(name), bytes, TIGHT) {
        Ok(document) => document,
        Err(error) => return refused(&error),
    };
    let whole = match document.read(1..40) {
        Ok(part) => part,
        Err(error) => return refused(&error),
    };
    assert!(whole.units.iter().zip(1..).all(|(unit, number)| unit.number == number));
    assert!(whole.units.len() as u64 <= document.count());
    let text: usize = whole.units.iter().map(|it| it.content.text().len()).sum();
    assert!(text <= TIGHT.max_part_bytes, "{text} bytes of text");
    for unit in &whole.units {
        if let Some(Note::Unreadable(error)) = &unit.note {
            refused(error);
        }
        if let document_text::Content::Picture(picture) = &unit.content {
            let edge = TIGHT.max_picture_edge;
            assert!(picture.width <= edge && picture.height <= edge && !picture.bytes.is_empty());
        }
    }
    if document.unit() == UnitKind::Line {
        return;
    }
    for unit in whole.units.iter().take(4) {
        let alone = document.read(unit.number..unit.number + 1);
        match (alone, &unit.note) {
            (Err(error), Some(Note::Unreadable(before))) => assert_eq!(error, *before),
            (Ok(Part { units, .. }), _) => assert_eq!(units, std::slice::from_ref(unit)),
            (alone, note) => panic!("{alone:?}, but {note:?}"),
        }
    }
}

fn refused(error: &Error) {
    assert!(CODES.contains(&error.code()), "{error:?}");
    assert!(error.to_string().len() < 300);
}

/// Parsers may panic on their own thread, which is what the crate answers for; a fuzzer must not take that for a finding.
fn quiet_parsers() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() != Some("document-text") {
                before(info);
            }
        }));
    });
}

/// A PDF of two pages with this content, with a simple font `F1`, a composite one `F2`, and a form `X`.
fn page(content: &[u8]) -> Vec<u8> {
    let stream = |entries: &str, content: &[u8]| {
        let head = format!("<< {entries} /Length {} >>\nstream\n", content.len());
        [head.as_bytes(), content, b"\nendstream"].concat()
    };
    let page = b"<< /Type /Page /Parent 2 0 R /Contents 5 0 R >>";
    let objects: &[&[u8]] = &[
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] /MediaBox [0 0 600 800] /Resources << /Font << /F1 6 0 R /F2 7 0 R >> \
          /XObject << /X 8 0 R >> >> >>",
        page,
        page,
        &stream("", content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [65 /fi /Adieresis] >> >>",
        b"<< /Type /Font /Subtype /Type0 /BaseFont /G /Encoding /90ms-RKSJ-H /DescendantFonts [<< /W [1 9 500] >>] >>",
        &stream("/Subtype /Form /Resources << /XObject << /X 8 0 R >> >>", content),
    ];
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut table = String::new();
    for (at, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.extend_from_slice(format!("{} 0 obj\n", at + 1).as_bytes());
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    let count = objects.len() + 1;
    let place = out.len();
    let tail = format!(
        "xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{place}\n%%EOF\n"
    );
    out.extend_from_slice(tail.as_bytes());
    out
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
