//! Time is linear in the length of the text.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| props::redact::linear(data));
