//! Python.

use syntax_scan::Language;

#[track_caller]
fn check(input: impl AsRef<[u8]>, expected: &str) {
    super::check(Language::Python, input, expected);
}

#[test]
fn balanced_code_is_fine() {
    for text in [
        "",
        "x = {'a': [1, (2)]}\n",
        "# don't (\n",
        "s = '('",
        "s = \"'(\"",
        "s = ''",
        "s = \"\"",
        "s = '''\n( ' '' \\''' '''",
        "\"\"\"(\"\"\"",
        "s = '\\'('",
        "s = r'\\'('",
        "s = b'(' + Rb\"(\" + u'('",
        "s = 'a\\\n('",
        "s = 'a\\\r\n('",
        "x = 1 + \\\n 2",
        "x = 1 + \\\r\n 2",
        "\"\"\"a\"\" \"b\"\"\"",
        "s = '''a\\\\'''",
        "x = {}  # }",
        "s = \"\"\"\"a\"\"\"",
        "r'''\\'''( '''",
    ] {
        check(text, "ok");
    }
}

#[test]
fn fields_of_f_strings_are_code() {
    for text in [
        "f'{x}'",
        "f\"{x['a']}\"",
        "f\"{x[\"a\"]}\"",
        "f'{{ ( }}'",
        "f'{x!r:>{w}}'",
        "f'{x:{y:{z}}}'",
        "f'''{\n x # (\n}'''",
        "f'{x:%H:%M}'",
        "f'{ {1: 2}[1] }'",
        "f'{a[1:2]}'",
        "f'{lambda_(x)}'",
        "f'\\{x}'",
        "rf'\\{x}'",
        "f'\\N{LEFT PARENTHESIS}'",
        "f'{f\"{f'{1}'}\"}'",
        "F'{x}' fR'{y}' Rf'{z}'",
        "t'{x}'",
        "f'a\\'{x}'",
        "f''",
        "f'''{x}'''",
        "if'{'<x: y",
        "f'{x:=^10}'",
        "f'{(x:=1)}'",
        "f'{x:(}'",
        "f\"{x!r:^{width}.{precision}}\"",
        "f'{x}{{{y}}}'",
        "f'{\n1}'",
    ] {
        check(text, "ok");
    }
}

#[test]
fn problems_say_where() {
    check("f(a\nb]\n", "unexpected `]` at 2:2; `(` from 1:2 is still open");
    check("x = [1,\n", "unclosed `[` opened at line 1, column 5");
    check(
        "s = 'a\n",
        "unclosed `'` opened at line 1, column 5; the line ends at 1:7 without the closing `'`",
    );
    check(
        "\"\"\"a\n\"\"",
        "unclosed `\"\"\"` opened at line 1, column 1; the file ends inside of the string",
    );
    check("x = \\ 1\n", "unexpected `\\` at 1:5; outside of a string it must end its line");
    check("f'{x'\n", "unclosed `'` opened at line 1, column 5; the line ends at 1:6 without the closing `'`");
    check("f'{x:a'\n", "unclosed `{` opened at line 1, column 3");
    check("f'a}'\n", "unexpected `}` at 1:4; no `{` is open");
    check("f'{x)}'\n", "unexpected `)` at 1:5; `{` from 1:3 is still open");
    check("ä = ']' + )", "unexpected `)` at 1:11; no `(` is open");
}

#[test]
fn depth_256_is_checked_and_257_is_skipped() {
    check(format!("{}{}", "(".repeat(256), ")".repeat(256)), "ok");
    check(format!("{}{}", "(".repeat(257), ")".repeat(257)), "skipped: too_deep");
}

#[test]
fn another_encoding_is_skipped_rather_than_blamed() {
    check(b"# -*- coding: shift_jis -*-\ns = '\x83\x5c'\n", "skipped: encoding");
}
