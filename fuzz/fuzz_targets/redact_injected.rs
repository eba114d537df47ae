//! A token at a boundary of any text is covered.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| props::redact::injected_bytes(data));
