//! The table of formats: every row is found, and nothing shorter.

use super::{EXACT, IN_DATA, ROWS, Row};
use crate::{
    Redactor,
    alphabet::{DIGIT, is},
};
use alloc::{format, string::String, vec::Vec};

/// A body of the shape of `row`, drawn by a small generator; the last part is `short` bytes too short.
fn token(row: &Row, seed: u64, short: usize) -> String {
    let mut state = seed;
    let mut text = String::from(row.prefix);
    for (index, part) in row.parts.iter().enumerate() {
        if part.optional {
            continue;
        }
        text.push_str(part.literal);
        let set: Vec<u8> =
            (b'!'..=b'~').filter(|&byte| is(byte, part.set) && byte.is_ascii_alphanumeric()).collect();
        let last = row.parts[index + 1..].iter().all(|part| part.optional);
        let len = usize::from(part.min) - if last { short } else { 0 };
        for at in 0..len {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let byte = set[(state >> 33) as usize % set.len()];
            // One digit in every body, so that the draw does not decide about the row.
            text.push(char::from(if at == len / 2 && is(b'5', part.set) && part.set != DIGIT {
                b'5'
            } else {
                byte
            }));
        }
    }
    text
}

/// The armour of a key, encoded: the only row that looks into its body.
fn body(row: &Row, seed: u64) -> String {
    if row.kind == "pem_base64" {
        // "...N RSA PRIVATE KEY-----" behind the prefix, then anything.
        return format!("{}{}{}", row.prefix, "BSU0EgUFJJVkFURSBLRVktLS0tLQ", "kQ7r".repeat(12));
    }
    token(row, seed, 0)
}

fn finds(row: &Row, text: &str) -> bool {
    Redactor::new()
        .spans(text.as_bytes())
        .iter()
        .any(|span| span.kind == row.kind && text[span.range()].starts_with(row.prefix))
}

#[test]
fn rows_are_sorted_and_short_enough_for_the_index() {
    for pair in ROWS.windows(2) {
        assert!(
            pair[0].prefix < pair[1].prefix,
            "{} and {} are not in order",
            pair[0].prefix,
            pair[1].prefix
        );
    }
    for row in ROWS {
        assert!(row.prefix.len() >= 2, "{}", row.prefix);
        assert!(!row.parts.is_empty() && row.parts.iter().all(|part| part.min <= part.max), "{}", row.prefix);
        assert!(
            row.kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
            "{}",
            row.kind
        );
    }
}

#[test]
fn every_row_is_found_in_every_neutral_place() {
    for row in ROWS {
        // A row that demands randomness may refuse an unlucky draw, hardly two of five.
        let found = (1..=5).filter(|&seed| {
            let token = body(row, seed * 7919);
            let places = [
                "{}",
                "x {} y",
                "a,{},b",
                "<p>{}</p>",
                "f(\"{}\")",
                "`{}`",
                "\"a\\n{}\\n\"",
                "?q={}&z=1",
                "K:{}",
            ];
            // A string between written line ends may be a line of data.
            let data = |place: &&&str| row.flags & IN_DATA != 0 && place.contains("\\n");
            places.iter().filter(|place| !data(place)).all(|place| finds(row, &place.replace("{}", &token)))
        });
        assert!(found.count() >= 4, "{} {}", row.prefix, row.kind);
    }
}

#[test]
fn a_body_that_is_one_short_is_not_of_the_row() {
    for row in ROWS.iter().filter(|row| row.kind != "pem_base64") {
        if row.parts.iter().rfind(|part| !part.optional).is_some_and(|part| part.min == 0) {
            continue;
        }
        let short = token(row, 31, 1);
        // A longer prefix of another row may read the same text; it must then be another kind or another length.
        let sibling = ROWS.iter().any(|other| {
            other.prefix != row.prefix && other.kind == row.kind && short.starts_with(other.prefix)
        });
        assert!(sibling || !finds(row, &format!("x {short} y")), "{short}");
    }
}

#[test]
fn an_exact_row_refuses_a_longer_body() {
    for row in
        ROWS.iter().filter(|row| row.flags & EXACT != 0 && row.flags & IN_DATA == 0 && row.parts.len() == 1)
    {
        let long = token(row, 77, 0) + &"5".repeat(usize::from(row.parts[0].max - row.parts[0].min) + 1);
        assert!(!finds(row, &long), "{long}");
    }
}

#[test]
fn repeated_characters_are_a_sample() {
    for row in ROWS.iter().filter(|row| row.parts.len() == 1 && is(b'x', row.parts[0].set)) {
        let sample = format!("{}{}", row.prefix, "x".repeat(usize::from(row.parts[0].min)));
        assert!(!finds(row, &sample), "{sample}");
    }
}
