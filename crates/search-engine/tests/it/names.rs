//! Name patterns of both families.

use search_engine::{Error, NamePattern, Query, Reach, is_all_wildcard};

use crate::support::{check, files, names};

#[track_caller]
fn finds(pattern: &str, all: &[&str], expected: &[&str]) {
    check(&files(all), &names(pattern), expected);
}

#[track_caller]
fn glob(pattern: &str, reach: Reach, all: &[&str], expected: &[&str]) {
    check(&files(all), &Query::names(NamePattern::glob(pattern, reach).unwrap()), expected);
}

#[track_caller]
fn refused(pattern: &str, at: usize, part: &str) {
    let error = NamePattern::classic(pattern).unwrap_err();
    assert_eq!(error.code(), "invalid_glob");
    assert!(matches!(error, Error::InvalidGlob { at: found, .. } if found == at), "{pattern}: {error:?}");
    assert!(error.to_string().contains(part), "{pattern}: {error}");
}

#[test]
fn an_empty_pattern_lists_everything() {
    finds("", &["a", "b/c", ".hidden"], &[".hidden", "a", "b/c"]);
}

#[test]
fn text_without_metacharacters_is_a_substring_of_the_path() {
    finds("z", &["a/z.go", "zoo/b", "c"], &["a/z.go", "zoo/b"]);
    let compose = ["docker-compose.yml", "deploy/docker-compose.prod.yml", "compose"];
    finds("docker-compose", &compose, &["deploy/docker-compose.prod.yml", "docker-compose.yml"]);
    finds("b/c", &["a/b/c", "bc"], &["a/b/c"]);
    finds("my file}", &["my file}.txt", "x"], &["my file}.txt"]);
}

#[test]
fn a_glob_without_a_slash_is_for_base_names() {
    finds(
        "*.go",
        &["cmd/app/main.go", "pkg/app/app_test.go", "x.md"],
        &["cmd/app/main.go", "pkg/app/app_test.go"],
    );
    finds("*.{js,ts}", &["a.js", "b.ts", "c.tsx"], &["a.js", "b.ts"]);
    finds("?.t", &["é.t", "ab.t", "x/y.t"], &["x/y.t", "é.t"]);
    finds("[!a]*", &["a1", "b1", "x/c"], &["b1", "x/c"]);
    finds("[^a-c]1", &["a1", "d1"], &["d1"]);
    finds("[é-ë].t", &["ê.t", "e.t"], &["ê.t"]);
    finds("*", &[".env", "a"], &[".env", "a"]);
    finds("*.T", &["a.t", "b.T"], &["b.T"]);
}

#[test]
fn a_glob_with_a_slash_is_for_whole_paths() {
    finds("src/**/*.ts", &["src/main.ts", "src/a/b.ts", "lib/src/x.ts"], &["src/a/b.ts", "src/main.ts"]);
    finds("a/*.go", &["a/x.go", "a/b/z.go", "x/a/y.go"], &["a/x.go"]);
    finds("a/**", &["a/x", "a/b/c", "b"], &["a/b/c", "a/x"]);
    finds("**/x", &["x", "a/x", "a/b/x", "y"], &["a/b/x", "a/x", "x"]);
    finds("**/a/**/z", &["a/z", "q/a/b/c/z", "z"], &["a/z", "q/a/b/c/z"]);
    finds("{a,b/c}/x", &["a/x", "b/c/x", "b/x"], &["a/x", "b/c/x"]);
    finds("./a?", &["ab", "a/b"], &["ab"]);
}

#[test]
fn braces_nest_and_can_be_literal() {
    finds("*.{a{1,2},b}", &["x.a1", "x.a2", "x.b", "x.a"], &["x.a1", "x.a2", "x.b"]);
    finds(r"\{a\}*", &["{a}b", "ab"], &["{a}b"]);
    finds("[{]a[}]", &["{a}", "a"], &["{a}"]);
    finds("{a}*", &["ab", "b"], &["ab"]);
    finds("a{,b}c*", &["ac", "abc"], &["abc", "ac"]);
    finds(r"a\*b[*]", &["a*b*", "axb*"], &["a*b*"]);
    finds(r"[\]]x", &["]x"], &["]x"]);
    finds("[]]x", &["]x"], &["]x"]);
    finds("[a-]x", &["-x", "ax"], &["-x", "ax"]);
}

#[test]
fn reach_of_globs() {
    let all = ["a.rs", "src/b.rs", "src/x/c.rs"];
    glob("*.rs", Reach::Here, &all, &["a.rs"]);
    glob("*.rs", Reach::AnyDepth, &all, &["a.rs", "src/b.rs", "src/x/c.rs"]);
    glob("**/*.rs", Reach::Here, &all, &["a.rs", "src/b.rs", "src/x/c.rs"]);
    glob("src/*.rs", Reach::AnyDepth, &all, &["src/b.rs"]);
    glob("a.rs", Reach::AnyDepth, &["a.rs", "x/a.rs"], &["a.rs", "x/a.rs"]);
}

#[test]
fn malformed_globs_say_where() {
    refused("a[b", 1, "not closed");
    refused("[", 0, "not closed");
    refused("x{a,b", 1, "not closed");
    refused("*a}", 2, "without `{`");
    refused(r"*\", 1, "backslash");
    refused("src/**.ts", 4, "whole component");
    refused("a***", 1, "whole component");
    refused("[z-a]", 0, "reversed");
    refused("/abs/*", 0, "leading slash");
    refused("../*", 0, "stay below");
    refused("a/./*", 2, "stay below");
    refused("src/*/", 6, "everything below");
    refused("a//*", 2, "one slash");
    refused(&"{a,b}".repeat(11), 50, "too many");
}

#[test]
fn globs_without_a_literal() {
    for pattern in ["**/*", "*", "*.*", "?", "", "{*,**/*}", "[a-z]*", "**/.*", "[!0-9a-f]?", "{[a-z],*}"] {
        assert!(is_all_wildcard(pattern), "{pattern}");
    }
    for pattern in ["*.rs", "src/**", r"\**", "a", "{a,*}", "[a]b", "*-*", "[!a]", "[!x]*", "[]a]", r"[\]x]*"]
    {
        assert!(!is_all_wildcard(pattern), "{pattern}");
    }
}

#[test]
fn the_reading_of_globs_agrees_with_globset() {
    let patterns =
        ["*.rs", "a*b?c", "src/**/x", "{a,b}{c,d}", "[a-c]x", "**/t/*.{x,y}", "a/**", "[!a]b", "*/b"];
    let paths = [
        "a.rs",
        "aXbYc",
        "src/x",
        "src/a/b/x",
        "ac",
        "bd",
        "bx",
        "t/f.x",
        "q/t/f.y",
        "a/b",
        "a/b/c",
        "cb",
        "a",
    ];
    for pattern in patterns {
        let theirs =
            globset::GlobBuilder::new(pattern).literal_separator(true).build().unwrap().compile_matcher();
        let ours = NamePattern::glob(pattern, Reach::Here).unwrap();
        for path in paths {
            assert_eq!(ours.is_match(path), theirs.is_match(path), "{pattern} on {path}");
        }
    }
}
