//! Patterns compile or are refused, and match alike in a file and line by line.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::search_engine::dialect(data));
