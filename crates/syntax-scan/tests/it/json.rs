//! JSON: what RFC 8259 accepts, what it rejects, and what it leaves open.

use syntax_scan::{Language, Outcome, scan};

#[track_caller]
fn check(input: impl AsRef<[u8]>, expected: &str) {
    super::check(Language::Json, input, expected);
}

#[test]
fn valid_texts_are_accepted() {
    for text in [
        "{}",
        "[]",
        "0",
        "-0",
        "1.5",
        "1e9",
        "1E+9",
        "-12.25e-3",
        "123456789012345678901234567890",
        "\"\"",
        "true",
        "false",
        "null",
        " [ ] ",
        "\t{\r\n}\n",
        "[[],[[]],{}]",
        "{\"a\":1}",
        "{\"\":0}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":{\"b\":[1,2,{\"c\":null}]}}",
        "[1,\n2]",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\u00e4\\uD83D\\ude00\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\u{7f}\"",
        "\"äöü€😀\"",
        "\"\u{2028}\"",
        "[1e-999]",
        "[1e999]",
        "\"a b\"",
        "[\"a\",\"b\"]",
        "[-1,-0.0,0e1]",
        "\"\u{10ffff}\"",
        "[\n\n\n]",
        "\"long enough to fill more than one word\"",
    ] {
        check(text, "ok");
    }
}

#[test]
fn invalid_texts_are_rejected() {
    for text in [
        "",
        " ",
        "[",
        "]",
        "{",
        "}",
        "[}",
        "{]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1,,2]",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{1:1}",
        "{'a':1}",
        "{\"a\" 1}",
        "{\"a\"::1}",
        "{\"a\":1 \"b\":2}",
        "[1]]",
        "[1],",
        "{}{}",
        "1 2",
        "nul",
        "nulll",
        "tru",
        "True",
        "NaN",
        "Infinity",
        "-Infinity",
        "undefined",
        "01",
        "-01",
        "-",
        "+1",
        ".5",
        "1.",
        "1.e5",
        "1e",
        "1e+",
        "0x1",
        "1_000",
        "1a",
        "--1",
        "\"",
        "\"a",
        "\"a\nb\"",
        "\"\t\"",
        "\"\\x41\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\",
        "\"\\\"",
        "'a'",
        "[1]//c",
        "/* c */[]",
        "[1]#",
        "[\"a\", \n",
        "{\"a\":[1,2}",
        "\u{a0}1",
        "\x0c1",
        "[\u{feff}]",
        "*",
        "\0",
        "[1]\0",
        "{\"a\":1;}",
        "{\"a\":1/*x*/}",
        "[a]",
        "\"a\"b",
        "[\"\u{0}\"]",
        "{\"a\":true,\"b\"",
    ] {
        assert!(matches!(scan(Language::Json, text.as_bytes()), Outcome::Problem(_)), "{text:?}");
    }
}

#[test]
fn strings_are_utf8() {
    let broken: [&[u8]; 12] = [
        b"\"\xff\"",
        b"\"\x80\"",
        b"\"\xc0\xaf\"",
        b"\"\xc3\"",
        b"\"\xe4\xb8\"",
        b"\"\xed\xa0\x80\"",
        b"\"\xf4\x90\x80\x80\"",
        b"\"\xf5\x80\x80\x80\"",
        b"\"\xe0\x80\x80\"",
        b"\"\xf0\x80\x80\x80\"",
        b"\"ok\xc3\x28\"",
        b"\"\xf8\x88\x80\x80\x80\"",
    ];
    for text in broken {
        let Outcome::Problem(problem) = scan(Language::Json, text) else { panic!("{text:?}") };
        assert_eq!(problem.code(), "invalid_utf8");
    }
}

#[test]
fn a_byte_order_mark_is_left_open() {
    check("\u{feff}{}", "skipped: byte_order_mark");
}

#[test]
fn depth_256_is_checked_and_257_is_skipped() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        check(nested(256), "ok");
        check(nested(257), "skipped: too_deep");
        check(nested(100_000), "skipped: too_deep");
    }
}

#[test]
fn messages_say_what_to_repair() {
    check("{\"a\": [1, 2}", "unexpected `}` at 1:12; `[` from 1:7 is still open");
    check("[1]\n]", "unexpected `]` at 2:1; no `[` is open");
    check("{\n  \"a\": 1,\n}", "trailing comma before `}` at 3:1");
    check("{\n  \"a\": {\n", "unclosed `{` opened at line 2, column 8");
    check("{\"ä\": \"b\" \"c\"}", "expected `,` or `}` at 1:11, found `\"`; inside of what opened at 1:1");
    check("{\"a\" 1}", "expected `:` behind the key at 1:6, found `1`; inside of what opened at 1:1");
    check("[1,\n x]", "expected a value at 2:2, found `x`; inside of what opened at 1:1");
    check("", "expected a value at 1:1, found the end of the file");
    check("1 2", "expected nothing behind the value at 1:3, found `2`");
    check(
        "[\"ä\nb\"]",
        "control character 0x0a at 1:4 in the string opened at line 1, column 2; close the string or write the character as an escape",
    );
    check("\"\\q\"", "invalid escape at 1:3 in the string opened at line 1, column 1");
    check("\"abc", "unclosed `\"` opened at line 1, column 1; the file ends inside of the string");
    check("[tru]", "expected `true`, `false` or `null` at 1:5, found `]`; inside of what opened at 1:1");
}
