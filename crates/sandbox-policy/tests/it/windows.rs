//! Spellings that are special on Windows, found on every platform.

use sandbox_policy::{WindowsIssue, windows_issue};

#[track_caller]
fn check(text: &str, expected: Option<WindowsIssue>) {
    assert_eq!(windows_issue(text), expected, "{text}");
}

#[test]
fn plain_paths_pass() {
    for text in [
        "a",
        r"src\main.rs",
        "src/main.rs",
        r"src\Sources/",
        r"C:\work\x",
        "C:/Users/u/x.txt",
        r"..\x",
        r".\x",
        ".",
        "..",
        "",
        "com",
        "COM10",
        "COM1x",
        "console.log",
        "null",
        "auxiliary.rs",
        ".gitignore",
        "naïve.txt",
        "a b.txt",
        "LPT",
    ] {
        check(text, None);
    }
}

#[test]
fn devices_and_other_machines_are_found() {
    for text in [
        r"\\?\C:\x",
        r"\\.\PhysicalDrive0",
        r"\??\C:\x",
        "//?/C:/x",
        r"\\?\GLOBALROOT\x",
        r"a\GlobalRoot\b",
        r"\\",
    ] {
        check(text, Some(WindowsIssue::DeviceNamespace));
    }
    for text in [r"\\host\share\x", "//host/share", r"\/host\x", r"\\host"] {
        check(text, Some(WindowsIssue::NetworkPath));
    }
}

#[test]
fn relative_to_a_drive_is_found() {
    check("C:foo", Some(WindowsIssue::DriveRelative));
    check("C:", Some(WindowsIssue::DriveRelative));
    check(r"\foo", Some(WindowsIssue::RootRelative));
    check("/foo", Some(WindowsIssue::RootRelative));
}

#[test]
fn streams_are_found() {
    for text in ["f.txt:s", "f::$DATA", "dir:$I30:$INDEX_ALLOCATION", r"C:\x\f.txt:s", "ab:c", r"C:f:s"] {
        check(text, Some(WindowsIssue::Stream));
    }
}

#[test]
fn names_of_devices_are_found() {
    for text in [
        "NUL",
        "nul.txt",
        "a/CON/b",
        "aux.tar.gz",
        "PRN",
        "COM1",
        "com9.log",
        "LPT0",
        "COM¹",
        "lpt³.x",
        "CONIN$",
        "conout$",
        "NUL .txt",
    ] {
        check(text, Some(WindowsIssue::ReservedName));
    }
}

#[test]
fn what_the_system_drops_or_forbids_is_found() {
    for text in [".env.", ".git ", "a. /b", "x/.ssh./y", "..."] {
        check(text, Some(WindowsIssue::TrailingDotOrBlank));
    }
    for text in ["a<b", "a>b", "a\"b", "a|b", "a?b", "a*", "a\nb", "a\u{7f}"] {
        check(text, Some(WindowsIssue::ForbiddenCharacter));
    }
    check("NUL ", Some(WindowsIssue::ReservedName));
}

#[test]
fn every_issue_is_told_differently() {
    let all = [
        WindowsIssue::DeviceNamespace,
        WindowsIssue::NetworkPath,
        WindowsIssue::DriveRelative,
        WindowsIssue::RootRelative,
        WindowsIssue::Stream,
        WindowsIssue::ReservedName,
        WindowsIssue::TrailingDotOrBlank,
        WindowsIssue::ForbiddenCharacter,
    ];
    let mut told = all.map(|issue| issue.to_string()).to_vec();
    told.sort();
    told.dedup();
    assert_eq!(told.len(), all.len());
}
