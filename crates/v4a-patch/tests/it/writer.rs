//! Patches written from two texts.

use expect_test::{Expect, expect};
use v4a_patch::{DiffOptions, Options, apply, diff};

#[track_caller]
fn check(old: &str, new: &str, context_lines: usize, expected: Expect) {
    let options = DiffOptions { context_lines, ..DiffOptions::default() };
    let patch = diff(old.as_bytes(), new.as_bytes(), &options).unwrap();
    expected.assert_eq(&patch);
    let done = apply(old.as_bytes(), patch.as_bytes(), "a", &Options::default()).unwrap();
    assert_eq!(String::from_utf8_lossy(&done.bytes), new);
}

#[test]
fn context_grows_until_the_place_is_unique() {
    check(
        "x\na\ny\na\nz\nend\n",
        "x\na\ny\nA\nz\nend\n",
        0,
        expect![[r#"
        @@
         y
        -a
        +A
         z
    "#]],
    );
    check(
        "q\nq\nq\nq\nq\nz\n",
        "q\nq\nQ\nq\nq\nz\n",
        0,
        expect![[r#"
            @@
             q
             q
            -q
            +Q
             q
             q
        "#]],
    );
}

#[test]
fn near_changes_share_a_hunk() {
    let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
    check(
        old,
        &old.replace('b', "B").replace('d', "D"),
        1,
        expect![[r#"
        @@
         a
        -b
        +B
         c
        -d
        +D
         e
    "#]],
    );
    check(
        old,
        &old.replace('b', "B").replace('i', "I\nI"),
        1,
        expect![[r#"
        @@
         a
        -b
        +B
         c
        @@
         h
        -i
        +I
        +I
         j
        *** End of File
    "#]],
    );
}

#[test]
fn insertions_and_removals() {
    check(
        "a\nb\n",
        "a\nnew\nb\n",
        0,
        expect![[r#"
        @@
         a
        +new
         b
        *** End of File
    "#]],
    );
    check(
        "",
        "a\n",
        3,
        expect![[r#"
        @@
        +a
        *** End of File
    "#]],
    );
    check(
        "a\nb\nc\nd\ne\n",
        "b\nc\nd\ne\n",
        0,
        expect![[r#"
        @@
        -a
    "#]],
    );
}

#[test]
fn a_carriage_return_in_the_text_survives() {
    let (old, new) = (b"a\r\r\nb\n".as_slice(), b"c\r\r\nb\n".as_slice());
    let patch = diff(old, new, &DiffOptions::default()).unwrap();
    assert_eq!(apply(old, patch.as_bytes(), "a", &Options::default()).unwrap().bytes, new);
}

#[test]
fn the_right_one_of_two_equal_lines_goes() {
    let (old, new) = (b"a\r\na\n".as_slice(), b"a\n".as_slice());
    let patch = diff(old, new, &DiffOptions::default()).unwrap();
    assert_eq!(apply(old, patch.as_bytes(), "a", &Options::default()).unwrap().bytes, new);
}

#[test]
fn refusals() {
    let check = |old: &[u8], new: &[u8], path, expected: &str| {
        let error = diff(old, new, &DiffOptions { path, ..DiffOptions::default() }).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    };
    check(b"a\n", b"a", None, "(final_newline), first at line 1");
    check(b"a\nb\r\n", b"a\nb\n", None, "(line_endings), first at line 2");
    check(b"a\n", b"\xef\xbb\xbfa\n", None, "(byte_order_mark)");
    check(b"a\n", b"\xff\n", None, "(not_utf8), first at line 1");
    check(b"a\n", b"b\n", Some(""), "path");
    check(b"a\n", b"b\n", Some("a\nb"), "path");
    check(b"a\n", b"b\n", Some(" a"), "path");
}
