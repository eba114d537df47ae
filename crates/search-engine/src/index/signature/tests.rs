//! Pieces are whole lines and cover the file; what is odd has no signature.

use super::{Content, Maker, PIECE_BYTES, Signature};
use crate::{Case, FileFacts, Grams, Pattern, Plan, Span};

fn read(content: &[u8]) -> Option<Signature> {
    let facts = FileFacts { size: content.len() as u64, modified_ns: 0 };
    Signature::read(content, &facts, Grams::Four, &mut Maker::default())
}

/// Offsets and line numbers of the pieces.
fn pieces(content: &[u8]) -> Vec<(u64, u64)> {
    match read(content).map(|it| it.0) {
        Some(Content::Text { pieces, .. }) => pieces.iter().map(|it| (it.at.offset, it.at.lines)).collect(),
        other => panic!("no text but {other:?}"),
    }
}

#[test]
fn large_files_are_cut_at_line_ends() {
    let content = b"0123456789abcde\n".repeat(20_000);
    let found = pieces(&content);
    assert!(found.len() >= 4);
    for (offset, lines) in found {
        assert_eq!(lines * 16, offset);
    }
    assert_eq!(pieces(b"").len(), 1);
    assert_eq!(pieces(b"no line end").len(), 1);
    assert_eq!(pieces(&b"0123456789abcde\n".repeat(PIECE_BYTES / 16)).len(), 1);
}

#[test]
fn a_long_line_is_one_piece_and_a_very_long_one_has_no_signature() {
    let line = [vec![b'x'; 300_000], b"\n".to_vec()].concat();
    assert_eq!(pieces(&line.repeat(3)), [(0, 0), (300_001, 1), (600_002, 2)]);
    assert_eq!(read(&vec![b'x'; (1 << 20) + 1]), None);
    assert_eq!(read(&[vec![b'x'; (1 << 20) + 1], b"\nx".to_vec()].concat()), None);
    assert!(read(&vec![b'x'; 1 << 20]).is_some());
}

#[test]
fn binary_files_and_encodings() {
    assert_eq!(read(b"a\0b"), Some(Signature(Content::Binary)));
    let plain = |content: &[u8]| match read(content).map(|it| it.0) {
        Some(Content::Text { plain, .. }) => plain,
        other => panic!("no text but {other:?}"),
    };
    assert!(plain(b"abc\n"));
    assert!(!plain(b"\xEF\xBB\xBFabc\n"));
    assert!(!plain(b"\xFF\xFEa\0b\0c\0d\0"));
    let utf16: Vec<u8> = b"\xFF\xFEn\0e\0e\0d\0l\0e\0".to_vec();
    let plan = Plan::new(&Pattern::new("needle", Case::Sensitive, Span::Line).unwrap());
    assert!(read(&utf16).unwrap().may_match(&plan, Grams::Four));
    assert!(!read(b"noodle").unwrap().may_match(&plan, Grams::Four));
}

#[test]
fn a_file_that_is_not_what_its_facts_say_has_no_signature() {
    let facts = FileFacts { size: 10, modified_ns: 0 };
    assert_eq!(Signature::read(&b"short"[..], &facts, Grams::Four, &mut Maker::default()), None);
    let unsized_facts = FileFacts { size: 0, modified_ns: 0 };
    assert_eq!(Signature::read(&b"text"[..], &unsized_facts, Grams::Four, &mut Maker::default()), None);
}

#[test]
fn what_lies_over_a_seam_is_in_the_piece_before() {
    let mut content = b"0123456789abcde\n".repeat(PIECE_BYTES / 16);
    content.extend_from_slice(b"after the seam\n");
    let plan = Plan::new(&Pattern::new("e\nafter the", Case::Sensitive, Span::File).unwrap());
    // Every n-gram of the text over the seam is in the file, though no piece holds all.
    let Some(Signature(Content::Text { pieces, .. })) = read(&content) else { panic!("no text") };
    assert_eq!(pieces.len(), 2);
    let probe = crate::index::blocks::Probe::new(&plan.0, Grams::Four);
    let has = |hash: u32| {
        pieces.iter().any(|piece| {
            let row = crate::index::grams::row_of(hash, piece.bitmap.bits);
            piece.bitmap.words[row / 64] >> (row % 64) & 1 == 1
        })
    };
    assert!(probe.holds(&mut { has }));
}
