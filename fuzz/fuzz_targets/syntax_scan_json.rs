//! JSON is judged as `serde_json` judges it.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| props::syntax_scan::json(data));
