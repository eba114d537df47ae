//! Reads any PPTX, or any slide in one.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::document_text::pptx_is_read_or_refused(data));
