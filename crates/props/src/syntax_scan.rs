//! Properties of `syntax-scan`.

use serde_json::Value;
use syntax_scan::{Language, Outcome, Position, Scanner, scan};

/// The fuzz targets of this module.
pub const TARGETS: &[(&str, fn(&[u8]))] =
    &[("syntax_scan_chunked", chunked), ("syntax_scan_json", json), ("syntax_scan_position", position)];

/// The language that a byte stands for.
fn language(byte: u8) -> Language {
    match byte % 5 {
        0 => Language::CFamily,
        1 => Language::Go,
        2 => Language::Json,
        3 => Language::Python,
        _ => Language::Toml,
    }
}

/// Any way to cut a file into chunks gives the same outcome; the first two bytes choose language and sizes.
pub fn chunked(data: &[u8]) {
    let [first, second, text @ ..] = data else { return };
    let language = language(*first);
    let whole = scan(language, text);
    let mut scanner = Scanner::new(language);
    let mut rest = text;
    let mut seed = u32::from(*second);
    while !rest.is_empty() {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let size = 1 + (seed >> 24) as usize % (1 + usize::from(*second) % 130);
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        scanner.push(chunk);
        rest = after;
    }
    assert_eq!(scanner.finish(), whole, "{language:?}");
}

/// The verdict on JSON is that of `serde_json`, but for what the standard leaves open.
pub fn json(data: &[u8]) {
    let theirs = serde_json::from_slice::<Value>(data);
    match scan(Language::Json, data) {
        Outcome::Ok => {
            if let Err(error) = theirs {
                let message = error.to_string();
                // Limits of a reader that builds values; the grammar has none of them.
                let is_limit = ["recursion limit exceeded", "number out of range", "surrogate", "hex escape"];
                assert!(is_limit.iter().any(|known| message.contains(known)), "{message}");
            }
        }
        Outcome::Problem(problem) => assert!(theirs.is_err(), "{problem}"),
        Outcome::Skipped(_) => assert!(theirs.is_err()),
    }
}

/// Every reported place is inside of the input, and its line and column are those of its offset.
pub fn position(data: &[u8]) {
    let [first, text @ ..] = data else { return };
    let Outcome::Problem(problem) = scan(language(*first), text) else { return };
    assert!(!problem.to_string().is_empty());
    let at = Position { line: problem.line, column: problem.column, offset: problem.offset };
    assert_place(text, at);
    if let Some(opened_at) = problem.opened_at {
        assert_place(text, opened_at);
        assert!(opened_at.offset <= problem.offset, "{problem:?}");
    }
}

fn assert_place(text: &[u8], place: Position) {
    let before =
        text.get(..usize::try_from(place.offset).unwrap()).expect("the offset is inside of the input");
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let column = 1 + before.iter().skip(start).filter(|byte| **byte & 0xc0 != 0x80).count();
    assert_eq!((place.line as usize, place.column as usize), (line, column), "{place:?}");
}
