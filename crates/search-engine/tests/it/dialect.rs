//! The syntax and meaning of RE2, where the regex crates differ.

use search_engine::{Case, Error, Pattern, Patterns, Span};

#[track_caller]
fn yes(pattern: &str, lines: &[&str]) {
    let compiled = Pattern::new(pattern, Case::Sensitive, Span::Line).unwrap();
    for line in lines {
        assert!(compiled.is_match_line(line.as_bytes()), "{pattern} must match {line:?}");
    }
}

#[track_caller]
fn no(pattern: &str, lines: &[&str]) {
    let compiled = Pattern::new(pattern, Case::Sensitive, Span::Line).unwrap();
    for line in lines {
        assert!(!compiled.is_match_line(line.as_bytes()), "{pattern} must not match {line:?}");
    }
}

#[track_caller]
fn refused(pattern: &str, at: usize, part: &str) {
    let error = Pattern::new(pattern, Case::Sensitive, Span::Line).unwrap_err();
    assert_eq!(error.code(), "invalid_regex", "{pattern}: {error}");
    let Error::InvalidRegex { at: found, .. } = &error else { panic!("{error}") };
    assert_eq!(*found, at, "{pattern}: {error}");
    assert!(error.to_string().contains(part), "{pattern}: {error}");
}

#[test]
fn stray_braces_are_literal() {
    yes("interface{}", &["x interface{} y"]);
    yes("func() {", &["func() {"].map(|_| "func {"));
    yes(r"func\(\) {", &["func() {"]);
    yes("a{,3}", &["a{,3}"]);
    no("a{,3}", &["aaa"]);
    yes("a{", &["a{"]);
    yes("{", &["{"]);
    yes("^{{x}}$", &["{{x}}"]);
    yes("a{b}", &["a{b}"]);
    yes("a{01}", &["a{01}"]);
    yes("^x{2}$", &["xx"]);
    yes("^x{2,}y$", &["xxxy"]);
    yes("^x{0,1}$", &["", "x"]);
    yes("a}", &["a}"]);
    yes("]", &["]"]);
}

