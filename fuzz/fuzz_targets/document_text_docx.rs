//! Reads any DOCX, or any body in one.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::document_text::docx_is_read_or_refused(data));
