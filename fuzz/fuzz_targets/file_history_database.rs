//! Opens a database in which bytes were changed.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::file_history::database(data));
