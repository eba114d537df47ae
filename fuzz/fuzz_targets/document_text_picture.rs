//! Shows any picture.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::document_text::picture_is_shown_or_refused(data));
