//! Fuzzes edits by old and new text against a slow count.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::v4a_patch::text_edit(data));
