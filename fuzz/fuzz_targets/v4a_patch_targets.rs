//! Fuzzes lists of targets against a slow search.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::v4a_patch::targets::plan_like_naive(data));
