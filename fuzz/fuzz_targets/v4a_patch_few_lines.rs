//! Fuzzes the writer on texts of few distinct lines.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::v4a_patch::diff_of_few_lines(data));
