//! Properties of `document-text`.

mod formats;

use std::path::Path;

use document_text::{
    Content, Document, Encoding, Kind, Limits, LineEnd, Part, SEARCH_SNIFF_BYTES, Stop, UnitKind,
};

pub use formats::{
    docx_is_read_or_refused, pdf_is_read_or_refused, picture_is_shown_or_refused, pptx_is_read_or_refused,
};

/// The fuzz targets of this module: name of the target, and the property that it runs.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("document_text_classify", classify_names_every_head),
    ("document_text_decode", decoding_loses_nothing),
    ("document_text_docx", docx_is_read_or_refused),
    ("document_text_pages", pages_are_the_whole_document),
    ("document_text_pdf", pdf_is_read_or_refused),
    ("document_text_picture", picture_is_shown_or_refused),
    ("document_text_pptx", pptx_is_read_or_refused),
    ("document_text_splice", a_splice_changes_its_ranges_and_nothing_else),
];

const NAMES: &[&str] = &["a.txt", "a.csv", "a.tsv", "a.docx", "a.zip", "a", "a.pdf"];

/// The names among them that promise a document, over a content that may be none.
const PROMISES: &[&str] = &["a.docx", "a.pdf"];

/// Large enough for any input of a test, so that only the law decides.
const AMPLE: Limits = Limits {
    max_bytes: usize::MAX,
    max_unit_bytes: usize::MAX,
    max_part_bytes: usize::MAX,
    ..Limits::STANDARD
};

/// Classifying looks at the window and at nothing else, agrees with opening, and a hex dump shows the same bytes.
///
/// The first byte chooses the name of the file.
pub fn classify_names_every_head(data: &[u8]) {
    let (name, head) = named(data);
    let kind = document_text::classify(name, head);
    assert_eq!(kind, document_text::classify(name, &head[..head.len().min(SEARCH_SNIFF_BYTES)]));
    assert_eq!(kind == Kind::Empty, head.is_empty());
    let promises = PROMISES.iter().any(|it| name == Path::new(it));
    match (kind, Document::open(name, head, AMPLE)) {
        (Kind::Binary(format), Err(error)) if matches!(error.code(), "binary_file" | "not_available") => {
            assert!(!format.name().is_empty() && format.mime().contains('/'));
            assert!(error.to_string().contains(format.name()));
        }
        (Kind::Binary(_), Err(error)) => assert!(error.code() != "wrong_extension", "{error}"),
        (Kind::Binary(format), Ok(document)) => assert_eq!(document.kind(), Kind::Binary(format)),
        (Kind::Empty | Kind::Text(_), Err(error)) => {
            // A PDF may begin behind a text, and be broken.
            let is_pdf = head.windows(5).any(|it| it == b"%PDF-");
            assert!(promises && (is_pdf || error.code() == "wrong_extension"), "{error}")
        }
        (Kind::Empty | Kind::Text(_), Ok(document)) => {
            // A PDF may begin behind a text.
            assert!(!promises || matches!(document.kind(), Kind::Binary(_)));
            assert!(promises || (document.kind() == Kind::Empty) == head.is_empty());
        }
        (kind, opened) => panic!("{kind:?}, but {opened:?}"),
    }
    if matches!(kind, Kind::Text(Encoding::Utf8 | Encoding::Legacy(_))) {
        assert!(!document_text::has_nul(&head[..head.len().min(document_text::READ_SNIFF_BYTES)]));
    }
    dump_shows_the_bytes(head);
}

fn dump_shows_the_bytes(bytes: &[u8]) {
    let dump = document_text::hex_dump(bytes, 0, usize::MAX);
    assert!(dump.is_ascii());
    let mut shown = Vec::new();
    for line in dump.lines() {
        // Offset and digits come first; the characters behind the bar may look like digits.
        let digits = line.split('|').next().unwrap();
        let mut words = digits.split_whitespace();
        assert_eq!(usize::from_str_radix(words.next().unwrap(), 16).unwrap(), shown.len());
        shown.extend(words.map(|it| u8::from_str_radix(it, 16).unwrap()));
    }
    assert_eq!(shown, bytes);
}

/// Decoding well-formed text can be undone, and malformed text grows by a bounded factor.
pub fn decoding_loses_nothing(data: &[u8]) {
    let encoding = document_text::detect(data);
    assert!(data.starts_with(encoding.bom()));
    let body = &data[encoding.bom().len()..];
    let decoded = document_text::decode(data, encoding);
    let text = decoded.text.as_ref();
    assert!(text.len() <= data.len() * 3 + 3, "{} bytes out of {}", text.len(), data.len());
    if decoded.malformed {
        assert!(text.contains('\u{fffd}'));
        return;
    }
    let units = || text.encode_utf16();
    let again: Vec<u8> = match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => text.as_bytes().to_vec(),
        Encoding::Utf16Le | Encoding::Utf16LeBom => units().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16Be | Encoding::Utf16BeBom => units().flat_map(u16::to_be_bytes).collect(),
        Encoding::Utf32LeBom => text.chars().flat_map(|it| u32::from(it).to_le_bytes()).collect(),
        Encoding::Utf32BeBom => text.chars().flat_map(|it| u32::from(it).to_be_bytes()).collect(),
        // Several byte sequences of a legacy encoding may mean one character.
        _ => return,
    };
    assert_eq!(again, body);
}

