//! Builder, classes, known values, reports, offsets, markers.

use redact::{Class, Classes, Error, OffsetMap, Redactor, Report, contains_marker};
use std::borrow::Cow;

/// A token of a public format, assembled here.
pub(crate) fn token() -> String {
    format!("gh{}_{}", "p", "x7Kq2Vw9Zb4Nf6Hd1Jt8Rm3Ly5Pc0SgUa2Ei")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(Redactor::new().redact(text), expected);
}

#[test]
fn clean_text_is_borrowed() {
    for text in ["", "x", "the quick brown fox", "{\"model\":\"gpt-4\"}"] {
        assert!(matches!(Redactor::new().redact(text), Cow::Borrowed(same) if same == text));
        assert!(matches!(Redactor::new().redact_bytes(text.as_bytes()), Cow::Borrowed(_)));
    }
}

#[test]
fn only_the_value_is_replaced() {
    let token = token();
    check(&format!("TOKEN={token},"), "TOKEN=[FILTERED],");
    check(&format!("a: \"{token}\"; b"), "a: \"[FILTERED]\"; b");
    check(
        &format!("Authorization: Bearer {token}\r\nHost: a"),
        "Authorization: Bearer [FILTERED]\r\nHost: a",
    );
    check(&format!("{token} {token}"), "[FILTERED] [FILTERED]");
    check("password='Tr0ub4dor&3x' # old", "password='[FILTERED]' # old");
}

#[test]
fn json_fields_keep_their_names() {
    let value = format!("aB3{}", "dE5fG7hJ9kL1mN2pQ4rS6t");
    check(
        &format!("{{\"api_key\":\"{value}\",\"model\":\"gpt-4\"}}"),
        "{\"api_key\":\"[FILTERED]\",\"model\":\"gpt-4\"}",
    );
    let three =
        format!("{{\"api_key\":\"{value}\",\"client_secret\":\"{value}\",\"access_token\":\"{value}\"}}");
    check(
        &three,
        "{\"api_key\":\"[FILTERED]\",\"client_secret\":\"[FILTERED]\",\"access_token\":\"[FILTERED]\"}",
    );
}

#[test]
fn invalid_utf8_passes_through() {
    let mut text = b"\xff\xfe ".to_vec();
    text.extend(token().bytes());
    text.extend(b" \x80\xc3");
    assert_eq!(Redactor::new().redact_bytes(&text).as_ref(), b"\xff\xfe [FILTERED] \x80\xc3");
}

#[test]
fn classes_can_be_left_out() {
    let value = format!("{}{}", "q7Rz2Lw8Xn4Vb6", "Kd1Jf9Hs3Pt5Mg0Cy7Ua");
    let text = format!("see {value} there, {}", token());
    let without = Redactor::builder().classes(Classes::ALL.without(Class::Entropy)).build().unwrap();
    assert_eq!(Redactor::new().redact(&text), "see [FILTERED] there, [FILTERED]");
    assert_eq!(without.redact(&text), format!("see {value} there, [FILTERED]"));
    let none = Redactor::builder().classes(Classes::NONE).build().unwrap();
    assert_eq!(none.redact(&text), text);
}

#[test]
fn known_values_are_found_in_their_usual_encodings() {
    let redactor =
        Redactor::builder().known_values(["open sesame!", "open sesame! twice", "abcd"]).build().unwrap();
    let check = |text: &str, expected: &str| assert_eq!(redactor.redact(text), expected);
    check("say open sesame! now", "say [FILTERED] now");
    check("say open sesame! twice now", "say [FILTERED] now");
    check("q=open%20sesame%21&x", "q=[FILTERED]&x");
    check("b64 b3BlbiBzZXNhbWUh.", "b64 [FILTERED].");
    check("abc abcd", "abc [FILTERED]");
    assert!(!format!("{redactor:?}").contains("sesame"));
}

#[test]
fn one_known_value_inside_another_leaves_no_tail() {
    let redactor = Redactor::builder().known_values(["secretA1", "secretA1secretB2"]).build().unwrap();
    assert_eq!(redactor.redact("x secretA1secretB2 y"), "x [FILTERED] y");
    let repeats = Redactor::builder().known_values(["abab"]).build().unwrap();
    assert_eq!(repeats.redact("xababaBababab"), "x[FILTERED]aB[FILTERED]");
}

