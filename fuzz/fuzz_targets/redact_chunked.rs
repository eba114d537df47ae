//! A stream gives the output of the whole text.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| props::redact::chunked_bytes(data));
