//! Properties of `document-text` over generated inputs.

use props::document_text::{
    a_splice_changes_its_ranges_and_nothing_else, classify_names_every_head, decoding_loses_nothing,
    docx_is_read_or_refused, pages_are_the_whole_document, pdf_is_read_or_refused,
    picture_is_shown_or_refused, pptx_is_read_or_refused,
};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::sample::select;

/// Bytes that mean something to a detector, a line or a table.
const TOKENS: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"\r",
    b",",
    b"\t",
    b"\"",
    b"\"\"",
    b"\0",
    b"\xE9",
    b"\x82\xB1\x82\xF1",
    b"\xEF\xBB\xBF",
    b"\xFF\xFE",
    b"\xFE\xFF",
    b"\xFF\xFE\0\0",
    b"\0\0\xFE\xFF",
    b"%PDF-1.4",
    b"PK\x03\x04",
    b"ID3\x03\0",
    b"BM",
    b"RIFF",
    b"WEBP",
    b"ftyp",
    b"\xFF\xFB\x90\0",
    b"MZ",
];

/// Tokens with text and any bytes between them.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[ -~]{0,12}".prop_map(String::into_bytes),
        2 => "\\PC{0,6}".prop_map(String::into_bytes),
        2 => vec(any::<u8>(), 0..8),
        1 => "[a-z\n]{1,20}".prop_map(|it| it.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        6 => select(TOKENS).prop_map(<[u8]>::to_vec),
    ];
    vec(piece, 0..40).prop_map(|it| it.concat())
}

/// Enough lines and rows to cross the marks of the index.
fn long() -> impl Strategy<Value = Vec<u8>> {
    (0..7_u8, any::<u8>(), vec("[ab,\t]{0,3}(\n|\r\n|\r)?", 0..400))
        .prop_map(|(name, budget, lines)| [vec![name, budget], lines.concat().into_bytes()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_head_has_a_kind(data in pieces()) {
        classify_names_every_head(&data);
    }

    #[test]
    fn text_survives_decoding(data in pieces()) {
        decoding_loses_nothing(&data);
    }

    #[test]
    fn an_edit_leaves_the_other_bytes_alone(data in pieces()) {
        a_splice_changes_its_ranges_and_nothing_else(&data);
    }

    #[test]
    fn parts_make_the_whole(data in pieces()) {
        pages_are_the_whole_document(&data);
    }

    #[test]
    fn parts_make_a_long_whole(data in long()) {
        pages_are_the_whole_document(&data);
    }
}

/// Operators of a page, elements of parts, and anything between them.
const MARKUP: &[&str] = &[
    "BT ",
    "ET ",
    "/F1 9 Tf ",
    "/F2 9 Tf ",
    "(ab) Tj ",
    "<93fa967b> Tj ",
    "[(a) -300 (b)] TJ ",
    "5 -9 Td ",
    "q ",
    "Q ",
    "/X Do ",
    "1 0 0 1 0 5 cm ",
    "(x) ' ",
    "1 2 (y) \" ",
    "<w:p>",
    "</w:p>",
    "<w:t>",
    "</w:t>",
    "<w:tbl>",
    "</w:tbl>",
    "<w:tr>",
    "</w:tr>",
    "<w:tc>",
    "</w:tc>",
    "<w:del>",
    "</w:del>",
    "<w:txbxContent>",
    "</w:txbxContent>",
    "<a:p>",
    "</a:p>",
    "<a:t>",
    "</a:t>",
    "<p:sp>",
    "</p:sp>",
    "<a:tc>",
    "</a:tc>",
    "<w:br/>",
    "&amp;",
    "&#9;",
    "<![CDATA[x]]>",
];

fn markup() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        5 => select(MARKUP).prop_map(|it| it.as_bytes().to_vec()),
        1 => "[ -~]{0,8}".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..6),
    ];
    vec(piece, 0..40).prop_map(|it| it.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn any_document_is_read_or_refused(data in markup()) {
        pdf_is_read_or_refused(&data);
        docx_is_read_or_refused(&data);
        pptx_is_read_or_refused(&data);
        picture_is_shown_or_refused(&data);
    }
}
