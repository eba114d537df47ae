//! The vector pass finds what the scalar pass finds.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| props::redact::passes(data));
