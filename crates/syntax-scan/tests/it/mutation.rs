//! One delimiter or quote is deleted or doubled in a valid file.

use syntax_scan::{Language, Outcome, scan};

/// Valid files that use every construct.
pub(crate) const SAMPLES: [(Language, &str); 5] = [
    (Language::Json, include_str!("../data/sample.json")),
    (Language::CFamily, include_str!("../data/sample.cpp")),
    (Language::Go, include_str!("../data/sample.go")),
    (Language::Python, include_str!("../data/sample.py")),
    (Language::Toml, include_str!("../data/sample.toml")),
];

#[test]
fn nearly_every_mutation_is_noticed() {
    for (language, text) in SAMPLES {
        let (mut all, mut noticed) = (0, 0);
        for (at, byte) in text.bytes().enumerate() {
            let counts = match language {
                Language::Json | Language::Toml => matches!(byte, b'{' | b'}' | b'[' | b']' | b'"'),
                Language::Go => matches!(byte, b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'"' | b'`'),
                _ => matches!(byte, b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'"'),
            };
            if !counts {
                continue;
            }
            let (before, after) = text.as_bytes().split_at(at);
            let deleted = [before, after.get(1..).unwrap_or_default()].concat();
            let doubled = [before, &[byte], after].concat();
            for mutant in [deleted, doubled] {
                all += 1;
                noticed += u32::from(scan(language, &mutant) != Outcome::Ok);
            }
        }
        // The samples hold text in which a delimiter may be missing: comments, and strings in other quotes.
        assert!(noticed * 100 >= all * 75, "{language:?}: {noticed} of {all}");
    }
}
