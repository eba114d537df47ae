//! Documents made to do harm: each is answered by an error with a stable code.

use std::path::Path;

use document_text::{Document, Limits};

use crate::make;

/// The code with which opening or reading the document fails.
#[track_caller]
fn check(name: &str, bytes: &[u8], code: &str) {
    let outcome = Document::open(Path::new(name), bytes, Limits::STANDARD)
        .and_then(|it| it.read(1..u64::MAX).map(|it| format!("{it:?}")));
    match outcome {
        Ok(part) => panic!("{name} was read: {part}"),
        Err(error) => assert_eq!(error.code(), code, "{error}"),
    }
}

#[test]
fn what_is_no_document_says_so() {
    let names = ["a.pdf", "a.docx", "a.pptx", "a.png", "a.jpg", "a.gif", "a.webp"];
    for name in names {
        check(name, b"", "wrong_extension");
        check(name, b"plain words\n", "wrong_extension");
        check(name, &b"\0\x9d\x01".repeat(300), "document_broken");
    }
    check("a.pdf", b"%PDF-1.7\n", "document_broken");
    check("a.docx", b"PK\x03\x04", "document_broken");
    check("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "not_available");
    let wrapped = [
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        &[0; 504][..],
        b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0",
    ]
    .concat();
    check("a.docx", &wrapped, "document_encrypted");
}

#[test]
fn what_is_cut_off_says_so() {
    let pdf = make::pages(&[&make::lines(&["text"])], "", &[]);
    let docx = make::docx("<w:p><w:r><w:t>text</w:t></w:r></w:p>", &[]);
    let pptx = make::pptx(&[(1, &make::shape("", &["text"]), None)]);
    for (name, bytes) in [("a.pdf", pdf), ("a.docx", docx), ("a.pptx", pptx)] {
        check(name, &bytes[..bytes.len() * 2 / 3], "document_broken");
    }
}

#[test]
fn missing_parts_are_named() {
    check("a.docx", &make::zip(&[("word/other.xml", b"<x/>")]), "document_part_missing");
    check("a.pptx", &make::zip(&[("ppt/other.xml", b"<x/>")]), "document_part_missing");
    check("a.pdf", &make::pdf(&[b"<< /Type /Catalog >>".to_vec()]), "document_part_missing");
}

#[test]
fn a_cycle_in_the_page_tree_ends() {
    let objects: Vec<Vec<u8>> = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 2 /Kids [3 0 R 2 0 R] /Parent 3 0 R >>",
        "<< /Type /Pages /Count 2 /Kids [2 0 R 3 0 R] /Parent 2 0 R >>",
    ]
    .iter()
    .map(|it| it.as_bytes().to_vec())
    .collect();
    check("a.pdf", &make::pdf(&objects), "document_part_missing");
    // A tree that doubles on each level has more leaves than anything can hold.
    let mut doubling = vec![b"<< /Type /Catalog /Pages 2 0 R >>".to_vec()];
    for at in 2..60 {
        doubling.push(format!("<< /Type /Pages /Kids [{0} 0 R {0} 0 R] >>", at + 1).into_bytes());
    }
    check("a.pdf", &make::pdf(&doubling), "document_part_missing");
}

#[test]
fn a_bomb_in_a_page_is_measured_first() {
    let bomb = make::stream("/Filter /FlateDecode", &make::zeros(400 << 20));
    check("a.pdf", &make::pages_of(&[bomb], "", &[]), "document_bomb");
    // One that stays below the limit of a stream, many times over.
    let part = make::stream("/Filter /FlateDecode", &make::zeros(4 << 20));
    let forms: Vec<String> = (0..99).map(|_| "/X Do".to_owned()).collect();
    let form = make::stream("/Type /XObject /Subtype /Form /Filter /FlateDecode", &make::zeros(4 << 20));
    check("a.pdf", &make::pages(&[&forms.join(" ")], "/XObject << /X @0 >>", &[form]), "document_bomb");
    check(
        "a.pdf",
        &make::pages_of(&[make::stream("/Filter [/FlateDecode /FlateDecode]", &part)], "", &[]),
        "document_bomb",
    );
}

#[test]
fn a_bomb_in_the_table_of_objects_is_measured_first() {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let table = bytes.len();
    bytes.extend_from_slice(b"1 0 obj\n");
    let entries = "/Type /XRef /Size 4 /W [1 2 1] /Root 2 0 R /Filter /FlateDecode";
    bytes.extend_from_slice(&make::stream(entries, &make::zeros(400 << 20)));
    bytes.extend_from_slice(format!("\nendobj\nstartxref\n{table}\n%%EOF\n").as_bytes());
    check("a.pdf", &bytes, "document_bomb");
}

