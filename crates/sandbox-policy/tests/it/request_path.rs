//! Paths as they are asked for: one spelling, nothing expanded, nothing trimmed.

use std::path::Path;

use sandbox_policy::{MAX_NAME_BYTES, MAX_PATH_BYTES, RequestPath, lexical};

#[track_caller]
fn check(text: &str, expected: &str) {
    let path = RequestPath::parse(text).unwrap();
    assert_eq!(path.as_path().as_os_str(), expected, "{text}");
}

#[track_caller]
fn check_refused(text: &str, code: &str) {
    assert_eq!(RequestPath::parse(text).unwrap_err().code(), code);
}

#[test]
fn the_normal_form_drops_what_says_nothing() {
    check("a", "a");
    check("./a", "a");
    check("a//b", "a/b");
    check("a/./b/.", "a/b");
    check("a/b/", "a/b");
    check("//a", "/a");
    check("///", "/");
    check(".", ".");
    check("./.", ".");
    check("/.", "/");
    check(&"./".repeat(1500), ".");
}

#[test]
fn steps_up_are_kept() {
    check("../a", "../a");
    check("a/../b", "a/../b");
    check("/w/../etc", "/w/../etc");
    check("..", "..");
    assert!(RequestPath::parse("a/../b").unwrap().has_parent_step());
    assert!(!RequestPath::parse("..a/b..").unwrap().has_parent_step());
}

#[test]
fn nothing_is_expanded_or_trimmed() {
    for literal in [
        "~",
        "~/secret",
        "~user/x",
        "$HOME/secret",
        "${HOME}",
        "%2e%2e/x",
        "file:",
        " leading",
        "trailing ",
        "work\"",
        "'x'",
        "*.rs",
        "a?b",
        "[a]",
        "{a,b}",
        "\u{ff0e}\u{ff0e}/x",
        "..a",
        "a..",
        "...",
    ] {
        check(literal, literal);
    }
    check("file:///etc/passwd", "file:/etc/passwd");
    if cfg!(unix) {
        check(r"..\..\x", r"..\..\x");
        check(r"C:\x", r"C:\x");
        check(r"aaa\bbb\file.txt", r"aaa\bbb\file.txt");
    }
}

#[test]
fn what_cannot_be_a_path_is_refused() {
    check_refused("", "empty_path");
    check_refused("a\0b", "nul_in_path");
    check_refused("\0", "nul_in_path");
    check_refused(&"a/".repeat(MAX_PATH_BYTES), "path_too_long");
    check_refused(&"a".repeat(MAX_NAME_BYTES + 1), "name_too_long");
    assert!(RequestPath::parse(&"a".repeat(MAX_NAME_BYTES)).is_ok());
    assert!(RequestPath::parse(&"a/".repeat(MAX_PATH_BYTES / 2)).is_ok());
}

#[test]
fn the_message_has_the_numbers() {
    let error = RequestPath::parse(&"a".repeat(300)).unwrap_err();
    assert_eq!(error.to_string(), "a name in the path has 300 bytes, at most 255 are possible");
    assert_eq!(RequestPath::parse("").unwrap_err().to_string(), "the path is empty");
}

#[test]
fn a_spelling_for_directories_is_noticed() {
    for (text, expected) in
        [("a/", true), ("a/.", true), ("a/..", true), (".", true), ("/", true), ("a", false)]
    {
        assert_eq!(RequestPath::parse(text).unwrap().wants_directory(), expected, "{text}");
    }
}

#[test]
fn a_path_goes_behind_a_base() {
    let below = |text: &str| RequestPath::parse(text).unwrap().below(Path::new("/w"));
    assert_eq!(below("a/b"), Path::new("/w/a/b"));
    assert_eq!(below("/a"), Path::new("/a"));
    assert_eq!(below(".").as_os_str(), "/w");
    assert_eq!(below("../a").as_os_str(), "/w/../a");
    assert!(RequestPath::parse("/a").unwrap().is_absolute());
}

#[test]
fn a_shown_name_is_taken_back() {
    let path = RequestPath::parse("evil\\x{0A}name\\u{202E}").unwrap();
    assert_eq!(path.as_path(), Path::new("evil\nname\u{202e}"));
    // Nothing that a plain name could say is smuggled in by an escape.
    check_refused("a\\x{00}b", "nul_in_path");
    for literal in ["\\x{2E}\\x{2E}", "a\\x{2F}b", "\\u{2e}", "\\u{2215}"] {
        assert_eq!(RequestPath::parse(literal).unwrap().as_path(), Path::new(literal));
    }
}

#[test]
fn the_text_alone_can_take_steps_up() {
    for (path, expected) in [("/a/../b", "/b"), ("/../a", "/a"), ("/a/b/../../..", "/"), ("/a/./b", "/a/b")] {
        assert_eq!(lexical(Path::new(path)), Path::new(expected), "{path}");
    }
}
