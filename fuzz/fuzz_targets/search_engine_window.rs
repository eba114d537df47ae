//! Windows are short, whole and show their match.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::search_engine::window_of_bytes(data));
