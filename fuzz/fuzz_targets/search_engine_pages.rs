//! Any pages of a search give the same rows, on any number of threads.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::search_engine::pages(data));
