//! A search with an index gives what one without gives.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::search_engine::warm(data));