#[test]
fn quoted_text() {
    yes(r"\Qa.b*\E+c", &["a.b*c", "a.b**c"]);
    no(r"\Qa.b\E", &["axb"]);
    yes(r"\Q[", &["["]);
    yes(r"x\Q\Ey", &["xy"]);
    yes(r"\Q\\E", &[r"\"]);
}

#[test]
fn escapes() {
    yes(r"\07", &["\x07"]);
    yes(r"\101", &["A"]);
    yes(r"\0", &["\0"]);
    yes(r"\x41\x{1F600}", &["A😀"]);
    yes(r"\a\f\t\v", &["\x07\x0C\t\x0B"]);
    yes(r"\<\>\_\-\/\ ", &["<>_-/ "]);
    refused(r"a\1", 1, "back-reference");
    refused(r"(a)\k<x>", 3, "not part of RE2");
    refused(r"\Z", 0, r"\z");
    refused(r"\C", 0, "write `.`");
    refused(r"\h", 0, r"[ \t]");
    refused(r"\R", 0, r"\r?\n");
    refused(r"\e", 0, r"\x1b");
    refused(r"\u0041", 0, r"\x{...}");
    refused(r"ab\", 2, "nothing follows");
    refused(r"\é", 0, "only punctuation");
    refused(r"\xZZ", 0, "code point");
    refused(r"\x{110000}", 0, "code point");
}

#[test]
fn classes() {
    yes("[[x]", &["[", "x"]);
    yes("^[a&&b]+$", &["a&b"]);
    yes("^[+--b]+$", &["+", "-", "b"]);
    refused("[a--b]", 1, "reversed");
    yes("^[a~~b]+$", &["a~b"]);
    yes("^[]a]+$", &["]a"]);
    no("^[^]a]$", &["]", "a"]);
    yes("^[a-]+$", &["a-"]);
    yes("^[-a]+$", &["a-"]);
    yes("^[a-c-e]+$", &["b-e"]);
    yes("^[[:alpha:][:digit:]_]+$", &["a1_"]);
    yes("^[[:^alpha:]]$", &["1"]);
    yes("^[[:word:]]+$", &["a_1"]);
    yes(r"^[\d\-x]+$", &["1-x"]);
    yes(r"^[\pL]+$", &["aé"]);
    yes("^[[:x]+$", &["[:x"]);
    yes("^[^a]$", &["é"]);
    refused("[a", 0, "not closed");
    refused("[]", 0, "not closed");
    refused("[z-a]", 1, "reversed");
    refused("[[:foo:]]", 1, "foo");
    refused(r"[a-\d]", 3, r"\d");
    refused(r"[\b]", 1, r"\b");
}

#[test]
fn perl_classes_are_ascii() {
    yes(r"^\d$", &["1"]);
    no(r"^\d$", &["١"]);
    yes(r"^\w$", &["_"]);
    no(r"^\w$", &["é"]);
    yes(r"^\W$", &["é"]);
    yes(r"^\s$", &[" ", "\t", "\x0C"]);
    no(r"^\s$", &["\x0B", "\u{A0}"]);
    yes(r"^\D\S$", &["éé"]);
    yes(r"é\b", &["éa"]);
    no(r"\bé", &["é"]);
    yes(r"\Bé", &["é"]);
    yes(r"(?i)^\w$", &["ſ", "\u{212A}"]);
}

#[test]
fn flags_and_groups() {
    yes("(?i)abc", &["ABC"]);
    yes("a(?i)b|c", &["aB", "C"]);
    no("a(?i)b|c", &["AB"]);
    yes("(?i:a)b", &["Ab"]);
    no("(?i:a)b", &["AB"]);
    yes("(?i)a(?-i)b", &["Ab"]);
    no("(?i)a(?-i)b", &["AB"]);
    yes("(?P<name>a)(?<other>b)", &["ab"]);
    yes("(?P<1a>x)", &["x"]);
    yes("(?sm)^a.b$", &["axb"]);
    yes("(?U)a+", &["aa"]);
    yes("(?:)", &[""]);
    yes("()|(a||b)", &[""]);
    refused("(?x)a", 0, "flags are i, m, s and U");
    refused("(?-)a", 0, "flags are");
    refused("(?P<a>x)(?P<a>y)", 8, "two groups");
    refused("(?P<a b>x)", 0, "not a word");
    refused("(", 0, "not closed");
    refused("a)", 1, "without `(`");
}

#[test]
fn what_neither_has_is_refused_with_a_hint() {
    refused("foo(?=bar)", 3, "look-around");
    refused("foo(?!bar)", 3, "look-around");
    refused("(?<=a)b", 0, "look-around");
    refused("(?<!a)b", 0, "look-around");
    refused("(?>a)", 0, "atomic");
    refused("(?#c)", 0, "comment");
    refused("(?P=n)", 0, "back-reference");
}

#[test]
fn repeats() {
    refused("*", 0, "nothing to repeat");
    refused("a|*", 2, "nothing to repeat");
    refused("(+)", 1, "nothing to repeat");
    refused("a**", 2, "after another repeat");
    refused("a*+", 2, "possessive");
    refused("a{2}{3}", 4, "after another repeat");
    refused("a{1001}", 1, "1000");
    refused("a{3,2}", 1, "reversed");
    refused("{2}", 0, "nothing to repeat");
    yes("^a{1000}$", &[&"a".repeat(1000)]);
    yes("a*?b+?c??d{1,2}?", &["bd"]);
    yes("^*a", &["a"]);
}

#[test]
fn sizes() {
    let long = "a".repeat(Pattern::MAX_BYTES + 1);
    let code = |p: &str| Pattern::new(p, Case::Sensitive, Span::Line).unwrap_err().code();
    assert_eq!(code(&long), "pattern_too_long");
    assert_eq!(code(r"(((\pL{100}){100}){100})"), "pattern_too_big");
    assert_eq!(code(&"(".repeat(300)), "invalid_regex");
    yes(&long[1..], &[&long]);
}

#[test]
fn a_pattern_that_needs_a_line_break_explains_multiline() {
    let error = Pattern::new("a\\nb", Case::Sensitive, Span::Line).unwrap_err();
    assert_eq!(error.code(), "needs_multiline");
    assert!(error.to_string().contains("multiline"));
    for pattern in ["\n", "a\nb", "[\\n]", "(a\\n)+", "\\x0a"] {
        assert!(Pattern::new(pattern, Case::Sensitive, Span::Line).is_err(), "{pattern:?}");
        assert!(Pattern::new(pattern, Case::Sensitive, Span::File).is_ok(), "{pattern:?}");
    }
    yes("a|b\\n", &["a"]);
    no("a|b\\n", &["b"]);
    yes("ab\\n?", &["ab"]);
}

#[test]
fn a_pattern_that_starts_like_an_option_is_a_pattern() {
    yes("--pre=x", &["a --pre=x"]);
    yes("-e", &["-e"]);
}

#[test]
fn case_as_an_option() {
    let pattern = Pattern::new("É(?-i)x", Case::Insensitive, Span::Line).unwrap();
    assert!(pattern.is_match_line("éx".as_bytes()) && !pattern.is_match_line("éX".as_bytes()));
}

#[test]
fn compiled_patterns_are_kept() {
    let mut patterns = Patterns::default();
    for i in 0..40 {
        let source = format!("a{i}");
        let pattern = patterns.get(&source, Case::Sensitive, Span::Line).unwrap();
        assert_eq!(pattern.source(), source);
    }
    assert!(patterns.get("(", Case::Sensitive, Span::Line).is_err());
}
