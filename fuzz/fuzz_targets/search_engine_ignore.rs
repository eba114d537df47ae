//! Ignore rules against a slow reading of them.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::search_engine::ignore(data));
