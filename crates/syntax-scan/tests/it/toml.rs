//! TOML.

use syntax_scan::Language;

#[track_caller]
fn check(input: impl AsRef<[u8]>, expected: &str) {
    super::check(Language::Toml, input, expected);
}

#[test]
fn balanced_documents_are_fine() {
    for text in [
        "",
        "a = 1\n[b]\nc = [1, # don't \"\n 2]\n",
        "[[a]]\nb = { c = 1 }\n",
        "a = \"( [ \\\" \"",
        "a = 'C:\\['",
        "a = \"\"\"\n[ \" \"\" \\\"\"\" \"\"\"",
        "a = '''[ ' '' '''",
        "a = \"\"",
        "a = ''",
        "a = \"\"\"\"quoted\"\"\"\"\"",
        "a = ''''quoted'''''",
        "d = 1979-05-27T07:32:00Z",
        "\"a]\" = 1",
        "'a]' . b = 1",
        "a = \"\"\"\\\n  b\"\"\"",
        "a = \"\"\"\\\r\n  b\"\"\"",
    ] {
        check(text, "ok");
    }
}

#[test]
fn problems_say_where() {
    check("a = [1,\n", "unclosed `[` opened at line 1, column 5");
    check("[a\nb = 1\n", "unclosed `[` opened at line 1, column 1");
    check("a]\n", "unexpected `]` at 1:2; no `[` is open");
    check("a = { b = [1 }\n", "unexpected `}` at 1:14; `[` from 1:11 is still open");
    check(
        "a = \"b\n",
        "unclosed `\"` opened at line 1, column 5; the line ends at 1:7 without the closing `\"`",
    );
    check(
        "a = \"b\\\n\"",
        "unclosed `\"` opened at line 1, column 5; the line ends at 1:8 without the closing `\"`",
    );
    check("a = '''b''\n", "unclosed `'''` opened at line 1, column 5; the file ends inside of the string");
    check("a = \\\n", "unexpected `\\` at 1:5; outside of a string it must end its line");
}

#[test]
fn depth_256_is_checked_and_257_is_skipped() {
    check(format!("a = {}{}", "[".repeat(256), "]".repeat(256)), "ok");
    check(format!("a = {}{}", "[".repeat(257), "]".repeat(257)), "skipped: too_deep");
}
