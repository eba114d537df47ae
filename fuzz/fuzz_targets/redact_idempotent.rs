//! Masking twice is masking once.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| props::redact::idempotent(data));