/// Reading part by part, under any budget, gives every unit once and in order, and they are what a slow reader finds.
///
/// The first byte chooses the name of the file, the second the budget.
pub fn pages_are_the_whole_document(data: &[u8]) {
    let (name, data) = named(data);
    let (budget, bytes) = data.split_first().map_or((0, data), |(first, rest)| (usize::from(*first), rest));
    let Ok(document) = Document::open(name, bytes, AMPLE) else { return };
    if !matches!(document.kind(), Kind::Empty | Kind::Text(_)) {
        // Those have laws of their own.
        return;
    }
    let whole = document.read(1..u64::MAX).unwrap();
    assert_eq!((whole.units.len() as u64, whole.next, whole.stop), (document.count(), None, Stop::End));
    assert!(whole.units.iter().zip(1..).all(|(unit, number)| unit.number == number && unit.cut_bytes == 0));
    let contents: Vec<Content<'_>> = whole.units.into_iter().map(|it| it.content).collect();

    assert_eq!(contents, slowly(name, bytes, &document));

    let tight = Limits { max_part_bytes: budget, ..AMPLE };
    let parts = Document::open(name, bytes, tight).unwrap();
    let mut next = Some(1);
    let mut seen = 0;
    while let Some(first) = next {
        let part = parts.read(first..first + 5).unwrap();
        assert_eq!(part.units.first().map(|it| it.number), (seen < contents.len()).then_some(first));
        assert!(size(&part) <= budget, "{} bytes, {budget} allowed", size(&part));
        for unit in &part.units {
            let expected = &contents[seen];
            assert_eq!(length(&unit.content) + unit.cut_bytes, length(expected));
            assert!(unit.cut_bytes > 0 || unit.content == *expected);
            seen += 1;
        }
        next = part.next;
    }
    assert_eq!(seen, contents.len());

    let jump = 1 + (budget as u64 * 7) % (document.count() + 2);
    let one = document.read(jump..jump + 1).unwrap();
    let expected = contents.get(usize::try_from(jump).unwrap() - 1);
    assert_eq!(one.units.first().map(|it| &it.content), expected);
}

/// The obvious way to split a text, for what has an obvious way: a table with quotes answers for itself.
fn slowly<'d>(name: &Path, bytes: &'d [u8], document: &'d Document<'_>) -> Vec<Content<'d>> {
    let text = document_text::decode(bytes, document_text::detect(bytes)).text.into_owned();
    if document.unit() == UnitKind::Row {
        if text.contains('"') {
            return document.read(1..u64::MAX).unwrap().units.into_iter().map(|it| it.content).collect();
        }
        let delimiter = if name == Path::new("a.csv") { ',' } else { '\t' };
        let rows = text.split(['\r', '\n']).filter(|it| !it.is_empty());
        let rows = rows.map(|it| it.split(delimiter).map(str::to_owned).collect::<Vec<_>>());
        let mut rows = rows.map(Content::Fields);
        let header = rows.next();
        assert_eq!(header.as_ref().map_or(&[][..], Content::fields), document.header().unwrap());
        return rows.collect();
    }
    let (end, expected) = match (text.contains('\n'), text.contains('\r')) {
        (false, true) => ('\r', LineEnd::Cr),
        _ => ('\n', LineEnd::Lf),
    };
    assert_eq!(document.line_end(), Some(expected));
    let lines = text.split_inclusive(end).map(|line| match line.strip_suffix(end) {
        Some(line) if end == '\n' => line.strip_suffix('\r').unwrap_or(line),
        Some(line) => line,
        None => line,
    });
    lines.map(|it| Content::Text(it.to_owned().into())).collect()
}

fn named(data: &[u8]) -> (&'static Path, &[u8]) {
    match data.split_first() {
        Some((first, rest)) => (Path::new(NAMES[usize::from(*first) % NAMES.len()]), rest),
        None => (Path::new(NAMES[0]), data),
    }
}

fn length(content: &Content<'_>) -> usize {
    content.text().len() + content.fields().iter().map(String::len).sum::<usize>()
}

fn size(part: &Part<'_>) -> usize {
    part.units.iter().map(|it| length(&it.content)).sum()
}

/// An edit of a text in any encoding leaves every other byte alone, and reads back as the edit of the text.
///
/// The first two bytes choose where the text is cut, the third what is put there.
pub fn a_splice_changes_its_ranges_and_nothing_else(data: &[u8]) {
    let Some((&[first, second, choice], file)) = data.split_first_chunk::<3>() else { return };
    let encoding = document_text::detect(file);
    let Some(open) = document_text::Editable::open(file, encoding) else { return };
    let text = open.text();
    assert_eq!(open.splice([]).as_deref(), Some(file), "no edit is no change");
    assert_eq!(open.splice([(0..text.len(), text)]).as_deref(), Some(file), "a text leads back to its bytes");
    let place = |byte: u8| {
        let mut at = text.len() * usize::from(byte) / 255;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (place(first.min(second)), place(first.max(second)));
    let new = ["", "x", "é", "日本", "\r\n", "\u{feff}"][usize::from(choice) % 6];
    let edited = [&text[..start], new, &text[end..]].concat();
    let Some(bytes) = open.splice([(start..end, new)]) else {
        assert_eq!(document_text::encode(new, encoding), None, "only what cannot be written is refused");
        return;
    };
    let len = |part: &str| document_text::encode(part, encoding).map_or(0, |bytes| bytes.len());
    let (before, after) = (encoding.bom().len() + len(&text[..start]), len(&text[end..]));
    assert_eq!(bytes[..before], file[..before], "what stands before");
    assert_eq!(bytes[bytes.len() - after..], file[file.len() - after..], "what stands behind");
    assert_eq!(document_text::decode(&bytes, encoding).text, edited, "what it reads as");
}
