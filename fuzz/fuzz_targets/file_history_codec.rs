//! Decodes any data under any claim, and codes any content against any base.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::file_history::codec(data));
