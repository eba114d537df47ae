//! Fuzzes the writer: a written patch applies, or the refusal holds.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::v4a_patch::diff_then_apply(data));
