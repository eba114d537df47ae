//! Plays any story of changes against a plain model.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::file_history::model(data));