#[test]
fn known_values_have_a_least_length() {
    let error = Redactor::builder().known_values(["abc"]).build().unwrap_err();
    assert_eq!(error, Error::KnownValueLength { len: 3, min: 4, max: 65_536 });
    assert_eq!(error.code(), "known_value_length");
    assert_eq!(error.to_string(), "known value of 3 bytes, allowed are 4 to 65536");
}

#[test]
fn allowed_values_stay() {
    let (one, two) = (token(), token().replace("x7", "y8"));
    let exact = Redactor::builder().allow_values([one.as_str()]).build().unwrap();
    assert_eq!(exact.redact(&format!("{one} {two}")), format!("{one} [FILTERED]"));
    let judged = Redactor::builder().allow(|value| value.ends_with(b"Ei")).build().unwrap();
    assert_eq!(judged.redact(&format!("{one} {one}Z")), format!("{one} [FILTERED]"));
}

#[test]
fn the_marker_can_be_another_word() {
    let redactor = Redactor::builder().marker("[MASKED]").build().unwrap();
    let once = redactor.redact("password: \"Tr0ub4dor&3x\"").into_owned();
    assert_eq!(once, "password: \"[MASKED]\"");
    assert_eq!(redactor.redact(&once), once);
    for marker in ["", "[]", "MASKED", "[mask]", "[A B]", "[A\n]", "\u{200b}"] {
        assert_eq!(
            Redactor::builder().marker(marker).build().unwrap_err().code(),
            "bad_marker",
            "{marker:?}"
        );
    }
}

#[test]
fn a_fake_marker_hides_nothing() {
    let token = token();
    check(&format!("[FILTERED {token}]"), "[FILTERED [FILTERED]]");
    check(&format!("[FILTERED]{token}"), "[FILTERED][FILTERED]");
    check("password=\"[FILTERED]Tr0ub4dor&3x\"", "password=\"[FILTERED][FILTERED]\"");
    assert!(contains_marker("a [FILTERED] b") && !contains_marker("[FILTERED"));
}

#[test]
fn reports_count_and_never_show() {
    let token = token();
    let (_, report) = Redactor::new().redact_with_report(&format!("{token} password='Tr0ub4dor&3x' {token}"));
    assert_eq!(report.count(), 3);
    assert_eq!(
        report.by_kind().collect::<Vec<_>>(),
        [("github_token", Class::Format, 2), ("password", Class::Keyed, 1)]
    );
    assert_eq!(report.to_string(), "3 values masked (github_token: 2, password: 1)");
    assert!(!format!("{report:?}").contains("Tr0ub"));
    let mut sum = Report::default();
    assert!(sum.is_clean());
    sum.merge(&report);
    sum.merge(&report);
    assert_eq!(sum.count(), 6);
}

#[test]
fn offsets_go_both_ways() {
    let token = token();
    let text = format!("ab {token} cd {token}");
    let redactor = Redactor::new();
    let spans = redactor.spans(text.as_bytes());
    let map = OffsetMap::new(&spans, redactor.marker().len());
    let masked = redactor.redact(&text);
    let (raw, shown) = (text.find("cd").unwrap(), masked.find("cd").unwrap());
    assert_eq!((map.to_masked(raw), map.to_raw(shown)), (shown, raw));
    assert_eq!(map.to_masked(10), 3);
    assert_eq!(map.to_raw(7), 3);
    assert_eq!(map.range_to_masked(0..10), 0..13);
    assert_eq!(map.range_to_masked(5..raw + 1), 3..shown + 1);
    assert_eq!(map.range_to_raw(5..6), 3..3 + token.len());
    assert!(map.is_inside_mask(&(4..9)) && !map.is_inside_mask(&(1..9)));
    assert_eq!(map.to_masked(text.len()), masked.len());
}

#[test]
fn the_redactor_is_cheap_to_share() {
    fn shared<T: Send + Sync + Clone>(_: &T) {}
    const PLAIN: Redactor = Redactor::new();
    shared(&PLAIN);
    assert_eq!(PLAIN.marker(), redact::MARKER);
}
