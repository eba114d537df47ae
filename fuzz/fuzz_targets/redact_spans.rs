//! Spans are sorted, disjoint, in range and on character boundaries.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| props::redact::spans(data));
