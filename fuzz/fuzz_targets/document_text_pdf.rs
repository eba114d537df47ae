//! Reads any PDF, or any page in one.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::document_text::pdf_is_read_or_refused(data));
