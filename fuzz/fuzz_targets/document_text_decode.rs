//! Detects and decodes any bytes, and undoes it.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::document_text::decoding_loses_nothing(data));
