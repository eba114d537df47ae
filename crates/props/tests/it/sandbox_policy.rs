//! Properties of `sandbox-policy` over generated inputs.

use props::sandbox_policy as laws;
use proptest::prelude::*;

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..64)
}

/// Patterns and paths over a small alphabet, so that matches are not rare.
fn pattern_and_path() -> impl Strategy<Value = Vec<u8>> {
    let pattern =
        prop_oneof!["[/ab.*^$|()?+-]{0,12}", r"\^?(/[ab.]{1,2}){1,3}(/\.\*|\(\?:/\|\$\)|/|\$)?", ".{0,12}"];
    let path = prop_oneof!["(/[ab.-]{1,3}){0,4}", ".{0,16}"];
    (pattern, path).prop_map(|(pattern, path)| format!("{pattern}\n{path}").into_bytes())
}

/// Text that is full of escapes and of things that look like them.
fn nearly_escaped() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        r"\\[xu]?\{?[0-9A-Fa-f]{0,5}\}?",
        "[\u{0}-\u{20}]",
        ".",
        Just("\u{202e}".to_owned()),
        Just("/".to_owned()),
        Just("\\x{0A}".to_owned()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn rule_order_never_matters(data in bytes()) {
        laws::rule_order_never_matters(&data);
    }

    #[test]
    fn protecting_never_widens(data in bytes()) {
        laws::protecting_never_widens(&data);
    }

    #[test]
    fn allow_implies_granted(data in bytes()) {
        laws::allow_implies_granted(&data);
    }

    #[test]
    fn walks_agree_with_decisions(data in bytes()) {
        laws::walks_agree_with_decisions(&data);
    }

    #[test]
    fn spelling_never_matters(data in bytes()) {
        laws::spelling_never_matters(&data);
    }

    #[test]
    fn allow_list_is_the_naive_loop(data in pattern_and_path()) {
        laws::allow_list_is_the_naive_loop(&data);
    }

    #[test]
    fn escaped_names_come_back(data in prop_oneof![bytes(), nearly_escaped()]) {
        laws::escaped_names_come_back(&data);
    }
}
