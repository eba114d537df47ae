//! C and C++.

use syntax_scan::Language;

#[track_caller]
fn check(input: impl AsRef<[u8]>, expected: &str) {
    super::check(Language::CFamily, input, expected);
}

#[test]
fn balanced_code_is_fine() {
    for text in [
        "",
        "int main(void) { return a[0]; }\n",
        "// don't {\n",
        "/* \" ( */",
        "/**/",
        "/***/",
        "/*/ ( */",
        "a / b /* ( */ / c",
        "char *s = \"( \\\" {\";",
        "char c = '{', d = '\\'', e = '\"', f = '\\\\';",
        "char *s = \"a \\\n( b\";",
        "char *s = \"a \\\r\n( b\";",
        "// a \\\n ( still a comment\n",
        "int x; // {",
        "a = b //* c\n;",
        "x = '\\x28';",
        "'ab'",
        "\u{feff}#include <a.h>\nint x;",
        "x = L'(' + u8'[' + u'{' + U'}';",
        "return'(';",
        "s = u8\"(\" L\"[\";",
    ] {
        check(text, "ok");
    }
}

#[test]
fn digit_separators_are_no_quotes() {
    for text in [
        "1'000'000",
        "0xFF'a0'b1",
        "0b1010'1010",
        "1'0.5e+1'0",
        "x = 1'000; c = '1';",
        "f(1'0, '(')",
        "0x1'ab'cd'ef;",
    ] {
        check(text, "ok");
    }
    check(
        "x = '\\0' + \\0';",
        "unclosed `'` opened at line 1, column 14; the line ends at 1:16 without the closing `'`",
    );
    check(
        "x = 1'000 + '",
        "unclosed `'` opened at line 1, column 13; the line ends at 1:14 without the closing `'`",
    );
}

#[test]
fn raw_strings_end_at_their_delimiter() {
    for text in [
        "R\"(a \" ( \\)\";",
        "R\"x(a)\" )y\" )x\";",
        "u8R\"(()\"",
        "LR\"-(\n(\n)-\"",
        "uR\"()\"",
        "UR\"a()a\"",
        "R\"()))))\"",
        "FOUR\"\\\"(\"",
        "R\"1234567890123456()1234567890123456\"",
    ] {
        check(text, "ok");
    }
    check("x = R\"a(b", "unclosed `R\"` opened at line 1, column 6; the file ends inside of the string");
    check("R\"a b(c)a b\"", "skipped: raw_string");
    check("R\"12345678901234567()12345678901234567\"", "skipped: raw_string");
}

#[test]
fn problems_say_where() {
    check("int f(void)\n{\n\tg(a[1);\n}\n", "unexpected `)` at 3:7; `[` from 3:5 is still open");
    check("void f() {\n  if (x) {\n}\n", "unclosed `{` opened at line 1, column 10");
    check("}\n", "unexpected `}` at 1:1; no `{` is open");
    check(
        "x = \"abc;\n",
        "unclosed `\"` opened at line 1, column 5; the line ends at 1:10 without the closing `\"`",
    );
    check(
        "x = \"ä\" + 'ö;\n",
        "unclosed `'` opened at line 1, column 11; the line ends at 1:14 without the closing `'`",
    );
    check("a;\n /* b", "unclosed comment `/*` opened at line 2, column 2");
    check("x = '';", "empty character literal `''` at 1:5");
    check("#if A\nint x;\n", "unclosed `#if` opened at line 1, column 1");
    check("int x;\n#endif\n", "unexpected `#endif` at 2:1; no `#if` is open");
    check("#else\n", "unexpected `#else` at 1:1; no `#if` is open");
    check("#if (A && (B)\nint x;\n#endif\n", "unclosed `(` opened at line 1, column 5");
    check("#if A)\n#endif\n", "unexpected `)` at 1:6; no `(` is open");
    check(
        "#include \"a.h\n",
        "unclosed `\"` opened at line 1, column 10; the line ends at 1:14 without the closing `\"`",
    );
}

#[test]
fn text_of_directives_is_not_code() {
    for text in [
        "#error don't do ( this\n",
        "#warning it's \" bad\n",
        "  #  pragma omp ( {\nint x;",
        "#include <it's>\n",
        "/* a */ #error (\n",
        "#error a \\\n ( b\nint x;",
        "#endif_ (\n",
        "#\nint x;",
        "#define A don_t /* ( \n */\nint x;",
        "#if 0\ndon't ( {\n#endif\n",
        "#if 0 // why not\n'\n#else\nint x;\n#endif",
        "#if 1\nint x;\n#else\n( don't\n#endif\n",
        "#if 0\n#if A\n(\n#else\n{\n#endif\n}\n#endif\n",
        "#ifdef A\nint x; /*\n#endif\n*/\n#endif\n",
        "#if A /* ( */\n#endif // )\n",
        "#if defined(A) && \\\n  (B)\n#endif\n",
        "#if 0 && defined(A_RATHER_LONG_NAME) && defined(ANOTHER_LONG_NAME)\n(\n#endif\n",
        "#line 5 \"it's\"\n",
    ] {
        check(text, "ok");
    }
}

