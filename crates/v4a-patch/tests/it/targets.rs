//! Lists of targets: where they are found, how they are replaced, and why they are refused. A number at the start of
//! a case is that of its test vector.

use v4a_patch::{
    MAX_DESCRIPTION_BYTES, MAX_TARGETS, Matched, Target, TargetError, TextDiagnosis, plan_targets,
};

/// A target by its texts; `All` replaces every occurrence.
#[derive(Clone, Copy)]
enum T<'t> {
    One(&'t str, &'t str),
    All(&'t str, &'t str),
}

use T::{All, One};

fn targets<'t>(list: &[T<'t>]) -> Vec<Target<'t>> {
    let target = |one: &T<'t>| match *one {
        One(old, new) => Target { old: old.as_bytes(), new: new.as_bytes(), replace_all: false },
        All(old, new) => Target { old: old.as_bytes(), new: new.as_bytes(), replace_all: true },
    };
    list.iter().map(target).collect()
}

/// Plans `list` for `file` and compares the result.
#[track_caller]
fn check(name: &str, file: &str, list: &[T<'_>], expected: &str) {
    let plan = plan_targets(file.as_bytes(), &targets(list)).map_err(|error| error.to_string());
    let plan = plan.expect(name);
    let result = plan.render(file.as_bytes());
    assert_eq!(String::from_utf8_lossy(&result), expected, "{name}");
    assert_eq!(plan.new_len(), result.len(), "{name}");
    assert_eq!(plan.changed(file.as_bytes()), file != expected, "{name}");
}

/// Plans `list` for `file` and returns the refusal.
#[track_caller]
fn refuse(name: &str, file: &str, list: &[T<'_>], code: &str) -> TargetError {
    let error = plan_targets(file.as_bytes(), &targets(list)).expect_err(name);
    assert_eq!(error.code(), code, "{name}: {error}");
    let text = error.describe(file.as_bytes(), |line| String::from_utf8_lossy(line).into_owned());
    assert!(text.starts_with(&error.to_string()) && text.len() <= MAX_DESCRIPTION_BYTES, "{name}: {text}");
    error
}

/// Returns the cause of a text that is not found.
#[track_caller]
fn cause(name: &str, file: &str, old: &str, code: &str) -> String {
    let error = refuse(name, file, &[One(old, "new")], "text_not_found");
    assert_eq!(error.diagnosis().map(TextDiagnosis::code), Some(code), "{name}: {error}");
    assert_eq!(error.targets(), [0]);
    error.to_string()
}

const A: &str = "a\nb\nc\n";

#[test]
fn places_are_those_of_the_original() {
    check("114", A, &[One("b", "B")], "a\nB\nc\n");
    check("115", A, &[One("a", "x"), One("c", "y")], "x\nb\ny\n");
    check("115 any order", A, &[One("c", "y"), One("a", "x")], "x\nb\ny\n");
    check("117", A, &[One("b", "z"), One("a", "b")], "b\nz\nc\n");
    check("adjacent", "ab", &[One("a", "x"), One("b", "y")], "xy");
    check("129", A, &[One("a", "a\nnew")], "a\nnew\nb\nc\n");
    check("insert before", A, &[One("b", "new\nb")], "a\nnew\nb\nc\n");
    check("134", "a\nb", &[One("a", "x")], "x\nb");
    check("134 last line", "a\nb", &[One("b", "x")], "a\nx");
    check("no targets", A, &[], A);
    let error = refuse("122", A, &[One("a", "x"), One("missing", "y")], "text_not_found");
    assert_eq!(error.targets(), [1]);
    assert!(error.to_string().starts_with("targets[1]: the text is not in the file"), "{error}");
}

#[test]
fn a_text_of_an_earlier_result_is_refused() {
    let error = refuse("116", A, &[One("a", "b"), One("b", "z")], "shadowed");
    assert_eq!(error.targets(), [0, 1]);
    assert_eq!(error, TargetError::Shadowed { target: 1, by: 0 });
    refuse("116 within", A, &[One("a", "xbx"), One("c", "y"), One("b", "z")], "shadowed");
    refuse("116 trailing newline", A, &[One("a", "b, and"), One("b\n", "z\n")], "shadowed");
    refuse("116 trailing CRLF", "a\r\nb\r\n", &[One("a", "b, and"), One("b\r\n", "z\r\n")], "shadowed");
    refuse("116 only newlines", "a\n\nb", &[One("a", "x\n\ny"), One("\n\n", "\n")], "shadowed");
    check("newlines are no part of others", "a\n\nb", &[One("a", "x"), One("\n\n", "\n")], "x\nb");
    check("its own result", A, &[One("a", "aa")], "aa\nb\nc\n");
    check("a later result", A, &[One("b", "x"), One("c", "b")], "a\nx\nb\n");
    check("an earlier no-op", A, &[One("b", "b"), One("b", "x")], "a\nx\nc\n");
    check("a later no-op", A, &[One("a", "b"), One("b", "b")], "b\nb\nc\n");
    let error = refuse("unfound comes later", A, &[One("q", "b"), One("b", "z")], "shadowed");
    assert!(error.to_string().contains("put targets[1] before targets[0]"), "{error}");
}

#[test]
fn no_byte_is_changed_twice() {
    let error = refuse("118", A, &[One("a\nb", "x"), One("b\nc", "y")], "overlap");
    assert_eq!(error, TargetError::Overlap { first: 0, second: 1, line: 2 });
    assert_eq!(error.to_string(), "targets[0] and targets[1] both change line 2; join the two");
    let error = refuse("119", A, &[One("b", "x"), One("b", "x")], "overlap");
    assert_eq!(error.file_lines(), [2]);
    refuse("119 other result", A, &[One("b", "x"), One("b", "y")], "overlap");
    refuse("one within all", A, &[One("c\n", "x"), All("\n", ";")], "overlap");
    let error = refuse("order", A, &[One("c", "x"), One("b\nc", "y")], "overlap");
    assert_eq!(error, TargetError::Overlap { first: 0, second: 1, line: 3 });
    refuse("the end of a deleted line", A, &[One("b", ""), One("\nc", "x")], "overlap");
}

#[test]
fn without_replace_all_there_is_one_place() {
    let three = "x\ny\nx\nx\n";
    let error = refuse("120", three, &[One("x", "z")], "ambiguous");
    assert_eq!(error.file_lines(), [1, 2, 3, 4]);
    let text = error.to_string();
    assert!(text.contains("occurs 3 times, at line 1, 3, 4") && text.contains("`replace_all`"), "{text}");
    check("120 all", three, &[All("x", "z")], "z\ny\nz\nz\n");
    check("121", "aaaa", &[All("aa", "b")], "bb");
    check("121 odd", "aaa", &[All("aa", "b")], "ba");
    refuse("overlapping places", "aaa", &[One("aa", "b")], "ambiguous");
    check("all of one", A, &[All("b", "x")], "a\nx\nc\n");
    refuse("all of none", A, &[All("q", "x")], "text_not_found");
    let error = refuse("123", A, &[One("a", "x"), One("", "y")], "empty_anchor");
    assert_eq!(error.targets(), [1]);
    refuse("123 no-op", A, &[One("", "")], "empty_anchor");
}

#[test]
fn targets_that_change_nothing() {
    let plan = |list: &[T<'static>]| plan_targets(A.as_bytes(), &targets(list));
    let all = plan(&[One("a", "a"), One("not there", "not there")]).unwrap();
    assert_eq!(
        (all.splices(), all.skipped(), all.changed(A.as_bytes())),
        (&[][..], &[0, 1][..], false),
        "124"
    );
    let some = plan(&[One("a", "a"), One("b", "x")]).unwrap();
    assert_eq!((some.skipped(), some.splices().len()), (&[0][..], 1), "125");
    assert_eq!(some.splices()[0].target, 1);
    assert_eq!(some.render(A.as_bytes()), b"a\nx\nc\n");
    check("the last target is still checked", A, &[One("b", "b"), One("b", "b")], A);
}

#[test]
fn deletions() {
    check("126", A, &[One("b", "")], "a\nc\n");
    check("126 with newline", A, &[One("b\n", "")], "a\nc\n");
    check("126 newline before", A, &[One("\nb", "")], "a\nc\n");
    check("126 CRLF", "a\r\nb\r\nc\r\n", &[One("b", "")], "a\r\nc\r\n");
    check("126 CRLF with newline", "a\r\nb\r\nc\r\n", &[One("b\n", "")], "a\r\nc\r\n");
    check("126 CRLF newline before", "a\r\nb\r\nc\r\n", &[One("\nb", "")], "a\r\nc\r\n");
    check("126 several lines", A, &[One("a\nb", "")], "c\n");
    check("126 last line", "a\nb", &[One("b", "")], "a\n");
    check("126 first line behind a mark", "\u{feff}a\nb\n", &[One("a", "")], "\u{feff}b\n");
    check("an empty line behind", "a\nb\n\nc\n", &[One("b\n", "")], "a\n\nc\n");
    check("an empty line is a whole line", "a\n\nb\nc\n", &[One("\nb", "")], "a\nc\n");
    check("127", "head tail\nnext", &[One("tail", "")], "head \nnext");
    check("127 start", "head tail\nnext", &[One("head ", "")], "tail\nnext");
    let error = refuse("128", "foo bar\nfoo\n", &[One("foo", "")], "ambiguous");
    assert_eq!(error.file_lines(), [1, 2]);
    check("all", "x\na\nx\nx\n", &[All("x", "")], "a\n");
    check("all, some within lines", "x\nax\nx", &[All("x", "")], "a\n");
    check("an end that is the next start", "\nx\nx\na", &[All("\nx", "")], "\na");
    refuse("130", A, &[One(A, "")], "would_be_empty");
    refuse("130 by parts", A, &[One("a", ""), One("b\n", ""), One("c", " ")], "would_be_empty");
    refuse("130 other blanks", "x\u{3000}", &[One("x", "\u{a0}")], "would_be_empty");
    refuse("130 mark", "\u{feff}x", &[One("x", "")], "would_be_empty");
    check("a blank file", " \n", &[One(" ", "\t")], "\t\n");
}

#[test]
fn line_ends() {
    check("132", "a\r\nb\r\nc\r\n", &[One("a\nb", "x\ny\nz")], "x\r\ny\r\nz\r\nc\r\n");
    check("132 one line", "a\r\nb\r\n", &[One("a", "x\ny")], "x\r\ny\r\nb\r\n");
    check("132 own CRLF", "a\r\nb\r\n", &[One("a\r\nb", "x\r\ny\nz")], "x\r\ny\r\nz\r\n");
    check("132 CRLF in an LF file", "a\nb\n", &[One("a", "x\r\ny")], "x\r\ny\nb\n");
    check("132 last line", "a\r\nb", &[One("b", "x\ny")], "a\r\nx\r\ny");
    check("132 only line", "b", &[One("b", "x\ny")], "x\ny");
    check("132 starts with a line end", "a\r\nb\r\n", &[One("\nb", "\nx\nb")], "a\r\nx\r\nb\r\n");
    check("132 with CRs", "a\r\n\r\nb\r\n", &[One("\n\r\nb", "\n\r\nx\nb")], "a\r\n\r\nx\r\nb\r\n");
    check("132 half line ends", "a\r\n\r\nb", &[One("\n\r", "\nx\r")], "a\r\nx\r\nb");
    check("132 joins lines", "a\r\nb\r\n", &[One("\nb", "b")], "ab\r\n");
    check("133", "a\r\nb\nc\r\n", &[One("b", "x\ny")], "a\r\nx\ny\nc\r\n");
    check("133 CRLF line", "a\r\nb\nc\r\n", &[One("c", "x\ny")], "a\r\nb\nx\r\ny\r\n");
    check(
        "133 lines that stay",
        "a\nb\r\nc\nd\r\n",
        &[One("a\nb\nc\n", "a\nX\nc\nnew\n")],
        "a\nX\r\nc\nnew\nd\r\n",
    );
    check("133 exact lines that stay", "a\r\nb\nc\r\n", &[One("a\r\nb\nc", "a\r\nB\nc")], "a\r\nB\nc\r\n");
    check("133 all", "x\r\ny\nx\n", &[All("x", "1\n2")], "1\r\n2\r\ny\n1\n2\n");
    check("exact decides", "a\nb\r\na\r\nb\r\n", &[One("a\nb", "x")], "x\r\na\r\nb\r\n");
    refuse("ambiguous without the ends", "a\r\nb\r\na\r\nb\r\n", &[One("a\nb", "x")], "ambiguous");
    check("all without the ends", "a\r\nb\r\na\r\nb\r\n", &[All("a\nb", "x")], "x\r\nx\r\n");
    check("only ends change", "a\nb\n", &[All("\n", "\r\n")], "a\r\nb\r\n");
    check("only ends change back", "a\r\nb\r\n", &[All("\r\n", "\n")], "a\nb\n");
    check("only ends, there already", "a\r\nb", &[One("\nb", "\r\nb")], "a\r\nb");
    assert!(cause("CRLF text, LF file", "a\nb\n", "a\r\nb\r\n", "line_ending").contains("the file has LF"));
    let file = "a\r\n\u{201c}b\u{201d}\r\n";
    let list = targets(&[One("a\n\"b\"", "a\n\"c\"\nd")]);
    let plan = plan_targets(file.as_bytes(), &list).unwrap();
    assert_eq!(plan.splices()[0].matched, Matched::QuotesAndLineEnds);
    assert_eq!(plan.render(file.as_bytes()), "a\r\n\u{201c}c\u{201d}\r\nd\r\n".as_bytes());
}

#[test]
fn bytes_that_are_no_text() {
    check("135", "\u{feff}a\nb\n", &[One("a", "x")], "\u{feff}x\nb\n");
    let plan = |file: &[u8], old: &[u8], new: &[u8]| {
        plan_targets(file, &[Target { old, new, replace_all: false }]).map(|plan| plan.render(file))
    };
    assert_eq!(plan(b"caf\xe9 a\n\xff", b"a\n", b"b\n"), Ok(b"caf\xe9 b\n\xff".to_vec()), "136");
    assert_eq!(plan(b"caf\xe9\n", b"caf\xe9", b"th\xe9"), Ok(b"th\xe9\n".to_vec()), "137 encoded");
    assert_eq!(plan(b"caf\xe9\n", "café".as_bytes(), b"x").unwrap_err().code(), "text_not_found", "137");
    assert_eq!(plan(b"\xe2\x80x\0'\n", b"x\0'", b"'y"), Ok(b"\xe2\x80'y\n".to_vec()));
    check("138", A, &[One("b", "$& $1 $$ \\1 ${0} %s")], "a\n$& $1 $$ \\1 ${0} %s\nc\n");
    let line = "0123456789".repeat(250_000);
    let file = format!("{line}here{line}\n");
    let expected = format!("{line}there{line}\n");
    check("149", &file, &[One("9here0", "9there0")], &expected);
}

#[test]
fn quotes() {
    check("141", "I don\u{2019}t\n", &[One("don't", "don't do")], "I don\u{2019}t do\n");
    check(
        "142",
        "say \u{201c}hi\u{201d}\n",
        &[One("say \"hi\"", "say \"hello\"")],
        "say \u{201c}hello\u{201d}\n",
    );
    check(
        "143",
        "say \"hi\"\n",
        &[One("say \u{201c}hi\u{201d}", "say \u{201c}hello\u{201d} \u{2018}x\u{2019}")],
        "say \"hello\" 'x'\n",
    );
    check("144", "it's\nit\u{2019}s\n", &[One("it's", "it is")], "it is\nit\u{2019}s\n");
    check("144 curly", "it's\nit\u{2019}s\n", &[One("it\u{2019}s", "it is")], "it's\nit is\n");
    let error = refuse("145", "it\u{2019}s\nit\u{2018}s\n", &[One("it's", "it is")], "ambiguous");
    assert_eq!(error.file_lines(), [1, 2]);
    assert!(error.to_string().contains("curly and straight quotes are taken for equal"), "{error}");
    check(
        "145 all",
        "it\u{2019}s\nit\u{2018}s\n",
        &[All("it's", "it's so")],
        "it\u{2019}s so\nit\u{2018}s so\n",
    );
    check("146", "\"x\"\n", &[One("\"x\"", "\u{201c}x\u{201d}")], "\u{201c}x\u{201d}\n");
    check("146 back", "\u{201c}x\u{201d}\n", &[One("\u{201c}x\u{201d}", "\"x\"")], "\"x\"\n");
    refuse(
        "146 is not found by itself",
        "\u{201c}x\u{201d}\n",
        &[One("\"x\"", "\u{201e}x\u{201d}")],
        "text_not_found",
    );
    check(
        "146 over lines",
        "\"x\"\r\ny\r\n",
        &[One("\"x\"\ny", "\u{201c}x\u{201d}\ny")],
        "\u{201c}x\u{201d}\r\ny\r\n",
    );
    check("exact is literal", "'a' b\n", &[One("'a' b", "'a' \u{2018}c\u{2019}")], "'a' \u{2018}c\u{2019}\n");
}

#[test]
fn quotes_of_a_replacement() {
    // The place is always `“a” b’s` and the text that is searched for has straight quotes.
    let curly = |name: &str, new: &str, expected: &str| {
        check(name, "<\u{201c}a\u{201d} b\u{2019}s>", &[One("\"a\" b's", new)], &format!("<{expected}>"));
    };
    curly("start", "'x' \"a\" b's", "\u{2018}x\u{2019} \u{201c}a\u{201d} b\u{2019}s");
    curly(
        "brackets",
        "\"a\" b's ('x') [\"x\"] {'x'}",
        "\u{201c}a\u{201d} b\u{2019}s (\u{2018}x\u{2019}) [\u{201c}x\u{201d}] {\u{2018}x\u{2019}}",
    );
    curly(
        "dashes",
        "\"a\" b's -'x' \u{2014}\"x\"",
        "\u{201c}a\u{201d} b\u{2019}s -\u{2018}x\u{2019} \u{2014}\u{201c}x\u{201d}",
    );
    curly("newline", "\"a\" b's\n\"x\"", "\u{201c}a\u{201d} b\u{2019}s\n\u{201c}x\u{201d}");
    curly("between letters", "\"a\" b's don't é'a", "\u{201c}a\u{201d} b\u{2019}s don\u{2019}t é\u{2019}a");
    curly("own curly ones", "\"a\" b's \u{201e}x\u{201c}", "\u{201c}a\u{201d} b\u{2019}s \u{201e}x\u{201c}");
    curly("without", "c", "c");
    curly("empty", "", "");
    // A quote that is shared stays, whatever it is.
    check("odd ones stay", "<\u{201d}a\u{201e} b>", &[One("\"a\" b", "\"a\" c")], "<\u{201d}a\u{201e} c>");
    check(
        "mixed ones stay",
        "<\"a\u{201d} b>",
        &[One("\"a\" b", "\"x\" c \"d\"")],
        "<\"x\u{201d} c \u{201c}d\u{201d}>",
    );
    check(
        "in the middle",
        "<1 \u{201c}a\u{201d} 2>",
        &[One("1 \"a\" 2", "3 \"a\" 4")],
        "<3 \u{201c}a\u{201d} 4>",
    );
    check("moved", "<\u{201a}a\u{201b} 2>", &[One("'a' 2", "2 'a'")], "<2 \u{201a}a\u{201b}>");
}

#[test]
fn how_targets_matched() {
    let file = "a\r\nb \u{201c}q\u{201d}\r\n";
    let list = targets(&[One("a\nb", "A\nB"), One("\"q\"", "\"Q\"")]);
    let plan = plan_targets(file.as_bytes(), &list).unwrap();
    let found: Vec<_> =
        plan.splices().iter().map(|it| (it.range.clone(), it.target, it.matched.code())).collect();
    assert_eq!(found, [(0..4, 0, "line_ends"), (5..12, 1, "quotes")]);
    assert_eq!(plan.render(file.as_bytes()), "A\r\nB \u{201c}Q\u{201d}\r\n".as_bytes());
    let literal = plan_targets(b"a", &targets(&[One("a", "b")])).unwrap();
    assert!(matches!(literal.splices()[0].replacement, std::borrow::Cow::Borrowed(b"b")));
    assert_eq!(literal.splices()[0].matched, Matched::Exact);
}

#[test]
fn why_a_text_is_not_found() {
    let text = cause("131", A, "3\tc", "line_number_prefix");
    assert!(text.contains("strip the row number and the TAB"), "{text}");
    let text = cause("131 several", A, "2\tb\n3\tc\n", "line_number_prefix");
    assert!(text.contains("without them it is at line 2"), "{text}");
    let text = cause("131 and a TAB", "\tfoo()\n", "7\t    foo()", "indentation");
    assert!(text.contains("strip the row number and the TAB"), "{text}");
    assert!(!cause("131 not on every line", "x\n", "3\tq\nr", "absent").contains("strip"));
    assert!(
        cause("139", "\tif x\n", "    if x", "indentation").contains("1 TAB in the file, 4 spaces expected")
    );
    assert!(cause("140", "a\u{a0}b\n", "a b", "lookalike").contains("U+00A0 (no-break space)"));
    assert!(cause("140 zero width", "a\u{200b}b\n", "ab", "lookalike").contains("U+200B"));
    let text = cause("147", "cafe\u{301}\n", "caf\u{e9}", "lookalike");
    assert!(text.contains("one is the composed form (NFC) and the other the decomposed one (NFD)"), "{text}");
    assert!(cause("147 NFC file", "caf\u{e9}\n", "cafe\u{301}", "lookalike").contains("(NFC)"));
    let text = cause("134", "a\r\nb", "a\nb\n", "final_newline");
    assert!(text.contains("line 2 against file line 2: the file ends with this line"), "{text}");
    cause("trailing blanks", "a  \nb\n", "a\nb\n", "trailing_whitespace");
    cause("escaped", "a\nb\n", "a\\nb", "escaped");
    cause("already applied", "x\nnew\n", "old", "already_applied");
    let list = [One("old\nline", "x\n'y'")];
    let error = refuse("already applied in CRLF", "a\r\nx\r\n\u{2018}y\u{2019}\r\n", &list, "text_not_found");
    assert!(error.to_string().contains("the new text is there already, at line 2"), "{error}");
    cause("empty file", "", "old", "unknown");
    cause("137", "caf\u{e9}\n", "caf\u{fffd}", "absent");
}

#[test]
fn candidates_of_a_text_that_is_not_found() {
    let file = "start();\n  run();\nrun();\nrun(); run();\nrun();\nrun();\nrun();\n";
    let error = refuse("first line", file, &[One("\n    run();\nstop();", "x")], "text_not_found");
    let TargetError::TextNotFound { candidates, .. } = &error else { panic!("{error:?}") };
    assert_eq!(candidates, &[2, 3, 4, 5, 6]);
    assert!(error.to_string().contains("its first line is in the file at line 2, 3, 4, 5, 6"), "{error}");
    let text = error.describe(file.as_bytes(), |line| format!("<{}>", line.len()));
    assert!(text.contains("\nfile line 4: <13>"), "{text}");
    assert!(!text.contains("run"), "{text}");
}

#[test]
fn bounds() {
    let many = vec![Target { old: b"a", new: b"a", replace_all: false }; MAX_TARGETS + 1];
    let error = plan_targets(b"a", &many).unwrap_err();
    assert_eq!(error.code(), "too_many_targets");
    assert!(error.to_string().contains("1001 targets, the limit is 1000"), "{error}");
    assert!(plan_targets(b"a", &many[1..]).is_ok());
    let file = vec![b'a'; v4a_patch::MAX_PLACES + 1];
    let all = |new| [Target { old: b"a", new, replace_all: true }];
    assert_eq!(plan_targets(&file, &all(b"b")).unwrap_err().code(), "too_many_places");
    assert!(plan_targets(&file[1..], &all(b"b")).is_ok());
    let long = vec![b'b'; v4a_patch::MAX_REPLACEMENT_BYTES / 4 + 1];
    assert_eq!(plan_targets(b"aaaa", &all(&long)).unwrap_err().code(), "result_too_long");
    assert!(plan_targets(b"aaa", &all(&long)).is_ok());
}

/// Work that grew with the square of the number of places would not end.
#[test]
fn many_places_in_one_line() {
    let file = "it\u{2019}s, ".repeat(50_000);
    let plan = plan_targets(file.as_bytes(), &targets(&[All("it's", "it's\n'so'")])).unwrap();
    assert_eq!(plan.splices().len(), 50_000);
    assert_eq!(&*plan.splices()[49_999].replacement, "it\u{2019}s\n\u{2018}so\u{2019}".as_bytes());
    let crlf = "a\r\n".repeat(50_000);
    let plan = plan_targets(crlf.as_bytes(), &targets(&[All("a\n", "b\nc\n")])).unwrap();
    assert_eq!(plan.render(crlf.as_bytes()), b"b\r\nc\r\n".repeat(50_000));
    let error = refuse("periodic", &"a".repeat(1 << 20), &[One(&"a".repeat(1 << 19), "b")], "ambiguous");
    assert!(error.to_string().contains("occurs 524289 times"), "{error}");
}
