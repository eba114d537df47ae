//! Fuzzes the resolver: random trees and paths against a walker over inodes in memory, on both tiers.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| props::rooted_fs::resolve(data));
