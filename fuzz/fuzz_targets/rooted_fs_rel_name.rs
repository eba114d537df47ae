//! Fuzzes names: canonical ones are taken as they are, all others are refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::rooted_fs::rel_name(data));
