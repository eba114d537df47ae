//! Makes documents for the tests, byte by byte where that matters.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A PDF of these objects, numbered from 1. The first one is the catalog.
pub(crate) fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend_from_slice(format!("{} 0 obj\n", at + 1).as_bytes());
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    let table = out.len();
    out.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).as_bytes());
    for place in &places {
        out.extend_from_slice(format!("{place:010} 00000 n \n").as_bytes());
    }
    let trailer =
        format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", places.len() + 1);
    out.extend_from_slice(trailer.as_bytes());
    out
}

/// A PDF with one page per content stream. Each page has the font `/F1` and the resources in `more`, whose references
/// count from the first of the `extra` objects, called `@0`, `@1` and so on.
pub(crate) fn pages(contents: &[&str], more: &str, extra: &[Vec<u8>]) -> Vec<u8> {
    let streams: Vec<Vec<u8>> = contents.iter().map(|it| stream("", it.as_bytes())).collect();
    pages_of(&streams, more, extra)
}

/// The same with streams as they are to be.
pub(crate) fn pages_of(streams: &[Vec<u8>], more: &str, extra: &[Vec<u8>]) -> Vec<u8> {
    let first_page = 4;
    let first_extra = first_page + 2 * streams.len();
    let named = |text: &str| {
        (0..extra.len()).rev().fold(text.to_owned(), |text, at| {
            text.replace(&format!("@{at}"), &format!("{} 0 R", first_extra + at))
        })
    };
    let kids: Vec<String> = (0..streams.len()).map(|at| format!("{} 0 R", first_page + 2 * at)).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Count {} /Kids [{}] >>", streams.len(), kids.join(" ")).into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    let more = named(more);
    for (at, stream) in streams.iter().enumerate() {
        let content = first_page + 2 * at + 1;
        let font = if more.contains("/Font") { "" } else { "/Font << /F1 3 0 R >>" };
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R /Resources << {font} {more} >> >>"
            )
            .into_bytes(),
        );
        objects.push(stream.clone());
    }
    // Bytes of a stream are no text to replace in.
    objects.extend(extra.iter().map(|it| match it.windows(6).position(|it| it == b"stream") {
        Some(end) => [named(&String::from_utf8_lossy(&it[..end])).as_bytes(), &it[end..]].concat(),
        None => named(&String::from_utf8_lossy(it)).into_bytes(),
    }));
    pdf(&objects)
}

/// A stream object with these entries of its dictionary.
pub(crate) fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut out = format!("<< {entries} /Length {} >>\nstream\n", content.len()).into_bytes();
    out.extend_from_slice(content);
    out.extend_from_slice(b"\nendstream");
    out
}

/// Text of a page, one string a line.
pub(crate) fn lines(lines: &[&str]) -> String {
    let shown: Vec<String> = lines.iter().map(|it| format!("({it}) Tj T*")).collect();
    format!("BT /F1 12 Tf 14 TL 72 700 Td {} ET", shown.join(" "))
}

/// `bytes` zeros, packed.
pub(crate) fn zeros(bytes: usize) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    let block = vec![b'0'; 1 << 20];
    for at in (0..bytes).step_by(block.len()) {
        packer.write_all(&block[..block.len().min(bytes - at)]).unwrap();
    }
    packer.finish().unwrap()
}

/// A ZIP archive of these files.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A DOCX with this body, and these further parts below `word/`, each with its kind of relation.
pub(crate) fn docx(body: &str, parts: &[(&str, &str, &str)]) -> Vec<u8> {
    let body = format!("<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>");
    let mut relations = String::new();
    let mut files: Vec<(String, String)> = vec![
        (
            "_rels/.rels".into(),
            rels("<Relationship Id=\"r\" Type=\"x/officeDocument\" Target=\"word/document.xml\"/>"),
        ),
        ("word/document.xml".into(), body),
    ];
    for (at, (kind, name, xml)) in parts.iter().enumerate() {
        relations.push_str(&format!("<Relationship Id=\"r{at}\" Type=\"x/{kind}\" Target=\"{name}\"/>"));
        files.push((format!("word/{name}"), (*xml).to_owned()));
    }
    files.push(("word/_rels/document.xml.rels".into(), rels(&relations)));
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, xml)| (name.as_str(), xml.as_bytes())).collect();
    zip(&files)
}

pub(crate) const NAMESPACES: &str = "xmlns:w=\"w\" xmlns:mc=\"mc\" xmlns:r=\"r\" xmlns:a=\"a\" xmlns:p=\"p\"";

fn rels(list: &str) -> String {
    format!("<?xml version=\"1.0\"?><Relationships>{list}</Relationships>")
}

/// A PPTX of slides in the order of the deck: number of the part, XML of its shapes, XML of its notes.
pub(crate) fn pptx(slides: &[(u32, &str, Option<&str>)]) -> Vec<u8> {
    let mut list = String::new();
    let mut relations = String::new();
    let mut files: Vec<(String, String)> = vec![(
        "_rels/.rels".into(),
        rels("<Relationship Id=\"r\" Type=\"x/officeDocument\" Target=\"/ppt/presentation.xml\"/>"),
    )];
    for (at, (number, shapes, notes)) in slides.iter().enumerate() {
        list.push_str(&format!("<p:sldId id=\"{}\" r:id=\"rId{at}\"/>", 256 + at));
        relations.push_str(&format!(
            "<Relationship Id=\"rId{at}\" Type=\"x/slide\" Target=\"slides/slide{number}.xml\"/>"
        ));
        let open = if shapes.starts_with("<p:sld") { String::new() } else { format!("<p:sld {NAMESPACES}>") };
        let slide = format!("{open}{shapes}</p:sld>");
        files.push((format!("ppt/slides/slide{number}.xml"), slide));
        if let Some(notes) = notes {
            let relation = format!(
                "<Relationship Id=\"n\" Type=\"x/notesSlide\" Target=\"../notesSlides/n{number}.xml\"/>"
            );
            files.push((format!("ppt/slides/_rels/slide{number}.xml.rels"), rels(&relation)));
            files.push((
                format!("ppt/notesSlides/n{number}.xml"),
                format!("<p:notes {NAMESPACES}>{notes}</p:notes>"),
            ));
        }
    }
    let main = format!("<p:presentation {NAMESPACES}><p:sldIdLst>{list}</p:sldIdLst></p:presentation>");
    files.push(("ppt/presentation.xml".into(), main));
    files.push(("ppt/_rels/presentation.xml.rels".into(), rels(&relations)));
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, xml)| (name.as_str(), xml.as_bytes())).collect();
    zip(&files)
}

/// A shape with one paragraph per text.
pub(crate) fn shape(kind: &str, texts: &[&str]) -> String {
    let paragraphs: String =
        texts.iter().map(|it| format!("<a:p><a:r><a:t>{it}</a:t></a:r></a:p>")).collect();
    let role =
        if kind.is_empty() { String::new() } else { format!("<p:nvPr><p:ph type=\"{kind}\"/></p:nvPr>") };
    format!("<p:sp>{role}<p:txBody>{paragraphs}</p:txBody></p:sp>")
}
