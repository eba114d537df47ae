//! Edits texts in any encoding, in place.
#![no_main]

libfuzzer_sys::fuzz_target!(
    |data: &[u8]| props::document_text::a_splice_changes_its_ranges_and_nothing_else(data)
);
