//! Classifies any head, and compares with opening it.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::document_text::classify_names_every_head(data));
