//! Reads any text as a time range.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::file_history::times(data));
