//! Dumps of binary ranges.

use document_text::{hex_dump, hex_dump_capacity};

#[track_caller]
fn check(bytes: &[u8], offset: u64, max: usize, expected: &str) {
    assert_eq!(hex_dump(bytes, offset, max), expected);
}

#[test]
fn lines_of_sixteen_bytes() {
    check(b"", 0, 100, "");
    check(b"anything", 0, 0, "");
    check(
        b"0123456789abcdef\x00\xff",
        0,
        100,
        "00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66 |0123456789abcdef|\n\
         00000010  00 ff                                            |..|\n",
    );
}

#[test]
fn offsets_are_those_of_the_file() {
    check(b"ab", 0x1234, 1, "00001234  61                                               |a|\n");
    check(b"a", 1 << 40, 1, "10000000000  61                                               |a|\n");
    // The offset of a line beyond the largest number stays at it.
    assert_eq!(hex_dump(&[0; 40], u64::MAX, 40).lines().count(), 3);
}

#[test]
fn capacity_is_what_fits_and_no_less() {
    for text_bytes in [0, 1, 77, 78, 79, 155, 156, 1000, 65536] {
        let fits = hex_dump_capacity(text_bytes);
        assert!(hex_dump(&[7; 70000], 0, fits).len() <= text_bytes, "{text_bytes}");
        assert!(hex_dump(&[7; 70000], 0, fits + 16).len() > text_bytes, "{text_bytes}");
    }
}
