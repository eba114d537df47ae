//! Properties of `search-engine` over generated inputs.

use props::search_engine as laws;
use proptest::prelude::*;

/// Pieces of patterns that RE2 and the regex crate read alike.
const PIECES: &[&str] = &[
    "a", "b", ".", "[ab]", "[^a]", "(a|b)", "(?:ab)", "a?", "b*", "c+", "a{1,2}", "^", "$", "|", "(?i)", "B",
    "b*?",
];

/// A search: options, a pattern, files with lines of few letters so that matches are common.
fn case() -> impl Strategy<Value = Vec<u8>> {
    let pattern = prop_oneof![
        Just("a".to_owned()),
        Just(String::new()),
        Just("^$".to_owned()),
        Just("a$".to_owned()),
        Just("b.b".to_owned()),
        Just("(?s)a.*b".to_owned()),
        Just(r"\bab\b".to_owned()),
        Just("[^a]".to_owned()),
        Just(r"a\s?b|é$".to_owned()),
        "[ab.^$|?*()é]{0,6}",
    ];
    let text = "(([ab é\r]{0,6}\n)|([ab]{3}\n)|(b\n)|\r\n|\n){0,80}[ab]{0,3}";
    let odd = proptest::collection::vec(
        prop_oneof![
            Just(b'a'),
            Just(b'\n'),
            Just(0xC3),
            Just(0xA9),
            Just(0xFF),
            Just(b'\r'),
            Just(b'b'),
            Just(0u8)
        ],
        0..60,
    );
    let content = prop_oneof![4 => text.prop_map(String::into_bytes), 1 => odd];
    let file = ("([abc]{1,2}/){0,2}[abc]{1,2}(\\.t)?", content);
    (any::<[u8; 6]>(), pattern, proptest::collection::vec(file, 0..9)).prop_map(
        |(options, pattern, files)| {
            let mut data = options.to_vec();
            data.extend_from_slice(pattern.as_bytes());
            for (path, content) in files {
                data.push(0x1E);
                data.extend_from_slice(path.as_bytes());
                data.push(b'\n');
                data.extend(content.iter().filter(|&&b| b != 0x1E));
            }
            data
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn vs_naive(data in case()) {
        laws::vs_naive(&data);
    }

    #[test]
    fn pages(data in case()) {
        laws::pages(&data);
    }

    #[test]
    fn ignore(rules in "[ab*?/!#\\\\\\[\\]: \\-^\n]{0,16}", path in "[ab]{1,3}(/[ab]{1,2}){0,2}") {
        laws::ignore(format!("{rules}\0{path}").as_bytes());
    }

    #[test]
    fn ignore_of_likely_rules(rules in "(!?/?(\\*\\*/)?[ab*?]{1,3}(/\\*\\*)?(/[ab*]{1,2})?/? {0,2}\n){1,3}", path in "[ab]{1,3}(/[ab]{1,2}){0,3}") {
        laws::ignore(format!("{rules}\0{path}").as_bytes());
    }

    #[test]
    fn dialect(pattern in "[ab.\\\\^$|?*+(){}\\[\\],:dwsDWSbBQExpPL123é\\-&\r]{0,10}", text in "[ab1 é{}()\\[\\]&\r\n]{0,40}") {
        laws::dialect(format!("{pattern}\0{text}").as_bytes());
    }

    #[test]
    fn dialect_of_odd_bytes(pattern in "[a.é^$]{0,5}|[^a]", text in proptest::collection::vec(prop_oneof![Just(b'a'), Just(0xC3u8), Just(0xA9), Just(0xF0), Just(b'\n'), Just(b'\r')], 0..24)) {
        laws::dialect(&[pattern.as_bytes(), b"\0", &text].concat());
    }

    #[test]
    fn dialect_agrees(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..7), line in "[abc ]{0,8}") {
        laws::dialect_agrees(&pieces.concat(), &line);
    }

    #[test]
    fn names(pattern in "[ab*?/{},!\\[\\]\\-\\\\.é]{0,10}", path in "[ab.é]{1,3}(/[ab]{1,2}){0,3}") {
        laws::names(&pattern, &path);
    }

    #[test]
    fn cut(line in "[a-cé€😀]{0,200}", from in 0usize..800, len in 0usize..80, max in 0usize..300) {
        laws::cut(line.as_bytes(), from, len, max);
    }

    #[test]
    fn cut_of_odd_bytes(line in proptest::collection::vec(any::<u8>(), 0..300), from: usize, len: usize, max: usize) {
        laws::cut(&line, from, len, max);
    }

    #[test]
    fn cursor(text in "[A-Za-z0-9_-]{0,60}") {
        laws::cursor(&text);
    }
}

/// Pieces of patterns, and words of texts in which they match.
const PLAN_PIECES: &[&str] = &[
    "needle",
    "(read|write)",
    "_lock",
    "[a-d]",
    "x?",
    "y*",
    "ab+",
    "(ab|cd){2,3}",
    r"\s+",
    ".",
    "(?i:Kelvin)",
    "(|abc)",
    "été",
    "[^a]",
    "^",
    "$",
    r"\b",
    "a{3}",
    "|",
    "[[:digit:]]",
    "(?i)",
    "\u{FFFD}",
];
const PLAN_WORDS: &[&str] = &[
    "needle",
    "NEEDLE",
    "read_lock",
    "write",
    "_lock",
    "x",
    "abb",
    "abcdab",
    " ",
    "\n",
    "kelvin",
    "\u{212A}ELVIN",
    "abc",
    "été",
    "aaa",
    "7",
    "\r\n",
    "c",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn warm(data in case()) {
        laws::warm(&data);
    }

    #[test]
    fn what_matches_passes_the_plan(
        pieces in proptest::collection::vec(proptest::sample::select(PLAN_PIECES), 0..6),
        words in proptest::collection::vec(proptest::sample::select(PLAN_WORDS), 0..30),
        options in 0u8..16,
    ) {
        laws::plan(&[&[options][..], pieces.concat().as_bytes(), b"\n", words.concat().as_bytes()].concat());
    }
}
