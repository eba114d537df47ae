//! Fuzzes allow lists against the loop over all ancestors.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::sandbox_policy::allow_list_is_the_naive_loop(data));
