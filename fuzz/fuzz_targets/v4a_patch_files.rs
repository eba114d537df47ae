//! Fuzzes patches of several sections.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::v4a_patch::apply_to_files(data));
