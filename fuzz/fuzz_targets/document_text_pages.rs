//! Reads any document part by part.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::document_text::pages_are_the_whole_document(data));
