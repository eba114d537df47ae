//! Properties of `fs-tools` over generated inputs.

use props::fs_tools;
use proptest::prelude::*;
use proptest::sample::select;

/// What an argument may be, right and wrong.
const VALUES: &[&str] = &[
    "null",
    "1",
    "-3",
    "99999999999999999999",
    "2.0",
    "\"7\"",
    "\"current\"",
    "\"t1\"",
    "\"src/a\"",
    "\"../outside\"",
    "\"/\"",
    "\"\"",
    "[]",
    "[\"src/a\", \"gone\"]",
    "{}",
    "\"2026-08-13\"",
    "\"2026-02-30\"",
    "\"13:00\"",
    "\"read\"",
    "\"list\"",
    "true",
    "\"\\u0000\"",
];
const NAMES: &[&str] =
    &["mode", "path", "paths", "task_id", "from", "to", "limit", "version", "task", "since"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn history(args in proptest::collection::vec((select(NAMES), select(VALUES)), 0..6)) {
        let members: Vec<String> = args.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
        fs_tools::history(format!("{{{}}}", members.join(", ")).as_bytes());
    }

    #[test]
    fn history_of_anything(text in "\\PC{0,80}") {
        fs_tools::history(text.as_bytes());
    }
}
