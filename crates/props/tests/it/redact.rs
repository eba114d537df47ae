//! Properties of `redact` over generated inputs.

use props::redact;
use proptest::{collection::vec, prelude::*};

/// Text made of pieces that the rules look for, so that generated inputs reach them.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let fixed: Vec<&'static str> = vec![
        "\n",
        "\r\n",
        " ",
        "=",
        ": ",
        "\"",
        "'",
        "-",
        "_",
        "/",
        ".",
        "@",
        "\\",
        "\\n",
        "%2D",
        "\\u002d",
        "\u{200b}",
        "\u{ad}",
        "\u{1b}[0m",
        "\" + \"",
        "[FILTERED]",
        "password",
        "DB_PASSWORD=",
        "api_key: \"",
        "token",
        "secret",
        "Authorization: Bearer ",
        "Basic ",
        "Cookie: sessionid=",
        "postgres://u:",
        "https://",
        "sha512-",
        "0x",
        "id=",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "-----END RSA PRIVATE KEY-----",
        "PuTTY-User-Key-File-3: x\n",
        "Private-Lines: 2\n",
        "é",
        "你",
        "\u{feff}",
        "{ get; } = ",
        "<password>",
    ];
    let piece = prop_oneof![
        4 => proptest::sample::select(fixed).prop_map(|piece| piece.as_bytes().to_vec()),
        2 => "[A-Za-z0-9+/]{1,70}".prop_map(String::into_bytes),
        1 => "[a-z0-9]{8,40}".prop_map(String::into_bytes),
        1 => "[a-z]{1,9}".prop_map(String::into_bytes),
        2 => any::<usize>().prop_map(|row| redact::token(row).unwrap_or_default().into_bytes()),
        1 => vec(any::<u8>(), 0..6),
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans(text in text()) {
        redact::spans(&text);
    }

    #[test]
    fn idempotent(text in text()) {
        redact::idempotent(&text);
    }

    #[test]
    fn lines(text in text()) {
        redact::lines(&text);
    }

    #[test]
    fn chunked(text in text(), sizes in vec(any::<u8>(), 1..5)) {
        redact::chunked(&text, &sizes);
    }

    #[test]
    fn windows(text in text(), size in 1..200usize) {
        redact::windows(&text, size);
    }

    #[test]
    fn passes(text in text()) {
        redact::passes(&text);
    }

    #[test]
    fn injected(text in text(), at in any::<usize>(), row in any::<usize>()) {
        redact::injected(&text, at, row);
    }

    #[test]
    fn linear(text in vec(any::<u8>(), 0..40)) {
        redact::linear(&text);
    }
}
