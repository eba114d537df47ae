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

/// Valid files in which every delimiter and quote matters.
const PLAIN: [(Language, &str); 5] = [
    (Language::Json, r#"{"a": [1, {"b": "c"}], "d": {"e": [[]], "f": ""}}"#),
    (
        Language::CFamily,
        "#include \"a.h\"\nint f(int a[2]) {\n#ifdef A\n\tg(a[0]);\n#endif\n\
\tif ((a[0]) > a[1]) {\n\t\tput(\"a\\n\", 'b');\n\t}\n}\n",
    ),
    (Language::Go, "func f(a []int) {\n\tg(\"a\\n\", 'b', `c`, a[1])\n\tif h() {\n\t\treturn\n\t}\n}\n"),
    (Language::Python, "x = {'a': [1, (2)], \"b\": f(3)[4]}\ny = f(\"c\", 'd', f'{x[5]} {y(6)}')\n"),
    (Language::Toml, "[a]\nb = [1, { c = \"d\", e = 'f' }]\n\n[[g]]\nh = \"\"\ni = \"j\"\n"),
];

#[test]
fn every_mutation_of_plain_code_is_noticed() {
    for (language, text) in PLAIN {
        assert_eq!(scan(language, text.as_bytes()), Outcome::Ok);
        for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| b"(){}[]\"'`".contains(byte)) {
            let (before, after) = text.as_bytes().split_at(at);
            let deleted = [before, after.get(1..).unwrap_or_default()].concat();
            let doubled = [before, &[byte], after].concat();
            for mutant in [deleted, doubled] {
                let found = scan(language, &mutant);
                assert!(
                    matches!(found, Outcome::Problem(_)),
                    "{found:?}: {}",
                    String::from_utf8_lossy(&mutant)
                );
            }
        }
    }
}
