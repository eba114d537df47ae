//! Fuzzes decisions: order, widening, boundary, walks and spelling.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::sandbox_policy::decisions_follow_the_laws(data));
