//! Fuzzes parsing: no panic, places inside the text, the same result for any cut.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::v4a_patch::parse_chunked(data));
