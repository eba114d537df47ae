//! Masking keeps the number of lines.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| props::redact::lines(data));
