//! Every reported place is inside of the input.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| props::syntax_scan::position(data));
