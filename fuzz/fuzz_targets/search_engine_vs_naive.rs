//! The engine against a slow one, over small trees.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::search_engine::vs_naive(data));
