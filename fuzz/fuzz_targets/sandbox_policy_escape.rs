//! Fuzzes shown names and request paths: they come back, and nothing is smuggled in.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::sandbox_policy::escaped_names_come_back(data));