#[test]
fn a_form_that_shows_itself_ends() {
    let form =
        make::stream("/Type /XObject /Subtype /Form /Resources << /XObject << /X @0 >> >>", b"/X Do /X Do");
    check("a.pdf", &make::pages(&["/X Do"], "/XObject << /X @0 >>", &[form]), "document_too_complex");
    let arrays = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = make::pages(&[&make::lines(&["text"])], "/Deep @0", &[arrays.into_bytes()]);
    let document = Document::open(Path::new("a.pdf"), &deep, Limits::STANDARD).unwrap();
    assert_eq!(document.read(1..2).unwrap().units[0].content.text(), "text");
}

#[test]
fn a_table_of_all_codes_is_left_alone() {
    let font = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode @0 >> >>";
    let read = |table: &str| {
        let bytes = make::pages(&["BT /F1 10 Tf (AB) Tj ET"], font, &[make::stream("", table.as_bytes())]);
        let document = Document::open(Path::new("a.pdf"), &bytes, Limits::STANDARD).unwrap();
        document.read(1..2).unwrap().units[0].content.text().to_owned()
    };
    let table = |ranges: &str| {
        format!(
            "/CMapName /X def\nbegincmap\n1 begincodespacerange\n<00> <ff>\nendcodespacerange\n{ranges}endcmap\n"
        )
    };
    assert_eq!(read(&table("2 beginbfrange\n<41> <41> [<0061>]\n<42> <43> <0078>\nendbfrange\n")), "ax");
    assert_eq!(read(&table("1 beginbfrange\n<00000000> <ffffffff> <0061>\nendbfrange\n")), "AB");
}

#[test]
fn a_zip_bomb_is_stopped() {
    let zeros = vec![b' '; 100 << 20];
    check("a.docx", &make::zip(&[("word/document.xml", &zeros)]), "document_bomb");
    let part = [&vec![b' '; 60 << 20][..], b"<w:hdr/>"].concat();
    let relations: String = (0..4)
        .map(|at| format!("<Relationship Id=\"{at}\" Type=\"x/header\" Target=\"h{at}.xml\"/>"))
        .collect();
    let relations = format!("<Relationships>{relations}</Relationships>");
    let bytes = make::zip(&[
        ("word/document.xml", b"<w:document/>"),
        ("word/_rels/document.xml.rels", relations.as_bytes()),
        ("word/h0.xml", &part),
        ("word/h1.xml", &part),
        ("word/h2.xml", &part),
    ]);
    check("a.docx", &bytes, "document_bomb");
    let many: Vec<String> = (0..10_001).map(|at| format!("word/{at}")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|it| (it.as_str(), &b""[..])).collect();
    check("a.docx", &make::zip(&many), "document_too_complex");
}

#[test]
fn hostile_xml_is_bounded() {
    let deep = format!("{}{}", "<w:p>".repeat(300), "</w:p>".repeat(300));
    check("a.docx", &make::docx(&deep, &[]), "document_too_complex");
    check("a.docx", &make::docx("<w:p></w:r>", &[]), "document_broken");
    // Entities are never declared, so they cannot grow.
    let laughs = "<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><w:document><w:p><w:t>[&b;]</w:t></w:p></w:document>";
    let bytes = make::zip(&[("word/document.xml", laughs.as_bytes())]);
    let document = Document::open(Path::new("a.docx"), &bytes, Limits::STANDARD).unwrap();
    assert_eq!(document.read(1..2).unwrap().units[0].content.text(), "[]");
}

#[test]
fn a_huge_picture_is_refused_by_its_header() {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    png.extend_from_slice(&40_000_u32.to_be_bytes());
    png.extend_from_slice(&40_000_u32.to_be_bytes());
    png.extend_from_slice(b"\x08\x02\0\0\0");
    let mut check_sum = flate2::Crc::new();
    check_sum.update(&png[12..]);
    png.extend_from_slice(&check_sum.sum().to_be_bytes());
    png.extend_from_slice(b"\0\0\0\0IDAT\x35\xaf\x06\x1e");
    check("a.png", &png, "picture_too_large");
    // A small one that says nothing after its header.
    png[16..24].copy_from_slice(&[0, 0, 9, 0, 0, 0, 9, 0]);
    let mut check_sum = flate2::Crc::new();
    check_sum.update(&png[12..29]);
    png[29..33].copy_from_slice(&check_sum.sum().to_be_bytes());
    check("a.png", &png, "document_broken");
    check("a.gif", b"GIF89a", "document_broken");
    check("a.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF", "document_broken");
    check("a.webp", b"RIFF\x10\0\0\0WEBPVP8 ", "document_broken");
}
