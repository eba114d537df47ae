//! Properties of `syntax-scan` over generated inputs.

use props::syntax_scan::{chunked, json, position};
use proptest::{collection::vec, prelude::*};

/// Text that is rich in what the scanner looks at.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        4 => "[a-z0-9 ,:.=]{1,9}".prop_map(String::into_bytes),
        6 => proptest::sample::select(vec![
            "{", "}", "[", "]", "(", ")", "\"", "'", "`", "\"\"\"", "'''", "//", "/*", "*/", "#", "\\", "\n", "\r\n", "\\\n",
            "\\\r\n", "R\"x(", ")x\"", "f'", "f\"\"\"", "{{", "\n#if 0\n", "\n#if A\n", "\n#else\n", "\n#endif\n", "\n#define A(",
            "#ifdef __cplusplus\n", "1'0", "ä", "€", "😀", "\\u00e4", "\\N{", "true", "null", "-1.5e3", "\"a\": ", "\u{feff}",
        ])
        .prop_map(|token| token.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..4),
        1 => (1..90_usize).prop_map(|count| vec![b' '; count]),
    ];
    vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn chunks_make_no_difference(first: u8, second: u8, text in text()) {
        chunked(&[&[first, second], text.as_slice()].concat());
    }

    #[test]
    fn json_agrees_with_serde_json(text in text()) {
        json(&text);
    }

    #[test]
    fn valid_json_is_accepted(number: f64, word in ".{0,40}", flags in vec(any::<bool>(), 0..6)) {
        let value = serde_json::json!({ "number": number, "word": word, "list": [flags, null, {}], word.as_str(): [] });
        json(value.to_string().as_bytes());
        json(serde_json::to_string_pretty(&value).unwrap().as_bytes());
    }

    #[test]
    fn places_are_inside_of_the_input(first: u8, text in text()) {
        position(&[&[first], text.as_slice()].concat());
    }
}
