//! Asks for the history with any arguments.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::fs_tools::history(data));
