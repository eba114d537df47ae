//! Windows hide what the whole text hides.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| props::redact::windows_bytes(data));
