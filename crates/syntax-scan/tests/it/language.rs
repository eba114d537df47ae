//! Which files are checked.

use syntax_scan::Language;

#[track_caller]
fn check(path: &str, expected: Option<Language>) {
    assert_eq!(Language::from_file_name(path), expected, "{path}");
}

#[test]
fn extensions_select_the_language() {
    for name in ["a.c", "a.h", "a.cc", "a.cpp", "a.cxx", "a.hpp", "a.hh", "dir/a.H", "C:\\dir\\a.Cpp"] {
        check(name, Some(Language::CFamily));
    }
    check("a.go", Some(Language::Go));
    check("a.py", Some(Language::Python));
    check("a.b.pyi", Some(Language::Python));
    check("Cargo.toml", Some(Language::Toml));
    check("package.json", Some(Language::Json));
}

#[test]
fn other_files_are_not_checked() {
    for name in [
        "a.rs", "a.js", "a.java", "a.yaml", "a.txt", "a.jsonc", "a.json5", "json", ".json", "a.json/", "",
        "a.c.bak",
    ] {
        check(name, None);
    }
}

#[test]
fn json_with_comments_is_not_checked() {
    for name in [
        "tsconfig.json",
        "tsconfig.base.json",
        "web/tsconfig-build.json",
        "jsconfig.json",
        "devcontainer.json",
        ".devcontainer/devcontainer.json",
        ".devcontainer.json",
        ".vscode/settings.json",
        "a/.vscode/launch.json",
        "a\\.vscode\\tasks.json",
    ] {
        check(name, None);
    }
    check("vscode/settings.json", Some(Language::Json));
    check(".vscode/a/settings.json", Some(Language::Json));
    check("my-jsconfig.json", Some(Language::Json));
}

#[test]
fn a_name_may_be_any_bytes() {
    assert_eq!(Language::from_file_name(b"\xff\xfe.go"), Some(Language::Go));
}

#[test]
fn names_of_languages_are_stable() {
    let names = [Language::Json, Language::CFamily, Language::Go, Language::Python, Language::Toml]
        .map(Language::name);
    assert_eq!(names, ["json", "c_family", "go", "python", "toml"]);
}
