//! Fuzzes placing and rendering against a slow search.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::v4a_patch::apply_like_reference(data));
