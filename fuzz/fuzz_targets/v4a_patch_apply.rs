//! Fuzzes applying: bytes outside the edits stay, line contents add up.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::v4a_patch::apply_keeps_the_rest(data));
