//! What matches a pattern passes the test for candidates.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::search_engine::plan(data));
