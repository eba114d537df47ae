//! Chunks make no difference.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| props::syntax_scan::chunked(data));