#[test]
fn macros_may_be_unbalanced_in_pairs() {
    for text in [
        "#define BEGIN {\n#define END }\nvoid f() BEGIN g(); END\n",
        "#define BEGIN do {\n#define END } while (0)\nvoid f() { BEGIN g(); END; }\n",
        "#define NEXT }, {\nint a[2][1] = { { 1 NEXT 2 } };\n",
        "#define ONLY {\n",
    ] {
        check(text, "ok");
    }
    check("#define BEGIN {\nvoid f() BEGIN g(); }\n", "skipped: unbalanced_macro");
    check("#include TABLE\n}\n", "skipped: unbalanced_macro");
    check("BEGIN(namespace a {, B)\n", "skipped: unbalanced_macro");
    check(
        "#define MAX(a, b ((a) > (b) ? (a) : (b))\nint x = MAX(1, 2);\n",
        "the parameters of a macro opened at line 1, column 12 are no list of names that ends with `)`: see 1:18",
    );
    check(
        "#define MAX(a, b) ((a > (b) ? (a) : (b))\nint x = MAX(1, 2);\n",
        "unclosed `(` opened at line 1, column 19",
    );
}

#[test]
fn parameters_of_macros_are_names() {
    for text in [
        "#define A() (\n#define B( a , b ) )\n",
        "#define A(...) f(__VA_ARGS__)\n",
        "#define A(a, ...) f(a, __VA_ARGS__)\n",
        "#define A(a...) f(a)\n",
        "#define A(a, /* ( */ b) f(a)\n",
        "#define A(a, \\\n b) f(a)\n",
        "#define A (1\n",
        "#if 0\n#define A(1\n#endif\n",
        // A branch that nobody compiles may hold anything; only what a lost delimiter leaves is looked for.
        "#if A\nint x;\n#else\n#define A(u64 x) do {} while (0)\n#endif\n",
    ] {
        check(text, "ok");
    }
    for (text, place) in [
        ("#define A((a) (a)\n", "1:11"),
        ("#define A(a (a)\n", "1:13"),
        ("#define A(a,) (a)\n", "1:13"),
        ("#define A(a\n", "1:12"),
        ("#define A(a b) (a)\n", "1:13"),
        ("#define A(..) (a)\n", "1:13"),
        ("#define A(1) (a)\n", "1:11"),
    ] {
        check(
            text,
            &format!(
                "the parameters of a macro opened at line 1, column 10 are no list of names that ends with `)`: see {place}"
            ),
        );
    }
}

#[test]
fn one_macro_with_a_parenthesis_too_many_is_wrong_where_another_uses_it() {
    check("#define A(a) ((a)\n", "ok");
    check("#define A(a) ((a)\n#define B(a) A(a)\n", "unclosed `(` opened at line 1, column 14");
    check("#define A(a) {(a)\n#define B(a) A(a)\n", "ok");
    check("#if X\n#define A(a) ((a)\n#endif\n#define B(a) A(a)\n", "ok");
}

#[test]
fn macros_that_open_braces_leave_parentheses_alone() {
    let macros = "#define BEGIN {\n#define END }\n";
    check(format!("{macros}void f( BEGIN g(); END\n"), "unclosed `(` opened at line 3, column 7");
    check(format!("{macros}void f() {{ BEGIN g(); }}\nEND {{"), "skipped: unbalanced_macro");
}

#[test]
fn branches_that_agree_are_fine() {
    for text in [
        "#ifdef A\nif (a) {\n#else\nif (b) {\n#endif\n}\n",
        "if (x) {\n#ifdef A\n} else if (y) {\n#endif\n}\n",
        "f(a,\n#if A\n b);\n#elif B\n c);\n#else\n d);\n#endif\n",
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint x;\n#ifdef __cplusplus\n}\n#endif\n",
        "#if defined(__cplusplus)\nextern \"C\" {\n#else\n#define A\n#endif\n#if defined __cplusplus\n}\n#endif\n",
        "#ifndef G\n#define G\nint f(void);\n#endif\n",
    ] {
        check(text, "ok");
    }
}

#[test]
fn branches_that_disagree_are_skipped_when_the_file_does_not_balance() {
    check("#if A\nif (a) {\n#endif\nx;\n#if A\n}\n#endif\n", "ok");
    check("#if A\n{\n#endif\n#if B\n{\n#endif\n}\n", "skipped: conditional_compilation");
    check("#if A\nint f(void) {\n#else\nint f(int) {\n#endif\n", "unclosed `{` opened at line 4, column 12");
    check(
        "int a;\n#if A\nint f(void) {\n#endif\n",
        "the branches of `#if` opened at line 2, column 1 do not balance: at 4:1 other delimiters are open than in the other case",
    );
    check("{\n#if A\n}\n#else\n#endif\n", "skipped: conditional_compilation");
    check("#if A\nf(a);\n#else\nf(b];\n#endif\n", "unexpected `]` at 4:4; `(` from 4:2 is still open");
    check("#ifdef _MSC_VER\nf(a);\n#else\nf(b];\n#endif\n", "skipped: conditional_compilation");
    check(
        "#if A\nint f();\n#else\nint f() {{ }\n#endif\n",
        "the branches of `#if` opened at line 1, column 1 do not balance: at 5:1 other delimiters are open than in the other case",
    );
}

#[test]
fn many_nested_conditions_are_no_problem() {
    let nested = |depth: usize| format!("{}int x;\n{}", "#if A\n".repeat(depth), "#endif\n".repeat(depth));
    check(nested(32), "ok");
    check(nested(33), "ok");
    check(nested(500), "ok");
    check(format!("{}}}", nested(33)), "skipped: conditional_compilation");
}

#[test]
fn depth_256_is_checked_and_257_is_skipped() {
    check(format!("{}{}", "(".repeat(256), ")".repeat(256)), "ok");
    check(format!("{}{}", "(".repeat(257), ")".repeat(257)), "skipped: too_deep");
}

#[test]
fn doubtful_bytes_are_skipped() {
    check(b"int x;\0(", "skipped: binary");
    check(b"// caf\xe9\nint f( {", "skipped: encoding");
    check(b"// caf\xe9\nint f();", "ok");
}
