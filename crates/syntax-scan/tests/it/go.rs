//! Go.

use syntax_scan::Language;

#[track_caller]
fn check(input: impl AsRef<[u8]>, expected: &str) {
    super::check(Language::Go, input, expected);
}

#[test]
fn balanced_code_is_fine() {
    for text in [
        "",
        "package a\n\nfunc f() { x := []int{1}; _ = x[0] }\n",
        "r := '\\''; s := '{'; t := '\"'",
        "s := `a \" \\ ( \n {`",
        "s := \"` ( \\\" \\\\\"",
        "// don't (\n",
        "/* ` ( */",
        "a / b",
        "/*/ ( */",
        "x := '\\u00e4'",
        "x := '世'",
        "c := 'a' // '",
    ] {
        check(text, "ok");
    }
}

#[test]
fn problems_say_where() {
    check("func f() {\n\tg(1\n}\n", "unexpected `}` at 3:1; `(` from 2:3 is still open");
    check("func f() {\n", "unclosed `{` opened at line 1, column 10");
    check(
        "s := \"a\n",
        "unclosed `\"` opened at line 1, column 6; the line ends at 1:8 without the closing `\"`",
    );
    check(
        "s := \"a\\\n\"",
        "unclosed `\"` opened at line 1, column 6; the line ends at 1:9 without the closing `\"`",
    );
    check(
        "s := `a\n",
        "unclosed ```` opened at line 1, column 6; the file ends inside of the string"
            .replace("````", "```")
            .as_str(),
    );
    check("r := ''", "empty character literal `''` at 1:6");
    check("/* a", "unclosed comment `/*` opened at line 1, column 1");
    check(")", "unexpected `)` at 1:1; no `(` is open");
}

#[test]
fn depth_256_is_checked_and_257_is_skipped() {
    check(format!("{}{}", "[".repeat(256), "]".repeat(256)), "ok");
    check(format!("{}{}", "[".repeat(257), "]".repeat(257)), "skipped: too_deep");
}
