//! Name patterns and cursors are read or refused, and the walk agrees with the matcher.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::search_engine::names_of_bytes(data));
